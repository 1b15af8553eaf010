// SPDX-License-Identifier: BSD-3-Clause
//
// Failures that users of other libraries reported in public, as tests of this one. Each is named
// after its thread: fftw3_20 is github.com/FFTW/fftw3/issues/20. Shapes and rank counts are those
// of the thread. Transforms that fit are run, on all rank counts that this run has, and compared
// with a transform in long double; for more ranks they run on loopback; what fits no memory is
// planned.
//
//     mpirun -n 8 reported_bugs_test
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "comm/together.hpp"
#include "exec/loopback.hpp"
#include "exec/stage_layout.hpp"
#include "kallima/planner.hpp"
#include "kallima/transform.hpp"
#include "layout/pieces.hpp"
#include "schedule/schedule.hpp"
#include "support/reference.hpp"

namespace kallima::test {
namespace {

template <class T>
using Elements = std::vector<std::complex<T>>;

std::string text_of(const Shape& shape) { return Problem{shape, Precision::f64}.to_text(); }

/// Squared differences from what should be, and squares of that.
struct Distance {
  double wrong = 0.0;
  double norm = 0.0;

  template <class T>
  void add(std::complex<T> is, std::complex<long double> should) {
    wrong +=
        static_cast<double>(std::norm(std::complex<long double>(is.real(), is.imag()) - should));
    norm += static_cast<double>(std::norm(should));
  }
  [[nodiscard]] double relative() const { return norm > 0.0 ? std::sqrt(wrong / norm) : wrong; }
};

/// Adds up over the ranks of a communicator.
Distance total(const Distance& mine, MPI_Comm comm) {
  Distance sum;
  MPI_Allreduce(&mine.wrong, &sum.wrong, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(&mine.norm, &sum.norm, 1, MPI_DOUBLE, MPI_SUM, comm);
  return sum;
}

template <class T>
Distance distance_there(const Elements<T>& data, const std::vector<Index>& flats,
                        const std::vector<std::complex<long double>>& expected) {
  Distance distance;
  for (std::size_t i = 0; i < flats.size(); ++i) {
    distance.add(data[i], expected[static_cast<std::size_t>(flats[i])]);
  }
  return distance;
}

template <class T>
Distance distance_back(const Elements<T>& data, const std::vector<Index>& flats,
                       std::uint64_t seed) {
  Distance distance;
  for (std::size_t i = 0; i < flats.size(); ++i) {
    const std::complex<T> value = sample<T>(seed, flats[i]);
    distance.add(data[i], {value.real(), value.imag()});
  }
  return distance;
}

constexpr std::uint64_t seed = 2014;

/// Forward and back on a communicator are right.
template <class T>
void expect_right(MPI_Comm comm, const Shape& shape, const Options& options, bool in_place,
                  const std::vector<std::complex<long double>>& expected, Complaints& complaints) {
  const Transform<T> fft(comm, shape, options);
  complaints.expect(fft.input_layout().shape() == shape && fft.output_layout().shape() == shape,
                    "the shape is another than asked for");
  const std::vector<Index> in_flats = flat_part(fft.input_layout(), fft.rank());
  const std::vector<Index> out_flats = flat_part(fft.output_layout(), fft.rank());
  // Exactly what is needed; a rank without elements passes null.
  Elements<T> in(in_place ? static_cast<std::size_t>(fft.in_place_size()) : in_flats.size());
  Elements<T> out(in_place ? 0 : out_flats.size());
  Elements<T>& there = in_place ? in : out;
  for (std::size_t i = 0; i < in_flats.size(); ++i) in[i] = sample<T>(seed, in_flats[i]);
  fft.forward(in, there);
  const double promised = promised_error(precision_of<T>, volume(shape));
  const double error = total(distance_there<T>(there, out_flats, expected), comm).relative();
  complaints.expect(error <= promised,
                    "forward errs by " + std::to_string(error / promised) + " of what is promised");
  if (!in_place) std::fill(in.begin(), in.end(), std::complex<T>{});
  fft.backward(there, in);
  const double back = total(distance_back<T>(in, in_flats, seed), comm).relative();
  complaints.expect(
      back <= 2.0 * promised,
      "forward and back errs by " + std::to_string(back / promised) + " of what is promised");
}

Plan planned(const Shape& shape, Index ranks, const Options& options = {},
             Precision precision = Precision::f64) {
  PlanRequest request;
  request.problem = {shape, precision};
  request.ranks = ranks;
  request.in = options.in.for_shape(shape);
  request.out = options.out.for_shape(shape);
  request.chunks = 1;  // so that messages can be counted by hand
  request.method = ExchangeMethod::point_to_point;
  return make_plan(request);
}

/// Forward and back on so many ranks in one process are right.
template <class T>
void expect_right_on_loopback(const Shape& shape, Index ranks, const Options& options,
                              bool in_place, Complaints& complaints) {
  const Plan plan = planned(shape, ranks, options, precision_of<T>);
  const std::string where = text_of(shape) + " on " + std::to_string(ranks) + " ranks: ";
  std::vector<Elements<T>> in;
  std::vector<Elements<T>> out;
  for (Index r = 0; r < ranks; ++r) {
    const std::vector<Index> flats = flat_part(plan.input(), r);
    const auto size = static_cast<std::size_t>(output_capacity(plan, true, r));
    in.emplace_back(size);
    out.emplace_back(size);
    for (std::size_t i = 0; i < flats.size(); ++i) in.back()[i] = sample<T>(seed, flats[i]);
  }
  const auto run = [&](const Plan& steps, std::vector<Elements<T>>& from,
                       std::vector<Elements<T>>& to, T factor) {
    std::vector<const std::complex<T>*> sources;
    std::vector<std::complex<T>*> targets;
    for (std::size_t r = 0; r < from.size(); ++r) {
      sources.push_back(from[r].data());
      targets.push_back(to[r].data());
    }
    exec::Loopback<T>(steps, in_place).run(sources, targets, factor);
  };
  run(plan, in, in_place ? in : out, T{1});
  const auto expected = reference<T>({shape}, seed);
  const double promised = promised_error(precision_of<T>, volume(shape));
  Distance there;
  for (Index r = 0; r < ranks; ++r) {
    const Elements<T>& data = (in_place ? in : out)[static_cast<std::size_t>(r)];
    const Distance part = distance_there<T>(data, flat_part(plan.output(), r), expected);
    there.wrong += part.wrong;
    there.norm += part.norm;
  }
  complaints.expect(there.relative() <= promised, where + "forward is wrong on loopback");
  const auto factor = static_cast<T>(1.0L / static_cast<long double>(volume(shape)));
  run(plan.reversed(), in_place ? in : out, in, factor);
  Distance back;
  for (Index r = 0; r < ranks; ++r) {
    const Distance part =
        distance_back<T>(in[static_cast<std::size_t>(r)], flat_part(plan.input(), r), seed);
    back.wrong += part.wrong;
    back.norm += part.norm;
  }
  complaints.expect(back.relative() <= 2.0 * promised, where + "back is wrong on loopback");
}

/// A plan's sizes are positive and add up: parts to the whole, pieces to parts and to the traffic.
void expect_sound(const Plan& plan, Complaints& complaints) {
  const Shape& shape = plan.problem().shape;
  const Index elements = volume(shape);
  const std::string where = text_of(shape) + " on " + std::to_string(plan.ranks()) + " ranks: ";
  complaints.expect(Plan::parse(plan.to_text()) == plan, where + "the text restores another plan");
  for (const State& state : plan.states()) {
    complaints.expect(volume(state.layout.shape()) == elements, where + "a state has another size");
    Index held = 0;
    for (Index r = 0; r < plan.ranks(); ++r) {
      const Index size = state.layout.local_size(r);
      complaints.expect(size >= 0 && size <= elements, where + "a part of impossible size");
      held += size;
    }
    complaints.equal(held, elements, where + "the sum of all parts");
  }
  complaints.expect(plan.input().shape() == shape && plan.output().shape() == shape,
                    where + "the shape is another than asked for");
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    const auto* exchange = std::get_if<Exchange>(&plan.steps()[i]);
    if (exchange == nullptr) continue;
    const Layout& before = plan.states()[i].layout;
    const Layout& after = plan.states()[i + 1].layout;
    Index moved = 0;
    Index messages = 0;
    for (Index r = 0; r < plan.ranks(); ++r) {
      Index sent = 0;
      for (const Piece& piece : pieces(before, after, r)) {
        complaints.expect(piece.size > 0, where + "a piece of impossible size");
        sent += piece.size;
        moved += piece.peer == r ? 0 : piece.size;
        messages += piece.peer == r ? 0 : 1;
      }
      complaints.equal(sent, before.local_size(r), where + "the pieces of a rank");
    }
    complaints.equal(moved, exchange->traffic.elements, where + "the elements that travel");
    complaints.equal(messages, exchange->traffic.messages, where + "the messages");
  }
}

/// Areas of memory of a rank, in and out of place: nothing is negative or beyond its end.
void expect_sound_memory(const Plan& plan, Index rank, Complaints& complaints) {
  const std::string where = text_of(plan.problem().shape) + ", rank " + std::to_string(rank) + ": ";
  for (const bool in_place : {false, true}) {
    const Schedule stages = schedule(plan, in_place);
    const Workspace need = workspace(plan, stages, rank);
    complaints.expect(need.main >= 0 && need.spill >= 0 && need.tile >= 0, where + "negative");
    const Index most = plan.largest_local_size();
    complaints.expect(need.main <= most && need.spill <= most, where + "too much workspace");
    const Index output = output_capacity(plan, in_place, rank);
    for (const exec::StageLayout& stage : exec::lay_out(plan, stages, rank)) {
      for (const Round& round : stage.rounds) {
        for (const auto* side : {&round.sends, &round.receives}) {
          for (const MessageSlice& slice : *side) {
            const Index room = slice.area == Area::output ? output : need.main + need.spill;
            complaints.expect(slice.size > 0 && slice.offset >= 0, where + "a bad message");
            complaints.expect(slice.offset + slice.size <= room,
                              where + "a message beyond its area");
          }
        }
      }
      for (const auto* side : {&stage.sources, &stage.targets}) {
        for (const StridedBlock& block : *side) {
          Index last = block.offset;
          for (std::size_t d = 0; d < block.places.size(); ++d) {
            last += (block.places[d].count - 1) * block.strides[d];
          }
          const Index room = block.area == Area::output      ? output
                             : block.area == Area::workspace ? need.main + need.spill
                                                             : plan.input().local_size(rank);
          complaints.expect(block.offset >= 0 && last >= block.offset && last < room,
                            where + "a patch beyond its area");
        }
      }
    }
  }
}

/// Runs what a thread asks for on communicators of 1, 2, ... ranks.
class Threads {
 public:
  explicit Threads(Together& all) : all_(all) {
    for (int ranks = 1; ranks <= all.ranks(); ++ranks) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, all.rank() < ranks ? 0 : MPI_UNDEFINED, all.rank(), &comm);
      comms_.push_back(comm);
    }
  }
  ~Threads() {
    for (MPI_Comm& comm : comms_) {
      if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    }
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// Both precisions, in and out of place, on `ranks` ranks if there are so many.
  void right(const std::string& name, int ranks, const Shape& shape, const Options& options = {}) {
    if (ranks > all_.ranks()) return;
    const MPI_Comm comm = comms_[static_cast<std::size_t>(ranks) - 1];
    all_.run(name + ": " + text_of(shape) + " on " + std::to_string(ranks) + " ranks",
             [&](Complaints& complaints) {
               if (comm == MPI_COMM_NULL) return;
               const auto doubles = reference<double>({shape}, seed);
               const auto singles = reference<float>({shape}, seed);
               for (const bool in_place : {false, true}) {
                 expect_right<double>(comm, shape, options, in_place, doubles, complaints);
                 expect_right<float>(comm, shape, options, in_place, singles, complaints);
               }
             });
  }
  /// The same on every number of ranks there is.
  void right_on_all(const std::string& name, const Shape& shape) {
    for (int ranks = 1; ranks <= all_.ranks(); ++ranks) right(name, ranks, shape);
  }
  /// On every number of ranks, with layouts that depend on it.
  template <class MakeOptions>
  void right_on_all(const std::string& name, const Shape& shape, MakeOptions options) {
    for (int ranks = 1; ranks <= all_.ranks(); ++ranks) right(name, ranks, shape, options(ranks));
  }
  /// What needs no MPI: rank 0 does it, the others wait.
  template <class Body>
  void alone(const std::string& name, Body body) {
    all_.run(name, [&](Complaints& complaints) {
      if (all_.rank() == 0) body(complaints);
    });
  }
  void loopback(const std::string& name, Index ranks, const Shape& shape,
                const Options& options = {}) {
    alone(name + ": " + text_of(shape) + " on " + std::to_string(ranks) + " ranks, loopback",
          [&](Complaints& complaints) {
            for (const bool in_place : {false, true}) {
              expect_right_on_loopback<double>(shape, ranks, options, in_place, complaints);
              expect_right_on_loopback<float>(shape, ranks, options, in_place, complaints);
            }
          });
  }
  void sound(const std::string& name, Index ranks, const Shape& shape,
             const Options& options = {}) {
    alone(name + ": plan of " + text_of(shape) + " on " + std::to_string(ranks) + " ranks",
          [&](Complaints& complaints) {
            const Plan plan = planned(shape, ranks, options);
            expect_sound(plan, complaints);
            for (const Plan& steps : {plan, plan.reversed()}) {
              for (const Index rank : {Index{0}, ranks / 2, ranks - 1}) {
                expect_sound_memory(steps, rank, complaints);
              }
            }
          });
  }

 private:
  Together& all_;
  std::vector<MPI_Comm> comms_;
};

Options layouts(const Layout& in, const Layout& out) {
  Options options;
  options.in = in;
  options.out = out;
  return options;
}

/// FFTW's own layout: slabs by its rule, transposed or not on the way out.
Options fftw_slabs(const Shape& shape, Index ranks, bool transposed) {
  return layouts(Layout::slab(shape, ranks, 0, Rule::ceil),
                 Layout::slab(shape, ranks, transposed ? 1 : 0, Rule::ceil));
}

// N x 1 arrays are wrong on more than one rank, for N from about 25 on (98 x 1 on 2 ranks).
void fftw3_20_arrays_of_n_by_1_are_right(Threads& threads) {
  const std::string name = "fftw3_20";
  for (const Index n : {25, 49, 98, 101, 128}) {
    threads.right_on_all(name, {n, 1});
    threads.right_on_all(name, {1, n});
    threads.right_on_all(name, {n, 1}, [&](int ranks) { return fftw_slabs({n, 1}, ranks, false); });
    threads.right_on_all(name, {n, 1}, [&](int ranks) { return fftw_slabs({n, 1}, ranks, true); });
  }
  threads.right_on_all(name, {98, 1, 1});
  threads.right_on_all(name, {1, 98, 1});
  threads.right_on_all(name, {1, 1, 98});
  threads.right_on_all(name, {1, 1});
}

// A 2-D transform on 56, 112 or 224 ranks crashes while planning, 448 x 352.
void fftw3_43_planning_survives_divisors(Threads& threads) {
  for (const Index ranks : {56, 112, 224, 448}) {
    threads.sound("fftw3_43", ranks, {448, 352});
    threads.sound("fftw3_43", ranks, {448, 352}, fftw_slabs({448, 352}, ranks, true));
  }
  threads.loopback("fftw3_43", 56, {56, 44});
}

// 256^3 on 28 ranks crashes while planning; on 16 it does not.
void fftw3_65_twenty_eight_ranks(Threads& threads) {
  const std::string name = "fftw3_65";
  for (const Index ranks : {16, 28}) {
    threads.sound(name, ranks, {256, 256, 256});
    threads.sound(name, ranks, {256, 256, 256}, fftw_slabs({256, 256, 256}, ranks, false));
  }
  for (const Shape& shape : {Shape{32, 32, 8}, Shape{27, 29, 5}, Shape{29, 28, 3}, Shape{256, 4, 4},
                             Shape{3, 256}, Shape{28, 28}, Shape{27}, Shape{2, 3, 5}}) {
    threads.loopback(name, 28, shape);
  }
  threads.loopback(name, 28, {32, 32, 8}, fftw_slabs({32, 32, 8}, 28, false));
  threads.right_on_all(name, {32, 32, 8}, [](int ranks) {
    return fftw_slabs({32, 32, 8}, ranks, false);
  });
}

// A block size of n0/P, rounded down, loses rows: 10 x 100 on 3 ranks.
void fftw3_167_no_row_is_lost(Threads& threads) {
  threads.right_on_all("fftw3_167", {10, 100});
  threads.right_on_all("fftw3_167", {10, 100}, [](int ranks) {
    return fftw_slabs({10, 100}, ranks, false);
  });
}

// Blocks of 5 for 6 and for 5 rows on 2 ranks: the second rank holds one row, and none.
void fftw3_174_second_rank_without_rows(Threads& threads) {
  const Shape shape = {6, 5, 4};
  threads.right("fftw3_174", 2, shape,
                layouts(Layout::boxes(shape, {{{0, 0, 0}, {5, 5, 4}}, {{5, 0, 0}, {6, 5, 4}}}),
                        Layout::boxes(shape, {{{0, 0, 0}, {6, 5, 4}}, {{0, 0, 0}, {0, 0, 0}}})));
}

// N = 40 is right on 1, 2 and 4 ranks and wrong on 8 and 10.
void fftw3_298_eight_and_ten_ranks(Threads& threads) {
  const std::string name = "fftw3_298";
  for (const Shape& shape : {Shape{40}, Shape{40, 40}, Shape{40, 40, 4}}) {
    for (const int ranks : {1, 2, 4, 8}) {
      threads.right(name, ranks, shape);
      if (shape.size() > 1) threads.right(name, ranks, shape, fftw_slabs(shape, ranks, false));
    }
    threads.loopback(name, 10, shape);
    if (shape.size() > 1) threads.loopback(name, 10, shape, fftw_slabs(shape, 10, false));
  }
  threads.sound(name, 10, {40, 40, 40});
}

// 128^3 is wrong on 3 ranks, which do not divide it, and crashes on 1.
void p3dfft_9_three_ranks(Threads& threads) {
  const std::string name = "p3dfft.3_9";
  for (const int ranks : {1, 2, 3, 4}) {
    threads.right(name, ranks, {32, 32, 32});
    threads.right(name, ranks, {128, 4, 16});
    threads.sound(name, ranks, {128, 128, 128});
  }
  threads.right(
      name, 3, {32, 16, 8},
      layouts(Layout::pencil({32, 16, 8}, 2, 1, 3), Layout::pencil({32, 16, 8}, 0, 1, 3)));
  threads.right(
      name, 3, {32, 16, 8},
      layouts(Layout::pencil({32, 16, 8}, 2, 3, 1), Layout::pencil({32, 16, 8}, 2, 3, 1)));
}

/// All ways to cut ranks in rows and columns of pencils along `whole`.
std::vector<Layout> pencils(const Shape& shape, int ranks, std::size_t whole) {
  std::vector<Layout> result;
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows == 0) result.push_back(Layout::pencil(shape, whole, rows, ranks / rows));
  }
  return result;
}

// Examples that fail on 4, 6, 7 and 8 ranks: extents 16 x 14 x 12, 6 x 6 x 6, 3 x 3 x 6 x 6 x 6,
// pencils along one axis after the other. With it #20 (5 x 5 x 2) and #21 (2 x 2 x 3 on 3).
void mpi4py_fft_36_uneven_and_small(Threads& threads) {
  const std::string name = "mpi4py-fft_36";
  for (const Shape& shape : {Shape{16, 14, 12}, Shape{6, 6, 6}, Shape{3, 3, 6, 6, 6}}) {
    threads.right_on_all(name, shape);
  }
  for (const int ranks : {3, 4, 6, 7, 8}) {
    const Shape shape = {6, 6, 6};
    const std::vector<Layout> from = pencils(shape, ranks, 0);
    const std::vector<Layout> to = pencils(shape, ranks, 1);
    for (std::size_t i = 0; i < from.size(); ++i) {
      threads.right(name, ranks, shape, layouts(from[i], to[to.size() - 1 - i]));
    }
  }
  threads.right_on_all("mpi4py-fft_20", {5, 5, 2});
  threads.right_on_all("mpi4py-fft_21", {2, 2, 3});
  threads.right_on_all(name, {2, 3, 2});  // more ranks than planes, whichever way
}

// 2512^3 on 512 ranks silently becomes 2496 x 2512^2: 2512 is 16 times 157.
void mpiFFT4py_11_the_shape_stays(Threads& threads) {
  const std::string name = "mpiFFT4py_11";
  const Shape shape = {2512, 2512, 2512};
  for (const Index ranks : {1, 16, 64, 512, 1024}) threads.sound(name, ranks, shape);
  threads.sound(name, 512, shape,
                layouts(Layout::pencil(shape, 2, 32, 16), Layout::pencil(shape, 0, 32, 16)));
  threads.alone(name + ": rows of all ranks add up", [&](Complaints& complaints) {
    const Layout pencil = Layout::pencil(shape, 2, 32, 16);
    Index rows = 0;
    for (Index r = 0; r < 512; r += 16) rows += pencil.local_shape(r)[0];
    complaints.equal(rows, Index{2512}, "the sum of rows");
    complaints.equal(pencil.local_shape(0)[0], Index{79}, "the rows of the first rank");
    complaints.equal(pencil.local_shape(511)[0], Index{78}, "the rows of the last rank");
  });
  threads.right_on_all(name, {157, 4, 3});
  threads.right_on_all(name, {2512, 2});
  for (const int ranks : {3, 4, 8}) threads.right(name, ranks, {157, 31});
}

/// Boxes of very different sizes: the first ranks cut slices off, the last one takes the rest;
/// every third rank gets nothing.
Layout awkward_boxes(const Shape& shape, int ranks, std::size_t first_axis) {
  std::vector<Box> boxes;
  Box rest;
  rest.low.assign(shape.size(), 0);
  rest.high = shape;
  for (int r = 0; r + 1 < ranks; ++r) {
    const std::size_t axis = (first_axis + static_cast<std::size_t>(r)) % shape.size();
    Box slice = rest;
    const bool nothing = r % 3 == 2 || rest.high[axis] - rest.low[axis] < 2;
    slice.high[axis] = slice.low[axis] + (nothing ? 0 : 1);
    rest.low[axis] = slice.high[axis];
    boxes.push_back(slice);
  }
  boxes.push_back(rest);
  return Layout::boxes(shape, boxes);
}

// Boxes that are uneven or empty, different on the way in and out.
void heffte_34_awkward_and_empty_boxes(Threads& threads) {
  const std::string name = "heffte_34";
  for (const Shape& shape : {Shape{7, 5, 6}, Shape{20, 20, 3}, Shape{4, 9}}) {
    threads.right_on_all(name, shape, [&](int ranks) {
      return layouts(awkward_boxes(shape, ranks, 0), awkward_boxes(shape, ranks, 1));
    });
    threads.right_on_all(name, shape, [&](int ranks) {
      return layouts(awkward_boxes(shape, ranks, 1), Layout::slab(shape, ranks, 0));
    });
    // All on the last rank, back to all on the first.
    threads.right_on_all(name, shape, [&](int ranks) {
      std::vector<Box> boxes(static_cast<std::size_t>(ranks));
      for (Box& box : boxes) box.low = box.high = std::vector<Index>(shape.size(), 0);
      std::vector<Box> reversed = boxes;
      boxes.back().high = shape;
      reversed.front().high = shape;
      return layouts(Layout::boxes(shape, boxes), Layout::boxes(shape, reversed));
    });
  }
}

// One or two extents of 1: the library chose a grid that cut them.
void heffte_50_flat_shapes(Threads& threads) {
  for (const Shape& shape : {Shape{20, 20, 1}, Shape{20, 1, 20}, Shape{1, 20, 20}, Shape{1, 1, 60},
                             Shape{60, 1, 1}, Shape{2, 1, 30}}) {
    threads.right_on_all("heffte_50", shape);
  }
}

// A rank that owns no rows divides by zero or waits for ever.
void hypre_1599_a_rank_without_rows(Threads& threads) {
  const std::string name = "hypre_1599";
  for (const Shape& shape : {Shape{3, 8}, Shape{2, 3, 4}, Shape{1, 5}, Shape{3}}) {
    threads.right_on_all(name, shape);
    threads.right_on_all(name, shape, [&](int ranks) {
      return layouts(Layout::slab(shape, ranks, 0), Layout::slab(shape, ranks, 0));
    });
    threads.right_on_all(name, shape, [&](int ranks) {
      const Layout in = Layout::slab(shape, ranks, 0, Rule::ceil);
      std::vector<Index> procs(shape.size(), 1);
      procs.back() = ranks;
      return layouts(in, Layout::cyclic(shape, procs));
    });
  }
  threads.right_on_all(name, {6, 4}, [](int ranks) {  // 2, 2, 2, 0 on four
    return layouts(Layout::slab({6, 4}, ranks, 0, Rule::ceil),
                   Layout::slab({6, 4}, ranks, 1, Rule::ceil));
  });
}

// 2048 x 1024 x 1024 has 2^31 elements: the size of a buffer becomes -2147483648.
void twodecomp_431_sizes_beyond_32_bits(Threads& threads) {
  const std::string name = "2decomp-fft_431";
  const Shape shape = {2048, 1024, 1024};
  for (const Index ranks : {1, 2, 3, 7, 8, 64, 1024}) threads.sound(name, ranks, shape);
  threads.sound(name, 6, shape,
                layouts(Layout::pencil(shape, 0, 2, 3), Layout::pencil(shape, 2, 2, 3)));
  threads.alone(name + ": one rank holds 2^31 elements", [&](Complaints& complaints) {
    const Plan plan = planned(shape, 1);
    complaints.equal(plan.largest_local_size(), Index{1} << 31, "the largest local size");
    const Plan halves = planned(shape, 2);
    const CommVolume moves = halves.total_volume();
    complaints.equal(moves.bytes, Index{1} << 34, "the bytes that travel on 2 ranks");
    complaints.equal(moves.most_bytes_sent, Index{1} << 33, "the bytes that a rank sends");
    complaints.expect(moves.most_bytes_sent > Index{std::numeric_limits<int>::max()},
                      "a message that an int can count is no test");
  });
}

// 12 nodes are slower than 8 and than 16, as 1280/96 is no integer: a size or a rank count that
// does not divide may not leave ranks idle, or twice the work to one.
void openpfc_142_awkward_counts_keep_all_ranks_busy(Threads& threads) {
  const Shape cube = {1280, 1280, 1280};
  const std::vector<std::pair<Shape, Index>> problems = {
      {cube, 64},      {cube, 96},        {cube, 128},       {{301, 301, 301}, 2}, {{5, 7, 3}, 2},
      {{101, 103}, 2}, {{99, 99, 99}, 3}, {{99, 99, 99}, 7}, {{17, 19, 23}, 4}};
  for (const auto& [shape, ranks] : problems) {
    const Plan plan = planned(shape, ranks);
    threads.alone("OpenPFC_142: " + text_of(shape) + " on " + std::to_string(ranks) + " ranks",
                  [&](Complaints& complaints) {
                    for (const State& state : plan.states()) {
                      complaints.equal(state.layout.active_ranks(), plan.ranks(), "busy ranks");
                    }
                    const double share = static_cast<double>(plan.problem().elements()) /
                                         static_cast<double>(plan.ranks());
                    const auto most = static_cast<double>(plan.largest_local_size());
                    complaints.expect(most < 2.0 * share, "a rank has twice its share");
                  });
  }
}

int run() {
  Together all(20.0);
  {
    Threads threads(all);
    fftw3_20_arrays_of_n_by_1_are_right(threads);
    fftw3_43_planning_survives_divisors(threads);
    fftw3_65_twenty_eight_ranks(threads);
    fftw3_167_no_row_is_lost(threads);
    fftw3_174_second_rank_without_rows(threads);
    fftw3_298_eight_and_ten_ranks(threads);
    p3dfft_9_three_ranks(threads);
    mpi4py_fft_36_uneven_and_small(threads);
    mpiFFT4py_11_the_shape_stays(threads);
    heffte_34_awkward_and_empty_boxes(threads);
    heffte_50_flat_shapes(threads);
    hypre_1599_a_rank_without_rows(threads);
    twodecomp_431_sizes_beyond_32_bits(threads);
    openpfc_142_awkward_counts_keep_all_ranks_busy(threads);
  }
  return all.finish("cases of 14 threads");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) { return kallima::test::under_mpi(argc, argv, kallima::test::run); }
