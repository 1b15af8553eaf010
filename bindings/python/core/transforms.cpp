// SPDX-License-Identifier: BSD-3-Clause
#include <pybind11/numpy.h>

#include <array>
#include <variant>

#include "api/trace.hpp"
#include "common.hpp"
#include "kallima/halo.hpp"
#include "kallima/price.hpp"
#include "kallima/redistribute.hpp"

namespace kallima::python {

namespace {

using AnyPlanned = std::variant<Planned<float>, Planned<double>, Redistribution>;
using AnyBound = std::variant<Bound<float>, Bound<double>, Redistribution::Bound>;

std::string joined(const std::vector<py::ssize_t>& numbers) {
  std::string text;
  for (const py::ssize_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "(" + text + (numbers.size() == 1 ? ",)" : ")");
}

/// What an array has to be.
struct Wanted {
  const Layout& layout;
  Index rank;
  std::string format;  ///< of the buffer protocol; empty: anything of these bytes
  Index bytes;         ///< of an element
  std::string what;    ///< "input", ...

  [[noreturn]] void refuse(const std::string& has, const std::string& should) const {
    throw InvalidBuffer("the " + what + " on rank " + std::to_string(rank) + " has " + has +
                        ", and should have " + should);
  }
};

/// An array that Python lends until this goes, which takes the interpreter's lock.
struct Lent {
  py::buffer_info view;
  std::byte* begin = nullptr;  ///< where the layout's memory begins, margins included
};

/// Native order and size are written in several ways.
std::string plain(const std::string& format) {
  const std::size_t at = format.find_first_not_of("@=<|^");
  return at == std::string::npos ? "" : format.substr(at);
}

Lent lent(const py::object& array, const Wanted& wanted, bool written) {
  if (PyObject_CheckBuffer(array.ptr()) == 0) {
    wanted.refuse("type " + py::cast<std::string>(array.get_type().attr("__name__")),
                  "memory, as an array of NumPy has it");
  }
  Lent result;
  try {
    result.view = py::reinterpret_borrow<py::buffer>(array).request(written);
  } catch (const py::error_already_set& raised) {
    throw InvalidBuffer("the " + wanted.what + " lends no memory" + (written ? " to write" : "") +
                        ": " + py::cast<std::string>(py::str(raised.value())));
  }
  const py::buffer_info& view = result.view;
  if (wanted.format.empty() ? view.itemsize != wanted.bytes : plain(view.format) != wanted.format) {
    wanted.refuse("elements of type " + py::cast<std::string>(py::str(py::dtype(view))),
                  wanted.format.empty()
                      ? "such of " + std::to_string(wanted.bytes) + " bytes"
                      : py::cast<std::string>(py::str(py::dtype(wanted.format == "Zd"   ? "c16"
                                                                : wanted.format == "Zf" ? "c8"
                                                                : wanted.format == "d"  ? "f8"
                                                                                        : "f4"))));
  }
  std::vector<py::ssize_t> shape;
  std::vector<py::ssize_t> strides;
  if (wanted.layout.several_boxes()) {
    shape = {wanted.layout.local_size(wanted.rank)};
    strides = {1};
  } else {
    const Shape extents = wanted.layout.local_shape(wanted.rank);
    const std::vector<Index> steps = wanted.layout.local_strides(wanted.rank);
    shape.assign(extents.begin(), extents.end());
    strides.assign(steps.begin(), steps.end());
  }
  if (view.shape != shape) wanted.refuse("shape " + joined(view.shape), "shape " + joined(shape));
  bool fits = true;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    strides[a] *= wanted.bytes;
    fits = fits && (shape[a] < 2 || view.size == 0 || view.strides[a] == strides[a]);
  }
  if (!fits) {
    wanted.refuse(
        "strides " + joined(view.strides),
        "strides " + joined(strides) + "; empty_input() and empty_output() make such arrays");
  }
  const Index before = view.size == 0 ? 0 : wanted.layout.first_offset(wanted.rank) * wanted.bytes;
  result.begin = static_cast<std::byte*>(view.ptr) - before;
  return result;
}

/// Bytes from `begin` to the end of the memory that an array is a view of.
Index room_behind(py::object array, const std::byte* begin) {
  Index room = 0;
  while (!array.is_none() && PyObject_CheckBuffer(array.ptr()) != 0) {
    const py::buffer_info view = py::reinterpret_borrow<py::buffer>(array).request();
    const auto* const first = static_cast<const std::byte*>(view.ptr);
    Index last = view.size == 0 ? 0 : view.itemsize;
    for (std::size_t a = 0; a < view.shape.size() && view.size > 0; ++a) {
      last += (view.shape[a] - 1) * view.strides[a];
    }
    if (begin >= first) room = std::max<Index>(room, last - (begin - first));
    array = py::hasattr(array, "base") ? py::object(array.attr("base")) : py::none();
  }
  return room;
}

/// A transform, or a redistribution, that is bound to arrays of Python.
class PythonBound {
 public:
  PythonBound(AnyBound bound, std::pair<Lent, Lent> arrays, py::object objects)
      : bound_(std::move(bound)), arrays_(std::move(arrays)), objects_(std::move(objects)) {}

  void run(const std::optional<std::string>& norm) {
    const std::optional<Scaling> scaling = norm ? std::optional(scaling_of(*norm)) : std::nullopt;
    const py::gil_scoped_release unlocked;
    once(scaling);
  }
  /// Without Python between the runs, to tell what that takes.
  void repeat(Index times) {
    const py::gil_scoped_release unlocked;
    for (Index i = 0; i < times; ++i) once(std::nullopt);
  }
  [[nodiscard]] py::object arrays() const { return objects_; }

 private:
  void once(const std::optional<Scaling>& scaling) {
    std::visit(
        [&](auto& bound) {
          if constexpr (requires { bound.run(Scaling::none); }) {
            if (scaling) return bound.run(*scaling);
          }
          bound.run();
        },
        bound_);
  }

  AnyBound bound_;
  std::pair<Lent, Lent> arrays_;
  py::object objects_;
};

/// Either side of a transform.
struct Side {
  Layout layout;
  std::string format;
  Index bytes = 0;
};

class PythonTransform {
 public:
  PythonTransform(AnyPlanned planned, Side in, Side out)
      : planned_(std::move(planned)), sides_{std::move(in), std::move(out)} {}

  /// `arrays` gives the input and the output of the direction, as Python objects.
  std::unique_ptr<PythonBound> bind(const std::string& direction_name,
                                    const py::object& arrays) const {
    const Direction direction = direction_of(direction_name);
    std::pair<Lent, Lent> views;
    py::object objects;
    const auto lend = [&]() -> ArrayMemory {
      objects = arrays();
      const auto pair = py::cast<std::pair<py::object, py::object>>(objects);
      const bool forward = direction == Direction::forward;
      const Side& from = sides_[forward ? 0 : 1];
      const Side& to = sides_[forward ? 1 : 0];
      views.first = lent(
          pair.first,
          {from.layout, rank(), from.format, from.bytes, forward ? "input" : "spectrum"}, false);
      views.second =
          lent(pair.second, {to.layout, rank(), to.format, to.bytes, forward ? "output" : "result"},
               true);
      Index in_bytes = from.layout.allocated_size(rank()) * from.bytes;
      Index out_bytes = to.layout.allocated_size(rank()) * to.bytes;
      if (views.first.begin == views.second.begin && in_bytes + out_bytes > 0) {
        in_bytes = room_behind(pair.first, views.first.begin);
        out_bytes = room_behind(pair.second, views.second.begin);
      }
      return {views.first.begin, static_cast<std::size_t>(in_bytes / from.bytes),
              views.second.begin, static_cast<std::size_t>(out_bytes / to.bytes)};
    };
    const auto memory = [&] { return under_lock(lend); };
    auto bound = [&] {
      const py::gil_scoped_release unlocked;
      return std::visit(
          [&](const auto& planned) -> AnyBound {
            if constexpr (std::is_same_v<std::decay_t<decltype(planned)>, Redistribution>) {
              return planned.bind(direction, memory);
            } else {
              return planned.bind_memory(direction, memory);
            }
          },
          planned_);
    }();
    return std::make_unique<PythonBound>(std::move(bound), std::move(views), std::move(objects));
  }

  [[nodiscard]] const Layout& layout(bool output) const { return sides_[output ? 1 : 0].layout; }
  [[nodiscard]] Index rank() const {
    return std::visit([](const auto& planned) -> Index { return planned.rank(); }, planned_);
  }
  [[nodiscard]] const Plan& plan(const std::string& direction) const {
    return visit_plan(direction_of(direction));
  }
  [[nodiscard]] std::string explain(const std::string& direction) const {
    return std::visit([&](const auto& planned) { return planned.explain(direction_of(direction)); },
                      planned_);
  }
  [[nodiscard]] Index workspace_bytes() const {
    return std::visit([](const auto& planned) { return planned.workspace_bytes(); }, planned_);
  }
  /// Bytes of an array that is transformed in place.
  [[nodiscard]] Index in_place_bytes() const {
    return std::visit([&](const auto& planned) { return planned.in_place_size(); }, planned_) *
           std::max(sides_[0].bytes, sides_[1].bytes);
  }
  [[nodiscard]] py::dict statistics() const {
    const CommStatistics moved =
        std::visit([](const auto& planned) { return planned.statistics(); }, planned_);
    py::dict result;
    result["bytes_sent"] = moved.bytes_sent;
    result["bytes_received"] = moved.bytes_received;
    result["messages_sent"] = moved.messages_sent;
    result["messages_received"] = moved.messages_received;
    result["exchanges"] = moved.exchanges;
    return result;
  }
  [[nodiscard]] std::string trace() const {
    return std::visit(
        [](const auto& planned) -> std::string {
          if constexpr (requires { planned.trace(); }) {
            return trace_file(planned.trace(), planned.plan());
          }
          throw InvalidOption("a redistribution records no trace");
        },
        planned_);
  }

  /// Of the frequencies that this rank has along an axis: integers, components, weights.
  [[nodiscard]] py::tuple wavenumbers(std::size_t axis) const {
    return std::visit(
        [&](const auto& planned) -> py::tuple {
          if constexpr (requires { planned.spectrum(); }) {
            return wavenumbers_of(planned.spectrum(), axis);
          } else {
            throw InvalidOption("a redistribution has no wavenumbers");
          }
        },
        planned_);
  }

  /// What a direction costs on the machine that it was planned on.
  [[nodiscard]] py::dict predict(const std::string& direction) const {
    return std::visit(
        [&](const auto& planned) -> py::dict {
          if constexpr (requires { planned.machine(); }) {
            return cost_of(planned.plan(direction_of(direction)), planned.machine());
          } else {
            throw InvalidOption(
                "a redistribution does not keep its machine; explain() says what it costs");
          }
        },
        planned_);
  }

 private:
  [[nodiscard]] const Plan& visit_plan(Direction direction) const {
    return std::visit([&](const auto& planned) -> const Plan& { return planned.plan(direction); },
                      planned_);
  }

  [[nodiscard]] py::tuple wavenumbers_of(const Spectrum& spectrum, std::size_t axis) const {
    const Layout& frequencies = sides_[1].layout;
    if (frequencies.several_boxes() || axis >= frequencies.axes()) {
      throw InvalidOption(
          "wavenumbers along an axis are those of an array; several boxes have none in common");
    }
    std::vector<Index> k;
    std::vector<double> component;
    std::vector<int> weight;
    const Progression indices = frequencies.local_indices(rank(), axis);
    for (Index i = 0; i < indices.count; ++i) {
      MultiIndex index;
      index[axis] = indices.at(i);
      const Wavenumber here = spectrum.wavenumber(index);
      k.push_back(here[axis]);
      component.push_back(here.component(axis));
      weight.push_back(spectrum.r2c_axis() == axis ? here.weight() : 1);
    }
    return py::make_tuple(k, component, weight);
  }

  [[nodiscard]] static py::dict cost_of(const Plan& plan, const Machine& machine) {
    const PlanCost cost = price(plan, machine);
    py::list steps;
    for (const StepCost& step : cost.steps) {
      py::dict one;
      one["what"] = step.what;
      one["seconds"] = step.cost.total();
      one["binds"] = std::string(step.cost.binds());
      one["bytes"] = step.bytes;
      one["messages"] = step.messages;
      steps.append(one);
    }
    py::dict result;
    result["machine"] = machine.name();
    result["seconds"] = cost.total.total();
    result["spread"] = cost.spread;
    result["binds"] = std::string(cost.total.binds());
    result["bytes"] = cost.bytes();
    result["messages"] = cost.messages();
    result["steps"] = steps;
    return result;
  }

  AnyPlanned planned_;
  std::array<Side, 2> sides_;
};

/// The arguments that `make` gives, read inside of a collective call.
std::function<Arguments()> read_from(const py::object& make) {
  return [&make] { return under_lock([&] { return arguments_of(py::cast<py::dict>(make())); }); };
}

template <class T>
PythonTransform planned_as(const std::string& kind, MPI_Comm comm,
                           const std::function<Arguments()>& arguments) {
  const std::string real = std::is_same_v<T, float> ? "f" : "d";
  const Index bytes = sizeof(T);
  const auto made = [&](const Planned<T>& planned, bool complex_in, bool complex_out) {
    const auto side = [&](const Layout& layout, bool complex) -> Side {
      return {layout, (complex ? "Z" : "") + real, complex ? 2 * bytes : bytes};
    };
    return PythonTransform(planned, side(planned.input_layout(), complex_in),
                           side(planned.output_layout(), complex_out));
  };
  if (kind == "r2c") return made(RealTransform<T>::with(comm, arguments), false, true);
  if (kind == "r2r") return made(R2RTransform<T>::with(comm, arguments), false, false);
  return made(Transform<T>::with(comm, arguments), true, true);
}

std::unique_ptr<PythonTransform> make_transform(MPI_Fint handle, const std::string& kind,
                                                const std::string& precision,
                                                const py::object& make) {
  const MPI_Comm comm = communicator_of(handle);
  const py::gil_scoped_release unlocked;
  const auto arguments = read_from(make);
  return std::make_unique<PythonTransform>(precision == "f32"
                                               ? planned_as<float>(kind, comm, arguments)
                                               : planned_as<double>(kind, comm, arguments));
}

std::unique_ptr<PythonTransform> make_redistribution(MPI_Fint handle, Index element_bytes,
                                                     const py::object& make) {
  const MPI_Comm comm = communicator_of(handle);
  const py::gil_scoped_release unlocked;
  Arguments given;
  auto moves = Redistribution::with(comm, element_bytes, [&] { return given = read_from(make)(); });
  const auto side = [&](const LayoutChoice& choice, const Layout& moved) -> Side {
    if (!choice.own()) return {*choice.for_shape(given.shape), "", element_bytes};
    if (moved.axes() == given.shape.size()) return {moved, "", element_bytes};
    throw InvalidOption("boxes of elements of " + std::to_string(element_bytes) +
                        " bytes have no layout of elements; give the texts of layouts");
  };
  const Plan& plan = moves.plan();
  const Side from = side(given.options.in, plan.input());
  const Side to = side(given.options.out, plan.output());
  return std::make_unique<PythonTransform>(std::move(moves), from, to);
}

/// Ghost cells of arrays of Python.
class PythonHalo {
 public:
  PythonHalo(MPI_Fint handle, Index element_bytes, const py::object& make)
      : exchange_([&] {
          const MPI_Comm comm = communicator_of(handle);
          const py::gil_scoped_release unlocked;
          return HaloExchange::with(comm, [&] { return read(element_bytes, make); });
        }()),
        bytes_(element_bytes) {}

  /// Where the array does not do, the exchange is broken on all ranks.
  void run(const py::object& array) {
    Lent memory;
    std::optional<InvalidBuffer> wrong;
    try {
      memory = lent(array, {layout(), rank(), "", bytes_, "array"}, true);
    } catch (const InvalidBuffer& refused) {
      wrong = refused;
    }
    const py::gil_scoped_release unlocked;
    try {
      exchange_.run(memory.begin,
                    wrong ? 0 : static_cast<std::size_t>(layout().allocated_size(rank())));
    } catch (const Error&) {
      if (!wrong) throw;
    }
    if (wrong) throw InvalidBuffer(*wrong);
  }
  [[nodiscard]] const Layout& layout() const { return exchange_.layout(); }
  [[nodiscard]] Index rank() const { return exchange_.rank(); }

 private:
  /// Of a dictionary: layout, widths, periodic.
  static HaloArguments read(Index element_bytes, const py::object& make) {
    return under_lock([&] {
      const auto given = py::cast<py::dict>(make());
      HaloArguments arguments;
      arguments.layout = py::cast<Layout>(given["layout"]);
      arguments.widths = margins_of(given["widths"]);
      arguments.periodic = py::cast<std::vector<bool>>(given["periodic"]);
      arguments.element_bytes = element_bytes;
      return arguments;
    });
  }

  HaloExchange exchange_;
  Index bytes_;
};

}  // namespace

void add_transforms(py::module_& module) {
  py::class_<PythonBound>(module, "Bound")
      .def("__call__", &PythonBound::run, py::arg("norm") = py::none(),
           "Run. Collective; agrees on nothing, allocates nothing. `norm`: instead of the "
           "transform's.")
      .def("repeat", &PythonBound::repeat)
      .def_property_readonly("arrays", &PythonBound::arrays);
  py::class_<PythonTransform>(module, "Transform")
      .def(py::init(&make_transform))
      .def("bind", &PythonTransform::bind)
      .def("layout", &PythonTransform::layout)
      .def("rank", &PythonTransform::rank)
      .def("plan_text", [](const PythonTransform& self,
                           const std::string& direction) { return self.plan(direction).to_text(); })
      .def("explain", &PythonTransform::explain)
      .def("workspace_bytes", &PythonTransform::workspace_bytes)
      .def("in_place_bytes", &PythonTransform::in_place_bytes)
      .def("statistics", &PythonTransform::statistics)
      .def("trace", &PythonTransform::trace)
      .def("wavenumbers", &PythonTransform::wavenumbers)
      .def("predict", &PythonTransform::predict);
  module.def("redistribution", make_redistribution);
  py::class_<PythonHalo>(module, "Halo")
      .def(py::init<MPI_Fint, Index, py::object>())
      .def("run", &PythonHalo::run)
      .def("layout", &PythonHalo::layout)
      .def("rank", &PythonHalo::rank);
  module.def("check_shape", [](const Shape& shape) { validate_shape(shape); });
  // Raises where there is no such norm; None is one.
  module.def("check_norm", [](const std::optional<std::string>& norm) {
    if (norm) static_cast<void>(scaling_of(*norm));
  });
  // Extents of frequencies, before there is a plan.
  module.def("frequency_shape",
             [](const Shape& shape, bool real, int r2c_axis, const std::vector<Index>& keep) {
               Problem problem;
               problem.shape = shape;
               problem.kind = real ? Kind::r2c : Kind::c2c;
               problem.r2c_axis = r2c_axis;
               problem.keep = keep;
               return tuple_of(problem.frequency_shape());
             });
}

}  // namespace kallima::python
