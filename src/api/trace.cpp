// SPDX-License-Identifier: BSD-3-Clause
#include "api/trace.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "kallima/machine.hpp"
#include "kallima/price.hpp"

namespace kallima {

namespace {

/// Names of all stages of a variant.
std::vector<std::string> names_of(const Plan& plan, bool in_place) {
  PriceOptions options;
  options.in_place = in_place;
  std::vector<std::string> names;
  for (const StepCost& step : price(plan, built_in_machine(), options).steps) {
    names.push_back(step.what);
  }
  return names;
}

std::string event_text(const Event& event, const std::string& stage, int rank) {
  constexpr double micro = 1e6;
  const double begin = micro * event.begin;
  const double took = micro * (event.end - event.begin);
  const auto line = [&](const std::string& name, const char* kind, int row,
                        const std::string& rest) {
    return fmt::format(
        R"({{"name":"{}","cat":"{}","ph":"X","ts":{:.3f},"dur":{:.3f},"pid":{},"tid":{},"args":{{"run":{}{}}}}})",
        name, kind, begin, took, rank, row, event.run, rest);
  };
  const std::string peer = fmt::format(R"(,"peer":{},"bytes":{})", event.number, event.bytes);
  switch (event.doing) {
    case Doing::compute:
      return line(stage, "compute", 0, fmt::format(R"(,"chunk":{})", event.number));
    case Doing::wait:
      return line(stage, "wait", 0,
                  event.bytes > 0 ? fmt::format(R"(,"bytes":{})", event.bytes) : std::string());
    case Doing::send:
      return line(fmt::format("to {}", event.number), "send", 1, peer);
    case Doing::receive:
      return line(fmt::format("from {}", event.number), "receive", 2, peer);
  }
  return {};
}

}  // namespace

std::string trace_events(const Recorder& recorder, const std::array<Plan, 2>& plans, int rank) {
  std::array<std::vector<std::string>, 4> names;
  for (std::size_t variant = 0; variant < names.size(); ++variant) {
    names[variant] = names_of(plans[variant / 2], variant % 2 == 1);
  }
  std::string text = fmt::format(
      R"({{"name":"process_name","ph":"M","pid":{0},"args":{{"name":"rank {0}"}}}})", rank);
  for (const Event& event : recorder.events()) {
    const auto variant = static_cast<std::size_t>(event.stage / stage_stride);
    const auto stage = static_cast<std::size_t>(event.stage % stage_stride);
    text += ",\n";
    text += event_text(event, names[variant][stage], rank);
  }
  return text;
}

std::string trace_file(const std::string& events, const Plan& forward) {
  return fmt::format(
      "{{\"traceEvents\":[\n{}\n],\n\"displayTimeUnit\":\"ms\",\n\"otherData\":{{\"schema\":"
      "\"kallima.trace/2\",\"problem\":\"{}\",\"ranks\":{},\"plan\":\"{}\"}}}}\n",
      events, forward.problem().to_text(), forward.ranks(), text::hex(forward.hash()));
}

std::string trace_name(const std::string& file, const Plan& forward, int rank) {
  const std::size_t slash = file.rfind('/');
  const std::size_t dot = file.rfind('.');
  const bool ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  const std::size_t stem = ending ? dot : file.size();
  return fmt::format("{}.{}.{}{}", file.substr(0, stem), text::hex(forward.hash()), rank,
                     ending ? file.substr(dot) : ".json");
}

}  // namespace kallima
