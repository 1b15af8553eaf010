// SPDX-License-Identifier: BSD-3-Clause
//
// Every argument, every bad value, every rank: each single rank in turn passes something bad, then
// all ranks at once. All ranks must get the same exception: type, code and text; in time; and the
// communicator must work afterwards.
//
//     mpirun -n 3 error_test [--list]      --list prints the texts
#include <mpi.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include "base/text.hpp"
#include "kallima/transform.hpp"
#include "support/reference.hpp"
#include "transform/memory.hpp"
#include "transport/together.hpp"

// A sanitizer should let an allocation fail that is too large, as the system does.
extern "C" const char* __asan_default_options();  // NOLINT
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace kallima::test {
namespace {

using Elements = std::vector<std::complex<double>>;

/// One way to go wrong. `attempt` is collective; a rank with variant 0 passes good arguments, with
/// variant 1 bad ones. Where only a difference between ranks is wrong, variants 0, 1, 2, ... are
/// all good and all different.
struct Injection {
  std::string name;
  ErrorCode expected = ErrorCode::ok;
  bool mismatch = false;
  std::function<void(MPI_Comm comm, int variant)> attempt;
};

/// What a rank got.
struct Outcome {
  std::int64_t code = 0;  // of the error; 0 for none, -1 for an exception that is not ours
  std::uint64_t type = 0;
  std::uint64_t text = 0;
  std::int64_t length = 0;
};

Outcome outcome_of(const std::function<void()>& body, std::string& text) {
  try {
    body();
    return {};
  } catch (const Error& error) {
    text = error.what();
    return {static_cast<std::int64_t>(error.code()), text::hash(typeid(error).name()),
            text::hash(text), static_cast<std::int64_t>(text.size())};
  } catch (const std::exception& error) {
    text = error.what();
    return {-1, text::hash(typeid(error).name()), text::hash(text), 0};
  }
}

const Shape base_shape = {6, 4, 5};  // every rank holds something, on up to 4 of them

/// An injection into the constructor: `spoil` changes shape or options.
using Spoil = std::function<void(Shape& shape, Options& options, int variant)>;

Injection constructor(const std::string& name, ErrorCode expected, Spoil spoil) {
  return {"constructor, " + name, expected, false,
          [spoil = std::move(spoil)](MPI_Comm comm, int variant) {
            Shape shape = base_shape;
            Options options;
            if (variant > 0) spoil(shape, options, variant);
            const Transform<double> fft(comm, shape, options);
          }};
}

Injection mismatch(const std::string& name, Spoil spoil) {
  return {"mismatch, " + name, ErrorCode::mismatched_arguments, true,
          [spoil = std::move(spoil)](MPI_Comm comm, int variant) {
            Shape shape = base_shape;
            Options options;
            spoil(shape, options, variant);
            const Transform<double> fft(comm, shape, options);
          }};
}

void shapes(std::vector<Injection>& list) {
  const auto add = [&](const std::string& name, ErrorCode expected, const Shape& bad) {
    list.push_back(constructor("shape " + name, expected,
                               [bad](Shape& shape, Options&, int) { shape = bad; }));
  };
  constexpr Index lowest = std::numeric_limits<Index>::min();
  constexpr Index highest = std::numeric_limits<Index>::max();
  add("empty", ErrorCode::invalid_shape, {});
  add("of 7 axes", ErrorCode::invalid_shape, {2, 2, 2, 2, 2, 2, 2});
  add("of 7 axes of 1", ErrorCode::invalid_shape, {1, 1, 1, 1, 1, 1, 1});
  add("with a 0 first", ErrorCode::invalid_shape, {0, 4, 5});
  add("with a 0 last", ErrorCode::invalid_shape, {6, 4, 0});
  add("with a negative extent", ErrorCode::invalid_shape, {6, -4, 5});
  add("with the lowest extent", ErrorCode::invalid_shape, {lowest});
  add("with two negative extents", ErrorCode::invalid_shape, {-6, -4, 5});
  add("beyond 2^62", ErrorCode::overflow, {(Index{1} << 31), (Index{1} << 31) + 1});
  add("of 2^63", ErrorCode::overflow, {Index{1} << 31, Index{1} << 31, 2});
  add("beyond 2^64", ErrorCode::overflow, {Index{1} << 32, Index{1} << 32, 7});
  add("of the highest extent", ErrorCode::overflow, {highest});
  add("of 2^62, whose bytes do not fit", ErrorCode::overflow, {Index{1} << 62});
  add("of 2^59, whose bytes are 2^63", ErrorCode::overflow, {Index{1} << 59});
}

void layouts(std::vector<Injection>& list, int ranks) {
  const auto add = [&](const std::string& name, ErrorCode expected, const Layout& bad) {
    list.push_back(constructor("input layout " + name, expected,
                               [bad](Shape&, Options& options, int) { options.in = bad; }));
    list.push_back(constructor("output layout " + name, expected,
                               [bad](Shape&, Options& options, int) { options.out = bad; }));
  };
  add("of another shape", ErrorCode::invalid_layout, Layout::slab({6, 4, 6}, ranks));
  add("with an axis less", ErrorCode::invalid_layout, Layout::slab({6, 4}, ranks));
  add("of nothing", ErrorCode::invalid_layout, Layout());
  add("over too many ranks", ErrorCode::too_few_ranks, Layout::slab(base_shape, ranks + 1));
  add("over far too many ranks", ErrorCode::too_few_ranks,
      Layout::block(base_shape, {1 << 20, 1 << 10, 1}));
  std::vector<Box> boxes(static_cast<std::size_t>(ranks) + 1, Box{{0, 0, 0}, {0, 0, 0}});
  boxes.back().high = base_shape;
  add("of boxes, the last one beyond the ranks", ErrorCode::too_few_ranks,
      Layout::boxes(base_shape, boxes));
}

void options(std::vector<Injection>& list) {
  const auto add = [&](const std::string& name, Spoil spoil) {
    list.push_back(constructor(name, ErrorCode::invalid_option, std::move(spoil)));
  };
  for (const int value : {3, 255}) {
    const std::string text = std::to_string(value);
    add("scaling " + text,
        [value](Shape&, Options& o, int) { o.scaling = static_cast<Scaling>(value); });
    add("effort " + text,
        [value](Shape&, Options& o, int) { o.effort = static_cast<Effort>(value); });
    add("route " + text,
        [value](Shape&, Options& o, int) { o.route = static_cast<Route>(value == 3 ? 2 : value); });
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::string, std::vector<double>>> lengths = {
      {"one for three axes", {1.0}},      {"four for three axes", {1.0, 1.0, 1.0, 1.0}},
      {"zero", {1.0, 0.0, 1.0}},          {"minus zero", {1.0, -0.0, 1.0}},
      {"negative", {1.0, 1.0, -2.0}},     {"not a number", {std::nan(""), 1.0, 1.0}},
      {"infinite", {1.0, 1.0, infinity}}, {"minus infinite", {1.0, -infinity, 1.0}}};
  for (const auto& [name, values] : lengths) {
    add("box lengths " + name, [v = values](Shape&, Options& o, int) { o.lengths = v; });
  }
  constexpr Index lowest = std::numeric_limits<Index>::min();
  for (const Index bytes : {Index{0}, Index{-1}, lowest}) {
    add("tiles of " + std::to_string(bytes) + " bytes",
        [bytes](Shape&, Options& o, int) { o.tile_bytes = bytes; });
  }
  for (const Index bytes : {Index{-1}, lowest}) {
    add("messages of " + std::to_string(bytes) + " bytes",
        [bytes](Shape&, Options& o, int) { o.message_bytes = bytes; });
  }
}

void memory(std::vector<Injection>& list, int ranks) {
  struct How {
    const char* name;
    Effort effort;
    Route route;
  };
  for (const How how : {How{"", Effort::estimate, Route::messages},
                        How{" and alltoallv", Effort::estimate, Route::alltoallv},
                        How{" and measured engines", Effort::measure, Route::messages}}) {
    for (const int failing : {1, 2}) {
      list.push_back({"constructor, allocation " + std::to_string(failing) + " fails" + how.name,
                      ErrorCode::out_of_memory, false, [=](MPI_Comm comm, int variant) {
                        Options options;
                        options.effort = how.effort;
                        options.route = how.route;
                        const auto source = std::make_shared<CountingMemory>();
                        source->fail_at(variant > 0 ? failing : 0);
                        options.memory = source;
                        const Transform<double> fft(comm, base_shape, options);
                      }});
    }
  }
  // An axis dealt like cards is split: then there is a third allocation, for roots of unity.
  for (const int failing : {1, 2, 3}) {
    list.push_back({"constructor, allocation " + std::to_string(failing) + " fails, split axis",
                    ErrorCode::out_of_memory, false, [=](MPI_Comm comm, int variant) {
                      const Index p = ranks;
                      Options options;
                      options.in = options.out = Layout::cyclic({4 * p * p}, {p});
                      const auto source = std::make_shared<CountingMemory>();
                      source->fail_at(variant > 0 ? failing : 0);
                      options.memory = source;
                      const Transform<double> fft(comm, {4 * p * p}, options);
                    }});
  }
  for (const bool input : {true, false}) {
    list.push_back({input ? "make_input fails" : "make_output fails", ErrorCode::out_of_memory,
                    false, [=](MPI_Comm comm, int variant) {
                      Options options;
                      const auto source = std::make_shared<CountingMemory>();
                      options.memory = source;
                      const Transform<double> fft(comm, base_shape, options);
                      source->fail_at(variant > 0 ? 1 : 0);
                      const Array<double> u = input ? fft.make_input() : fft.make_output();
                    }});
  }
}

/// Arguments that are made inside the collective call, and throw there.
void makers(std::vector<Injection>& list, int ranks) {
  const auto add = [&](const std::string& name, ErrorCode expected,
                       const std::function<void(Arguments&)>& make) {
    list.push_back(
        {"constructor, arguments made: " + name, expected, false, [=](MPI_Comm comm, int variant) {
           const auto fft = Transform<double>::with(comm, [&] {
             Arguments arguments{base_shape, {}};
             if (variant > 0) make(arguments);
             return arguments;
           });
         }});
  };
  add("a layout text that cannot be read", ErrorCode::parse_error,
      [](Arguments& a) { a.options.in = Layout::parse("z:blocks/2 y:all x:all", a.shape); });
  add("a layout text without an axis", ErrorCode::parse_error,
      [](Arguments& a) { a.options.out = Layout::parse("z:block/2 y:all", a.shape); });
  add("a layout of boxes that overlap", ErrorCode::invalid_layout, [](Arguments& a) {
    a.options.in = Layout::boxes(a.shape, {Box{{0, 0, 0}, {6, 4, 5}}, Box{{0, 0, 0}, {6, 4, 5}}});
  });
  add("a layout with a cycle that does not divide", ErrorCode::invalid_layout, [](Arguments& a) {
    a.options.in = Layout::dealt(a.shape, {2, 1, 1}, {3, 1, 1});
  });
  add("a layout over too many ranks", ErrorCode::too_few_ranks,
      [=](Arguments& a) { a.options.in = Layout::slab(a.shape, ranks + 1); });
  add("a problem text that cannot be read", ErrorCode::parse_error,
      [](Arguments& a) { a.shape = Problem::parse("c2c:6x4y5").shape; });
  add("bad_alloc", ErrorCode::out_of_memory, [](Arguments&) { throw std::bad_alloc(); });
  add("a standard exception", ErrorCode::internal_error,
      [](Arguments&) { throw std::runtime_error("something of the user's own"); });
  add("a number thrown", ErrorCode::internal_error, [](Arguments&) { throw 17; });
  list.push_back({"constructor, no function to make arguments", ErrorCode::internal_error, false,
                  [](MPI_Comm comm, int variant) {
                    std::function<Arguments()> make;
                    if (variant == 0) make = [] { return Arguments{base_shape, {}}; };
                    const auto fft = Transform<double>::with(comm, make);
                  }});
}

void mismatches(std::vector<Injection>& list, int ranks) {
  list.push_back(mismatch("shape", [](Shape& shape, Options&, int v) { shape[2] += v; }));
  list.push_back(mismatch("axes", [](Shape& shape, Options&, int v) {
    for (int i = 0; i < v; ++i) shape.push_back(1);
  }));
  list.push_back(mismatch("order of extents", [](Shape& shape, Options&, int v) {
    const std::vector<Shape> orders = {{6, 4, 5}, {4, 6, 5}, {6, 5, 4}, {5, 4, 6}};
    shape = orders[static_cast<std::size_t>(v)];
  }));
  list.push_back({"mismatch, precision", ErrorCode::mismatched_arguments, true,
                  [](MPI_Comm comm, int variant) {
                    if (variant % 2 == 0) {
                      const Transform<double> fft(comm, base_shape);
                    } else {
                      const Transform<float> fft(comm, base_shape);
                    }
                  }});
  const std::vector<Layout> choices = {
      Layout::slab(base_shape, ranks, 0), Layout::slab(base_shape, ranks, 1),
      Layout::slab(base_shape, ranks, 2), Layout::cyclic(base_shape, {1, ranks, 1})};
  list.push_back(mismatch("input layout", [=](Shape&, Options& o, int v) {
    o.in = choices[static_cast<std::size_t>(v)];
  }));
  list.push_back(mismatch("output layout", [=](Shape&, Options& o, int v) {
    o.out = choices[static_cast<std::size_t>(v)];
  }));
  list.push_back(mismatch("an input layout and none", [=](Shape&, Options& o, int v) {
    if (v > 0) o.in = choices[static_cast<std::size_t>(v)];
  }));
  list.push_back(mismatch("an output layout and none", [=](Shape&, Options& o, int v) {
    if (v > 0) o.out = choices[static_cast<std::size_t>(v)];
  }));
  list.push_back(mismatch("memory order of the input", [=](Shape&, Options& o, int v) {
    const std::vector<std::vector<int>> orders = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    o.in = choices[0].with_order(orders[static_cast<std::size_t>(v)]);
  }));
  list.push_back(mismatch("rule of blocks", [=](Shape&, Options& o, int v) {
    o.in = Layout::slab(base_shape, ranks, static_cast<std::size_t>(v) / 2,
                        v % 2 == 0 ? Rule::balanced : Rule::ceil);
  }));
  list.push_back(mismatch(
      "scaling", [](Shape&, Options& o, int v) { o.scaling = static_cast<Scaling>((v + 1) % 3); }));
  list.push_back(mismatch("effort", [](Shape&, Options& o, int v) {
    o.effort = v % 2 == 0 ? Effort::estimate : Effort::measure;
  }));
  list.push_back(mismatch("effort the other way", [](Shape&, Options& o, int v) {
    o.effort = v % 2 == 0 ? Effort::measure : Effort::estimate;
  }));
  list.push_back(mismatch("route", [](Shape&, Options& o, int v) {
    o.route = v % 2 == 0 ? Route::messages : Route::alltoallv;
  }));
  list.push_back(mismatch("box lengths", [](Shape&, Options& o, int v) {
    o.lengths = {1.0, 2.0, 3.0 + v};
  }));
  list.push_back(mismatch("box lengths in the last bit", [](Shape&, Options& o, int v) {
    double length = 0.1;
    for (int i = 0; i < v; ++i) length = std::nextafter(length, 1.0);
    o.lengths = {1.0, 1.0, length};
  }));
  list.push_back(mismatch("box lengths and none", [](Shape&, Options& o, int v) {
    if (v > 0) o.lengths = {1.0 * v, 1.0, 1.0};
  }));
  list.push_back(mismatch("tile bytes", [](Shape&, Options& o, int v) { o.tile_bytes += v; }));
  list.push_back(
      mismatch("message bytes", [](Shape&, Options& o, int v) { o.message_bytes = 1000 * v; }));
  list.push_back(
      mismatch("large counts", [](Shape&, Options& o, int v) { o.large_counts = v % 2 == 0; }));
}

/// A transform whose parts of input and output differ in size on every rank, and its memory.
struct Fixture {
  explicit Fixture(MPI_Comm comm, int ranks)
      : fft(comm, {5, 7}, made_of(ranks)),
        in_size(static_cast<std::size_t>(fft.input_layout().local_size(fft.rank()))),
        out_size(static_cast<std::size_t>(fft.output_layout().local_size(fft.rank()))),
        memory(200) {}

  static Options made_of(int ranks) {
    Options options;
    options.in = Layout::slab({5, 7}, ranks, 0);
    options.out = Layout::slab({5, 7}, ranks, 1);
    return options;
  }

  Transform<double> fft;
  std::size_t in_size;
  std::size_t out_size;
  Elements memory;
};

using In = std::span<const std::complex<double>>;
using Out = std::span<std::complex<double>>;

void buffers(std::vector<Injection>& list, int ranks) {
  using Change = std::function<void(Fixture & f, Direction & direction, In & in, Out & out)>;
  const auto add = [&](const std::string& name, const Change& change,
                       ErrorCode expected = ErrorCode::invalid_buffer) {
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const bool forward = direction == Direction::forward;
      list.push_back({std::string(forward ? "forward: " : "backward: ") + name, expected, false,
                      [=](MPI_Comm comm, int variant) {
                        Fixture f(comm, ranks);
                        if (!forward) std::swap(f.in_size, f.out_size);
                        In in(f.memory.data(), f.in_size);
                        Out out(f.memory.data() + 100, f.out_size);
                        Direction way = direction;
                        if (variant > 0) change(f, way, in, out);
                        Bound<double> bound = f.fft.bind(way, in, out);
                        bound.run();
                      }});
    }
  };
  add("null input", [](Fixture& f, Direction&, In& in, Out&) { in = {In::pointer{}, f.in_size}; });
  add("null output", [](Fixture& f, Direction&, In&, Out& out) {
    out = {Out::pointer{}, f.out_size};
  });
  add("both null", [](Fixture& f, Direction&, In& in, Out& out) {
    in = {In::pointer{}, f.in_size};
    out = {Out::pointer{}, f.out_size};
  });
  add("no input", [](Fixture&, Direction&, In& in, Out&) { in = {}; });
  add("no output", [](Fixture&, Direction&, In&, Out& out) { out = {}; });
  add("short input", [](Fixture& f, Direction&, In& in, Out&) { in = in.first(f.in_size - 1); });
  add("short output",
      [](Fixture& f, Direction&, In&, Out& out) { out = out.first(f.out_size - 1); });
  add("output begins inside the input", [](Fixture& f, Direction&, In&, Out& out) {
    out = {f.memory.data() + f.in_size - 1, f.out_size};
  });
  add("output one behind the input", [](Fixture& f, Direction&, In&, Out& out) {
    out = {f.memory.data() + 1, f.out_size};
  });
  add("input begins inside the output", [](Fixture& f, Direction&, In& in, Out&) {
    in = {f.memory.data() + 100 + f.out_size - 1, f.in_size};
  });
  add("in place, each as long as its part alone", [](Fixture& f, Direction&, In&, Out& out) {
    out = {f.memory.data(), f.out_size};
  });
  add("misaligned input", [](Fixture& f, Direction&, In& in, Out&) {
    in = {reinterpret_cast<In::pointer>(reinterpret_cast<std::byte*>(f.memory.data()) + 4),
          f.in_size};
  });
  add("misaligned output", [](Fixture& f, Direction&, In&, Out& out) {
    out = {reinterpret_cast<Out::pointer>(reinterpret_cast<std::byte*>(out.data()) + 1),
           f.out_size};
  });
  for (const int value : {2, 255}) {
    add(
        "direction " + std::to_string(value),
        [value](Fixture&, Direction& way, In&, Out&) { way = static_cast<Direction>(value); },
        ErrorCode::invalid_option);
  }
  for (const bool forward : {true, false}) {
    list.push_back({forward ? "forward() of a short input" : "backward() of a short input",
                    ErrorCode::invalid_buffer, false, [=](MPI_Comm comm, int variant) {
                      Fixture f(comm, ranks);
                      if (!forward) std::swap(f.in_size, f.out_size);
                      const In in(f.memory.data(), f.in_size - (variant > 0 ? 1 : 0));
                      const Out out(f.memory.data() + 100, f.out_size);
                      forward ? f.fft.forward(in, out) : f.fft.backward(in, out);
                    }});
  }
}

/// Two ranks with different errors: the lower one's is everybody's.
struct Pair {
  const char* name;
  ErrorCode code;
  Spoil spoil;
};

class Tester {
 public:
  Tester(Together& all, bool list) : all_(all), list_(list) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  }
  ~Tester() { MPI_Comm_free(&comm_); }
  Tester(const Tester&) = delete;
  Tester& operator=(const Tester&) = delete;

  void test(const Injection& injection) {
    for (int bad = 0; bad < all_.ranks(); ++bad) {
      run(injection.name + ", rank " + std::to_string(bad), injection.expected,
          [&] { injection.attempt(comm_, all_.rank() == bad ? 1 : 0); });
    }
    run(injection.name + ", all ranks", injection.expected,
        [&] { injection.attempt(comm_, injection.mismatch ? all_.rank() : 1); });
    // And the harness itself: without anything bad there is no error.
    run(injection.name + ", nobody", ErrorCode::ok, [&] { injection.attempt(comm_, 0); });
  }

  /// `body` must throw `expected` on all ranks alike.
  void run(const std::string& name, ErrorCode expected, const std::function<void()>& body) {
    (expected == ErrorCode::ok ? harmless_ : injected_) += 1;
    all_.run(name, [&](Complaints& complaints) {
      std::string text;
      const Outcome mine = outcome_of(body, text);
      std::vector<Outcome> each(static_cast<std::size_t>(all_.ranks()));
      MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, each.data(), sizeof(mine), MPI_BYTE,
                    MPI_COMM_WORLD);
      complaints.expect(mine.code == static_cast<std::int64_t>(expected),
                        "expected " + std::string(name_of(expected)) + ", got " +
                            std::string(name_of(static_cast<ErrorCode>(mine.code))) + ": " + text);
      for (const Outcome& other : each) {
        complaints.expect(std::memcmp(&other, &mine, sizeof(mine)) == 0,
                          "ranks got different errors, this one: " + text);
      }
      if (expected != ErrorCode::ok) {
        complaints.expect(text.size() > 20, "the text names no mend: " + text);
      }
      if (list_ && all_.rank() == 0) std::printf("%s: %s\n", name.c_str(), text.c_str());
      expect_works(complaints);
    });
  }

  /// A transform on the same communicator is right.
  void expect_works(Complaints& complaints) const {
    const Shape shape = {4, 6};
    const Transform<double> fft(comm_, shape);
    const std::vector<Index> in_flats = flat_part(fft.input_layout(), fft.rank());
    const std::vector<Index> out_flats = flat_part(fft.output_layout(), fft.rank());
    Elements in(in_flats.size());
    Elements out(out_flats.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = sample<double>(7, in_flats[i]);
    fft.forward(in, out);
    static const std::vector<std::complex<long double>> expected =
        reference<double>(shape, 7, Direction::forward);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto want = expected[static_cast<std::size_t>(out_flats[i])];
      const std::complex<long double> is(out[i].real(), out[i].imag());
      complaints.expect(std::abs(is - want) < 1e-14L, "a transform after the error is wrong");
    }
  }

  void pairs() {
    const std::vector<Pair> kinds = {
        {"a zero extent", ErrorCode::invalid_shape, [](Shape& s, Options&, int) { s[1] = 0; }},
        {"an overflow", ErrorCode::overflow,
         [](Shape& s, Options&, int) { s[1] = Index{1} << 62; }},
        {"a bad option", ErrorCode::invalid_option,
         [](Shape&, Options& o, int) { o.tile_bytes = 0; }},
        {"a bad layout", ErrorCode::invalid_layout,
         [](Shape&, Options& o, int) { o.in = Layout(); }},
        {"another shape", ErrorCode::mismatched_arguments,
         [](Shape& s, Options&, int) { s[0] += 1; }},
        {"no memory", ErrorCode::out_of_memory, [](Shape&, Options& o, int) {
           const auto source = std::make_shared<CountingMemory>();
           source->fail_at(1);
           o.memory = source;
         }}};
    for (std::size_t a = 0; a < kinds.size(); ++a) {
      for (std::size_t b = 0; b < kinds.size(); ++b) {
        if (a == b) continue;
        for (int low = 0; low + 1 < all_.ranks(); ++low) {
          const int high = all_.ranks() - 1;
          // On rank 0 another shape is no error: then it is the others who differ.
          if (low == 0 && kinds[a].code == ErrorCode::mismatched_arguments) continue;
          run(std::string(kinds[a].name) + " on rank " + std::to_string(low) + " and " +
                  kinds[b].name + " on rank " + std::to_string(high),
              kinds[a].code, [&] {
                Shape shape = base_shape;
                Options o;
                if (all_.rank() == low) kinds[a].spoil(shape, o, 1);
                if (all_.rank() == high) kinds[b].spoil(shape, o, 1);
                const Transform<double> fft(comm_, shape, o);
              });
        }
      }
    }
  }

  /// More than there is, on all ranks: sizes that fit 64 bits and no memory.
  void too_large() {
    for (const Shape& shape : {Shape{Index{1} << 58}, Shape{Index{1} << 29, Index{1} << 29},
                               Shape{Index{1} << 20, Index{1} << 20, Index{1} << 18}}) {
      run("constructor, 2^58 elements in " + std::to_string(shape.size()) + " axes",
          ErrorCode::out_of_memory, [&] { const Transform<double> fft(comm_, shape); });
    }
  }

  void after_the_communicator_is_freed() {
    using Use = std::function<void(Fixture&, In, Out)>;
    const std::vector<std::pair<std::string, Use>> uses = {
        {"bind",
         [](Fixture& f, In in, Out out) {
           const Bound<double> bound = f.fft.bind(Direction::forward, in, out);
         }},
        {"bind of nothing",
         [](Fixture& f, In, Out) {
           const Bound<double> bound = f.fft.bind(Direction::forward, {}, {});
         }},
        {"forward", [](Fixture& f, In in, Out out) { f.fft.forward(in, out); }},
        {"backward", [](Fixture& f, In in, Out out) { f.fft.backward(in, out); }},
        {"make_input", [](Fixture& f, In, Out) { const Array<double> u = f.fft.make_input(); }},
        {"make_output", [](Fixture& f, In, Out) { const Array<double> u = f.fft.make_output(); }}};
    for (const auto& use : uses) {
      run(use.first + " after the communicator was freed", ErrorCode::stale_communicator, [&] {
        MPI_Comm own = MPI_COMM_NULL;
        MPI_Comm_dup(comm_, &own);
        Fixture f(own, all_.ranks());
        MPI_Comm_free(&own);
        use.second(f, {f.memory.data(), 100}, {f.memory.data() + 100, 100});
      });
    }
    run("run after the communicator was freed", ErrorCode::stale_communicator, [&] {
      MPI_Comm own = MPI_COMM_NULL;
      MPI_Comm_dup(comm_, &own);
      Fixture f(own, all_.ranks());
      Bound<double> bound =
          f.fft.bind(Direction::forward, In(f.memory.data(), 100), Out(f.memory.data() + 100, 100));
      MPI_Comm_free(&own);
      bound.run();
    });
  }

  [[nodiscard]] std::string counted() const {
    return "cases (" + std::to_string(injected_) + " errors injected, " +
           std::to_string(harmless_) + " without)";
  }

 private:
  Together& all_;
  bool list_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  long injected_ = 0;
  long harmless_ = 0;
};

int run(bool list) {
  Together all;
  std::vector<Injection> injections;
  shapes(injections);
  layouts(injections, all.ranks());
  options(injections);
  memory(injections, all.ranks());
  makers(injections, all.ranks());
  mismatches(injections, all.ranks());
  buffers(injections, all.ranks());
  std::string counted;
  {
    Tester tester(all, list);
    for (const Injection& injection : injections) tester.test(injection);
    tester.pairs();
    tester.too_large();
    tester.after_the_communicator_is_freed();
    counted = tester.counted();
  }
  return all.finish(counted);
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = kallima::test::run(argc > 1 && std::string(argv[1]) == "--list");
  MPI_Finalize();
  return status;
}
