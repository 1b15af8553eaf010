// SPDX-License-Identifier: BSD-3-Clause
//
// How fast a core computes: vector instructions of the engine, clock.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "verdicts.hpp"

namespace kallima::cli::doctor {

namespace {

/// Vector instructions in the order of their width.
std::ptrdiff_t width_of(std::string_view instructions) {
  constexpr std::array<std::string_view, 6> order = {"", "sse2", "neon", "avx", "avx2", "avx512"};
  return std::find(order.begin(), order.end(), instructions) - order.begin();
}

/// True where the engine lacks instructions that matter. Those of 512 bits hardly do beside those
/// of 256 with fused multiply-add: the clock is lower and memory binds.
bool lacks(const std::string& processor, const EngineFacts& engine) {
  const std::string wanted = processor == "avx512" ? "avx2" : processor;
  return width_of(engine.instructions) < width_of(wanted);
}

std::string engine_text(const EngineFacts& engine) {
  return fmt::format("{} computes with {}", engine.version.empty() ? "engine" : engine.version,
                     engine.instructions.empty() ? "no vector instructions" : engine.instructions);
}

}  // namespace

Check judge_engine(const Facts& facts) {
  const char* const name = "FFT engine";
  for (const NodeFacts& node : facts.nodes) {
    if (node.processor.empty()) {
      return cannot_tell(
          name, fmt::format("the processor does not say what it can{}", on_host(facts, node)));
    }
    for (const EngineFacts& engine : node.engines) {
      if (engine.instructions.empty() && !engine.version.starts_with("fftw")) {
        return cannot_tell(name, fmt::format("{} does not say what it computes with",
                                             engine.version.empty() ? "it" : engine.version));
      }
      if (!lacks(node.processor, engine)) continue;
      return hurts(
          name,
          fmt::format("{}, the processor has {}{}", engine_text(engine), node.processor,
                      on_host(facts, node)),
          node.processor == "neon"
              ? "Build FFTW with `./configure --enable-neon` (and once more with "
                "`--enable-single`)."
              : "Distributions build FFTW for old processors. Build it with `./configure "
                "--enable-shared --enable-sse2 --enable-avx --enable-avx2 --enable-avx512 "
                "--enable-fma` (and once more with `--enable-single`), and name it to CMake by "
                "`-DCMAKE_PREFIX_PATH`; or put it before the other in LD_LIBRARY_PATH.");
    }
  }
  const NodeFacts& node = facts.nodes.front();
  return good(name, fmt::format("{} on {}", engine_text(node.engines[0]), node.processor));
}

Check judge_clock(const Facts& facts) {
  // Drivers that choose the clock in hardware call their normal way powersave.
  const auto slow = [](const NodeFacts& node) {
    return node.governor == "powersave" && node.driver != "intel_pstate" &&
           !node.driver.starts_with("amd-pstate") && !node.driver.starts_with("amd_pstate");
  };
  if (const NodeFacts* const node = first_node(facts, slow)) {
    return hurts("clock", fmt::format("governor powersave{}", on_host(facts, *node)),
                 "The processor stays at its lowest clock. As root: `cpupower frequency-set -g "
                 "performance`; under Slurm: `srun --cpu-freq=performance`.");
  }
  const std::string& first = facts.nodes.front().governor;
  if (const NodeFacts* const other =
          first_node(facts, [&](const NodeFacts& node) { return node.governor != first; })) {
    return hurts(
        "clock",
        fmt::format("governor {} on {}, {} on {}", first.empty() ? "unknown" : first,
                    facts.nodes.front().host, other->governor.empty() ? "unknown" : other->governor,
                    other->host),
        "All wait for the slowest node. Set the same governor everywhere, as root: `cpupower "
        "frequency-set -g performance`.");
  }
  if (first.empty()) return cannot_tell("clock", "the system shows no governor");
  return good("clock", fmt::format("governor {}", first));
}

}  // namespace kallima::cli::doctor
