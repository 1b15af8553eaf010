// SPDX-License-Identifier: BSD-3-Clause
//
// The C interface: handles hold either precision behind one small interface, exceptions become
// codes of the table they come from. What is wrong with the arguments of a collective call on one
// rank is brought into the collective call, so that all ranks return the same code.
#include "kallima/kallima.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include "kallima/error.hpp"
#include "kallima/halo.hpp"
#include "kallima/redistribute.hpp"
#include "kallima/transform.hpp"

namespace {

using namespace kallima;

// Numbers of kinds are those of C++.
static_assert(static_cast<int>(Kind::r2c) == KALLIMA_R2C &&
              static_cast<int>(Kind::r2r) == KALLIMA_R2R &&
              static_cast<int>(AxisKind::real) == KALLIMA_REAL &&
              static_cast<int>(AxisKind::cosine_1) == KALLIMA_COSINE_1 &&
              static_cast<int>(AxisKind::sine_1) == KALLIMA_SINE_1 &&
              static_cast<int>(AxisKind::batch) == KALLIMA_BATCH);

/// Fields of an options struct of any version: what the caller's is too short for has its default.
kallima_options known_options(const kallima_options* given) {
  kallima_options options;
  kallima_options_init(&options, sizeof options);
  if (given == nullptr) return options;
  if (given->size < sizeof(size_t) || given->size > sizeof options) {
    throw InvalidOption("kallima_options has size " + std::to_string(given->size) +
                        ", this library knows up to " + std::to_string(sizeof options) +
                        "; fill it with kallima_options_init");
  }
  std::memcpy(&options, given, given->size);
  return options;
}

/// Memory from a C program's functions.
class ForeignMemory final : public MemorySource {
 public:
  explicit ForeignMemory(const kallima_options& options) : options_(options) {}
  void* allocate(std::size_t bytes) noexcept override {
    return options_.allocate(bytes, options_.memory_context);
  }
  void release(void* data, std::size_t bytes) noexcept override {
    options_.release(data, bytes, options_.memory_context);
  }

 private:
  kallima_options options_;
};

Shape shape_of(int axes, const int64_t* shape) {
  if (axes < 0 || (axes > 0 && shape == nullptr)) {
    throw InvalidShape("the shape is null or has a negative number of axes; pass 1 to 6 extents");
  }
  if (axes > max_axes) {  // before anything is read of so long a shape
    throw InvalidShape("a shape has 1 to " + std::to_string(max_axes) + " axes, this one has " +
                       std::to_string(axes));
  }
  Shape result(shape, shape + axes);
  validate_shape(result);
  return result;
}

OwnBoxes own_boxes_of(int axes, const kallima_boxes& c) {
  if (c.size != sizeof(kallima_boxes)) {
    throw InvalidOption("kallima_boxes has size " + std::to_string(c.size) + ", and should have " +
                        std::to_string(sizeof(kallima_boxes)) + "; set it to its sizeof");
  }
  if (c.count < 0 || (c.count > 0 && c.bounds == nullptr)) {
    throw InvalidOption(std::to_string(c.count) +
                        " boxes, or boxes without bounds; give 0 or more, and their bounds");
  }
  OwnBoxes own;
  const int64_t* at = c.bounds;
  for (int i = 0; i < c.count; ++i, at += 2 * axes) {
    own.boxes.push_back({{at, at + axes}, {at + axes, at + 2 * axes}});
  }
  if (c.order != nullptr) own.order.assign(c.order, c.order + axes);
  for (int a = 0; c.margins != nullptr && a < axes; ++a) {
    own.margins.push_back({c.margins[2 * a], c.margins[2 * a + 1]});
  }
  return own;
}

/// A side's layout: its text, or this rank's boxes, or neither.
LayoutChoice layout_of(int axes, const char* text, const kallima_boxes* boxes) {
  if (text != nullptr && boxes != nullptr) {
    throw InvalidOption("a layout and boxes for the same side; give one of them");
  }
  if (boxes != nullptr) return own_boxes_of(axes, *boxes);
  return text == nullptr ? LayoutChoice() : LayoutChoice(text);
}

Arguments arguments_of(int axes, const int64_t* shape, const kallima_options& c) {
  Arguments arguments;
  arguments.shape = shape_of(axes, shape);
  Options& options = arguments.options;
  options.in = layout_of(axes, c.in_layout, c.in_boxes);
  options.out = layout_of(axes, c.out_layout, c.out_boxes);
  if (c.kind < KALLIMA_C2C || c.kind > KALLIMA_R2R) {
    throw InvalidOption("kind has no value " + std::to_string(c.kind) +
                        "; use KALLIMA_C2C, KALLIMA_R2C or KALLIMA_R2R");
  }
  for (int a = 0; c.axes != nullptr && a < axes; ++a) {
    if (c.axes[a] < 0 || c.axes[a] > 255) {  // what else there is not is refused with the others
      throw InvalidOption("an axis has no kind " + std::to_string(c.axes[a]) +
                          "; use one of kallima_axis_kind");
    }
    options.axes.push_back(static_cast<AxisKind>(c.axes[a]));
  }
  options.r2c_axis = c.r2c_axis;
  options.padded = c.padded != 0;
  if (c.machine != nullptr) {
    options.machine = std::make_shared<const Machine>(find_machine(c.machine));
  }
  if (c.plan != nullptr) options.plan = std::make_shared<const Plan>(Plan::parse(c.plan));
  options.scaling = static_cast<Scaling>(c.scaling);
  options.engine_effort = static_cast<Effort>(c.engine_effort);
  options.plan_effort = static_cast<PlanEffort>(c.plan_effort);
  options.adaptive = c.adaptive != 0;
  options.planning_seconds = c.planning_seconds;
  if (c.plan_wisdom != nullptr) options.plan_wisdom = c.plan_wisdom;
  options.method = static_cast<ExchangeMethod>(c.method);
  for (const int value : {c.scaling, c.engine_effort, c.plan_effort, c.method}) {
    if (value < 0 || value > 255) {
      throw InvalidOption("an option has no value " + std::to_string(value) +
                          "; use one of its enumerators");
    }
  }
  options.large_counts = c.large_counts != 0;
  options.separate_fields = c.separate_fields != 0;
  if (c.keep != nullptr) options.keep.assign(c.keep, c.keep + axes);
  if (c.lengths != nullptr) options.lengths.assign(c.lengths, c.lengths + axes);
  options.tile_bytes = c.tile_bytes;
  if (c.threads != 0) options.threads = c.threads;
  options.message_bytes = c.message_bytes;
  options.chunks = c.chunks;
  options.progress_thread = c.progress_thread != 0;
  if (c.trace != nullptr) options.trace = c.trace;
  options.deadline = c.deadline;
  if ((c.allocate == nullptr) != (c.release == nullptr)) {
    throw InvalidOption("give both allocate and release, or neither");
  }
  if (c.allocate != nullptr) options.memory = std::make_shared<ForeignMemory>(c);
  return arguments;
}

HaloArguments halo_arguments_of(int axes, const int64_t* shape, const char* layout,
                                const int64_t* widths, const int* periodic, int64_t element_bytes) {
  const Shape extents = shape_of(axes, shape);
  if (layout == nullptr) {
    throw InvalidLayout("the text of the layout is NULL; give one with margins");
  }
  HaloArguments arguments;
  arguments.layout = Layout::parse(layout, extents);
  for (std::size_t a = 0; a < extents.size(); ++a) {
    arguments.widths.push_back(widths == nullptr ? arguments.layout.margin(a)
                                                 : Margin{widths[2 * a], widths[2 * a + 1]});
    arguments.periodic.push_back(periodic == nullptr || periodic[a] != 0);
  }
  arguments.element_bytes = element_bytes;
  return arguments;
}

int report(int code, const char* text, kallima_error* error) {
  if (error != nullptr) {
    error->code = code;
    const std::size_t length = std::min(std::strlen(text), sizeof error->text - 1);
    std::memcpy(error->text, text, length);
    error->text[length] = '\0';
  }
  return code;
}

/// Runs `body`, turning what it throws into a code and a text.
template <class Body>
int guarded(kallima_error* error, Body&& body) noexcept {
  try {
    body();
    return report(KALLIMA_OK, "", error);
  } catch (const Error& failure) {
    return report(static_cast<int>(failure.code()), failure.what(), error);
  } catch (const std::bad_alloc&) {
    return report(KALLIMA_OUT_OF_MEMORY, "no memory; use more ranks or fewer per node", error);
  } catch (const std::exception& failure) {
    return report(KALLIMA_INTERNAL_ERROR, failure.what(), error);
  } catch (...) {
    return report(KALLIMA_INTERNAL_ERROR, "an exception of unknown type", error);
  }
}

template <class Handle>
void require(const Handle* handle) {
  if (handle == nullptr) throw InvalidOption("a handle is NULL; create it first");
}

/// Somewhere to put a new handle.
template <class Handle>
void require_room(Handle* const* handle, const char* what = "transform") {
  if (handle == nullptr) {
    throw InvalidOption(std::string("the pointer for the new ") + what +
                        " is NULL; pass the address of one");
  }
}

int copy_text(const std::string& from, char* text, size_t capacity, size_t* needed) {
  if (needed != nullptr) *needed = from.size() + 1;
  if (text == nullptr || capacity == 0) return KALLIMA_OK;
  const std::size_t length = std::min(from.size(), capacity - 1);
  std::memcpy(text, from.data(), length);
  text[length] = '\0';
  return KALLIMA_OK;
}

void write(const CommStatistics& now, kallima_statistics* moved) {
  require(moved);
  if (moved->size < sizeof(size_t) || moved->size > sizeof(kallima_statistics)) {
    throw InvalidOption("set kallima_statistics.size to its sizeof");
  }
  kallima_statistics all = {moved->size,       now.bytes_sent,        now.bytes_received,
                            now.messages_sent, now.messages_received, now.exchanges};
  std::memcpy(moved, &all, moved->size);
}

std::size_t axis_of(const Layout& layout, int axis) {
  if (axis < 0 || static_cast<std::size_t>(axis) >= layout.axes()) {
    throw InvalidOption("there is no such axis");
  }
  return static_cast<std::size_t>(axis);
}

/// A scaling from C; what there is not is refused where it is used.
Scaling scaling_of(int scaling) {
  return scaling < 0 || scaling > 255 ? static_cast<Scaling>(255) : static_cast<Scaling>(scaling);
}

/// A size from C: negative ones are none at all, which binding then refuses on all ranks.
std::size_t elements_of(int64_t count) { return count < 0 ? 0 : static_cast<std::size_t>(count); }

}  // namespace

/// Runs of one precision, seen from C.
struct kallima_bound {
  kallima_bound() = default;
  kallima_bound(const kallima_bound&) = delete;
  kallima_bound(kallima_bound&&) = delete;
  kallima_bound& operator=(const kallima_bound&) = delete;
  kallima_bound& operator=(kallima_bound&&) = delete;
  virtual ~kallima_bound() = default;
  virtual void run() = 0;
  virtual void run(Scaling scaling) = 0;
};

/// A halo exchange, seen from C.
struct kallima_halo {
  HaloExchange exchange;
};

/// A transform of one precision, seen from C.
struct kallima_transform {
  kallima_transform() = default;
  kallima_transform(const kallima_transform&) = delete;
  kallima_transform(kallima_transform&&) = delete;
  kallima_transform& operator=(const kallima_transform&) = delete;
  kallima_transform& operator=(kallima_transform&&) = delete;
  virtual ~kallima_transform() = default;
  [[nodiscard]] virtual std::unique_ptr<kallima_bound> bind(Direction direction, const void* in,
                                                            int64_t in_elements, void* out,
                                                            int64_t out_elements) const = 0;
  [[nodiscard]] virtual std::unique_ptr<kallima_bound> bind_fields(
      Direction direction, const std::function<FieldMemory()>& fields) const = 0;
  virtual void run_on(Direction direction, const void* in, int64_t in_elements, void* out,
                      int64_t out_elements, Scaling scaling) const = 0;
  virtual void apply(const void* in, int64_t in_elements, void* out, int64_t out_elements,
                     const RowWork& work) const = 0;
  virtual void apply(const void* in, int64_t in_elements, const void* second,
                     int64_t second_elements, void* out, int64_t out_elements,
                     const RowPairWork& work) const = 0;
  [[nodiscard]] virtual const Plan& plan(Direction direction) const = 0;
  [[nodiscard]] virtual Index workspace_bytes() const = 0;
  [[nodiscard]] virtual Index in_place_size() const = 0;
  [[nodiscard]] virtual CommStatistics statistics() const = 0;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual const Spectrum& spectrum() const = 0;

  /// A side's layout, in elements of the user.
  [[nodiscard]] virtual const Layout& layout(int side) const {
    require_side(side);
    const Plan& steps = plan(Direction::forward);
    return side == KALLIMA_INPUT ? steps.input() : steps.output();
  }
  /// Elements that this rank's part on a side takes.
  [[nodiscard]] virtual Index allocated_size(int side) const {
    return layout(side).allocated_size(rank());
  }

 protected:
  static void require_side(int side) {
    if (side != KALLIMA_INPUT && side != KALLIMA_OUTPUT) {
      throw InvalidOption("a side is KALLIMA_INPUT or KALLIMA_OUTPUT");
    }
  }
};

namespace {

template <class T>
class BoundOf final : public kallima_bound {
 public:
  explicit BoundOf(Bound<T> bound) : bound_(std::move(bound)) {}
  void run() override { bound_.run(); }
  void run(Scaling scaling) override { bound_.run(scaling); }

 private:
  Bound<T> bound_;
};

/// Fft is a Transform, a RealTransform or an R2RTransform, of T.
template <class T, template <class> class Fft>
class TransformOf final : public kallima_transform {
 public:
  TransformOf(MPI_Comm comm, const std::function<Arguments()>& arguments)
      : fft_(Fft<T>::with(comm, arguments)) {}

  [[nodiscard]] std::unique_ptr<kallima_bound> bind(Direction direction, const void* in,
                                                    int64_t in_elements, void* out,
                                                    int64_t out_elements) const override {
    return std::make_unique<BoundOf<T>>(
        fft_.bind_memory(direction, in, elements_of(in_elements), out, elements_of(out_elements)));
  }
  [[nodiscard]] std::unique_ptr<kallima_bound> bind_fields(
      Direction direction, const std::function<FieldMemory()>& fields) const override {
    return std::make_unique<BoundOf<T>>(fft_.bind_fields_memory(direction, fields));
  }
  void run_on(Direction direction, const void* in, int64_t in_elements, void* out,
              int64_t out_elements, Scaling scaling) const override {
    fft_.run_memory(direction, in, elements_of(in_elements), out, elements_of(out_elements),
                    scaling);
  }
  void apply(const void* in, int64_t in_elements, void* out, int64_t out_elements,
             const RowWork& work) const override {
    fft_.apply_memory(in, elements_of(in_elements), out, elements_of(out_elements), work);
  }
  void apply(const void* in, int64_t in_elements, const void* second, int64_t second_elements,
             void* out, int64_t out_elements, const RowPairWork& work) const override {
    fft_.apply_memory(in, elements_of(in_elements), second, elements_of(second_elements), out,
                      elements_of(out_elements), work);
  }
  [[nodiscard]] const Plan& plan(Direction direction) const override {
    return fft_.plan(direction);
  }
  [[nodiscard]] Index workspace_bytes() const override { return fft_.workspace_bytes(); }
  [[nodiscard]] Index in_place_size() const override { return fft_.in_place_size(); }
  [[nodiscard]] CommStatistics statistics() const override { return fft_.statistics(); }
  [[nodiscard]] int rank() const override { return fft_.rank(); }
  [[nodiscard]] const Spectrum& spectrum() const override { return fft_.spectrum(); }

 private:
  Fft<T> fft_;
};

class BoundRedistribution final : public kallima_bound {
 public:
  explicit BoundRedistribution(Redistribution::Bound bound) : bound_(std::move(bound)) {}
  void run() override { bound_.run(); }
  void run(Scaling /*scaling*/) override { bound_.run(); }

 private:
  Redistribution::Bound bound_;
};

/// Where elements have several parts, the plan's layouts have an axis more than the user's.
class RedistributionOf final : public kallima_transform {
 public:
  RedistributionOf(MPI_Comm comm, Index element_bytes, const std::function<Arguments()>& arguments)
      : moves_(Redistribution::with(comm, element_bytes, arguments)) {
    const Arguments given = arguments();
    const auto layout = [&](const LayoutChoice& choice) {
      return choice.own() ? std::nullopt : choice.for_shape(given.shape);
    };
    from_ = layout(given.options.in);
    to_ = layout(given.options.out);
  }

  [[nodiscard]] std::unique_ptr<kallima_bound> bind(Direction direction, const void* in,
                                                    int64_t in_elements, void* out,
                                                    int64_t out_elements) const override {
    return std::make_unique<BoundRedistribution>(
        moves_.bind(direction, in, elements_of(in_elements), out, elements_of(out_elements)));
  }
  [[nodiscard]] std::unique_ptr<kallima_bound> bind_fields(
      Direction /*direction*/, const std::function<FieldMemory()>& /*fields*/) const override {
    throw InvalidOption("a redistribution has no fields; use kallima_bind");
  }
  void run_on(Direction direction, const void* in, int64_t in_elements, void* out,
              int64_t out_elements, Scaling /*scaling*/) const override {
    moves_.run(direction, in, elements_of(in_elements), out, elements_of(out_elements));
  }
  void apply(const void* /*in*/, int64_t /*in_elements*/, void* /*out*/, int64_t /*out_elements*/,
             const RowWork& /*work*/) const override {
    throw InvalidOption("a redistribution has no frequencies; use kallima_run");
  }
  void apply(const void* /*in*/, int64_t /*in_elements*/, const void* /*second*/,
             int64_t /*second_elements*/, void* /*out*/, int64_t /*out_elements*/,
             const RowPairWork& /*work*/) const override {
    throw InvalidOption("a redistribution has no frequencies; use kallima_run");
  }
  [[nodiscard]] const Plan& plan(Direction direction) const override {
    return moves_.plan(direction);
  }
  [[nodiscard]] Index workspace_bytes() const override { return moves_.workspace_bytes(); }
  [[nodiscard]] Index in_place_size() const override { return moves_.in_place_size(); }
  [[nodiscard]] CommStatistics statistics() const override { return moves_.statistics(); }
  [[nodiscard]] int rank() const override { return moves_.rank(); }
  [[nodiscard]] const Spectrum& spectrum() const override {
    throw InvalidOption("a redistribution has no frequencies");
  }
  [[nodiscard]] const Layout& layout(int side) const override {
    require_side(side);
    const std::optional<Layout>& its = side == KALLIMA_INPUT ? from_ : to_;
    if (!its) throw InvalidOption("this side's layout is known by the boxes that ranks gave");
    return *its;
  }
  [[nodiscard]] Index allocated_size(int side) const override {
    require_side(side);
    return side == KALLIMA_INPUT ? moves_.input_size() : moves_.output_size();
  }

 private:
  Redistribution moves_;
  std::optional<Layout> from_;  // where ranks did not give boxes of their own
  std::optional<Layout> to_;
};

template <template <class> class Fft>
std::unique_ptr<kallima_transform> make_in_precision(int precision, MPI_Comm comm,
                                                     const std::function<Arguments()>& arguments) {
  if (precision == KALLIMA_F32) return std::make_unique<TransformOf<float, Fft>>(comm, arguments);
  return std::make_unique<TransformOf<double, Fft>>(comm, [&] {
    if (precision != KALLIMA_F64) {
      throw InvalidOption("precision has no value " + std::to_string(precision) +
                          "; use KALLIMA_F32 or KALLIMA_F64");
    }
    return arguments();
  });
}

int transform_once(const kallima_transform* transform, Direction direction, const void* in,
                   int64_t in_elements, void* out, int64_t out_elements, kallima_error* error) {
  return guarded(error, [&] {
    require(transform);
    transform->bind(direction, in, in_elements, out, out_elements)->run();
  });
}

/// Gives what `bind` of a direction makes to the caller.
template <class Bind>
int bind_with(kallima_bound** bound, int direction, kallima_error* error, Bind&& bind) {
  if (bound != nullptr) *bound = nullptr;
  return guarded(error, [&] {
    // Other directions, and nowhere to put the handle, are refused inside, on all ranks alike.
    const bool known =
        bound != nullptr && (direction == KALLIMA_FORWARD || direction == KALLIMA_BACKWARD);
    auto made = bind(known ? static_cast<Direction>(direction) : static_cast<Direction>(255));
    if (bound != nullptr) *bound = made.release();
  });
}

/// A row as C sees it, with what it points to.
class RowInC {
 public:
  RowInC(std::size_t axes, void* data, Index size, Index stride, const RowIndices& indices) {
    const Wavenumber first = indices.wavenumber(0);
    const Wavenumber second = indices.wavenumber(1);
    for (std::size_t a = 0; a < axes; ++a) {
      k_[a] = first[a];
      component_[a] = first.component(a);
    }
    const std::size_t along = indices.axis();
    row_ = {data,
            size,
            stride,
            static_cast<int>(axes),
            static_cast<int>(along),
            k_.data(),
            second[along] - first[along],
            component_.data(),
            second.component(along) - first.component(along)};
  }
  RowInC(const RowInC&) = delete;
  RowInC& operator=(const RowInC&) = delete;
  RowInC(RowInC&&) = delete;
  RowInC& operator=(RowInC&&) = delete;
  ~RowInC() = default;

  [[nodiscard]] const kallima_row* get() const { return &row_; }
  /// The same place of another array.
  [[nodiscard]] kallima_row beside(const void* data, Index stride) const {
    kallima_row other = row_;
    // It says that this one is only read.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
    other.data = const_cast<void*>(data);
    other.stride = stride;
    return other;
  }

 private:
  std::array<int64_t, static_cast<std::size_t>(max_axes)> k_{};
  std::array<double, static_cast<std::size_t>(max_axes)> component_{};
  kallima_row row_{};
};

void require_zero(int code) {
  if (code == 0) return;
  throw std::runtime_error("the function of kallima_apply returned " + std::to_string(code));
}

/// A function of C as one of rows.
RowWork row_work_of(const kallima_transform& transform, kallima_row_function function,
                    void* context) {
  if (function == nullptr) return {};
  const std::size_t axes = transform.layout(KALLIMA_INPUT).axes();
  return
      [axes, function, context](void* data, Index size, Index stride, const RowIndices& indices) {
        require_zero(function(RowInC(axes, data, size, stride, indices).get(), context));
      };
}

/// The same of two rows.
RowPairWork row_work_of(const kallima_transform& transform, kallima_row_pair_function function,
                        void* context) {
  if (function == nullptr) return {};
  const std::size_t axes = transform.layout(KALLIMA_INPUT).axes();
  return [axes, function, context](void* data, Index size, Index stride, const RowIndices& indices,
                                   const void* other, Index other_stride) {
    const RowInC row(axes, data, size, stride, indices);
    const kallima_row beside = row.beside(other, other_stride);
    require_zero(function(row.get(), &beside, context));
  };
}

}  // namespace

extern "C" {

const char* kallima_code_name(int code) { return name_of(static_cast<ErrorCode>(code)).data(); }

const char* kallima_code_meaning(int code) {
  return meaning_of(static_cast<ErrorCode>(code)).data();
}

const char* kallima_version(void) { return KALLIMA_VERSION; }

int kallima_options_init(kallima_options* options, size_t size) {
  if (options == nullptr || size < sizeof(size_t) || size > sizeof(kallima_options)) {
    return KALLIMA_INVALID_OPTION;
  }
  kallima_options defaults = {};
  defaults.size = size;
  defaults.precision = KALLIMA_F64;
  defaults.scaling = KALLIMA_SCALE_N;
  defaults.large_counts = 1;
  defaults.r2c_axis = -1;
  defaults.planning_seconds = Options().planning_seconds;
  std::memcpy(options, &defaults, size);
  return KALLIMA_OK;
}

int kallima_create(MPI_Comm comm, int axes, const int64_t* shape, const kallima_options* options,
                   kallima_transform** transform, kallima_error* error) {
  if (transform != nullptr) *transform = nullptr;
  return guarded(error, [&] {
    // What is wrong here must not keep this rank from the collective call.
    const auto arguments = [&] {
      require_room(transform);
      return arguments_of(axes, shape, known_options(options));
    };
    const auto has = [&](std::size_t end) { return options != nullptr && options->size >= end; };
    const int precision =
        has(offsetof(kallima_options, scaling)) ? options->precision : KALLIMA_F64;
    const int kind = has(offsetof(kallima_options, in_layout)) ? options->kind : KALLIMA_C2C;
    std::unique_ptr<kallima_transform> made =
        kind == KALLIMA_R2C   ? make_in_precision<RealTransform>(precision, comm, arguments)
        : kind == KALLIMA_R2R ? make_in_precision<R2RTransform>(precision, comm, arguments)
                              : make_in_precision<Transform>(precision, comm, arguments);
    if (transform != nullptr) *transform = made.release();
  });
}

int kallima_create_redistribution(MPI_Comm comm, int axes, const int64_t* shape,
                                  int64_t element_bytes, const kallima_options* options,
                                  kallima_transform** transform, kallima_error* error) {
  if (transform != nullptr) *transform = nullptr;
  return guarded(error, [&] {
    auto made = std::make_unique<RedistributionOf>(comm, element_bytes, [&] {
      require_room(transform);
      return arguments_of(axes, shape, known_options(options));
    });
    if (transform != nullptr) *transform = made.release();
  });
}

void kallima_destroy(kallima_transform* transform) { delete transform; }

int kallima_forward(const kallima_transform* transform, const void* in, int64_t in_elements,
                    void* out, int64_t out_elements, kallima_error* error) {
  return transform_once(transform, Direction::forward, in, in_elements, out, out_elements, error);
}

int kallima_backward(const kallima_transform* transform, const void* in, int64_t in_elements,
                     void* out, int64_t out_elements, kallima_error* error) {
  return transform_once(transform, Direction::backward, in, in_elements, out, out_elements, error);
}

int kallima_bind(const kallima_transform* transform, int direction, const void* in,
                 int64_t in_elements, void* out, int64_t out_elements, kallima_bound** bound,
                 kallima_error* error) {
  return bind_with(bound, direction, error, [&](Direction way) {
    require(transform);
    return transform->bind(way, in, in_elements, out, out_elements);
  });
}

int kallima_bind_fields(const kallima_transform* transform, int direction, int fields,
                        const void* const* in, int64_t in_elements, void* const* out,
                        int64_t out_elements, kallima_bound** bound, kallima_error* error) {
  return bind_with(bound, direction, error, [&](Direction way) {
    require(transform);
    return transform->bind_fields(way, [&] {
      // Where there are none, their number is found wrong on all ranks alike.
      const auto given =
          static_cast<std::size_t>(in == nullptr || out == nullptr ? 0 : std::max(0, fields));
      return FieldMemory{std::vector<const void*>(in, in + given),
                         std::vector<std::size_t>(given, elements_of(in_elements)),
                         std::vector<void*>(out, out + given),
                         std::vector<std::size_t>(given, elements_of(out_elements))};
    });
  });
}

int kallima_run_scaled(kallima_bound* bound, int scaling, kallima_error* error) {
  return guarded(error, [&] {
    require(bound);
    bound->run(scaling_of(scaling));
  });
}

int kallima_run_on(const kallima_transform* transform, int direction, const void* in,
                   int64_t in_elements, void* out, int64_t out_elements, int scaling,
                   kallima_error* error) {
  return guarded(error, [&] {
    require(transform);
    const bool known = direction == KALLIMA_FORWARD || direction == KALLIMA_BACKWARD;
    transform->run_on(known ? static_cast<Direction>(direction) : static_cast<Direction>(255), in,
                      in_elements, out, out_elements, scaling_of(scaling));
  });
}

int kallima_run(kallima_bound* bound, kallima_error* error) {
  return guarded(error, [&] {
    require(bound);
    bound->run();
  });
}

void kallima_bound_destroy(kallima_bound* bound) { delete bound; }

int kallima_apply(const kallima_transform* transform, const void* in, int64_t in_elements,
                  void* out, int64_t out_elements, kallima_row_function function, void* context,
                  kallima_error* error) {
  return guarded(error, [&] {
    require(transform);
    // Where there is none, that is found on all ranks alike.
    transform->apply(in, in_elements, out, out_elements,
                     row_work_of(*transform, function, context));
  });
}

int kallima_apply_two(const kallima_transform* transform, const void* in, int64_t in_elements,
                      const void* second, int64_t second_elements, void* out, int64_t out_elements,
                      kallima_row_pair_function function, void* context, kallima_error* error) {
  return guarded(error, [&] {
    require(transform);
    transform->apply(in, in_elements, second, second_elements, out, out_elements,
                     row_work_of(*transform, function, context));
  });
}

int kallima_local_size(const kallima_transform* transform, int side, int64_t* elements) {
  return guarded(nullptr, [&] {
    require(transform);
    require(elements);
    *elements = transform->layout(side).local_size(transform->rank());
  });
}

int kallima_allocated_size(const kallima_transform* transform, int side, int64_t* elements) {
  return guarded(nullptr, [&] {
    require(transform);
    require(elements);
    *elements = transform->allocated_size(side);
  });
}

int kallima_in_place_size(const kallima_transform* transform, int64_t* elements) {
  return guarded(nullptr, [&] {
    require(transform);
    require(elements);
    *elements = transform->in_place_size();
  });
}

int kallima_local_axis(const kallima_transform* transform, int side, int axis, int64_t* first,
                       int64_t* step, int64_t* count, int64_t* stride) {
  return guarded(nullptr, [&] {
    require(transform);
    const Layout& layout = transform->layout(side);
    const std::size_t a = axis_of(layout, axis);
    const Progression part = layout.local_indices(transform->rank(), a);
    if (first != nullptr) *first = part.first;
    if (step != nullptr) *step = part.step;
    if (count != nullptr) *count = part.count;
    if (stride != nullptr) *stride = layout.local_strides(transform->rank())[a];
  });
}

int kallima_memory_order(const kallima_transform* transform, int side, int* order) {
  return guarded(nullptr, [&] {
    require(transform);
    if (order == nullptr) throw InvalidOption("order is NULL; pass one int per axis");
    const std::vector<int>& axes = transform->layout(side).order();
    std::copy(axes.begin(), axes.end(), order);
  });
}

int kallima_wavenumbers(const kallima_transform* transform, int axis, int64_t* k,
                        double* component) {
  return guarded(nullptr, [&] {
    require(transform);
    const Layout& layout = transform->layout(KALLIMA_OUTPUT);
    const std::size_t a = axis_of(layout, axis);
    const Progression held = layout.local_indices(transform->rank(), a);
    for (Index i = 0; i < held.count; ++i) {
      MultiIndex index;
      index[a] = held.first + i * held.step;
      const Wavenumber wavenumber = transform->spectrum().wavenumber(index);
      if (k != nullptr) k[i] = wavenumber[a];
      if (component != nullptr) component[i] = wavenumber.component(a);
    }
  });
}

int kallima_owner(const kallima_transform* transform, int side, const int64_t* index, int* rank) {
  return guarded(nullptr, [&] {
    require(transform);
    require(index);
    require(rank);
    const Layout& layout = transform->layout(side);
    const std::vector<Index> at(index, index + layout.axes());
    for (std::size_t a = 0; a < at.size(); ++a) {
      if (at[a] < 0 || at[a] >= layout.shape()[a])
        throw InvalidOption("an index outside the shape");
    }
    *rank = static_cast<int>(layout.owner(at));
  });
}

int kallima_layout_text(const kallima_transform* transform, int side, char* text, size_t capacity,
                        size_t* needed) {
  return guarded(nullptr, [&] {
    require(transform);
    copy_text(transform->layout(side).to_text(), text, capacity, needed);
  });
}

int kallima_plan_text(const kallima_transform* transform, int direction, char* text,
                      size_t capacity, size_t* needed) {
  return guarded(nullptr, [&] {
    require(transform);
    if (direction != KALLIMA_FORWARD && direction != KALLIMA_BACKWARD) {
      throw InvalidOption("a direction is KALLIMA_FORWARD or KALLIMA_BACKWARD");
    }
    copy_text(transform->plan(static_cast<Direction>(direction)).to_text(), text, capacity, needed);
  });
}

int kallima_workspace_bytes(const kallima_transform* transform, int64_t* bytes) {
  return guarded(nullptr, [&] {
    require(transform);
    require(bytes);
    *bytes = transform->workspace_bytes();
  });
}

int kallima_get_statistics(const kallima_transform* transform, kallima_statistics* moved) {
  return guarded(nullptr, [&] {
    require(transform);
    write(transform->statistics(), moved);
  });
}

int kallima_halo_create(MPI_Comm comm, int axes, const int64_t* shape, const char* layout,
                        const int64_t* widths, const int* periodic, int64_t element_bytes,
                        kallima_halo** halo, kallima_error* error) {
  if (halo != nullptr) *halo = nullptr;
  return guarded(error, [&] {
    auto made = std::make_unique<kallima_halo>(kallima_halo{HaloExchange::with(comm, [&] {
      require_room(halo, "halo");
      return halo_arguments_of(axes, shape, layout, widths, periodic, element_bytes);
    })});
    if (halo != nullptr) *halo = made.release();
  });
}

int kallima_halo_run(kallima_halo* halo, void* data, int64_t elements, kallima_error* error) {
  return guarded(error, [&] {
    require(halo);
    halo->exchange.run(data, elements_of(elements));
  });
}

void kallima_halo_destroy(kallima_halo* halo) { delete halo; }

int kallima_halo_allocated_size(const kallima_halo* halo, int64_t* elements) {
  return guarded(nullptr, [&] {
    require(halo);
    require(elements);
    *elements = halo->exchange.layout().allocated_size(halo->exchange.rank());
  });
}

int kallima_halo_first_offset(const kallima_halo* halo, int64_t* elements) {
  return guarded(nullptr, [&] {
    require(halo);
    require(elements);
    *elements = halo->exchange.layout().first_offset(halo->exchange.rank());
  });
}

int kallima_halo_local_axis(const kallima_halo* halo, int axis, int64_t* first, int64_t* count,
                            int64_t* stride) {
  return guarded(nullptr, [&] {
    require(halo);
    const Layout& layout = halo->exchange.layout();
    const std::size_t a = axis_of(layout, axis);
    const Progression part = layout.local_indices(halo->exchange.rank(), a);
    if (first != nullptr) *first = part.first;
    if (count != nullptr) *count = part.count;
    if (stride != nullptr) *stride = layout.local_strides(halo->exchange.rank())[a];
  });
}

int kallima_halo_workspace_bytes(const kallima_halo* halo, int64_t* bytes) {
  return guarded(nullptr, [&] {
    require(halo);
    require(bytes);
    *bytes = halo->exchange.workspace_bytes();
  });
}

int kallima_halo_get_statistics(const kallima_halo* halo, kallima_statistics* moved) {
  return guarded(nullptr, [&] {
    require(halo);
    write(halo->exchange.statistics(), moved);
  });
}

}  // extern "C"
