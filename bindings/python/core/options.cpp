// SPDX-License-Identifier: BSD-3-Clause
//
// From keyword arguments to Options: a row of the table for each.
#include <array>

#include "common.hpp"
#include "kallima/method_table.h"
#include "kallima/problem.hpp"

namespace kallima::python {

namespace {

/// One of these by its name; InvalidOption with all names.
template <class Value, std::size_t count>
Value named(const std::array<std::pair<const char*, Value>, count>& values, const std::string& name,
            const char* what) {
  std::string known;
  for (const auto& [text, value] : values) {
    if (name == text) return value;
    known += (known.empty() ? "'" : ", '") + std::string(text) + "'";
  }
  throw InvalidOption(std::string(what) + " '" + name + "' is not known; there are " + known);
}

constexpr std::array<std::pair<const char*, PlanEffort>, 2> plan_efforts = {
    {{"estimate", PlanEffort::estimate}, {"measure", PlanEffort::measure}}};

constexpr std::array<std::pair<const char*, Effort>, 3> engine_efforts = {
    {{"estimate", Effort::estimate}, {"measure", Effort::measure}, {"patient", Effort::patient}}};

ExchangeMethod method_of(const std::string& name) {
  static const std::array methods = {
      std::pair<const char*, ExchangeMethod>("any", ExchangeMethod::any)
#define KALLIMA_PYTHON_METHOD(number, name, NAME, text, meaning) \
  , std::pair<const char*, ExchangeMethod>(text, ExchangeMethod::name)
          KALLIMA_METHOD_TABLE(KALLIMA_PYTHON_METHOD)
#undef KALLIMA_PYTHON_METHOD
  };
  return named(methods, name, "method");
}

/// Own boxes: a dictionary of boxes, each a list of (first, end) per axis, `order` and `margins`.
OwnBoxes own_boxes_of(const py::dict& given) {
  OwnBoxes own;
  for (const auto& box :
       py::cast<std::vector<std::vector<std::pair<Index, Index>>>>(given["boxes"])) {
    Box one;
    for (const auto& [low, high] : box) {
      one.low.push_back(low);
      one.high.push_back(high);
    }
    own.boxes.push_back(std::move(one));
  }
  own.order = py::cast<std::vector<int>>(given["order"]);
  own.margins = margins_of(given["margins"]);
  return own;
}

LayoutChoice layout_of(const py::handle& given) {
  if (py::isinstance<Layout>(given)) return py::cast<Layout>(given);
  if (py::isinstance<py::dict>(given)) return own_boxes_of(py::cast<py::dict>(given));
  return py::cast<std::string>(given);
}

using Setter = void (*)(Options&, const py::handle&);

/// An option that is a member of Options, of a type that needs no name.
template <auto member>
void set(Options& options, const py::handle& value) {
  options.*member = py::cast<std::remove_reference_t<decltype(options.*member)>>(value);
}

/// One that is called by its name.
template <auto member, auto by_name>
void set_named(Options& options, const py::handle& value) {
  options.*member = by_name(py::cast<std::string>(value));
}

PlanEffort plan_effort_of(const std::string& name) { return named(plan_efforts, name, "effort"); }
Effort engine_effort_of(const std::string& name) {
  return named(engine_efforts, name, "engine_effort");
}

constexpr std::array<std::pair<const char*, Setter>, 25> setters = {{
    {"input", [](Options& options, const py::handle& value) { options.in = layout_of(value); }},
    {"output", [](Options& options, const py::handle& value) { options.out = layout_of(value); }},
    {"norm", set_named<&Options::scaling, scaling_of>},
    {"threads", set<&Options::threads>},
    {"effort", set_named<&Options::plan_effort, plan_effort_of>},
    {"kinds",
     [](Options& options, const py::handle& value) {
       options.axes.clear();
       for (const std::string& name : py::cast<std::vector<std::string>>(value)) {
         options.axes.push_back(axis_kind_of(name));
       }
     }},
    {"r2c_axis", set<&Options::r2c_axis>},
    {"padded", set<&Options::padded>},
    {"keep", set<&Options::keep>},
    {"lengths", set<&Options::lengths>},
    {"planning_seconds", set<&Options::planning_seconds>},
    {"adaptive", set<&Options::adaptive>},
    {"engine_effort", set_named<&Options::engine_effort, engine_effort_of>},
    {"method", set_named<&Options::method, method_of>},
    {"machine",
     [](Options& options, const py::handle& value) {
       options.machine =
           std::make_shared<const Machine>(find_machine(py::cast<std::string>(value)));
     }},
    {"plan",
     [](Options& options, const py::handle& value) {
       options.plan = std::make_shared<const Plan>(Plan::parse(py::cast<std::string>(value)));
     }},
    {"plan_wisdom", set<&Options::plan_wisdom>},
    {"chunks", set<&Options::chunks>},
    {"tile_bytes", set<&Options::tile_bytes>},
    {"progress_thread", set<&Options::progress_thread>},
    {"deadline", set<&Options::deadline>},
    {"message_bytes", set<&Options::message_bytes>},
    {"large_counts", set<&Options::large_counts>},
    {"trace", set<&Options::trace>},
    {"shape", nullptr},
}};

}  // namespace

AxisKind axis_kind_of(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(AxisKind::batch); ++i) {
    if (name_of(static_cast<AxisKind>(i)) == name) return static_cast<AxisKind>(i);
  }
  throw InvalidOption("an axis can not be '" + name +
                      "'; it is 'fourier', 'real', 'cosine-1' to 'cosine-4', 'sine-1' to 'sine-4', "
                      "'none' or 'batch'");
}

Scaling scaling_of(const std::string& name) {
  constexpr std::array<std::pair<const char*, Scaling>, 4> scalings = {
      {{"backward", Scaling::by_n},
       {"ortho", Scaling::by_sqrt_n},
       {"forward", Scaling::by_n_forward},
       {"none", Scaling::none}}};
  return named(scalings, name, "norm");
}

Direction direction_of(const std::string& name) {
  constexpr std::array<std::pair<const char*, Direction>, 2> directions = {
      {{"forward", Direction::forward}, {"backward", Direction::backward}}};
  return named(directions, name, "direction");
}

Arguments arguments_of(const py::dict& given) {
  Arguments arguments;
  arguments.shape = py::cast<Shape>(given["shape"]);
  validate_shape(arguments.shape);
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    const auto* const found = std::find_if(
        setters.begin(), setters.end(), [&](const auto& setter) { return name == setter.first; });
    if (found == setters.end()) {
      std::string known;
      for (const auto& [text, set] : setters)
        known += std::string(known.empty() ? "" : ", ") + text;
      throw InvalidOption("there is no option '" + name + "'; there are " + known);
    }
    if (found->second == nullptr || value.is_none()) continue;
    try {
      found->second(arguments.options, value);
    } catch (const py::cast_error&) {
      throw InvalidOption("option '" + name + "' can not be " +
                          py::cast<std::string>(py::repr(value)));
    }
  }
  return arguments;
}

}  // namespace kallima::python
