// SPDX-License-Identifier: BSD-3-Clause
//
// Transforms stay right where MPI is slow: sends that leave long after they were started, on one
// rank after the other, by every method, with and without a thread that moves messages on. Messages
// are larger than what MPI sends without asking.
//
//     KALLIMA_RANKS_PER_NODE=2 mpirun -n 4 faults_test
#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "comm/mpi_faults.hpp"
#include "comm/together.hpp"
#include "kallima/kallima.hpp"

namespace kallima::test {
namespace {

constexpr Index extent = 32;
constexpr double pi = 3.14159265358979323846;

/// Two plane waves, whose transform has two elements that are not zero.
std::complex<double> waves(const MultiIndex& at) {
  const auto wave = [&](int kz, int ky, int kx) {
    return std::polar(1.0, 2 * pi * static_cast<double>(kz * at[0] + ky * at[1] + kx * at[2]) /
                               static_cast<double>(extent));
  };
  return wave(3, 5, 7) + 2.0 * wave(1, 2, -4);
}

double amplitude(const MultiIndex& k) {
  if (k[0] == 3 && k[1] == 5 && k[2] == 7) return 1.0;
  if (k[0] == 1 && k[1] == 2 && k[2] == extent - 4) return 2.0;
  return 0.0;
}

/// Three exchanges by nodes, of which the one in the middle does not leave the nodes: so ranks of a
/// node come to the third while what they send in the first may still be under way.
Plan three_exchanges() {
  const Shape shape = {extent, extent, extent};
  const auto to = [&](const char* layout) {
    Exchange exchange;
    exchange.to = Layout::parse(layout, shape);
    exchange.method = ExchangeMethod::node_aggregated;
    return exchange;
  };
  const auto sweep = [](int digit) {
    return Sweep{Kernel::fourier, digit, 32, digit == 2 ? TileForm::lines : TileForm::interleaved};
  };
  const Layout pencil = Layout::parse("z:block/2 y:block/2 x:all", shape);
  const Plan plan(
      Problem::parse("c2c:32x32x32"), Direction::forward, 4, {2}, pencil,
      {sweep(2), to("z:all y:block/2@1 x:block/2@2"), sweep(0), to("z:all y:all x:block/4"),
       sweep(1), to("z:block/2 y:block/2 x:all"), Sweep{Kernel::none, 0, 1, TileForm::lines}});
  return plan;
}

struct Case {
  const char* in = "";
  const char* out = "";
  ExchangeMethod method = ExchangeMethod::node_aggregated;
  Index chunks = 0;
  bool progress_thread = false;
  bool three = false;  ///< exchanges, instead of the planner's plan

  [[nodiscard]] std::string to_text() const {
    return std::string(name_of(method)) + ", to " + out + ", chunks " + std::to_string(chunks) +
           (three ? ", three exchanges" : "") + (progress_thread ? ", with a thread" : "");
  }
};

/// Round trips with sends of rank `late` held back.
void round_trips(const Case& here, int late, int rank, Complaints& complaints) {
  const Shape shape = {extent, extent, extent};
  Options options;
  options.in = Layout::parse(here.in, shape);
  options.out = Layout::parse(here.out, shape);
  options.method = here.method;
  options.chunks = here.chunks;
  options.progress_thread = here.progress_thread;
  if (here.three) options.plan = std::make_shared<const Plan>(three_exchanges());
  const Transform<double> fft(MPI_COMM_WORLD, shape, options);
  auto u = fft.make_input();
  auto back = fft.make_input();
  auto u_k = fft.make_output();
  for (auto [index, value] : u.indexed()) value = waves(index);
  auto forward = fft.bind(Direction::forward, u, u_k);
  auto backward = fft.bind(Direction::backward, u_k, back);
  Faults faults;
  faults.late_sends = std::chrono::microseconds(rank == late ? 20000 : 0);
  set_faults(faults);
  for (int round = 0; round < 2; ++round) {
    forward.run();
    double worst = 0;
    const auto elements = static_cast<double>(volume(shape));
    for (auto [index, value] : u_k.indexed()) {
      worst = std::max(worst, std::abs(value / elements - amplitude(index)));
    }
    complaints.expect(worst < 1e-12, "forward is wrong by " + std::to_string(worst));
    backward.run();
    worst = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      worst = std::max(worst, std::abs(u.data()[i] - back.data()[i]));
    }
    complaints.expect(worst < 1e-12, "and back is wrong by " + std::to_string(worst));
  }
  set_faults({});
}

std::vector<Case> cases(bool threads) {
  const char* const pencil = "z:block/2 y:block/2 x:all";
  std::vector<Case> result = {{pencil, pencil, ExchangeMethod::node_aggregated, 0, false, true}};
  if (threads) result.push_back({pencil, pencil, ExchangeMethod::node_aggregated, 0, true, true});
  for (const char* const out : {pencil, "z:all y:block/2 x:block/2"}) {
    for (const ExchangeMethod method :
         {ExchangeMethod::node_aggregated, ExchangeMethod::point_to_point}) {
      for (const Index chunks : {Index{1}, Index{4}}) {
        result.push_back({pencil, out, method, chunks});
        if (threads) result.push_back({pencil, out, method, chunks, true});
      }
    }
    for (const ExchangeMethod method :
         {ExchangeMethod::alltoallv, ExchangeMethod::shared_memory, ExchangeMethod::bruck}) {
      result.push_back({pencil, out, method, 1});
    }
  }
  return result;
}

int run() {
  Together together(30.0);
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  for (const Case& here : cases(level == MPI_THREAD_MULTIPLE)) {
    for (int late = 0; late < together.ranks(); ++late) {
      together.run(
          "sends of rank " + std::to_string(late) + " leave late, " + here.to_text(),
          [&](Complaints& complaints) { round_trips(here, late, together.rank(), complaints); });
    }
  }
  return together.finish("faults");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  const int status = kallima::test::run();
  MPI_Finalize();
  return status;
}
