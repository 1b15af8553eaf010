// SPDX-License-Identifier: BSD-3-Clause
//
// Fourier transforms of arrays that are distributed over the ranks of a communicator.
//
//     auto fft = kallima::Transform<double>(comm, {512, 512, 512});   // plans; collective
//     auto u   = fft.make_input();                                    // memory in the right place
//     auto u_k = fft.make_output();
//     for (auto [index, value] : u.indexed()) value = f(index);
//     fft.forward(u, u_k);
//     for (auto [k, value] : u_k.wavenumbers()) value *= k.is_zero() ? 0.0 : -1.0 / k.squared();
//     fft.backward(u_k, u);                                           // 1/N on the way back
//
// Collective calls are made by all ranks of the communicator, in the same order. A bad or
// mismatched argument on any rank raises the same error on all of them.
//
// A Transform works on a duplicate of the communicator, which may be freed before the Transform is
// destroyed. Destroying is local, and calls no MPI.
//
// A Transform and its copies share one workspace, so they run one transform at a time; two threads
// in it at once are an error (ConcurrentUse). Where MPI runs with MPI_THREAD_MULTIPLE, different
// Transforms may run in different threads at once, also on one communicator. Making Transforms is
// collective over the communicator, so threads make them one after the other, in the same order on
// all ranks.
//
// Where a call fails on one rank while it runs (MPI returns an error, say), all ranks throw that
// error; where a rank dies or stops, the others throw DeadlineExceeded if there is a deadline, and
// otherwise wait. Such a Transform refuses to run again (BrokenTransform): make a new one. MPI may
// still read and write the arrays of the failed call, so keep them allocated.
#pragma once

#include <mpi.h>

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kallima/array.hpp"
#include "kallima/buffer.hpp"
#include "kallima/export.h"
#include "kallima/machine.hpp"
#include "kallima/plan.hpp"
#include "kallima/wisdom.hpp"

namespace kallima {

/// By what results are multiplied.
enum class Scaling : std::uint8_t {
  none,         ///< nothing: forward and back multiplies by N
  by_n,         ///< 1/N on the way back: forward and back restores the input
  by_sqrt_n,    ///< 1/sqrt(N) either way: unitary
  by_n_forward  ///< 1/N forward: the mean comes out as it is
};

/// How hard the planner looks for a fast plan. (Effort is the FFT engine's.)
enum class PlanEffort : std::uint8_t {
  estimate,  ///< the cheapest by its price; nothing is run
  measure    ///< times the plans that are priced about alike, within Options::planning_seconds, as
           ///< tune() does, and remembers the fastest where Options::plan_wisdom names a file; that
           ///< need not exist. Where the file has a plan for this already, or Options::plan or
           ///< tile_bytes are given, nothing is timed
};

/// What this rank alone holds of an array: one box or several, which lie one behind the other in
/// its memory. Those of all ranks are gathered in the collective call that they are given to.
struct OwnBoxes {
  std::vector<Box> boxes;       ///< of this rank; none where it holds nothing
  std::vector<int> order = {};  ///< axes from slowest to fastest in memory, the same on all ranks
  std::vector<Margin> margins = {};  ///< of each box, per axis, the same on all ranks
};

/// A layout, or its text, or what this rank holds of it, or nothing: the planner's choice then.
/// Text is read, and boxes of all ranks are gathered, inside the collective call that it is given
/// to, so that all ranks throw alike where something is wrong with one of them.
class KALLIMA_API LayoutChoice {
 public:
  /// The planner's choice.
  LayoutChoice() = default;
  /// This one.
  LayoutChoice(Layout layout) : layout_(std::move(layout)) {}  // NOLINT: meant to convert
  /// This one, or the planner's choice.
  LayoutChoice(std::optional<Layout> layout) : layout_(std::move(layout)) {}  // NOLINT: likewise
  /// The one of this text: "z:all y:block/4 x:all".
  LayoutChoice(std::string text) : text_(std::move(text)) {}  // NOLINT: likewise
  /// The same.
  LayoutChoice(const char* text) : text_(text) {}  // NOLINT: likewise

  /// The one of which this rank holds a box.
  LayoutChoice(Box mine) : own_(OwnBoxes{{std::move(mine)}}) {}  // NOLINT: likewise
  /// The one of which this rank holds these boxes.
  LayoutChoice(OwnBoxes mine) : own_(std::move(mine)) {}  // NOLINT: likewise

  /// True where something was chosen.
  [[nodiscard]] bool has_value() const { return layout_ || text_ || own_; }
  /// What this rank holds, where that is what was chosen.
  [[nodiscard]] const std::optional<OwnBoxes>& own() const { return own_; }
  /// The same.
  explicit operator bool() const { return has_value(); }
  /// The planner's choice again.
  void reset() { *this = {}; }
  /// The layout of an array of this shape, or nothing. Reads the text: ParseError, InvalidLayout.
  [[nodiscard]] std::optional<Layout> for_shape(const Shape& shape) const;
  /// The layout that was given as such; InvalidOption where there is only its text, or nothing.
  [[nodiscard]] const Layout& operator*() const;
  /// The same.
  const Layout* operator->() const { return &**this; }

 private:
  std::optional<Layout> layout_;
  std::optional<std::string> text_;
  std::optional<OwnBoxes> own_;
};

/// What can be chosen about a transform. The same on every rank. Most programs need the first five
/// at most; every default is the planner's or the machine's own choice.
struct Options {  // NOLINT(clang-analyzer-optin.performance.Padding): grouped for its readers
  // The ones that most programs look at.
  LayoutChoice in;                  ///< layout of the input; the planner's choice where empty
  LayoutChoice out;                 ///< of the output; where empty any, which saves an exchange
  Scaling scaling = Scaling::by_n;  ///< of results
  Index threads = 1;  ///< OpenMP threads that share a rank's sweeps; only the calling thread calls
                      ///< MPI (MPI_THREAD_FUNNELED)
  PlanEffort plan_effort = PlanEffort::estimate;  ///< `measure` times plans on these ranks

  // Of axes that are not all Fourier, of real data, and of wavenumbers.
  std::vector<AxisKind> axes;  ///< what is done along each axis; empty: Fourier along all
  int r2c_axis = -1;           ///< axis of which half the frequencies are kept; negative: the one
                               ///< that `axes` call real, or the last
  bool padded = false;         ///< rows of reals along that axis are padded to the length of their
                        ///< frequencies, 2 (n/2 + 1), as FFTW has them in place; where fields
                        ///< are interleaved, that is a margin above along that axis
  bool separate_fields = false;  ///< the fields of a batch, axis 0, have pointers of their own:
                                 ///< bind_fields(). Every rank holds all of that axis, slowest in
                                 ///< memory. Takes more workspace, for fields are no room for more
  std::vector<Index> keep;       ///< per Fourier axis, the largest |k| of the frequencies that are
                                 ///< kept, or -1 for all: what is not is neither computed nor sent,
                                 ///< and backward it is 0. Empty: all
  std::vector<double> lengths;   ///< physical extents of the box, for wavenumbers; or none

  // How hard plans and the FFT engine look for what is fast.
  double planning_seconds = 2.;  ///< that PlanEffort::measure may take, and one run more at most
  bool adaptive = false;  ///< the first 20 runs of each direction try up to 5 ways to exchange, all
                          ///< with the same bits, and the fastest stays; explain() shows which. The
                          ///< workspace is that of the largest
  LineEngine engine = LineEngine::any;  ///< what transforms lines: FFTW, the library's kernels, or
                                        ///< kernels where there is one for just their length
  Effort engine_effort = Effort::estimate;  ///< of FFTW: how long it looks for a plan of lines;
                                            ///< `measure` takes longer to plan and less to run

  // Which plan is run.
  ExchangeMethod method = ExchangeMethod::any;  ///< how pieces travel. Shared memory falls back to
                                                ///< point-to-point where memory cannot be shared,
                                                ///< and the plan says so
  std::shared_ptr<const Machine> machine;  ///< that plans are priced on; where empty, the one that
                                           ///< KALLIMA_MACHINE names on rank 0, or the built-in one
  std::shared_ptr<const Plan> plan;  ///< run instead of planning, as all_plans() lists them or
                                     ///< Plan::parse() reads them; it has the layouts and the
                                     ///< method. InvalidOption where it cannot be run or does not
                                     ///< compute this
  std::string plan_wisdom;  ///< file that rank 0 looks for a plan in before it plans, unless plan
                            ///< or tile_bytes are given; or none. FileError where there is no such
                            ///< file or it cannot be read, ParseError where it is damaged; where
                            ///< it has no plan for this, it is planned as without
  Index chunks = 0;  ///< messages travel while sweeps compute, which are cut into so many chunks
                     ///< each, as far as they can be; 1: never; 0: as the planner finds it best
  Index tile_bytes = 0;  ///< size that tiles should not exceed (planes of two axes: four times
                         ///< that); 0: what the second cache of rank 0's cores holds

  // How it runs.
  bool progress_thread = false;  ///< a thread of its own progresses messages while sweeps compute,
                                 ///< for ranks with a core to spare; needs MPI_THREAD_MULTIPLE
  double deadline = 0.;     ///< seconds after which a collective call, this one included, no longer
                            ///< waits for other ranks but throws DeadlineExceeded, which ends the
                            ///< transform; 0: what KALLIMA_DEADLINE says, or none
  Index message_bytes = 0;  ///< larger messages are cut into parts; 0: only where MPI cannot
                            ///< count their bytes
  bool large_counts = true;  ///< MPI-4 large counts, where there are any, count beyond an int
  std::shared_ptr<MemorySource> memory;  ///< where memory comes from; the process where empty
  std::string trace;  ///< file that each rank writes what it did to, when the transform ends, with
                      ///< the plan's hash and the rank in its name; where empty, the one that
                      ///< KALLIMA_TRACE names, or none. "-": recorded, not written
};

/// What was really moved between this rank and others.
struct CommStatistics {
  Index bytes_sent = 0;      ///< since the transform was made; in shared memory, others read them
                             ///< in place, in no messages
  Index bytes_received = 0;  ///< likewise
  Index messages_sent = 0;   ///< pieces, however many parts each took
  Index messages_received = 0;  ///< likewise
  Index exchanges = 0;          ///< steps that moved them
};

/// How long the steps of a transform took on one rank: median of the last runs, in seconds.
struct Timings {
  bool in_place = false;       ///< whichever ran more often
  Index runs = 0;              ///< so far
  std::vector<double> stages;  ///< one for each entry of price(plan).steps
};

/// All arguments of a transform but its communicator.
struct Arguments {
  Shape shape;      ///< extents, slowest axis of a C array first
  Options options;  ///< choices
};

template <class T>
class TransformCore;

/// True for what numbers of Transform and RealTransform are made of.
template <class T>
inline constexpr bool is_precision = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Fields of a batch, each in memory of its own: by field, where it begins and how many elements
/// there are.
struct FieldMemory {
  std::vector<const void*> in;            ///< read
  std::vector<std::size_t> in_elements;   ///< of these
  std::vector<void*> out;                 ///< written
  std::vector<std::size_t> out_elements;  ///< of these
};

/// The arrays of one run: where they begin, and how many elements there are.
struct ArrayMemory {
  const void* in = nullptr;      ///< read
  std::size_t in_elements = 0;   ///< of it
  void* out = nullptr;           ///< written
  std::size_t out_elements = 0;  ///< of it
};

/// A transform bound to memory: validated, ready to run any number of times.
template <class T>
class KALLIMA_API Bound {
 public:
  /// Runs. Collective; agrees on nothing, checks nothing, allocates nothing. Returns when no other
  /// rank will read or write this rank's arrays any more. Costs what the plan says.
  void run();
  /// The same with another scaling than Options::scaling. InvalidOption on this rank alone, where
  /// nothing runs, for an enumerator that there is not.
  void run(Scaling scaling);

 private:
  template <class>
  friend class Planned;
  Bound(std::shared_ptr<TransformCore<T>> core, Direction direction, const void* in, void* out)
      : core_(std::move(core)), direction_(direction), in_(in), out_(out) {}
  Bound(std::shared_ptr<TransformCore<T>> core, Direction direction,
        std::shared_ptr<const FieldMemory> fields)
      : core_(std::move(core)), direction_(direction), fields_(std::move(fields)) {}
  void run_scaled(std::optional<Scaling> scaling);

  std::shared_ptr<TransformCore<T>> core_;
  Direction direction_;
  const void* in_ = nullptr;
  void* out_ = nullptr;
  std::shared_ptr<const FieldMemory> fields_;  // instead, where fields are separate
};

/// What transforms of either kind answer once they are planned.
template <class T>
class KALLIMA_API Planned {
 public:
  /// Checks and binds memory whose elements are those of the direction's ends, as `bind` of the
  /// derived classes does; for bindings of languages that have no such types. Collective.
  [[nodiscard]] Bound<T> bind_memory(Direction direction, const void* in, std::size_t in_elements,
                                     void* out, std::size_t out_elements) const;
  /// The same, of arrays in these layouts.
  [[nodiscard]] Bound<T> bind_memory(Direction direction, const void* in, std::size_t in_elements,
                                     const Layout& in_layout, void* out, std::size_t out_elements,
                                     const Layout& out_layout) const;

  /// The same of arrays that are asked for inside the collective call, so that what `memory` throws
  /// on one rank, all ranks throw.
  [[nodiscard]] Bound<T> bind_memory(Direction direction,
                                     const std::function<ArrayMemory()>& memory) const;

  /// The same of the fields of a batch, each behind a pointer of its own: Options::separate_fields.
  /// They are asked for inside the collective call, so that what `fields` throws on one rank, all
  /// ranks throw.
  [[nodiscard]] Bound<T> bind_fields_memory(Direction direction,
                                            const std::function<FieldMemory()>& fields) const;

  /// Runs on memory that was not bound: checks it on this rank alone, and sends nothing for that.
  /// For programs whose arrays move. Collective; ranks pass the same direction and scaling. Where
  /// memory on some rank does not do, that rank throws InvalidBuffer and the transform is broken:
  /// the others throw as they learn of it, and can use it no more (BrokenTransform). `bind` costs
  /// an agreement and is forgiving.
  void run_memory(Direction direction, const void* in, std::size_t in_elements, void* out,
                  std::size_t out_elements, std::optional<Scaling> scaling = {}) const;

  /// Forward, `work` on all rows of frequencies, backward, from and to memory in the input layout;
  /// for bindings of languages. See apply() of the derived classes.
  void apply_memory(const void* in, std::size_t in_elements, void* out, std::size_t out_elements,
                    const RowWork& work) const;
  /// The same with the frequencies of a second array beside those of the first.
  void apply_memory(const void* in, std::size_t in_elements, const void* second,
                    std::size_t second_elements, void* out, std::size_t out_elements,
                    const RowPairWork& work) const;

  /// Layout of what forward reads.
  [[nodiscard]] const Layout& input_layout() const;
  /// Layout of what forward writes.
  [[nodiscard]] const Layout& output_layout() const;
  /// Which frequency an index of the output means, and where its partner is.
  [[nodiscard]] const Spectrum& spectrum() const;
  /// The steps of a direction.
  [[nodiscard]] const Plan& plan(Direction direction = Direction::forward) const;
  /// The steps of a direction in words, then what each was priced at, on which machine, how long
  /// it took on this rank so far, and what binds it. Of forward, then the same of apply(), where it
  /// was called. Local.
  [[nodiscard]] std::string explain(Direction direction = Direction::forward) const;
  /// What was timed at planning, and what was tried and learned while running; empty where nothing
  /// was. Part of explain(). Local.
  [[nodiscard]] std::string learned(Direction direction = Direction::forward) const;
  /// The machine that plans were priced on. Local.
  [[nodiscard]] Machine machine() const;
  /// Bytes this rank's workspace takes, beyond input and output.
  [[nodiscard]] Index workspace_bytes() const;
  /// Elements (of Transform and RealTransform complex ones, of R2RTransform reals) this rank's
  /// array must hold to be transformed in place; of RealTransform reals lie in it as as_real() sees
  /// it.
  [[nodiscard]] Index in_place_size() const;
  /// What was moved so far.
  [[nodiscard]] CommStatistics statistics() const;
  /// How long the steps of a direction took so far, on this rank. Local.
  [[nodiscard]] Timings timings(Direction direction = Direction::forward) const;
  /// What this rank did in all runs so far, where Options::trace asks for it: events of the trace
  /// format of Chrome and Perfetto, one a line. Local.
  [[nodiscard]] std::string trace() const;
  /// This rank's number in the communicator.
  [[nodiscard]] int rank() const;

 protected:
  /// Of a core that is ready.
  explicit Planned(std::shared_ptr<TransformCore<T>> core) : core_(std::move(core)) {}

  /// bind_fields_memory() of spans.
  template <class From, class To>
  [[nodiscard]] Bound<T> bind_spans(Direction direction, const std::vector<std::span<From>>& in,
                                    const std::vector<std::span<To>>& out) const {
    return bind_fields_memory(direction, [&] {
      FieldMemory fields;
      for (const std::span<From>& field : in) {
        fields.in.push_back(field.data());
        fields.in_elements.push_back(field.size());
      }
      for (const std::span<To>& field : out) {
        fields.out.push_back(field.data());
        fields.out_elements.push_back(field.size());
      }
      return fields;
    });
  }

  std::shared_ptr<TransformCore<T>> core_;  ///< shared with what is bound
};

/// Transforms whose input and output have elements of one type E: Transform and R2RTransform.
template <class T, class E>
class KALLIMA_API SameElementTransform : public Planned<T> {
 public:
  /// This rank's part of an array in the input layout, zeroed. Collective; OutOfMemory alike.
  [[nodiscard]] BasicArray<E> make_input() const;
  /// This rank's part of an array in the output layout, zeroed. Collective; OutOfMemory alike.
  [[nodiscard]] BasicArray<E> make_output() const;
  /// A walkable view of user memory that holds this rank's part in the input layout. Local;
  /// InvalidBuffer where it is too short.
  [[nodiscard]] BasicView<E> view_input(std::span<E> data) const;
  /// A walkable view of user memory that holds this rank's part in the output layout. Local;
  /// InvalidBuffer where it is too short.
  [[nodiscard]] BasicView<E> view_output(std::span<E> data) const;

  /// Checks memory and binds it. Forward reads the input layout and writes the output layout,
  /// backward the other way round. `in` and `out` are the same memory (in place; then it holds the
  /// larger of both parts) or do not overlap; out of place `in` is never written. Ranks may differ
  /// in that. Collective, one agreement; InvalidBuffer alike on all ranks. The memory must outlive
  /// the last run.
  [[nodiscard]] Bound<T> bind(Direction direction, std::span<const E> in, std::span<E> out) const;

  /// The same for arrays and views, which know their layouts: InvalidBuffer alike on all ranks
  /// where one of them has another layout than the plan. In place nothing is known of the layout
  /// behind.
  [[nodiscard]] Bound<T> bind(Direction direction, const BasicView<E>& in,
                              const BasicView<E>& out) const;

  /// The same of the fields of a batch, each in memory of its own: a span for each, of at least
  /// allocated_size(rank()) / fields elements. All are in place or none is.
  /// Options::separate_fields.
  [[nodiscard]] Bound<T> bind_fields(Direction direction, const std::vector<std::span<const E>>& in,
                                     const std::vector<std::span<E>>& out) const {
    return this->bind_spans(direction, in, out);
  }

  /// Runs on memory that was not bound, as run_memory() of Planned does: checked on this rank
  /// alone.
  void run(Direction direction, std::span<const E> in, std::span<E> out,
           std::optional<Scaling> scaling = {}) const;

  /// Forward, `function` on all frequencies, backward: `in` and `out` are in the input layout, the
  /// same memory or apart. `function` takes a wavenumber and an element, `[](const auto& k, auto&
  /// value)`, or a row, `[](const auto& row)` (kallima/row.hpp), which is faster where it can be
  /// vectorized; it is called once for each, in no order, by several threads at once where
  /// Options::threads are several. Frequencies are wherever that is cheapest, and are worked on in
  /// cache, between the last sweep forward and the first one back: that is a pass over memory less
  /// than forward() and backward(), and no exchange to an output layout.
  ///
  /// Collective. The first call plans, and allocates a workspace of its own, which
  /// workspace_bytes() counts from then on; later ones agree on nothing. Memory is checked on this
  /// rank alone, as by run(); what `function` throws on one rank ends the transform on all.
  template <class Function>
  void apply(std::span<const E> in, std::span<E> out, Function&& function) const {
    this->apply_memory(in.data(), in.size(), out.data(), out.size(), row_work<E>(function));
  }

  /// The same of two inputs, as for convolutions and correlations: forward of both, `function`,
  /// backward of what it left in the first. It takes a wavenumber and two elements, `[](const auto&
  /// k, auto& value, const auto& other)`, or two rows, `[](const auto& row, const auto& other)`.
  /// `second` may be the same memory as either. The first call allocates room for the frequencies
  /// of `second`.
  template <class Function>
  void apply(std::span<const E> in, std::span<const E> second, std::span<E> out,
             Function&& function) const {
    this->apply_memory(in.data(), in.size(), second.data(), second.size(), out.data(), out.size(),
                       row_pair_work<E>(function));
  }

  /// bind and run: position to frequency.
  void forward(std::span<const E> in, std::span<E> out) const;
  /// The same for arrays and views.
  void forward(const BasicView<E>& in, const BasicView<E>& out) const;
  /// bind and run: frequency to position.
  void backward(std::span<const E> in, std::span<E> out) const;
  /// The same for arrays and views.
  void backward(const BasicView<E>& in, const BasicView<E>& out) const;

 protected:
  using Planned<T>::Planned;
  using Planned<T>::core_;
};

/// Complex transforms of one shape over one communicator; T is float or double. Along an axis they
/// are Fourier transforms, or what Options::axes say: cosines or sines of both parts, or nothing.
template <class T>
class KALLIMA_API Transform : public SameElementTransform<T, std::complex<T>> {
  static_assert(is_precision<T>,
                "kallima::Transform<T>: T is float or double; there are no transforms of other "
                "types. Elements are std::complex<T>, which is not named here.");

 public:
  /// Plans: rank 0 plans, all ranks receive the same plan and allocate the workspace. Collective:
  /// broadcasts and one agreement. Throws InvalidShape, InvalidLayout, TooFewRanks, InvalidOption,
  /// MismatchedArguments, OutOfMemory, Overflow, EngineFailure, ParseError (texts of layouts),
  /// FileError (Options::plan_wisdom), MpiFailure, DeadlineExceeded, alike on all ranks.
  /// (A null communicator throws on the rank that passes it, since the others cannot know.)
  Transform(MPI_Comm comm, const Shape& shape, const Options& options = {});
  /// The same, with arguments that are made inside the collective call: where making them throws on
  /// one rank (a layout's text that cannot be read, say), all ranks throw alike.
  static Transform with(MPI_Comm comm, const std::function<Arguments()>& arguments);

 private:
  explicit Transform(std::shared_ptr<TransformCore<T>> core)
      : SameElementTransform<T, std::complex<T>>(std::move(core)) {}
};

/// Transforms of real data to real data: along each axis a cosine or sine transform, or nothing, as
/// Options::axes say, which must be given.
///
///     kallima::Options options;
///     options.axes = {kallima::AxisKind::cosine_2, kallima::AxisKind::sine_1};
///     auto dct = kallima::R2RTransform<double>(comm, {256, 255}, options);
///
/// With Scaling::by_n, N is the product of FFTW's logical sizes: 2 (n - 1) for cosine_1, 2 (n + 1)
/// for sine_1, 2 n for the others.
template <class T>
class KALLIMA_API R2RTransform : public SameElementTransform<T, T> {
  static_assert(is_precision<T>,
                "kallima::R2RTransform<T>: T is float or double; there are no transforms of other "
                "types.");

 public:
  /// Plans. Collective; throws as Transform does.
  R2RTransform(MPI_Comm comm, const Shape& shape, const Options& options);
  /// The same, with arguments that are made inside the collective call.
  static R2RTransform with(MPI_Comm comm, const std::function<Arguments()>& arguments);

 private:
  explicit R2RTransform(std::shared_ptr<TransformCore<T>> core)
      : SameElementTransform<T, T>(std::move(core)) {}
};

/// Transforms of real data: forward takes T to complex, backward complex to T. What they share with
/// Transform is described there.
///
///     auto fft = kallima::RealTransform<double>(comm, {512, 512, 512});
///     auto u   = fft.make_input();    // reals, 512 x 512 x 512 in all
///     auto u_k = fft.make_output();   // complex, 512 x 512 x 257
///     fft.forward(u, u_k);
///     for (auto [k, value] : u_k.wavenumbers()) energy += k.weight() * std::norm(value);
///
/// Of one axis, Options::r2c_axis, half the frequencies are kept. Backward, the imaginary parts
/// that must be zero for the result to be real are ignored, as FFTW does: along the r2c axis
/// those of frequency 0 and, where n is even, n/2, after the other axes have been transformed.
template <class T>
class KALLIMA_API RealTransform : public Planned<T> {
  static_assert(is_precision<T>,
                "kallima::RealTransform<T>: T is float or double; there are no transforms of other "
                "types.");

 public:
  /// Plans. The shape is that of the reals; Options::in is a layout of it, Options::out one of the
  /// frequencies, whose r2c axis has n/2 + 1. Collective; throws as Transform does.
  RealTransform(MPI_Comm comm, const Shape& shape, const Options& options = {});
  /// The same, with arguments that are made inside the collective call.
  static RealTransform with(MPI_Comm comm, const std::function<Arguments()>& arguments);

  /// This rank's part of the reals, zeroed. Collective; OutOfMemory alike.
  [[nodiscard]] RealArray<T> make_input() const;
  /// This rank's part of the frequencies, zeroed. Collective; OutOfMemory alike.
  [[nodiscard]] Array<T> make_output() const;
  /// A walkable view of user memory that holds this rank's part of the reals. Local.
  [[nodiscard]] RealView<T> view_input(std::span<T> data) const;
  /// A walkable view of user memory that holds this rank's part of the frequencies. Local.
  [[nodiscard]] View<T> view_output(std::span<std::complex<T>> data) const;

  /// Checks memory and binds it, reals to frequencies. `in` and `out` begin at the same address (in
  /// place; then it holds the larger of both parts, in_place_size()) or do not overlap; out of
  /// place `in` is never written. Padding is never read, and that of the output not preserved.
  /// Collective, one agreement; InvalidBuffer alike.
  [[nodiscard]] Bound<T> bind_forward(std::span<const T> in, std::span<std::complex<T>> out) const;
  /// The same, frequencies to reals. Out of place `in` is never written.
  [[nodiscard]] Bound<T> bind_backward(std::span<const std::complex<T>> in, std::span<T> out) const;
  /// The same for arrays and views, which know their layouts, as Transform::bind does.
  [[nodiscard]] Bound<T> bind_forward(const RealView<T>& in, const View<T>& out) const;
  /// The same, frequencies to reals.
  [[nodiscard]] Bound<T> bind_backward(const View<T>& in, const RealView<T>& out) const;

  /// The same of the fields of a batch, each in memory of its own, as Transform::bind_fields().
  [[nodiscard]] Bound<T> bind_forward_fields(
      const std::vector<std::span<const T>>& in,
      const std::vector<std::span<std::complex<T>>>& out) const {
    return this->bind_spans(Direction::forward, in, out);
  }
  /// The same, frequencies to reals.
  [[nodiscard]] Bound<T> bind_backward_fields(
      const std::vector<std::span<const std::complex<T>>>& in,
      const std::vector<std::span<T>>& out) const {
    return this->bind_spans(Direction::backward, in, out);
  }

  /// Runs on memory that was not bound, as run_memory() of Planned does: checked on this rank
  /// alone.
  void run_forward(std::span<const T> in, std::span<std::complex<T>> out,
                   std::optional<Scaling> scaling = {}) const;
  /// The same, frequencies to reals.
  void run_backward(std::span<const std::complex<T>> in, std::span<T> out,
                    std::optional<Scaling> scaling = {}) const;

  /// Forward, `function` on all frequencies, backward, as Transform::apply(): from reals to reals.
  template <class Function>
  void apply(std::span<const T> in, std::span<T> out, Function&& function) const {
    this->apply_memory(in.data(), in.size(), out.data(), out.size(),
                       row_work<std::complex<T>>(function));
  }
  /// The same of two inputs, as Transform::apply().
  template <class Function>
  void apply(std::span<const T> in, std::span<const T> second, std::span<T> out,
             Function&& function) const {
    this->apply_memory(in.data(), in.size(), second.data(), second.size(), out.data(), out.size(),
                       row_pair_work<std::complex<T>>(function));
  }

  /// bind and run: reals to frequencies.
  void forward(std::span<const T> in, std::span<std::complex<T>> out) const;
  /// The same for arrays and views.
  void forward(const RealView<T>& in, const View<T>& out) const;
  /// bind and run: frequencies to reals.
  void backward(std::span<const std::complex<T>> in, std::span<T> out) const;
  /// The same for arrays and views.
  void backward(const View<T>& in, const RealView<T>& out) const;

 private:
  using Planned<T>::core_;
  explicit RealTransform(std::shared_ptr<TransformCore<T>> core) : Planned<T>(std::move(core)) {}
};

extern template class Bound<float>;
extern template class Bound<double>;
extern template class Planned<float>;
extern template class Planned<double>;
extern template class SameElementTransform<float, std::complex<float>>;
extern template class SameElementTransform<double, std::complex<double>>;
extern template class SameElementTransform<float, float>;
extern template class SameElementTransform<double, double>;
extern template class Transform<float>;
extern template class Transform<double>;
extern template class R2RTransform<float>;
extern template class R2RTransform<double>;
extern template class RealTransform<float>;
extern template class RealTransform<double>;

}  // namespace kallima
