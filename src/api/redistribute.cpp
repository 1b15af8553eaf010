// SPDX-License-Identifier: BSD-3-Clause
//
// Elements are moved as the largest numbers that they consist of. Copies of numbers are copies of
// bits: registers and memory do not change what a number of floating point looks like.
#include "kallima/redistribute.hpp"

#include <fmt/format.h>

#include "api/instantiate.hpp"
#include "exec/bytes.hpp"

namespace kallima {

class Redistribution::Core {
 public:
  Core() = default;
  virtual ~Core() = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  Core(Core&&) = delete;
  Core& operator=(Core&&) = delete;

  /// What runs on memory that does.
  [[nodiscard]] virtual std::function<void()> bind(
      Direction direction, const std::function<ArrayMemory()>& memory) const = 0;
  virtual void run(Direction direction, const void* in, std::size_t in_elements, void* out,
                   std::size_t out_elements) const = 0;
  [[nodiscard]] virtual Index input_size() const = 0;
  [[nodiscard]] virtual Index output_size() const = 0;
  [[nodiscard]] virtual Index in_place_size() const = 0;
  [[nodiscard]] virtual const Plan& plan(Direction direction) const = 0;
  [[nodiscard]] virtual std::string explain(Direction direction) const = 0;
  [[nodiscard]] virtual CommStatistics statistics() const = 0;
  [[nodiscard]] virtual Index workspace_bytes() const = 0;
  [[nodiscard]] virtual int rank() const = 0;
};

/// What an element is moved as.
struct ElementParts {
  Kind kind = Kind::c2c;
  Index bytes = 1;  ///< of a part
  Index count = 1;  ///< of parts
};

static ElementParts parts_of(Index element_bytes) {
  for (const Index bytes : {16, 8, 4}) {
    if (element_bytes > 0 && element_bytes % bytes == 0) {
      return {bytes == 4 ? Kind::r2r : Kind::c2c, bytes, element_bytes / bytes};
    }
  }
  return {Kind::c2c, 1, element_bytes};
}

/// A layout of elements as one of their parts.
static LayoutChoice of_parts(const LayoutChoice& choice, const Shape& shape, Index count,
                             const char* which) {
  if (!choice) {
    throw InvalidOption(
        fmt::format("the layout to redistribute {} is missing; give both layouts", which));
  }
  if (!choice.own()) {
    const Layout layout = choice.for_shape(shape)->padding_as_margin();
    return count == 1 ? layout : layout.with_inner_axis(count);
  }
  if (count == 1) return choice;
  OwnBoxes own = *choice.own();
  for (Box& box : own.boxes) {
    box.low.insert(box.low.begin(), 0);
    box.high.insert(box.high.begin(), count);
  }
  if (own.order.empty()) {
    for (int a = 0; a < static_cast<int>(shape.size()); ++a) own.order.push_back(a);
  }
  for (int& a : own.order) ++a;
  own.order.push_back(0);
  if (!own.margins.empty()) own.margins.insert(own.margins.begin(), Margin{});
  return own;
}

template <class T>
class Redistribution::CoreOf : public Core, private Planned<T> {
 public:
  CoreOf(MPI_Comm comm, Index element_bytes, const std::function<Arguments()>& arguments,
         const ElementParts& parts)
      : Planned<T>(TransformCore<T>::make(
            comm, parts.kind, [&] { return asked(element_bytes, arguments(), parts.count); })),
        parts_(parts.count) {}

  [[nodiscard]] std::function<void()> bind(
      Direction direction, const std::function<ArrayMemory()>& memory) const override {
    auto bound = this->bind_memory(direction, [&] {
      ArrayMemory arrays = memory();
      arrays.in_elements *= parts_count();
      arrays.out_elements *= parts_count();
      return arrays;
    });
    return [bound]() mutable { bound.run(); };
  }
  void run(Direction direction, const void* in, std::size_t in_elements, void* out,
           std::size_t out_elements) const override {
    this->run_memory(direction, in, in_elements * parts_count(), out, out_elements * parts_count());
  }
  [[nodiscard]] Index input_size() const override {
    return this->input_layout().allocated_size(rank()) / parts_;
  }
  [[nodiscard]] Index output_size() const override {
    return this->output_layout().allocated_size(rank()) / parts_;
  }
  [[nodiscard]] Index in_place_size() const override {
    return Planned<T>::in_place_size() / parts_;
  }
  [[nodiscard]] const Plan& plan(Direction direction) const override {
    return Planned<T>::plan(direction);
  }
  [[nodiscard]] std::string explain(Direction direction) const override {
    return Planned<T>::explain(direction);
  }
  [[nodiscard]] CommStatistics statistics() const override { return Planned<T>::statistics(); }
  [[nodiscard]] Index workspace_bytes() const override { return Planned<T>::workspace_bytes(); }
  [[nodiscard]] int rank() const override { return Planned<T>::rank(); }

 private:
  static AskedTransform<T> asked(Index element_bytes, Arguments given, Index count) {
    if (element_bytes < 1) {
      throw InvalidOption(fmt::format("elements of {} bytes; give at least 1", element_bytes));
    }
    validate_shape(given.shape);
    Options& options = given.options;
    options.in = of_parts(options.in, given.shape, count, "from");
    options.out = of_parts(options.out, given.shape, count, "to");
    options.scaling = Scaling::none;
    options.axes.assign(given.shape.size(), AxisKind::none);
    options.lengths.clear();
    if (count > 1) {
      given.shape.insert(given.shape.begin(), count);
      options.axes.insert(options.axes.begin(), AxisKind::batch);
    }
    AskedTransform<T> result;
    result.given = std::move(given);
    return result;
  }

  [[nodiscard]] std::size_t parts_count() const { return static_cast<std::size_t>(parts_); }

  Index parts_ = 1;
};

Redistribution Redistribution::with(MPI_Comm comm, Index element_bytes,
                                    const std::function<Arguments()>& arguments) {
  const ElementParts parts = parts_of(element_bytes);
  const auto of_numbers = [&](auto number) {
    return Redistribution(
        std::make_shared<CoreOf<decltype(number)>>(comm, element_bytes, arguments, parts));
  };
  if (parts.bytes == 16) return of_numbers(double{});
  if (parts.bytes >= 4) return of_numbers(float{});
  return of_numbers(Bytes{});
}

Redistribution::Redistribution(MPI_Comm comm, const Shape& shape, const LayoutChoice& from,
                               const LayoutChoice& to, Index element_bytes, const Options& options)
    : Redistribution(with(comm, element_bytes, [&] {
        Arguments arguments{shape, options};
        arguments.options.in = from;
        arguments.options.out = to;
        return arguments;
      })) {}

Redistribution::Bound Redistribution::bind(Direction direction, const void* in,
                                           std::size_t in_elements, void* out,
                                           std::size_t out_elements) const {
  return bind(direction, [&]() -> ArrayMemory { return {in, in_elements, out, out_elements}; });
}

Redistribution::Bound Redistribution::bind(Direction direction,
                                           const std::function<ArrayMemory()>& memory) const {
  return Bound(core_->bind(direction, memory));
}

void Redistribution::run(Direction direction, const void* in, std::size_t in_elements, void* out,
                         std::size_t out_elements) const {
  core_->run(direction, in, in_elements, out, out_elements);
}

Index Redistribution::input_size() const { return core_->input_size(); }

Index Redistribution::output_size() const { return core_->output_size(); }

Index Redistribution::in_place_size() const { return core_->in_place_size(); }

const Plan& Redistribution::plan(Direction direction) const { return core_->plan(direction); }

std::string Redistribution::explain(Direction direction) const { return core_->explain(direction); }

CommStatistics Redistribution::statistics() const { return core_->statistics(); }

Index Redistribution::workspace_bytes() const { return core_->workspace_bytes(); }

int Redistribution::rank() const { return core_->rank(); }

}  // namespace kallima

KALLIMA_INSTANTIATE_TRANSFORM(kallima::Bytes);
