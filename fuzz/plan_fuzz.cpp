// SPDX-License-Identifier: BSD-3-Clause
//
// Plans, problems and layouts. A text that begins with "plan" is a plan: it is read as it is, and
// with a hash that fits, which chance does not find. Otherwise the first line is a problem and what
// is behind it a layout of its shape.
#include "base/text.hpp"
#include "kallima/error.hpp"
#include "kallima/plan.hpp"
#include "restores.hpp"

namespace {

using namespace kallima;

void check_plan(std::string_view text) {
  fuzz::check<Plan>(text);
  const std::string body(text.substr(0, text.rfind("hash ")));
  fuzz::check<Plan>(body + "hash " + text::hex(text::hash(body)) + "\n");
}

void check_layout(std::string_view text, const Shape& shape) {
  Layout layout;
  if (!fuzz::accepted<ParseError, InvalidLayout, Overflow>(
          [&] { layout = Layout::parse(text, shape); })) {
    return;
  }
  const std::string again = layout.to_text();
  fuzz::require_restored(Layout::parse(again, shape) == layout, again);
}

void check_problem(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  Problem problem;
  if (!fuzz::accepted<ParseError, InvalidShape, InvalidOption, Overflow>(
          [&] { problem = Problem::parse(text.substr(0, end)); })) {
    return;
  }
  const std::string again = problem.to_text();
  fuzz::require_restored(Problem::parse(again) == problem, again);
  if (end < text.size()) check_layout(text.substr(end + 1), problem.shape);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (text.starts_with("plan")) {
    check_plan(text);
  } else {
    check_problem(text);
  }
  return 0;
}
