// SPDX-License-Identifier: BSD-3-Clause
//
// The property test: for configurations from a seed, the transform is right to the promised error,
// forward and back restores the input, out of place leaves it alone, bytes and messages moved are
// those in the plan, and the bits are the same by messages, by Alltoallv, on loopback and through
// the C interface.
//
//     mpirun -n 4 property_test --seed 1 --cases 100 [--all-ranks]
//     mpirun -n 4 property_test --seed 1 --case 17          repeats one
//
// Configurations take sub-communicators of 1 .. n ranks, or all n with --all-ranks. All ranks
// agree on every verdict, so a failure ends the run instead of hanging it.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>

#include "exec/loopback.hpp"
#include "kallima/kallima.h"
#include "kallima/planner.hpp"
#include "support/configuration.hpp"
#include "support/reference.hpp"

namespace kallima::test {
namespace {

/// What is wrong on this rank, or nothing.
using Complaint = std::string;

template <class T>
using Elements = std::vector<std::complex<T>>;

template <class T>
bool same_bits(const Elements<T>& a, const Elements<T>& b, std::size_t count) {
  return count == 0 || std::memcmp(a.data(), b.data(), count * sizeof(std::complex<T>)) == 0;
}

/// Sum over a communicator.
double total(double value, MPI_Comm comm) {
  double sum = 0.0;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  return sum;
}

Index total(Index value, MPI_Comm comm, MPI_Op op = MPI_SUM) {
  Index sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT64_T, op, comm);
  return sum;
}

/// Relative L2 error of this communicator's data against scale * expected.
template <class T, class Expected>
double error_of(const Elements<T>& data, const std::vector<Index>& flats, Expected expected,
                long double scale, MPI_Comm comm) {
  double wrong = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < flats.size(); ++i) {
    const std::complex<long double> want = expected(flats[i]) * scale;
    const std::complex<long double> is(data[i].real(), data[i].imag());
    wrong += static_cast<double>(std::norm(is - want));
    norm += static_cast<double>(std::norm(want));
  }
  wrong = total(wrong, comm);
  norm = total(norm, comm);
  return norm == 0.0 ? std::sqrt(wrong) : std::sqrt(wrong / norm);
}

long double factor_of(Scaling scaling, Direction direction, Index elements) {
  const auto n = static_cast<long double>(elements);
  if (scaling == Scaling::by_sqrt_n) return 1.0L / std::sqrt(n);
  return scaling == Scaling::by_n && direction == Direction::backward ? 1.0L / n : 1.0L;
}

/// The output of this rank when all ranks run in one process.
template <class T>
Elements<T> on_loopback(const Configuration& c, const Plan& plan, std::uint64_t seed, Index rank,
                        Complaint& complaint) {
  std::vector<Elements<T>> in;
  std::vector<Elements<T>> out;
  std::vector<const std::complex<T>*> sources;
  std::vector<std::complex<T>*> targets;
  for (Index r = 0; r < plan.ranks(); ++r) {
    const std::vector<Index> flats = flat_part(plan.input(), r);
    const std::size_t needed =
        std::max(flats.size(), static_cast<std::size_t>(plan.output().local_size(r)));
    in.emplace_back(needed);
    for (std::size_t i = 0; i < flats.size(); ++i) in.back()[i] = sample<T>(seed, flats[i]);
    out.emplace_back(c.in_place ? 0 : needed);
  }
  for (std::size_t r = 0; r < in.size(); ++r) {
    sources.push_back(in[r].data());
    targets.push_back(c.in_place ? in[r].data() : out[r].data());
  }
  exec::Loopback<T> loopback(plan, c.in_place);
  const long double factor = factor_of(c.options.scaling, Direction::forward, volume(c.shape));
  loopback.run(sources, targets, static_cast<T>(factor));
  Index bytes = 0;
  Index messages = 0;
  for (Index r = 0; r < plan.ranks(); ++r) {
    bytes += loopback.counters(r).bytes_sent;
    messages += loopback.counters(r).messages_sent;
  }
  const Traffic planned = plan.total_traffic();
  if (bytes != planned.elements * static_cast<Index>(sizeof(std::complex<T>)) ||
      messages != planned.messages) {
    complaint = "loopback moves other bytes or messages than planned";
  }
  return c.in_place ? in[static_cast<std::size_t>(rank)] : out[static_cast<std::size_t>(rank)];
}

/// Runs forward and back by one route and checks everything that concerns one route alone.
template <class T>
Complaint check_route(const Configuration& c, Route route, std::uint64_t seed, MPI_Comm comm,
                      Elements<T>& result, double& worst) {
  Options options = c.options;
  options.route = route;
  const Transform<T> fft(comm, c.shape, options);
  const Plan& plan = fft.plan();
  for (const Step& step : plan.steps()) {
    const auto* const exchange = std::get_if<Exchange>(&step);
    if (exchange != nullptr && exchange->route != route) return "another route was taken";
  }
  const Index elements = volume(c.shape);
  const std::vector<Index> in_flats = flat_part(plan.input(), fft.rank());
  const std::vector<Index> out_flats = flat_part(plan.output(), fft.rank());
  const auto size = static_cast<std::size_t>(fft.in_place_size());

  Elements<T> in(c.in_place ? size : in_flats.size());
  for (std::size_t i = 0; i < in_flats.size(); ++i) in[i] = sample<T>(seed, in_flats[i]);
  const Elements<T> original = in;
  Elements<T> out(c.in_place ? 0 : out_flats.size());
  Elements<T>& there = c.in_place ? in : out;
  fft.forward(in, there);
  const Moved moved = fft.moved();

  const Precision precision = precision_of<T>;
  const double promised = promised_error(precision, elements);
  const auto expected = reference<T>(c.shape, seed, Direction::forward);
  const double error = error_of<T>(
      there, out_flats, [&](Index flat) { return expected[static_cast<std::size_t>(flat)]; },
      factor_of(options.scaling, Direction::forward, elements), comm);
  worst = std::max(worst, error / promised);
  if (!(error <= promised)) {
    return "forward error " + std::to_string(error / promised) + " of what is promised";
  }
  if (!c.in_place && !same_bits<T>(in, original, in.size())) return "out of place input changed";
  result = there;

  const Traffic planned = plan.total_traffic();
  const auto bytes = static_cast<Index>(sizeof(std::complex<T>));
  if (total(moved.bytes_sent, comm) != planned.elements * bytes ||
      total(moved.bytes_received, comm) != planned.elements * bytes ||
      total(moved.messages_sent, comm) != planned.messages ||
      total(moved.messages_received, comm) != planned.messages ||
      moved.exchanges != plan.exchanges()) {
    return "bytes or messages moved are not those planned";
  }
  if (plan.exchanges() == 1 &&
      (total(moved.bytes_sent, comm, MPI_MAX) != planned.most_sent * bytes ||
       total(moved.bytes_received, comm, MPI_MAX) != planned.most_received * bytes ||
       total(moved.messages_sent, comm, MPI_MAX) != planned.most_messages_sent ||
       total(moved.messages_received, comm, MPI_MAX) != planned.most_messages_received)) {
    return "the busiest rank's bytes or messages are not those planned";
  }

  const Elements<T> spectrum = there;
  Elements<T> back(c.in_place ? 0 : in_flats.size());
  Elements<T>& here = c.in_place ? in : back;
  fft.backward(there, here);
  if (!c.in_place && !same_bits<T>(there, spectrum, there.size())) {
    return "out of place spectrum changed";
  }
  const long double round_trip =
      options.scaling == Scaling::none ? static_cast<long double>(elements) : 1.0L;
  const double back_error = error_of<T>(
      here, in_flats,
      [&](Index flat) {
        const std::complex<T> value = sample<T>(seed, flat);
        return std::complex<long double>(value.real(), value.imag());
      },
      round_trip, comm);
  if (!(back_error <= 2.0 * promised)) {
    return "forward and back errs by " + std::to_string(back_error / promised) +
           " of what is promised, 2 are";
  }
  return {};
}

/// The same transform through the C interface: what it leaves in this rank's output.
template <class T>
Elements<T> through_c(const Configuration& c, std::uint64_t seed, MPI_Comm comm,
                      Complaint& complaint) {
  kallima_options options;
  kallima_options_init(&options, sizeof options);
  const std::string in_text = c.options.in ? c.options.in->to_text() : "";
  const std::string out_text = c.options.out ? c.options.out->to_text() : "";
  options.precision = c.single ? KALLIMA_F32 : KALLIMA_F64;
  options.scaling = static_cast<int>(c.options.scaling);
  options.large_counts = c.options.large_counts ? 1 : 0;
  options.in_layout = c.options.in ? in_text.c_str() : nullptr;
  options.out_layout = c.options.out ? out_text.c_str() : nullptr;
  options.tile_bytes = c.options.tile_bytes;
  options.threads = c.options.threads;
  options.message_bytes = c.options.message_bytes;
  kallima_transform* made = nullptr;
  kallima_error error;
  if (kallima_create(comm, static_cast<int>(c.shape.size()), c.shape.data(), &options, &made,
                     &error) != KALLIMA_OK) {
    complaint = std::string("the C interface refuses: ") + error.text;
    return {};
  }
  const std::unique_ptr<kallima_transform, void (*)(kallima_transform*)> fft(made, kallima_destroy);
  int64_t in_size = 0;
  int64_t out_size = 0;
  int64_t both = 0;
  kallima_local_size(made, KALLIMA_INPUT, &in_size);
  kallima_local_size(made, KALLIMA_OUTPUT, &out_size);
  kallima_in_place_size(made, &both);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  size_t length = 0;
  kallima_layout_text(made, KALLIMA_INPUT, nullptr, 0, &length);
  std::string text(length, ' ');
  kallima_layout_text(made, KALLIMA_INPUT, text.data(), length, nullptr);
  text.pop_back();
  const std::vector<Index> flats = flat_part(Layout::parse(text, c.shape), rank);
  Elements<T> in(static_cast<std::size_t>(c.in_place ? both : in_size));
  for (std::size_t i = 0; i < flats.size(); ++i) in[i] = sample<T>(seed, flats[i]);
  Elements<T> out(c.in_place ? 0 : static_cast<std::size_t>(out_size));
  Elements<T>& there = c.in_place ? in : out;
  if (kallima_forward(made, in.data(), static_cast<int64_t>(in.size()), there.data(),
                      static_cast<int64_t>(there.size()), &error) != KALLIMA_OK) {
    complaint = std::string("the C interface fails: ") + error.text;
  }
  return there;
}

template <class T>
Complaint check_configuration(const Configuration& c, std::uint64_t seed, MPI_Comm comm,
                              double& worst) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Elements<T> by_messages;
  Elements<T> by_alltoallv;
  Elements<T> by_windows;
  Complaint complaint = check_route<T>(c, Route::messages, seed, comm, by_messages, worst);
  if (!complaint.empty()) return "messages: " + complaint;
  complaint = check_route<T>(c, Route::alltoallv, seed, comm, by_alltoallv, worst);
  if (!complaint.empty()) return "alltoallv: " + complaint;
  complaint = check_route<T>(c, Route::windows, seed, comm, by_windows, worst);
  if (!complaint.empty()) return "windows: " + complaint;
  PlanRequest request;
  request.problem = {c.shape, precision_of<T>};
  request.ranks = c.ranks;
  request.in = c.options.in;
  request.out = c.options.out;
  if (c.options.tile_bytes != 0) request.tile_bytes = c.options.tile_bytes;
  request.route = seed % 2 == 0 ? Route::messages : Route::windows;
  const Plan plan = make_plan(request);
  const auto held = static_cast<std::size_t>(plan.output().local_size(rank));
  const Elements<T> alone = on_loopback<T>(c, plan, seed, rank, complaint);
  if (!complaint.empty()) return complaint;
  if (!same_bits<T>(by_messages, by_alltoallv, held)) return "Alltoallv gives other bits";
  if (!same_bits<T>(by_messages, by_windows, held)) return "windows give other bits";
  if (!same_bits<T>(by_messages, alone, held)) return "loopback gives other bits";
  const Elements<T> from_c = through_c<T>(c, seed, comm, complaint);
  if (!complaint.empty()) return complaint;
  if (!same_bits<T>(by_messages, from_c, held)) return "the C interface gives other bits";
  return {};
}

struct Arguments {
  std::uint64_t seed = 1;
  std::uint64_t cases = 100;
  std::uint64_t first = 0;
  bool all_ranks = false;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--all-ranks") {
      arguments.all_ranks = true;
    } else if (i + 1 < argc) {
      const std::uint64_t value = std::stoull(argv[++i]);
      if (word == "--seed") arguments.seed = value;
      if (word == "--cases") arguments.cases = value;
      if (word == "--case") {
        arguments.first = value;
        arguments.cases = 1;
      }
    }
  }
  return arguments;
}

int run(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  int world_rank = 0;
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  double worst = 0.0;
  int failures = 0;
  unsigned long long done = 0;
  std::set<std::string> different;
  for (std::uint64_t k = arguments.first; k < arguments.first + arguments.cases; ++k) {
    const Configuration c = make_configuration(arguments.seed, k, world, arguments.all_ranks);
    ++done;
    different.insert(c.to_text());
    MPI_Comm comm = MPI_COMM_NULL;
    // Members at the end of the world as often as at its start: ranks of the world must not matter.
    const bool member = k % 2 == 0 ? world_rank < c.ranks : world_rank >= world - c.ranks;
    MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, world_rank, &comm);
    Complaint complaint;
    if (member) {
      try {
        complaint = c.single ? check_configuration<float>(c, arguments.seed + k, comm, worst)
                             : check_configuration<double>(c, arguments.seed + k, comm, worst);
      } catch (const std::exception& error) {
        complaint = std::string("threw: ") + error.what();
      }
      MPI_Comm_free(&comm);
    }
    const int mine = complaint.empty() ? world : world_rank;
    int first = world;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first < world) {
      ++failures;
      if (world_rank == first) {
        std::printf(
            "FAILED case %llu: %s\n  %s\n  repeat: mpirun -n %d %s --seed %llu --case %llu%s\n",
            static_cast<unsigned long long>(k), complaint.c_str(), c.to_text().c_str(), world,
            argv[0], static_cast<unsigned long long>(arguments.seed),
            static_cast<unsigned long long>(k), arguments.all_ranks ? " --all-ranks" : "");
        std::fflush(stdout);
      }
      if (failures >= 10) break;
    }
  }
  double largest = 0.0;
  MPI_Allreduce(&worst, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (world_rank == 0) {
    std::printf(
        "%llu configurations (%zu different) on up to %d ranks, %d failed; largest error %.2f of "
        "what is promised\n",
        done, different.size(), world, failures, largest);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = kallima::test::run(argc, argv);
  MPI_Finalize();
  return status;
}
