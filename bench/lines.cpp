// SPDX-License-Identifier: BSD-3-Clause
//
// How fast lines are transformed in cache: the library's kernels and FFTW's plans, each in the
// arrangement that suits it best, by all ranks at once. A batch is as many lines as a kernel takes
// together, out of one buffer into another or in place, and is repeated in turns, so that everybody
// finds its data in cache. FFTW plans by MEASURE.
//
//     mpirun -n 2 --bind-to core kallima_lines [f32]      prints a table; ratios are of medians
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/median.hpp"
#include "bench/alternate.hpp"
#include "bench/runner.hpp"
#include "fft/engine.hpp"
#include "kallima/buffer.hpp"

namespace kallima::bench {
namespace {

/// How the lines of a batch lie before and behind.
struct Arrangement {
  const char* name;
  bool across_from;
  bool across_to;
  bool in_place;
};
constexpr std::array<Arrangement, 5> arrangements = {{{"lines", false, false, false},
                                                      {"lines in place", false, false, true},
                                                      {"across", true, true, false},
                                                      {"across in place", true, true, true},
                                                      {"across to lines", true, false, false}}};

/// An engine and its data.
template <class T>
class Contender {
 public:
  using Number = std::complex<T>;
  /// Of a batch.
  static constexpr Index lines = group_bytes / static_cast<Index>(sizeof(Number));

  Contender(Index length, LineEngine by, const Arrangement& arrangement)
      : name(arrangement.name),
        in_place_(arrangement.in_place),
        from_(length * lines),
        to_(length * lines),
        scratch_(kernel_scratch(length) / static_cast<Index>(sizeof(Number))),
        engine_(batch(length, by, arrangement), -1, setup(), from_.data, target()) {
    for (Index i = 0; i < length * lines; ++i) from_.data[i] = {};
  }
  void run() { engine_.run(from_.data, target(), scratch_.data); }

  std::string name;
  std::vector<double> seconds = {};

 private:
  struct Memory {
    explicit Memory(Index count)
        : buffer(host_memory(), count * static_cast<Index>(sizeof(Number)), "bench"),
          data(reinterpret_cast<Number*>(buffer.view().data)) {}
    Buffer buffer;
    Number* data;
  };
  static fft::EngineSetup setup() {
    fft::EngineSetup result;
    result.effort = Effort::measure;
    return result;
  }
  static fft::Batch batch(Index length, LineEngine by, const Arrangement& arrangement) {
    const auto strides = [&](bool across) {
      return across ? Strides{lines, 1} : Strides{1, length};
    };
    fft::Batch result;
    result.length = length;
    result.lines = lines;
    result.from = strides(arrangement.across_from);
    result.to = strides(arrangement.across_to);
    result.in_place = arrangement.in_place;
    result.engine = by;
    return result;
  }
  Number* target() { return in_place_ ? from_.data : to_.data; }

  bool in_place_;
  Memory from_;
  Memory to_;
  Memory scratch_;
  fft::Engine<T> engine_;
};

template <class T>
const Contender<T>& best_of(const std::vector<Contender<T>>& contenders) {
  return *std::min_element(contenders.begin(), contenders.end(), [](const auto& a, const auto& b) {
    return median(a.seconds) < median(b.seconds);
  });
}

template <class T>
void compare(bool speaks, Index length) {
  std::vector<Contender<T>> kernels;
  std::vector<Contender<T>> plans;
  for (const Arrangement& each : arrangements) {
    kernels.emplace_back(length, LineEngine::kernels, each);
    plans.emplace_back(length, LineEngine::fftw, each);
  }
  constexpr int rounds = 21;
  const auto times = static_cast<int>(std::max<Index>(1, 100'000 / (length * Contender<T>::lines)));
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < arrangements.size(); ++i) {
      for (auto* const list : {&kernels, &plans}) {
        Contender<T>& one = (*list)[i];
        const double seconds = seconds_of(MPI_COMM_WORLD, times, [&] { one.run(); });
        if (round > 0) one.seconds.push_back(seconds);
      }
    }
  }
  if (!speaks) return;
  const auto n = static_cast<double>(length);
  const double giga = 5e-9 * n * std::log2(n) * static_cast<double>(Contender<T>::lines);
  const Contender<T>& kernel = best_of(kernels);
  const Contender<T>& plan = best_of(plans);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < kernel.seconds.size(); ++i) {
    ratios.push_back(plan.seconds[i] / kernel.seconds[i]);
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print("{:6}  {:>8.1f}  {:<16}  {:>8.1f}  {:<16}  {:>5.2f}  {:.2f} to {:.2f}\n", length,
             giga / median(kernel.seconds), kernel.name, giga / median(plan.seconds), plan.name,
             median(plan.seconds) / median(kernel.seconds), ratios[ratios.size() / 4],
             ratios[ratios.size() * 3 / 4]);
  std::fflush(stdout);
}

template <class T>
void table(bool speaks) {
  if (speaks) {
    fmt::print(
        "length   kernels  GF/s, lying          FFTW  GF/s, lying       ratio  middle half\n");
  }
  for (const Index n : {32, 48, 64, 96, 100, 125, 128, 192, 243, 250, 256, 384, 500, 512, 768, 1000,
                        1024, 2048, 4096}) {
    compare<T>(speaks, n);
  }
}

int run(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool single = argc > 1 && std::string(argv[1]) == "f32";
  if (rank == 0) {
    fmt::print("kernels by {}, {}\n", name_of(vectors_here()),
               single ? "single precision" : "double precision");
  }
  single ? table<float>(rank == 0) : table<double>(rank == 0);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace kallima::bench

int main(int argc, char** argv) {
  return kallima::bench::under_mpi(argc, argv, "kallima_lines", kallima::bench::run);
}
