// SPDX-License-Identifier: BSD-3-Clause
//
// Each rank's share copied once, by all ranks at a time: what a pass over memory takes at least.
// Memory is copied in the way that is fastest here, as libraries of C choose theirs by the
// processor alone.
#include <algorithm>
#include <array>
#include <cstring>

#include "bench/numbers.hpp"
#include "rivals.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kallima::cli {

namespace {

using Copier = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);

void by_memcpy(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

#if defined(__SSE2__)
/// Past the caches: what is written is not read before.
void by_streaming(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t line = 64;
  const std::size_t whole = bytes / line * line;
  for (std::size_t at = 0; at < whole; at += line) {
    for (std::size_t i = 0; i < line; i += sizeof(__m128i)) {
      const __m128i part = _mm_load_si128(reinterpret_cast<const __m128i*>(from + at + i));
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + i), part);
    }
  }
  _mm_sfence();
  std::memcpy(to + whole, from + whole, bytes - whole);
}
#endif

#if defined(__x86_64__) && defined(__GNUC__)
/// As the processor itself copies.
void by_movsb(std::byte* to, const std::byte* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
#endif

constexpr std::array ways = {
    std::pair<const char*, Copier>("memcpy", by_memcpy),
#if defined(__SSE2__)
    std::pair<const char*, Copier>("streaming stores", by_streaming),
#endif
#if defined(__x86_64__) && defined(__GNUC__)
    std::pair<const char*, Copier>("rep movsb", by_movsb),
#endif
};

class Copy final : public Contender {
 public:
  Copy(const Session& session, const Task& task) : session_(session) {
    const Problem& problem = task.request.problem;
    bytes_ = volume(problem.frequency_shape()) / session.size *
             Element{problem.kind != Kind::r2r, problem.precision}.bytes();
    facts_.name = facts_.group = copy_name;
    facts_.layout_in = facts_.layout_out = "any elements";
    facts_.bytes_sent = 0;
    facts_.passes = 1;
  }

  [[nodiscard]] const Facts& facts() const override { return facts_; }
  [[nodiscard]] Needs needs() const override { return {bytes_, bytes_}; }

  void plan(const Memory& memory) override {
    memory_ = memory;
    constexpr int tries = 3;
    double best = 0.;
    for (const auto& [name, way] : ways) {
      way_ = way;
      double fastest = 0.;
      for (int i = 0; i < tries; ++i) {
        MPI_Barrier(session_.comm);
        const double took = largest(session_, run());
        if (i == 0 || took < fastest) fastest = took;
      }
      if (facts_.method && fastest >= best) continue;
      best = fastest;
      facts_.method = name;
    }
    for (const auto& [name, way] : ways) {
      if (*facts_.method == name) way_ = way;
    }
  }

  void prepare() override {}

  double run() override {
    const double start = MPI_Wtime();
    way_(memory_.target, memory_.source, static_cast<std::size_t>(bytes_));
    return MPI_Wtime() - start;
  }

  std::optional<Errors> verify(Progress& /*progress*/) override { return std::nullopt; }

 private:
  Session session_;
  Index bytes_ = 0;
  Memory memory_;
  Copier way_ = nullptr;
  Facts facts_;
};

}  // namespace

Contenders make_copy(const Session& session, const Task& task) {
  Contenders result;
  result.push_back(std::make_unique<Copy>(session, task));
  return result;
}

}  // namespace kallima::cli
