// SPDX-License-Identifier: BSD-3-Clause
//
// Redistributions on MPI: elements of any size go from any layout to any other, and back, by every
// method; what lies beside a rank's part stays as it is; bytes and messages are those planned.
#include "kallima/redistribute.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <string>
#include <vector>

#include "comm/together.hpp"
#include "kallima/kallima.h"
#include "support/configuration.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

namespace kallima::test {
namespace {

using Memory = std::vector<unsigned char>;

constexpr unsigned char mark = 0xA5;

struct Case {
  Shape shape;
  Layout from;
  Layout to;
  Index bytes = 1;  // of an element
  Options options;
  bool own_boxes = false;  // ranks give what they hold themselves
};

Layout in_larger_array(Random& random, const Layout& layout) {
  if (random.chance(50)) return layout;
  if (random.chance(30)) return layout.with_padding(random.between(0, 3));
  return with_random_margins(random, layout);
}

Case random_case(Random& random, int ranks) {
  constexpr std::array<Index, 10> sizes = {1, 2, 3, 4, 8, 12, 16, 24, 32, 40};
  Case result;
  const Index axes = random.between(1, 4);
  for (Index a = 0; a < axes; ++a) result.shape.push_back(random.between(1, 11));
  result.from = in_larger_array(random, random_layout(random, result.shape, ranks));
  result.to = in_larger_array(random, random_layout(random, result.shape, ranks));
  result.bytes = sizes[static_cast<std::size_t>(random.between(0, 9))];
  result.options.method = static_cast<ExchangeMethod>(random.between(0, 4));
  result.options.chunks = random.between(0, 2);
  result.own_boxes = !result.from.is_grid() && !result.to.is_grid();
  return result;
}

/// What a rank's array holds: marks, and in its part the bytes of each element's number.
Memory filled(const Case& c, const Layout& layout, Index rank) {
  Memory memory(static_cast<std::size_t>(layout.allocated_size(rank) * c.bytes), mark);
  for (const HeldElement& element : held_part(layout, rank)) {
    for (Index i = 0; i < c.bytes; ++i) {
      memory[element.offset * static_cast<std::size_t>(c.bytes) + static_cast<std::size_t>(i)] =
          static_cast<unsigned char>((element.flat * 7919 + i * 31) & 0xFF);
    }
  }
  return memory;
}

LayoutChoice given(const Case& c, const Layout& layout, Index rank) {
  return c.own_boxes ? LayoutChoice(own_boxes_of(layout, rank)) : LayoutChoice(layout);
}

Index total(Index here) {
  Index all = 0;
  MPI_Allreduce(&here, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

void check(const Case& c, int rank, Complaints& complaints) {
  const Redistribution moves(MPI_COMM_WORLD, c.shape, given(c, c.from, rank), given(c, c.to, rank),
                             c.bytes, c.options);
  const Memory from = filled(c, c.from, rank);
  const Memory to = filled(c, c.to, rank);
  const auto elements = [&](const Memory& memory) {
    return memory.size() / static_cast<std::size_t>(c.bytes);
  };
  complaints.equal(moves.input_size(), static_cast<Index>(elements(from)), "elements of the input");
  complaints.equal(moves.output_size(), static_cast<Index>(elements(to)), "elements of the output");
  const Memory kept = from;
  Memory out(to.size(), mark);
  moves.bind(Direction::forward, from.data(), elements(from), out.data(), elements(out)).run();
  complaints.expect(out == to, "an element is wrong, or something beside the part was written");
  complaints.expect(from == kept, "the input was written");
  const CommVolume planned = moves.plan().total_volume();
  complaints.equal(total(moves.statistics().bytes_sent), planned.bytes, "bytes moved");
  complaints.equal(total(moves.statistics().messages_sent), planned.messages, "messages moved");
  Memory back(from.size(), mark);
  moves.run(Direction::backward, out.data(), elements(out), back.data(), elements(back));
  complaints.expect(back == from, "the way back does not restore the input");
  if (!c.from.is_dense() || !c.to.is_dense()) return;  // in place, margins would be overwritten
  Memory both = from;
  both.resize(std::max(from.size(), to.size()), mark);
  moves.bind(Direction::forward, both.data(), elements(both), both.data(), elements(both)).run();
  const std::vector<HeldElement> held = held_part(c.to, rank);
  const bool same = std::all_of(held.begin(), held.end(), [&](const HeldElement& element) {
    const auto begin = static_cast<std::ptrdiff_t>(element.offset) * c.bytes;
    return std::equal(to.begin() + begin, to.begin() + begin + c.bytes, both.begin() + begin);
  });
  complaints.expect(same, "an element is wrong in place");
}

/// The same through C.
void check_c(const Case& c, int rank, Complaints& complaints) {
  const std::string in_text = c.from.to_text();
  const std::string out_text = c.to.to_text();
  kallima_options options;
  kallima_options_init(&options, sizeof options);
  options.in_layout = in_text.c_str();
  options.out_layout = out_text.c_str();
  options.method = static_cast<int>(c.options.method);
  kallima_transform* moves = nullptr;
  kallima_error error;
  if (kallima_create_redistribution(MPI_COMM_WORLD, static_cast<int>(c.shape.size()),
                                    c.shape.data(), c.bytes, &options, &moves, &error) != 0) {
    return complaints.expect(false, error.text);
  }
  const Memory from = filled(c, c.from, rank);
  const Memory to = filled(c, c.to, rank);
  Memory out(to.size(), mark);
  std::array<int64_t, 2> sizes{};
  kallima_allocated_size(moves, KALLIMA_INPUT, &sizes[0]);
  kallima_allocated_size(moves, KALLIMA_OUTPUT, &sizes[1]);
  complaints.equal(sizes[0] * c.bytes, static_cast<Index>(from.size()), "bytes of the input in C");
  const int code = kallima_forward(moves, from.data(), sizes[0], out.data(), sizes[1], &error);
  complaints.expect(code == KALLIMA_OK, error.text);
  complaints.expect(out == to, "an element is wrong in C");
  kallima_destroy(moves);
}

void elements_of_all_sizes_arrive(Together& all) {
  Random random(23);
  for (int number = 0; number < 250; ++number) {
    const Case c = random_case(random, all.ranks());
    all.run(std::to_string(c.bytes) + " bytes from " + c.from.to_text() + " to " + c.to.to_text() +
                " by " + std::string(name_of(c.options.method)),
            [&](Complaints& complaints) {
              check(c, all.rank(), complaints);
              if (number % 5 == 0) check_c(c, all.rank(), complaints);
            });
  }
}

void types_are_taken(Together& all) {
  struct Particle {
    std::array<double, 3> position{};
    int number = 0;
    bool operator==(const Particle&) const = default;
  };
  all.run("particles", [&](Complaints& complaints) {
    const Index ranks = all.ranks();
    const Redistribute<Particle> turn(MPI_COMM_WORLD, {12, 10}, Layout::slab({12, 10}, ranks),
                                      Layout::slab({12, 10}, ranks, 1));
    std::vector<Particle> rows(static_cast<std::size_t>(turn.input_size()));
    std::vector<Particle> columns(static_cast<std::size_t>(turn.output_size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = {{1.5, static_cast<double>(i), -0.0}, all.rank()};
    }
    const std::vector<Particle> before = rows;
    turn.forward(rows, columns);
    turn.backward(columns, rows);
    complaints.expect(rows == before, "particles are others after the way back");
    complaints.expect(turn.explain().find("none") != std::string::npos, turn.explain());
  });
}

void mistakes_are_the_same_error_everywhere(Together& all) {
  const Shape shape = {8, 6};
  const Layout slabs = Layout::slab(shape, all.ranks());
  const auto refuse = [&](const std::string& name, const std::string& code, const auto& make) {
    expect_refused(all, name, code, make);
  };
  refuse("a layout is missing", "invalid_option",
         [&] { Redistribute<int>(MPI_COMM_WORLD, shape, slabs, LayoutChoice()); });
  refuse("elements of no bytes", "invalid_option",
         [&] { Redistribution(MPI_COMM_WORLD, shape, slabs, slabs, all.rank() == 0 ? 0 : 8); });
  refuse("too many axes", "invalid_shape", [&] {
    const Shape six = {2, 2, 2, 2, 2, 2};
    Redistribution(MPI_COMM_WORLD, six, Layout::slab(six, 1), Layout::slab(six, 1), 24);
  });
  refuse("memory too short", "invalid_buffer", [&] {
    const Redistribute<short> moves(MPI_COMM_WORLD, shape, slabs, slabs);
    std::vector<short> in(static_cast<std::size_t>(moves.input_size()));
    std::vector<short> out(all.rank() == 0 ? 1 : in.size());
    moves.forward(in, out);
  });
  refuse("a shape that is none", "invalid_shape", [&] {
    Redistribute<int>(MPI_COMM_WORLD, {8, all.rank() == 0 ? 0 : 6}, slabs, slabs);
  });
  refuse("a text that cannot be read", "parse_error", [&] {
    Redistribute<int>(MPI_COMM_WORLD, shape, slabs, all.rank() == 0 ? "bricks" : "y:all x:all");
  });
  refuse("a method that there is not", "invalid_option", [&] {
    Options options;
    if (all.rank() == 0) options.method = static_cast<ExchangeMethod>(99);
    Redistribute<int>(MPI_COMM_WORLD, shape, slabs, slabs, options);
  });
  refuse("a direction that is none", "invalid_option", [&] {
    const Redistribute<int> moves(MPI_COMM_WORLD, shape, slabs, slabs);
    std::vector<int> in(static_cast<std::size_t>(moves.input_size()) + 1);
    std::vector<int> out(in.size());
    const auto direction = static_cast<Direction>(all.rank() == 0 ? 7 : 0);
    static_cast<void>(moves.bind(direction, in, out));
  });
  // Memory that is asked for inside the call: what it throws on one rank, all throw.
  std::vector<std::complex<double>> here(8 * 6);
  std::vector<std::complex<double>> there(here.size());
  const auto memory = [&]() -> ArrayMemory {
    if (all.rank() == 0) throw OutOfMemory("rank 0 has no room");
    return {here.data(), here.size(), there.data(), there.size()};
  };
  refuse("memory that a rank does not have", "out_of_memory", [&] {
    const Redistribution moves(MPI_COMM_WORLD, shape, slabs, slabs, 16);
    static_cast<void>(moves.bind(Direction::forward, memory));
  });
  refuse("memory of a transform that a rank does not have", "out_of_memory", [&] {
    const Transform<double> fft(MPI_COMM_WORLD, shape);
    static_cast<void>(fft.bind_memory(Direction::forward, memory));
  });
  if (all.ranks() == 1) return;
  refuse("elements of other sizes", "mismatched_arguments",
         [&] { Redistribution(MPI_COMM_WORLD, shape, slabs, slabs, all.rank() == 0 ? 4 : 16); });
}

/// What is wrong on the last rank alone: the same code and words on all ranks.
void mistakes_are_the_same_error_in_c(Together& all) {
  struct Call {
    int axes = 2;
    std::array<int64_t, 2> shape = {8, 6};
    int64_t bytes = 4;
    kallima_options options = {};
    bool room = true;
  };
  const std::string in = "y:block/" + std::to_string(all.ranks()) + " x:all";
  const std::string out = "y:all x:block/" + std::to_string(all.ranks());
  const auto refuse = [&](const std::string& name, int code, const auto& change) {
    all.run("in C: " + name, [&](Complaints& complaints) {
      Call call;
      kallima_options_init(&call.options, sizeof call.options);
      call.options.in_layout = in.c_str();
      call.options.out_layout = out.c_str();
      if (all.rank() + 1 == all.ranks()) change(call);
      kallima_transform* moves = nullptr;
      kallima_error error;
      const int is =
          kallima_create_redistribution(MPI_COMM_WORLD, call.axes, call.shape.data(), call.bytes,
                                        &call.options, call.room ? &moves : nullptr, &error);
      complaints.expect(is == code, "it returns " + std::string(kallima_code_name(is)) + ": " +
                                        static_cast<const char*>(error.text));
      complaints.expect(same_everywhere(static_cast<const char*>(error.text)), "ranks differ");
      kallima_destroy(moves);
    });
  };
  refuse("no bytes", KALLIMA_INVALID_OPTION, [](Call& c) { c.bytes = 0; });
  refuse("fewer bytes than none", KALLIMA_INVALID_OPTION, [](Call& c) { c.bytes = -8; });
  refuse("no axes", KALLIMA_INVALID_SHAPE, [](Call& c) { c.axes = 0; });
  refuse("an extent of 0", KALLIMA_INVALID_SHAPE, [](Call& c) { c.shape[1] = 0; });
  refuse("no input layout", KALLIMA_INVALID_OPTION, [](Call& c) { c.options.in_layout = nullptr; });
  refuse("no output layout", KALLIMA_INVALID_OPTION,
         [](Call& c) { c.options.out_layout = nullptr; });
  refuse("a layout that cannot be read", KALLIMA_PARSE_ERROR,
         [](Call& c) { c.options.in_layout = "y:bricks x:all"; });
  refuse("options of another size", KALLIMA_INVALID_OPTION, [](Call& c) { c.options.size = 3; });
  refuse("a method that there is not", KALLIMA_INVALID_OPTION,
         [](Call& c) { c.options.method = 77; });
  refuse("no room for the handle", KALLIMA_INVALID_OPTION, [](Call& c) { c.room = false; });
  if (all.ranks() == 1) return;
  refuse("another size of elements", KALLIMA_MISMATCHED_ARGUMENTS, [](Call& c) { c.bytes = 16; });
  refuse("another method", KALLIMA_MISMATCHED_ARGUMENTS,
         [](Call& c) { c.options.method = KALLIMA_ALLTOALLV; });
}

int run() {
  Together all;
  elements_of_all_sizes_arrive(all);
  types_are_taken(all);
  mistakes_are_the_same_error_everywhere(all);
  mistakes_are_the_same_error_in_c(all);
  return all.finish("redistributions");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) { return kallima::test::under_mpi(argc, argv, kallima::test::run); }
