// SPDX-License-Identifier: BSD-3-Clause
//
// The property test: for configurations from a seed, the transform is right to the promised error,
// forward and back restores the input, out of place leaves it alone, bytes and messages moved are
// those in the plan, and the bits are the same by messages, by Alltoallv, on loopback and through
// the C interface. Of real data also: the energy of what is kept, with Hermitian weights, is that
// of the positions, and padding is left alone.
//
//     mpirun -n 4 property_test --seed 1 --cases 100 [--all-ranks] [--real] [--r2r]
//     mpirun -n 4 property_test --seed 1 --case 17          repeats one
//     mpirun -n 4 property_test --seed 1 --cases 50 --progress-thread   with a thread that moves
//     messages on mpirun -n 4 property_test --seed 1 --cases 50 --large   with messages that MPI
//     asks for first mpirun -n 4 property_test --seed 1 --cases 50 --bits    a digest of all
//     results of each case,
//                                                             for tools/compare_bits.py
//
// Configurations take sub-communicators of 1 .. n ranks, or all n with --all-ranks. All ranks
// agree on every verdict, so a failure ends the run instead of hanging it.
#include <mpi.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include "comm/communicator.hpp"
#include "exchange/bruck_rounds.hpp"
#include "exchange/node_layout.hpp"
#include "exec/loopback.hpp"
#include "kallima/error.hpp"
#include "kallima/kallima.h"
#include "kallima/planner.hpp"
#include "kallima/price.hpp"
#include "kallima/transform.hpp"
#include "planner/pipeline.hpp"
#include "planner/radix.hpp"
#include "steps/digits.hpp"
#include "support/configuration.hpp"
#include "support/reference.hpp"

namespace kallima::test {
namespace {

/// What is wrong on this rank, or nothing.
using Complaint = std::string;

template <class T>
using Elements = std::vector<std::complex<T>>;
/// A whole transform, row-major.
using Spectrum = std::vector<std::complex<long double>>;

template <class T>
bool same_bits(const Elements<T>& a, const Elements<T>& b, std::size_t bytes) {
  return bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0;
}
template <class T>
bool same_bits(const Elements<T>& a, const Elements<T>& b) {
  return same_bits<T>(a, b, a.size() * sizeof(std::complex<T>));
}

/// Sum over a communicator.
double total(double value, MPI_Comm comm) {
  double sum = 0.0;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  return sum;
}

Index total(Index value, MPI_Comm comm, MPI_Op op = MPI_SUM) {
  Index sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT64_T, op, comm);
  return sum;
}

/// What was seen over all configurations.
struct Tally {
  double worst = 0.0;      ///< error over what is promised
  int pipelined = 0;       ///< configurations whose exchanges could be cut
  int by_nodes = 0;        ///< configurations whose ranks went by several nodes
  int convolved = 0;       ///< configurations of one axis that was convolved
  int by_bruck = 0;        ///< configurations whose pieces went by other ranks
  int adaptive = 0;        ///< configurations of which several ways were tried while running
  int large = 0;           ///< configurations with messages larger than 64 KiB
  std::uint64_t bits = 0;  ///< of this rank's results so far
};

/// Of all exchanges, in bytes.
Index largest_message(const Plan& plan) {
  Index most = 0;
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    const auto* const exchange = std::get_if<Exchange>(&plan.steps()[i]);
    if (exchange == nullptr) continue;
    most = std::max(most, exchange->traffic.largest_message * plan.states()[i].element.bytes());
  }
  return most;
}

/// The method that is taken where this one is asked for: segments are of one node, and nodes of
/// ranks in a row.
ExchangeMethod taken(ExchangeMethod asked, MPI_Comm comm) {
  const auto known = comm::Communicator::of(comm);
  if (asked == ExchangeMethod::shared_memory && known->ranks_on_node != known->size)
    return ExchangeMethod::point_to_point;
  if (asked == ExchangeMethod::node_aggregated && !known->nodes_in_rows)
    return ExchangeMethod::point_to_point;
  return asked;
}

/// What lies where in this rank's memory, at one end of a transform.
template <class T>
class End {
 public:
  static constexpr T mark = T{-7};

  End(const State& state, Index rank)
      : real_(!state.element.complex),
        allocated_size_(in_complex(state.layout.allocated_size(rank), state.element)),
        elements_(static_cast<std::size_t>(state.layout.allocated_size(rank))) {
    for (const HeldElement& element : held_part(state.layout, rank)) {
      flats_.push_back(element.flat);
      offsets_.push_back(element.offset);
    }
    if (state.layout.has_margins()) {
      margins_.assign(elements_, true);
      for (const std::size_t offset : offsets_) margins_[offset] = false;
    }
  }

  [[nodiscard]] std::size_t size() const { return flats_.size(); }
  /// Row-major number of the i-th element in the whole array.
  [[nodiscard]] Index flat(std::size_t i) const { return flats_[i]; }
  /// Complex elements of memory, and elements of its own kind.
  [[nodiscard]] std::size_t allocated_size() const {
    return static_cast<std::size_t>(allocated_size_);
  }
  [[nodiscard]] std::size_t elements() const { return elements_; }
  /// As many as so much memory holds.
  [[nodiscard]] std::size_t elements_in(std::size_t complex) const {
    return real_ ? 2 * complex : complex;
  }

  [[nodiscard]] std::complex<T> get(const Elements<T>& memory, std::size_t i) const {
    if (!real_) return memory[offsets_[i]];
    return reinterpret_cast<const T*>(memory.data())[offsets_[i]];
  }
  void set(Elements<T>& memory, std::size_t i, const std::complex<T>& value) const {
    if (real_) {
      reinterpret_cast<T*>(memory.data())[offsets_[i]] = value.real();
    } else {
      memory[offsets_[i]] = value;
    }
  }
  /// Memory with a mark everywhere.
  [[nodiscard]] Elements<T> marked(std::size_t memory) const {
    return Elements<T>(std::max(memory, allocated_size()), {mark, mark});
  }
  /// True where margins, if there are any, have their marks still.
  [[nodiscard]] bool margins_untouched(const Elements<T>& memory) const {
    for (std::size_t i = 0; i < margins_.size(); ++i) {
      if (!margins_[i]) continue;
      const auto* const reals = reinterpret_cast<const T*>(memory.data());
      if (real_ ? reals[i] != mark : memory[i] != std::complex<T>(mark, mark)) return false;
    }
    return true;
  }
  /// The samples of a seed; what lies between them is set to a mark.
  [[nodiscard]] Elements<T> filled(std::uint64_t seed, std::size_t memory) const {
    Elements<T> data = marked(memory);
    for (std::size_t i = 0; i < size(); ++i) set(data, i, sample<T>(seed, flat(i)));
    return data;
  }

 private:
  bool real_;
  std::vector<Index> flats_;
  std::vector<std::size_t> offsets_;
  std::vector<bool> margins_;  // by element of memory, where there are any
  Index allocated_size_;
  std::size_t elements_;
};

/// Relative L2 error of this communicator's data against scale * expected.
template <class T, class Expected>
double error_of(const Elements<T>& data, const End<T>& end, Expected expected, long double scale,
                MPI_Comm comm) {
  double wrong = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < end.size(); ++i) {
    const std::complex<long double> want = expected(end.flat(i)) * scale;
    const std::complex<T> value = end.get(data, i);
    const std::complex<long double> is(value.real(), value.imag());
    wrong += static_cast<double>(std::norm(is - want));
    norm += static_cast<double>(std::norm(want));
  }
  wrong = total(wrong, comm);
  norm = total(norm, comm);
  return norm == 0.0 ? std::sqrt(wrong) : std::sqrt(wrong / norm);
}

/// Adds this rank's elements to a digest (FNV-1a).
template <class T>
void add_bits(const Elements<T>& data, const End<T>& end, std::uint64_t& digest) {
  for (std::size_t i = 0; i < end.size(); ++i) {
    const std::complex<T> value = end.get(data, i);
    std::array<unsigned char, sizeof value> bytes = {};
    std::memcpy(bytes.data(), &value, sizeof value);
    for (const unsigned char byte : bytes) digest = (digest ^ byte) * 0x100000001B3ULL;
  }
}

/// The transform of a configuration, of either kind.
template <class T>
Planned<T> planned(const Configuration& c, const Options& options, MPI_Comm comm) {
  if (c.kind == Kind::r2c) return RealTransform<T>(comm, c.shape, options);
  if (c.kind == Kind::r2r) return R2RTransform<T>(comm, c.shape, options);
  return Transform<T>(comm, c.shape, options);
}

long double factor_of(Scaling scaling, Direction direction, Index elements) {
  const auto n = static_cast<long double>(elements);
  if (scaling == Scaling::by_sqrt_n) return 1.0L / std::sqrt(n);
  const Scaling divides = direction == Direction::forward ? Scaling::by_n_forward : Scaling::by_n;
  return scaling == divides ? 1.0L / n : 1.0L;
}

/// The output of this rank when all ranks run in one process.
template <class T>
Elements<T> on_loopback(const Configuration& c, const Plan& plan, std::uint64_t seed, Index rank,
                        Complaint& complaint) {
  std::vector<Elements<T>> in;
  std::vector<Elements<T>> out;
  std::vector<const std::complex<T>*> sources;
  std::vector<std::complex<T>*> targets;
  for (Index r = 0; r < plan.ranks(); ++r) {
    const End<T> from(plan.states().front(), r);
    const End<T> to(plan.states().back(), r);
    in.push_back(from.filled(seed, std::max(from.allocated_size(), to.allocated_size())));
    out.push_back(c.in_place ? Elements<T>() : to.marked(0));
  }
  for (std::size_t r = 0; r < in.size(); ++r) {
    sources.push_back(in[r].data());
    targets.push_back(c.in_place ? in[r].data() : out[r].data());
  }
  exec::Loopback<T> loopback(plan, c.in_place);
  const long double factor =
      factor_of(c.options.scaling, Direction::forward, c.problem().logical_size());
  loopback.run(sources, targets, static_cast<T>(factor));
  Index bytes = 0;
  Index messages = 0;
  for (Index r = 0; r < plan.ranks(); ++r) {
    bytes += loopback.counters(r).bytes_sent;
    messages += loopback.counters(r).messages_sent;
  }
  const CommVolume moves = plan.total_volume();
  if (bytes != moves.bytes || messages != moves.messages) {
    complaint = "loopback moves other bytes or messages than planned";
  }
  return c.in_place ? in[static_cast<std::size_t>(rank)] : out[static_cast<std::size_t>(rank)];
}

/// Row-major number among all frequencies of what has this one among those that are kept.
Index flat_in_all(Index flat, const Problem& problem) {
  const Shape kept = problem.frequency_shape();
  std::vector<Index> index(kept.size());
  for (std::size_t a = kept.size(); a-- > 0; flat /= kept[a]) {
    index[a] = flat % kept[a];
    const bool negative = problem.truncated(a) && index[a] > problem.keep[a];
    if (negative) index[a] += problem.shape[a] - kept[a];
  }
  return flat_index(problem.shape, index);
}

/// How much larger relative errors may be where few frequencies are kept, which are small by
/// chance: root of the mean square of all over that of these.
double easing(const Problem& problem, const Spectrum& all) {
  if (!problem.truncated()) return 1.;
  long double energy = 0.L;
  for (const std::complex<long double>& value : all) energy += std::norm(value);
  const Index count = volume(problem.frequency_shape());
  long double kept = 0.L;
  for (Index flat = 0; flat < count; ++flat) {
    kept += std::norm(all[static_cast<std::size_t>(flat_in_all(flat, problem))]);
  }
  const auto share = static_cast<long double>(count) / static_cast<long double>(all.size());
  return std::max(1., static_cast<double>(std::sqrt(energy * share / kept)));
}

/// Parseval: sum of |X|^2 over the whole spectrum is N times that of |x|^2. (Of cosines and sines
/// other sums are.)
template <class T>
Complaint check_energy(const Planned<T>& fft, const End<T>& from, const Elements<T>& positions,
                       Elements<T>& frequencies, long double factor, MPI_Comm comm) {
  const Problem& problem = fft.plan().problem();
  if (std::any_of(problem.axes.begin(), problem.axes.end(),
                  [](AxisKind kind) { return is_trigonometric(kind); }) ||
      problem.kind == Kind::r2r || problem.truncated()) {
    return {};
  }
  long double before = 0.0L;
  long double after = 0.0L;
  for (std::size_t i = 0; i < from.size(); ++i) {
    before += std::norm(from.get(positions, i));
  }
  const View<T> view(frequencies, fft.output_layout(), fft.rank(), fft.spectrum());
  for (auto [k, value] : view.wavenumbers()) {
    after += static_cast<long double>(k.weight()) * std::norm(value);
  }
  const auto elements = static_cast<double>(problem.logical_size());
  const double want =
      total(static_cast<double>(before), comm) * elements * static_cast<double>(factor * factor);
  const double is = total(static_cast<double>(after), comm);
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  if (std::abs(is - want) <= 100 * eps * want) return {};
  return "the spectrum has " + std::to_string(is / want) + " of the energy";
}

/// Runs a plan forward and back and checks everything that concerns it alone.
template <class T>
Complaint check_plan(const Configuration& c, const Plan& wanted, const Spectrum& expected,
                     std::uint64_t seed, MPI_Comm comm, Elements<T>& result, Tally& tally) {
  Options options = c.options;
  options.plan = std::make_shared<const Plan>(wanted);
  const Planned<T> fft = planned<T>(c, options, comm);
  const Plan& plan = fft.plan();
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    const auto* const exchange = std::get_if<Exchange>(&plan.steps()[i]);
    if (exchange == nullptr) continue;
    const auto& asked = std::get<Exchange>(wanted.steps()[i]);
    if (exchange->method != taken(asked.method, comm)) return "another method was taken";
    if (exchange->method == asked.method && exchange->chunks != asked.chunks) {
      return "other chunks were taken";
    }
  }
  const Index elements = c.problem().logical_size();
  const End<T> from(plan.states().front(), fft.rank());
  const End<T> to(plan.states().back(), fft.rank());
  const std::size_t both = std::max(from.allocated_size(), to.allocated_size());
  const std::size_t needed = c.kind == Kind::r2r ? std::max(from.elements(), to.elements()) : both;
  if (needed != static_cast<std::size_t>(fft.in_place_size())) {
    return "another size is needed in place";
  }

  Elements<T> in = from.filled(seed, c.in_place ? both : 0);
  const Elements<T> original = in;
  Elements<T> out = c.in_place ? Elements<T>() : to.marked(0);
  Elements<T>& there = c.in_place ? in : out;
  const std::size_t in_elements = c.in_place ? from.elements_in(both) : from.elements();
  const std::size_t out_elements = c.in_place ? to.elements_in(both) : to.elements();
  fft.bind_memory(Direction::forward, in.data(), in_elements, there.data(), out_elements).run();
  if (!to.margins_untouched(there)) return "margins of the output were written";
  const CommStatistics moved = fft.statistics();

  const Precision precision = precision_of<T>;
  const double promised =
      (plan.convolves() ? promised_error(plan)
                        : promised_error(precision, std::max(elements, volume(c.shape)))) *
      easing(c.problem(), expected);
  const long double forward_factor = factor_of(options.scaling, Direction::forward, elements);
  const auto wanted_at = [&](Index flat) {
    return expected[static_cast<std::size_t>(flat_in_all(flat, plan.problem()))];
  };
  const double error = error_of<T>(there, to, wanted_at, forward_factor, comm);
  tally.worst = std::max(tally.worst, error / promised);
  if (!(error <= promised)) {
    return "forward error " + std::to_string(error / promised) + " of what is promised";
  }
  if (!c.in_place && !same_bits<T>(in, original)) return "out of place input changed";
  result = there;
  add_bits<T>(there, to, tally.bits);
  if (!c.in_place && seed % 4 == 1) {
    // The same on memory that was not bound, with a scaling of the call.
    Elements<T> again = to.marked(0);
    fft.run_memory(Direction::forward, in.data(), in_elements, again.data(), out_elements,
                   Scaling::none);
    const double unscaled = error_of<T>(again, to, wanted_at, 1.0L, comm);
    if (!(unscaled <= promised)) return "unbound and unscaled it is wrong";
    if (forward_factor == 1.0L && !same_bits<T>(again, there)) return "unbound, other bits";
  }

  const CommVolume moves = plan.total_volume();
  if (total(moved.bytes_sent, comm) != moves.bytes ||
      total(moved.bytes_received, comm) != moves.bytes ||
      total(moved.messages_sent, comm) != moves.messages ||
      total(moved.messages_received, comm) != moves.messages ||
      moved.exchanges != plan.exchanges()) {
    return "bytes or messages moved are not those planned";
  }
  const PlanCost cost = price(plan, built_in_machine());
  if (cost.bytes() != moves.bytes || cost.messages() != moves.messages) {
    return "bytes or messages priced are not those moved";
  }
  if (plan.exchanges() == 1 &&
      (total(moved.bytes_sent, comm, MPI_MAX) != moves.most_bytes_sent ||
       total(moved.bytes_received, comm, MPI_MAX) != moves.most_bytes_received ||
       total(moved.messages_sent, comm, MPI_MAX) != moves.most_messages_sent ||
       total(moved.messages_received, comm, MPI_MAX) != moves.most_messages_received)) {
    return "the busiest rank's bytes or messages are not those planned";
  }
  if (const Complaint lost = check_energy<T>(fft, from, original, there, forward_factor, comm);
      !lost.empty()) {
    return lost;
  }

  const Elements<T> spectrum = there;
  Elements<T> back = c.in_place ? Elements<T>() : from.filled(seed + 1, 0);
  Elements<T>& here = c.in_place ? in : back;
  fft.bind_memory(Direction::backward, there.data(), out_elements, here.data(), in_elements).run();
  if (!c.in_place && !same_bits<T>(there, spectrum)) {
    return "out of place spectrum changed";
  }
  if (!from.margins_untouched(here)) return "margins were written on the way back";
  const long double round_trip =
      options.scaling == Scaling::none ? static_cast<long double>(elements) : 1.0L;
  const Spectrum left = c.problem().truncated() ? low_pass<T>(c.problem(), seed) : Spectrum();
  const double back_error = error_of<T>(
      here, from,
      [&](Index flat) {
        if (!left.empty()) return left[static_cast<std::size_t>(flat)];
        const std::complex<T> value = sample<T>(seed, flat);
        const T im = c.kind == Kind::c2c ? value.imag() : T{0};
        return std::complex<long double>(value.real(), im);
      },
      round_trip, comm);
  if (!(back_error <= 2.0 * promised)) {
    return "forward and back errs by " + std::to_string(back_error / promised) +
           " of what is promised, 2 are";
  }
  add_bits<T>(here, from, tally.bits);
  return {};
}

/// Kinds of axes, as the C interface has them.
std::vector<int> axes_of(const Configuration& c) {
  std::vector<int> result;
  for (const AxisKind kind : c.options.axes) result.push_back(static_cast<int>(kind));
  return result;
}

/// The same transform through the C interface: what it leaves in this rank's output.
template <class T>
Elements<T> through_c(const Configuration& c, const Plan& steps, std::uint64_t seed, MPI_Comm comm,
                      Complaint& complaint) {
  const std::string plan = steps.to_text();
  kallima_options options;
  kallima_options_init(&options, sizeof options);
  const std::string in_text = c.options.in ? c.options.in->to_text() : "";
  const std::string out_text = c.options.out ? c.options.out->to_text() : "";
  options.precision = c.single ? KALLIMA_F32 : KALLIMA_F64;
  options.scaling = static_cast<int>(c.options.scaling);
  options.large_counts = c.options.large_counts ? 1 : 0;
  options.in_layout = c.options.in ? in_text.c_str() : nullptr;
  options.out_layout = c.options.out ? out_text.c_str() : nullptr;
  options.tile_bytes = c.options.tile_bytes;
  options.threads = c.options.threads;
  options.message_bytes = c.options.message_bytes;
  options.kind = static_cast<int>(c.kind);
  const std::vector<int> axes = axes_of(c);
  if (!axes.empty()) options.axes = axes.data();
  if (!c.options.keep.empty()) options.keep = c.options.keep.data();
  options.r2c_axis = c.options.r2c_axis;
  options.padded = c.options.padded ? 1 : 0;
  options.plan = plan.c_str();
  options.progress_thread = c.options.progress_thread ? 1 : 0;
  kallima_transform* made = nullptr;
  kallima_error error;
  if (kallima_create(comm, static_cast<int>(c.shape.size()), c.shape.data(), &options, &made,
                     &error) != KALLIMA_OK) {
    complaint = std::string("the C interface refuses: ") + error.text;
    return {};
  }
  const std::unique_ptr<kallima_transform, void (*)(kallima_transform*)> fft(made, kallima_destroy);
  int64_t in_size = 0;
  int64_t out_size = 0;
  int64_t both = 0;
  int64_t held = 0;
  kallima_allocated_size(made, KALLIMA_INPUT, &in_size);
  kallima_allocated_size(made, KALLIMA_OUTPUT, &out_size);
  kallima_local_size(made, KALLIMA_INPUT, &held);
  kallima_in_place_size(made, &both);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  size_t length = 0;
  kallima_layout_text(made, KALLIMA_INPUT, nullptr, 0, &length);
  std::string text(length, ' ');
  kallima_layout_text(made, KALLIMA_INPUT, text.data(), length, nullptr);
  text.pop_back();
  const Element positions{c.problem().complex_positions(), precision_of<T>};
  const Layout layout = Layout::parse(text, c.shape);
  const End<T> from({positions, {}, layout}, rank);
  if (static_cast<std::size_t>(in_size) != from.elements()) complaint = "C has another size";
  if (in_size != layout.allocated_size(rank)) complaint = "C and C++ differ in the size";
  if (held != layout.local_size(rank)) complaint = "C and C++ differ in the local size";
  // Of reals there is room for twice as many.
  Elements<T> in = from.filled(seed, c.in_place ? static_cast<std::size_t>(both) : 0);
  Elements<T> out(c.in_place ? 0 : static_cast<std::size_t>(out_size),
                  {End<T>::mark, End<T>::mark});
  Elements<T>& there = c.in_place ? in : out;
  if (c.in_place) {
    in_size = static_cast<int64_t>(from.elements_in(static_cast<std::size_t>(both)));
    out_size = both;
    if (c.kind == Kind::r2r) in_size = out_size;
  }
  if (kallima_forward(made, in.data(), in_size, there.data(), out_size, &error) != KALLIMA_OK) {
    complaint = std::string("the C interface fails: ") + error.text;
  }
  return there;
}

/// Forward until it has learned and once more, with the bits of `wanted`.
template <class T>
Complaint check_adaptive(const Configuration& c, const Plan& steps, std::uint64_t seed,
                         MPI_Comm comm, const Elements<T>& wanted, std::size_t held) {
  Options options = c.options;
  options.plan = std::make_shared<const Plan>(steps);
  options.adaptive = true;
  options.method = ExchangeMethod::any;
  const Planned<T> fft = planned<T>(c, options, comm);
  const End<T> from(fft.plan().states().front(), fft.rank());
  const End<T> to(fft.plan().states().back(), fft.rank());
  const std::size_t both = std::max(from.allocated_size(), to.allocated_size());
  Elements<T> in = from.filled(seed, c.in_place ? both : 0);
  const Elements<T> original = in;
  Elements<T> out = c.in_place ? Elements<T>() : to.marked(0);
  Elements<T>& there = c.in_place ? in : out;
  const std::size_t in_elements = c.in_place ? from.elements_in(both) : from.elements();
  const std::size_t out_elements = c.in_place ? to.elements_in(both) : to.elements();
  Bound<T> forward =
      fft.bind_memory(Direction::forward, in.data(), in_elements, there.data(), out_elements);
  constexpr int runs = 21;
  for (int run = 0; run < runs; ++run) {
    std::copy(original.begin(), original.end(), in.begin());
    forward.run();
    if (!same_bits<T>(wanted, there, held)) return "other bits in run " + std::to_string(run);
  }
  const std::string learned = fft.learned();
  if (learned.find("learning") != std::string::npos) return "nothing learned in 21 runs";
  return {};
}

/// What this rank would give by itself of a layout of boxes; others as they are.
LayoutChoice own_boxes(const LayoutChoice& choice, int rank) {
  if (!choice || choice->is_grid() || choice->padding() > 0) return choice;
  return own_boxes_of(*choice, rank);
}

/// Boxes that each rank gives by itself make the layout of all.
template <class T>
Complaint check_own_boxes(const Configuration& c, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Options options = c.options;
  options.in = own_boxes(c.options.in, rank);
  options.out = own_boxes(c.options.out, rank);
  if (!options.in.own() && !options.out.own()) return {};
  const Planned<T> fft = planned<T>(c, options, comm);
  const auto same = [](const Layout& is, const LayoutChoice& asked) {
    return !asked || asked->is_grid() || (same_owners(is, *asked) && is.order() == asked->order());
  };
  const bool good =
      same(fft.input_layout(), c.options.in) && same(fft.output_layout(), c.options.out);
  return good ? "" : "boxes of ranks make another layout";
}

/// Between the same layouts, by Bluestein's algorithm; empty where there is no such plan.
std::optional<Plan> convolution_instead(const Plan& plan) {
  PlanRequest request;
  request.problem = plan.problem();
  request.ranks = plan.ranks();
  request.placement = plan.placement();
  request.in = plan.input();
  request.out = plan.output();
  request.decomposition = Decomposition::convolution;
  try {
    return make_plan(request);
  } catch (const InvalidOption&) {
    return std::nullopt;
  }
}

template <class T>
Complaint check_configuration(const Configuration& c, std::uint64_t seed, MPI_Comm comm,
                              Tally& tally) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Elements<T> by_messages;
  Elements<T> by_alltoallv;
  Elements<T> by_segments;
  Complaint complaint;
  if (complaint = check_own_boxes<T>(c, comm); !complaint.empty()) return complaint;
  // One plan for all methods: prices lead to others where messages are dear.
  Plan steps = planned<T>(c, c.options, comm).plan();
  if (seed % 4 != 2) {
    if (const std::optional<Plan> convolution = convolution_instead(steps)) {
      ++tally.convolved;
      steps = *convolution;
    }
  }
  const Spectrum expected = reference<T>(c.problem(), seed);
  const auto check = [&](const Plan& plan, Elements<T>& result) {
    return check_plan<T>(c, plan, expected, seed, comm, result, tally);
  };
  const auto by = [&](ExchangeMethod method) { return steps.with_method(method); };
  tally.large += largest_message(by(ExchangeMethod::point_to_point)) > (1 << 16) ? 1 : 0;
  complaint = check(by(ExchangeMethod::point_to_point), by_messages);
  if (!complaint.empty()) return "messages: " + complaint;
  complaint = check(by(ExchangeMethod::alltoallv), by_alltoallv);
  if (!complaint.empty()) return "alltoallv: " + complaint;
  complaint = check(by(ExchangeMethod::shared_memory), by_segments);
  if (!complaint.empty()) return "segments: " + complaint;
  const Plan plan = steps.with_method(seed % 2 == 0 ? ExchangeMethod::point_to_point
                                                    : ExchangeMethod::shared_memory);
  // What padding holds is not defined; margins are as they were.
  const Layout& output = plan.output();
  const Index kept = output.has_margins() ? output.allocated_size(rank) : output.local_size(rank);
  const auto held = static_cast<std::size_t>(kept * plan.states().back().element.bytes());
  const Elements<T> alone = on_loopback<T>(c, plan, seed, rank, complaint);
  if (!complaint.empty()) return complaint;
  if (!same_bits<T>(by_messages, by_alltoallv, held)) return "Alltoallv gives other bits";
  if (!same_bits<T>(by_messages, by_segments, held)) return "segments give other bits";
  if (!same_bits<T>(by_messages, alone, held)) return "loopback gives other bits";
  const Index chunks = Random(seed, 1).pick<Index>({2, 3, 4, 8});
  if (const auto cut = pipelined(by(ExchangeMethod::point_to_point), built_in_machine(), chunks)) {
    ++tally.pipelined;
    Elements<T> in_chunks;
    complaint = check(*cut, in_chunks);
    if (!complaint.empty()) return "in chunks: " + complaint;
    if (!same_bits<T>(by_messages, in_chunks, held)) return "chunks give other bits";
    if (!same_bits<T>(by_messages, on_loopback<T>(c, *cut, seed, rank, complaint), held)) {
      return "chunks give other bits on loopback";
    }
    if (!complaint.empty()) return "in chunks: " + complaint;
  }
  if (const Plan nodes = by(ExchangeMethod::node_aggregated);
      nodes.goes_by(ExchangeMethod::node_aggregated) && node_map(nodes).nodes() > 1) {
    ++tally.by_nodes;
    Elements<T> together;
    complaint = check(nodes, together);
    if (!complaint.empty()) return "by nodes: " + complaint;
    if (!same_bits<T>(by_messages, together, held)) return "nodes give other bits";
    if (const auto cut = pipelined(nodes, built_in_machine(), chunks)) {
      complaint = check(*cut, together);
      if (!complaint.empty()) return "by nodes in chunks: " + complaint;
      if (!same_bits<T>(by_messages, together, held)) return "nodes give other bits in chunks";
    }
  }
  // One of eight: it takes twenty runs.
  if (seed % 8 == 3) {
    ++tally.adaptive;
    complaint = check_adaptive<T>(c, steps, seed, comm, by_messages, held);
    if (!complaint.empty()) return "adaptive: " + complaint;
  }
  // Of configurations that relay, one of six: the others take as long.
  if (const Plan bruck = by_bruck(steps, Random(seed, 2).pick<Index>({2, 3, 4}));
      seed % 6 == 0 && bruck != by(ExchangeMethod::point_to_point)) {
    ++tally.by_bruck;
    Elements<T> forwarded;
    complaint = check(bruck, forwarded);
    if (!complaint.empty()) return "by Bruck's algorithm: " + complaint;
    if (!same_bits<T>(by_messages, forwarded, held)) return "Bruck gives other bits";
  }
  const Elements<T> from_c = through_c<T>(c, steps, seed, comm, complaint);
  if (!complaint.empty()) return complaint;
  if (!same_bits<T>(by_messages, from_c, held)) return "the C interface gives other bits";
  return {};
}

struct Arguments {
  std::uint64_t seed = 1;
  std::uint64_t cases = 100;
  std::uint64_t first = 0;
  bool all_ranks = false;
  Kind kind = Kind::c2c;
  bool progress_thread = false;
  bool large = false;
  bool bits = false;
  std::string per_node;  ///< ranks that are to be taken for a node
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--all-ranks") {
      arguments.all_ranks = true;
    } else if (word == "--real") {
      arguments.kind = Kind::r2c;
    } else if (word == "--r2r") {
      arguments.kind = Kind::r2r;
    } else if (word == "--progress-thread") {
      arguments.progress_thread = true;
    } else if (word == "--large") {
      arguments.large = true;
    } else if (word == "--bits") {
      arguments.bits = true;
    } else if (word == "--per-node" && i + 1 < argc) {
      arguments.per_node = argv[++i];
    } else if (i + 1 < argc) {
      const std::uint64_t value = std::stoull(argv[++i]);
      if (word == "--seed") arguments.seed = value;
      if (word == "--cases") arguments.cases = value;
      if (word == "--case") {
        arguments.first = value;
        arguments.cases = 1;
      }
    }
  }
  return arguments;
}

/// A thread that moves messages on is refused where MPI was not started for it.
Complaint check_refusal() {
  int provided = 0;
  MPI_Query_thread(&provided);
  Options options;
  options.progress_thread = true;
  try {
    const Transform<double> fft(MPI_COMM_WORLD, {4, 4}, options);
  } catch (const InvalidOption&) {
    return provided == MPI_THREAD_MULTIPLE ? "a progress_thread was refused" : "";
  }
  return provided == MPI_THREAD_MULTIPLE ? "" : "a progress_thread was not refused";
}

/// A transform of the C interface leaves the trace that it is asked for.
Complaint check_trace() {
  std::string folder = (std::filesystem::temp_directory_path() / "kallima-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return "no folder for traces";
  const std::string file = folder + "/trace.json";
  const std::array<int64_t, 2> shape = {8, 8};
  kallima_options options;
  kallima_options_init(&options, sizeof options);
  options.trace = file.c_str();
  kallima_transform* made = nullptr;
  kallima_error error;
  const int code = kallima_create(MPI_COMM_WORLD, 2, shape.data(), &options, &made, &error);
  kallima_destroy(made);
  const auto written = std::distance(std::filesystem::directory_iterator(folder), {});
  std::filesystem::remove_all(folder);
  if (code != KALLIMA_OK) return std::string("a trace is refused: ") + error.text;
  return written == 1 ? "" : "there is no trace";
}

int run(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  for (const Complaint& complaint : {check_refusal(), check_trace()}) {
    if (complaint.empty()) continue;
    std::printf("%s\n", complaint.c_str());
    return 1;
  }
  if (!arguments.per_node.empty()) {
    setenv("KALLIMA_RANKS_PER_NODE", arguments.per_node.c_str(), 1);
  }
  int world_rank = 0;
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  Tally tally;
  int failures = 0;
  unsigned long long done = 0;
  std::set<std::string> different;
  for (std::uint64_t k = arguments.first; k < arguments.first + arguments.cases; ++k) {
    Configuration c = make_configuration(arguments.seed, k, world, arguments.all_ranks,
                                         arguments.kind, arguments.large);
    c.options.progress_thread = arguments.progress_thread;
    ++done;
    different.insert(c.to_text());
    MPI_Comm comm = MPI_COMM_NULL;
    // Members at the end of the world as often as at its start: ranks of the world must not matter.
    const bool member = k % 2 == 0 ? world_rank < c.ranks : world_rank >= world - c.ranks;
    MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, world_rank, &comm);
    Complaint complaint;
    if (member) {
      try {
        complaint = c.single ? check_configuration<float>(c, arguments.seed + k, comm, tally)
                             : check_configuration<double>(c, arguments.seed + k, comm, tally);
      } catch (const std::exception& error) {
        complaint = std::string("threw: ") + error.what();
      }
      MPI_Comm_free(&comm);
    }
    if (arguments.bits) {
      const std::uint64_t own = tally.bits * (2 * static_cast<std::uint64_t>(world_rank) + 1);
      std::uint64_t all = 0;
      MPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
      if (world_rank == 0) {
        std::printf("case %llu bits %016llx\n", static_cast<unsigned long long>(k),
                    static_cast<unsigned long long>(all));
      }
      tally.bits = 0;
    }
    const int mine = complaint.empty() ? world : world_rank;
    int first = world;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first < world) {
      ++failures;
      if (world_rank == first) {
        std::printf(
            "FAILED case %llu: %s\n  %s\n  repeat: mpirun -n %d %s --seed %llu --case "
            "%llu%s%s%s%s%s\n",
            static_cast<unsigned long long>(k), complaint.c_str(), c.to_text().c_str(), world,
            argv[0], static_cast<unsigned long long>(arguments.seed),
            static_cast<unsigned long long>(k), arguments.all_ranks ? " --all-ranks" : "",
            arguments.kind == Kind::r2c   ? " --real"
            : arguments.kind == Kind::r2r ? " --r2r"
                                          : "",
            arguments.large ? " --large" : "", arguments.per_node.empty() ? "" : " --per-node ",
            arguments.per_node.c_str());
        std::fflush(stdout);
      }
      if (failures >= 10) break;
    }
  }
  double largest = 0.0;
  MPI_Allreduce(&tally.worst, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (world_rank == 0) {
    std::printf(
        "%llu configurations (%zu different, %d of them convolved, %d in chunks too, %d by nodes "
        "too, %d by Bruck too, %d adaptive too, %d with messages beyond 64 KiB) on up to %d ranks, "
        "%d failed; largest error %.2f of what is promised\n",
        done, different.size(), tally.convolved, tally.pipelined, tally.by_nodes, tally.by_bruck,
        tally.adaptive, tally.large, world, failures, largest);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  const bool progress_thread = kallima::test::parse(argc, argv).progress_thread;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, progress_thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED,
                  &provided);
  const int status = kallima::test::run(argc, argv);
  MPI_Finalize();
  return status;
}
