// SPDX-License-Identifier: BSD-3-Clause
#include "common.hpp"

namespace kallima::python {

namespace {

/// (first, step, count) of what a rank holds along each axis.
py::tuple indices_of(const Layout& layout, Index rank) {
  py::list result;
  for (const Progression& along : layout.local_indices(rank)) {
    result.append(py::make_tuple(along.first, along.step, along.count));
  }
  return py::tuple(result);
}

/// Per part of a rank: (first, step, count) along each axis, strides, and where it begins.
py::list parts_of(const Layout& layout, Index rank) {
  py::list result;
  for (const LocalPart& part : layout.parts(rank)) {
    py::list indices;
    for (const Progression& along : part.indices) {
      indices.append(py::make_tuple(along.first, along.step, along.count));
    }
    result.append(py::make_tuple(py::tuple(indices), tuple_of(part.strides), part.offset));
  }
  return result;
}

}  // namespace

std::vector<Margin> margins_of(const py::handle& given) {
  std::vector<Margin> margins;
  for (const auto& [below, above] : py::cast<std::vector<std::pair<Index, Index>>>(given)) {
    margins.push_back({below, above});
  }
  return margins;
}

void add_layouts(py::module_& module) {
  py::class_<Layout>(module, "Layout")
      .def_static("parse", [](const std::string& text,
                              const Shape& shape) { return Layout::parse(text, shape); })
      .def_static("slab", [](const Shape& shape, Index procs,
                             std::size_t axis) { return Layout::slab(shape, procs, axis); })
      .def_static("pencil", &Layout::pencil)
      .def_static("block",
                  [](const Shape& shape, const std::vector<Index>& procs) {
                    return Layout::block(shape, procs);
                  })
      .def_static("cyclic", &Layout::cyclic)
      .def("to_text", py::overload_cast<>(&Layout::to_text, py::const_))
      .def("summary", py::overload_cast<>(&Layout::summary, py::const_))
      .def("picture", &Layout::picture)
      .def("shape", [](const Layout& layout) { return tuple_of(layout.shape()); })
      .def("ranks", &Layout::ranks)
      .def("order", [](const Layout& layout) { return tuple_of(layout.order()); })
      .def("is_grid", &Layout::is_grid)
      .def("several_boxes", &Layout::several_boxes)
      .def("local_indices", indices_of)
      .def("parts", parts_of)
      .def("local_size", &Layout::local_size)
      .def("allocated_size", &Layout::allocated_size)
      .def("first_offset", &Layout::first_offset)
      .def("local_strides",
           [](const Layout& layout, Index rank) { return tuple_of(layout.local_strides(rank)); })
      .def("owner", &Layout::owner)
      .def("offset", &Layout::offset)
      .def("whole",
           [](const Layout& layout, std::size_t axis) {
             if (axis >= layout.axes()) throw InvalidOption("there is no such axis");
             return layout.whole(axis);
           })
      .def("with_margins",
           [](const Layout& layout, const py::object& margins) {
             return layout.with_margins(margins_of(margins));
           })
      .def("margins",
           [](const Layout& layout) {
             py::list result;
             for (std::size_t a = 0; a < layout.axes(); ++a) {
               result.append(py::make_tuple(layout.margin(a).below, layout.margin(a).above));
             }
             return result;
           })
      .def("with_order", &Layout::with_order)
      .def("dense", &Layout::dense)
      .def("__eq__", [](const Layout& a, const Layout& b) { return a == b; });
}

}  // namespace kallima::python
