// SPDX-License-Identifier: BSD-3-Clause
#include "api/injections.hpp"

#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "api/memory.hpp"
#include "exec/threads.hpp"
#include "kallima/error.hpp"

namespace kallima::test {

const Shape base_shape = {6, 4, 5};

namespace {

/// What a rank asks for, by its variant.
using Asking = std::function<Ask(int variant)>;

/// An injection into planning, and into what is then done with the transform.
Injection planning(const std::string& name, ErrorCode expected, const Asking& asking,
                   const std::function<void(const Planned&, const Ask&, int)>& use = {}) {
  bool c = true;
  for (int variant = 0; variant < 4; ++variant) c = c && can_be_said_in_c(asking(variant));
  return {name,
          expected,
          expected == ErrorCode::mismatched_arguments,
          [asking, use](const Interface& interface, MPI_Comm comm, int variant) {
            const Ask ask = asking(variant);
            const std::unique_ptr<Planned> fft = interface.plan(comm, ask);
            if (use) use(*fft, ask, variant);
          },
          true,
          c};
}

/// An injection into the constructor: `spoil` changes shape or options.
using Spoil = std::function<void(Shape& shape, Options& options, int variant)>;

Injection constructor(const std::string& name, ErrorCode expected, const Spoil& spoil) {
  return planning("constructor, " + name, expected, [spoil](int variant) {
    Ask ask{base_shape, {}};
    if (variant > 0) spoil(ask.shape, ask.options, variant);
    return ask;
  });
}

Injection mismatch(const std::string& name, const Spoil& spoil) {
  return planning("mismatch, " + name, ErrorCode::mismatched_arguments, [spoil](int variant) {
    Ask ask{base_shape, {}};
    spoil(ask.shape, ask.options, variant);
    return ask;
  });
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
  const auto add = [&](const std::string& name, const Spoil& spoil) {
    list.push_back(constructor(name, ErrorCode::invalid_option, spoil));
  };
  add("one kind for all axes", [](Shape&, Options& o, int) { o.axes = {AxisKind::cosine_2}; });
  add("a real axis of complex numbers", [](Shape& shape, Options& o, int) {
    o.axes.assign(shape.size(), AxisKind::fourier);
    o.axes.back() = AxisKind::real;
  });
  add("frequencies to keep of two axes", [](Shape&, Options& o, int) { o.keep = {1, 1}; });
  add("frequencies to keep of four axes", [](Shape&, Options& o, int) { o.keep = {1, 1, 1, 1}; });
  add("frequencies to keep of cosines", [](Shape& shape, Options& o, int) {
    o.axes.assign(shape.size(), AxisKind::fourier);
    o.axes.front() = AxisKind::cosine_2;
    o.keep.assign(shape.size(), 1);
  });
  for (const int value : {3, 255}) {
    const std::string text = std::to_string(value);
    const int beyond = value == 3 ? 4 : value;  // there are four
    add("scaling " + std::to_string(beyond),
        [beyond](Shape&, Options& o, int) { o.scaling = static_cast<Scaling>(beyond); });
    add("kind of an axis " + text, [value](Shape& shape, Options& o, int) {
      o.axes.assign(shape.size(), AxisKind::fourier);
      o.axes.front() = static_cast<AxisKind>(100 + value / 2);
    });
    add("effort " + text,
        [value](Shape&, Options& o, int) { o.engine_effort = static_cast<Effort>(value); });
    add("method " + text, [value](Shape&, Options& o, int) {
      o.method = static_cast<ExchangeMethod>(value == 3 ? 254 : value);  // 3 is one
    });
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
  for (const Index bytes : {Index{-1}, lowest}) {
    add("tiles of " + std::to_string(bytes) + " bytes",
        [bytes](Shape&, Options& o, int) { o.tile_bytes = bytes; });
  }
  for (const Index threads : {Index{0}, Index{-1}, Index{1} << 40}) {
    add(std::to_string(threads) + " threads",
        [threads](Shape&, Options& o, int) { o.threads = threads; });
  }
  for (const Index bytes : {Index{-1}, lowest}) {
    add("messages of " + std::to_string(bytes) + " bytes",
        [bytes](Shape&, Options& o, int) { o.message_bytes = bytes; });
  }
}

/// A plan of one's own that cannot be run.
void plans(std::vector<Injection>& list, int ranks) {
  const auto add = [&](const std::string& name, const std::function<Plan()>& make) {
    list.push_back(constructor(
        "a plan " + name, ErrorCode::invalid_option,
        [make](Shape&, Options& o, int) { o.plan = std::make_shared<const Plan>(make()); }));
  };
  const auto plan_of = [ranks](const std::vector<Step>& steps) {
    const Problem problem{base_shape};
    return Plan(problem, Direction::forward, ranks, {}, Layout::slab(base_shape, 1), steps);
  };
  const auto sweep = [](int digit) { return Sweep{Kernel::fourier, digit}; };
  const std::vector<Step> all = {sweep(2), sweep(1), sweep(0)};
  add("of nothing", [] { return Plan(); });
  add("without sweeps", [=] { return plan_of({}); });
  add("that leaves an axis", [=] { return plan_of({sweep(2), sweep(0)}); });
  add("with a sweep in the pass of none", [=] {
    Sweep joined = sweep(2);
    joined.joined = true;
    return plan_of({joined, sweep(1), sweep(0)});
  });
  add("that begins with an exchange", [=] {
    std::vector<Step> steps = all;
    steps.insert(steps.begin(), Exchange{Layout::slab(base_shape, 1)});
    return plan_of(steps);
  });
  add("that compares", [=] {
    std::vector<Step> steps = all;
    steps.push_back(Sweep{Kernel::compare, 0});
    return plan_of(steps);
  });
}

/// What can be wrong with a transform of reals, and with one that is not.
void reals(std::vector<Injection>& list, int ranks) {
  const auto add = [&](const std::string& name, ErrorCode expected, const Spoil& spoil) {
    list.push_back(planning("reals, " + name, expected, [spoil](int variant) {
      Ask ask{base_shape, {}};
      ask.kind = Kind::r2c;
      if (variant > 0) spoil(ask.shape, ask.options, variant);
      return ask;
    }));
  };
  const auto add_complex = [&](const std::string& name, const Spoil& spoil) {
    list.push_back(constructor(name, ErrorCode::invalid_option, spoil));
  };
  add_complex("half of a complex spectrum", [](Shape&, Options& o, int) { o.r2c_axis = 1; });
  add_complex("padded complex rows", [](Shape&, Options& o, int) { o.padded = true; });
  for (const int axis : {3, 6, 1 << 30}) {
    add("half of axis " + std::to_string(axis), ErrorCode::invalid_option,
        [axis](Shape&, Options& o, int) { o.r2c_axis = axis; });
  }
  add("an output layout with all frequencies", ErrorCode::invalid_layout,
      [ranks](Shape& shape, Options& o, int) { o.out = Layout::slab(shape, ranks); });
  add("an output layout with frequencies that are not kept", ErrorCode::invalid_layout,
      [ranks](Shape&, Options& o, int) {
        o.keep = {1, 1, 1};
        o.out = Layout::slab({6, 4, 3}, ranks);
      });
  add("padded frequencies", ErrorCode::invalid_layout, [ranks](Shape&, Options& o, int) {
    o.out = Layout::slab({6, 4, 3}, ranks).with_padding(1);
  });
  add("padded rows that are cut", ErrorCode::invalid_option,
      [ranks](Shape& shape, Options& o, int) {
        o.in = Layout::slab(shape, ranks, 2);
        o.padded = true;
      });
  add("padded rows and margins", ErrorCode::invalid_option, [ranks](Shape& shape, Options& o, int) {
    o.in = Layout::slab(shape, ranks).with_margins(1);
    o.padded = true;
  });
  add("an extent of 0", ErrorCode::invalid_shape,
      [](Shape& shape, Options&, int) { shape[2] = 0; });
  const auto differ = [&](const std::string& name, const std::function<void(Ask&, int)>& spoil) {
    list.push_back(
        planning("mismatch, " + name, ErrorCode::mismatched_arguments, [spoil](int variant) {
          Ask ask{base_shape, {}};
          ask.kind = Kind::r2c;
          spoil(ask, variant);
          return ask;
        }));
  };
  differ("reals and complex numbers",
         [](Ask& ask, int variant) { ask.kind = variant > 0 ? Kind::c2c : Kind::r2c; });
  differ("r2c axes", [](Ask& ask, int variant) { ask.options.r2c_axis = variant > 0 ? 1 : 2; });
  differ("padding", [](Ask& ask, int variant) { ask.options.padded = variant > 0; });
}

std::shared_ptr<CountingMemory> failing_memory(int failing) {
  const auto source = std::make_shared<CountingMemory>();
  source->fail_at(failing);
  return source;
}

void memory(std::vector<Injection>& list, int ranks) {
  struct How {
    const char* name;
    Effort effort;
    ExchangeMethod method;
  };
  for (const How how :
       {How{"", Effort::estimate, ExchangeMethod::point_to_point},
        How{" and alltoallv", Effort::estimate, ExchangeMethod::alltoallv},
        How{" and measured engines", Effort::measure, ExchangeMethod::point_to_point}}) {
    for (const int failing : {1, 2}) {
      list.push_back(
          planning("constructor, allocation " + std::to_string(failing) + " fails" + how.name,
                   ErrorCode::out_of_memory, [=](int variant) {
                     Ask ask{base_shape, {}};
                     ask.options.engine_effort = how.effort;
                     ask.options.method = how.method;
                     ask.options.memory = failing_memory(variant > 0 ? failing : 0);
                     return ask;
                   }));
    }
  }
  // An axis distributed cyclically is split: then there is a third allocation, for roots of unity.
  for (const int failing : {1, 2, 3}) {
    list.push_back(
        planning("constructor, allocation " + std::to_string(failing) + " fails, split axis",
                 ErrorCode::out_of_memory, [=](int variant) {
                   const Index p = ranks;
                   Ask ask{{4 * p * p}, {}};
                   ask.options.method = ExchangeMethod::point_to_point;
                   ask.options.in = ask.options.out = Layout::cyclic(ask.shape, {p});
                   ask.options.memory = failing_memory(variant > 0 ? failing : 0);
                   return ask;
                 }));
  }
  for (const bool input : {true, false}) {
    list.push_back(planning(
        input ? "make_input fails" : "make_output fails", ErrorCode::out_of_memory,
        [](int) {
          Ask ask{base_shape, {}};
          ask.options.memory = failing_memory(0);
          return ask;
        },
        [input](const Planned& fft, const Ask& ask, int variant) {
          static_cast<CountingMemory&>(*ask.options.memory).fail_at(variant > 0 ? 1 : 0);
          fft.make_array(input);
        }));
    list.back().c = false;
  }
}

/// Arguments that are made inside the collective call, and throw there.
void makers(std::vector<Injection>& list, int ranks) {
  const std::string long_text = "z:" + std::string(600, 'b') + "/2 y:all x:all";
  const std::vector<std::pair<std::string, ErrorCode>> texts = {
      {"", ErrorCode::parse_error},
      {"z:blocks/2 y:all x:all", ErrorCode::parse_error},
      {"z:block/2 y:all", ErrorCode::parse_error},
      {"z:block/2 y:all x:all x:all", ErrorCode::parse_error},
      {"z:block/2 y:all w:all", ErrorCode::parse_error},
      {"z:block/99999999999999999999 y:all x:all", ErrorCode::parse_error},
      {long_text, ErrorCode::parse_error},
      {"boxes z y x | 0:6 0:4", ErrorCode::parse_error},
      {"boxes z y x | 0:6 0:4 0:5 | 0:6 0:4 0:5", ErrorCode::invalid_layout},
      {"boxes z y x | 0:6 0:4 0:4", ErrorCode::invalid_layout},
      {"boxes z y x | 0:6 0:4 0:6", ErrorCode::invalid_layout},
      {"boxes z y x | 0:6 0:4 0:3 & 0:6 0:4 2:5", ErrorCode::invalid_layout},
      {"boxes z y x | 0:3 0:4 0:5 & 4:6 0:4 0:5 | none", ErrorCode::invalid_layout},
      {"z:cycle3/2 y:all x:all", ErrorCode::invalid_layout},
      {"z:block/1@2 y:block/1@7 x:block/2@2", ErrorCode::invalid_layout},
      {"z:block/0 y:all x:all", ErrorCode::invalid_layout},
      {"z:block/64 y:all x:all", ErrorCode::too_few_ranks}};
  bool input = false;  // one after the other
  for (const auto& text : texts) {
    input = !input;
    list.push_back(
        planning((input ? "constructor, input layout '" : "constructor, output layout '") +
                     text.first.substr(0, 40) + "'",
                 text.second, [=](int variant) {
                   Ask ask{base_shape, {}};
                   if (variant > 0) (input ? ask.in_text : ask.out_text) = text.first;
                   return ask;
                 }));
  }
  const auto add = [&](const std::string& name, ErrorCode expected,
                       const std::function<void(Arguments&)>& make) {
    list.push_back(planning("constructor, arguments made: " + name, expected, [=](int variant) {
      Ask ask{base_shape, {}};
      ask.make = [](Arguments&) {};
      if (variant > 0) ask.make = make;
      return ask;
    }));
  };
  add("a layout of boxes that overlap", ErrorCode::invalid_layout, [](Arguments& a) {
    a.options.in = Layout::boxes(a.shape, {Box{{0, 0, 0}, {6, 4, 5}}, Box{{0, 0, 0}, {6, 4, 5}}});
  });
  add("a layout with a cycle that does not divide", ErrorCode::invalid_layout, [](Arguments& a) {
    a.options.in = Layout::group_cyclic(a.shape, {2, 1, 1}, {3, 1, 1});
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
                  [](const Interface&, MPI_Comm comm, int variant) {
                    std::function<Arguments()> make;
                    if (variant == 0) make = [] { return Arguments{base_shape, {}}; };
                    const auto fft = Transform<double>::with(comm, make);
                  },
                  true, false});
}

void mismatches(std::vector<Injection>& list, int ranks) {
  list.push_back(mismatch("shape", [](Shape& shape, Options&, int v) { shape[2] += v; }));
  list.push_back(mismatch("axes", [](Shape& shape, Options&, int v) {
    for (int i = 0; i < v; ++i) shape.push_back(1);
  }));
  list.push_back(mismatch("frequencies to keep",
                          [](Shape& shape, Options& o, int v) { o.keep.assign(shape.size(), v); }));
  list.push_back(mismatch("order of extents", [](Shape& shape, Options&, int v) {
    const std::vector<Shape> orders = {{6, 4, 5}, {4, 6, 5}, {6, 5, 4}, {5, 4, 6}};
    shape = orders[static_cast<std::size_t>(v)];
  }));
  list.push_back(planning("mismatch, precision", ErrorCode::mismatched_arguments, [](int variant) {
    return Ask{base_shape, {}, variant % 2 != 0};
  }));
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
  list.push_back(mismatch("boxes", [](Shape&, Options& o, int v) {
    o.in = Layout::boxes(base_shape, {{{0, 0, 0}, {1 + v, 4, 5}}, {{1 + v, 0, 0}, base_shape}});
  }));
  list.push_back(mismatch("several boxes", [](Shape&, Options& o, int v) {
    const std::vector<Box> boxes = {{{0, 0, 0}, {1 + v, 4, 5}}, {{1 + v, 0, 0}, base_shape}};
    o.out = Layout::boxes_of_ranks(base_shape, {boxes, {}});
  }));
  list.push_back(mismatch("rule of blocks", [=](Shape&, Options& o, int v) {
    o.in = Layout::slab(base_shape, ranks, static_cast<std::size_t>(v) / 2,
                        v % 2 == 0 ? Rule::balanced : Rule::ceil);
  }));
  list.push_back(mismatch(
      "scaling", [](Shape&, Options& o, int v) { o.scaling = static_cast<Scaling>((v + 1) % 3); }));
  list.back().says = {"'scaling by_sqrt_n'", "'scaling by_n'"};
  list.push_back(mismatch("effort", [](Shape&, Options& o, int v) {
    o.engine_effort = v % 2 == 0 ? Effort::estimate : Effort::measure;
  }));
  list.back().says = {"'engine effort measure'", "'engine effort estimate'"};
  list.push_back(mismatch("effort the other way", [](Shape&, Options& o, int v) {
    o.engine_effort = v % 2 == 0 ? Effort::measure : Effort::estimate;
  }));
  list.push_back(mismatch("method", [](Shape&, Options& o, int v) {
    o.method = v % 2 == 0 ? ExchangeMethod::point_to_point : ExchangeMethod::alltoallv;
  }));
  list.back().says = {"'method alltoallv'", "'method point-to-point'"};
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
  if (exec::has_threads()) {
    list.push_back(mismatch("threads", [](Shape&, Options& o, int v) { o.threads += v; }));
  }
  list.push_back(mismatch("tile bytes", [](Shape&, Options& o, int v) { o.tile_bytes += v; }));
  list.push_back(
      mismatch("message bytes", [](Shape&, Options& o, int v) { o.message_bytes = 1000 * v; }));
  list.push_back(
      mismatch("large counts", [](Shape&, Options& o, int v) { o.large_counts = v % 2 == 0; }));
}

/// What a rank gives where each gives its own boxes.
struct Own {
  Shape shape = base_shape;
  OwnBoxes mine;
  LayoutChoice instead = {};  ///< of its boxes
  Options options = {};
  bool gives = true;
};

/// Not in C, where layouts are texts.
void own_boxes(std::vector<Injection>& list, int ranks) {
  const auto add = [&](const std::string& name, ErrorCode expected,
                       const std::function<void(Own&, int)>& spoil,
                       const std::vector<std::string>& says = {}) {
    // In C, as many numbers are read as there are axes.
    const bool in_c = !name.starts_with("a box with an axis") && name != "an order of two axes" &&
                      name != "one margin";
    for (const bool input : {true, false}) {
      list.push_back(
          {std::string(input ? "own boxes of the input, " : "own boxes of the output, ") + name,
           expected, expected == ErrorCode::mismatched_arguments,
           [=](const Interface& interface, MPI_Comm comm, int variant) {
             int rank = 0;
             MPI_Comm_rank(comm, &rank);
             Own own;
             const Progression part = Layout::slab(base_shape, ranks).local_indices(rank, 0);
             own.mine.boxes = {{{part.first, 0, 0}, {part.first + part.count, 4, 5}}};
             if (variant > 0) spoil(own, variant);
             Ask ask{own.shape, own.options};
             LayoutChoice& side = input ? ask.options.in : ask.options.out;
             side = own.gives ? LayoutChoice(own.mine) : own.instead;
             const auto fft = interface.plan(comm, ask);
           },
           true, in_c, says});
    }
  };
  constexpr Index lowest = std::numeric_limits<Index>::min();
  constexpr Index highest = std::numeric_limits<Index>::max();
  const auto invalid = ErrorCode::invalid_layout;
  const auto mismatched = ErrorCode::mismatched_arguments;
  add("a gap", invalid, [](Own& o, int) { --o.mine.boxes[0].high[2]; }, {"to nobody", "rank"});
  add("none at all", invalid, [](Own& o, int) { o.mine.boxes.clear(); }, {"to nobody"});
  add("an overlap", invalid,
      [](Own& o, int) {
        o.mine.boxes = {{{0, 0, 0}, base_shape}};
      },
      {"boxes of ranks 0", "overlap"});
  add("the same box twice", invalid,
      [](Own& o, int) { o.mine.boxes.push_back(o.mine.boxes.front()); }, {"boxes of ranks"});
  for (const Index edge : {Index{5}, highest}) {
    add("a box up to " + std::to_string(edge), invalid,
        [edge](Own& o, int) { o.mine.boxes[0].high[1] = edge; },
        {"the box of rank ", "does not lie inside 6x4x5"});
  }
  for (const Index edge : {Index{-1}, lowest}) {
    add("a box from " + std::to_string(edge) + " on", invalid,
        [edge](Own& o, int) { o.mine.boxes[0].low[1] = edge; }, {"the box of rank "});
  }
  add("a box the wrong way round", invalid,
      [](Own& o, int) { std::swap(o.mine.boxes[0].low, o.mine.boxes[0].high); });
  add("a box with an axis less", invalid, [](Own& o, int) { o.mine.boxes[0].low.pop_back(); },
      {"the box of rank ", "edges for 3 axes"});
  add("a box with an axis more", invalid, [](Own& o, int) { o.mine.boxes[0].high.push_back(1); });
  add("an order that is none", invalid, [](Own& o, int) { o.mine.order = {0, 0, 1}; });
  add("an order of two axes", invalid, [](Own& o, int) { o.mine.order = {0, 1}; });
  add("a negative margin", invalid, [](Own& o, int) {
    o.mine.margins = {{0, 0}, {-1, 0}, {0, 0}};
  });
  add("one margin", invalid, [](Own& o, int) { o.mine.margins = {{1, 1}}; });
  add("another order", mismatched,
      [](Own& o, int v) {
        const std::vector<std::vector<int>> orders = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
        o.mine.order = orders[static_cast<std::size_t>(v)];
      },
      {"in another order of axes"});
  add("other margins", mismatched,
      [](Own& o, int v) {
        o.mine.margins = {{0, v}, {0, 0}, {0, 0}};
      },
      {"other margins"});
  add("another shape", mismatched,
      [](Own& o, int v) {
        o.shape[2] += v;
        o.mine.boxes[0].high[2] += v;
      },
      {"pass the same shape"});
  // Numbers of so many axes could be taken for those of others.
  add("other axes", mismatched,
      [](Own& o, int v) {
        for (int i = 0; i < v; ++i) {
          o.shape.push_back(1);
          o.mine.boxes[0].low.push_back(0);
          o.mine.boxes[0].high.push_back(1);
        }
      },
      {"pass the same shape"});
  add("a layout instead", mismatched,
      [ranks](Own& o, int) {
        o.gives = false;
        o.instead = Layout::slab(base_shape, ranks);
      },
      {"gives no box of its own"});
  add("nothing instead", mismatched, [](Own& o, int) { o.gives = false; },
      {"gives no box of its own"});
  add("and a bad option", ErrorCode::invalid_option,
      [](Own& o, int) { o.options.tile_bytes = -1; });
  add("and another option", mismatched, [](Own& o, int v) { o.options.tile_bytes = 4096 + v; });
  add("and a shape that is none", ErrorCode::invalid_shape, [](Own& o, int) { o.shape[1] = 0; });
}

void buffers(std::vector<Injection>& list, int ranks) {
  using Change = std::function<void(Fixture & f, Direction & direction, In & in, Out & out)>;
  const auto add = [&](const std::string& name, const Change& change,
                       ErrorCode expected = ErrorCode::invalid_buffer) {
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const bool forward = direction == Direction::forward;
      const bool input = name == "short input";
      list.push_back({std::string(forward ? "forward: " : "backward: ") + name, expected, false,
                      [=](const Interface& interface, MPI_Comm comm, int variant) {
                        Fixture f(interface, comm, ranks);
                        if (!forward) std::swap(f.in_size, f.out_size);
                        In in(f.memory.data(), f.in_size);
                        Out out(f.memory.data() + 100, f.out_size);
                        Direction way = direction;
                        if (variant > 0) change(f, way, in, out);
                        f.fft->bind(way, in, out)();
                      }});
      if (name.starts_with("short")) {
        const std::string side = input == forward ? "input" : "output";
        list.back().says = {side + "_layout().allocated_size(rank())", "make_" + side + "()",
                            input == forward ? "kallima_allocated_size of KALLIMA_INPUT"
                                             : "kallima_allocated_size of KALLIMA_OUTPUT"};
      }
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
                    ErrorCode::invalid_buffer, false,
                    [=](const Interface& interface, MPI_Comm comm, int variant) {
                      Fixture f(interface, comm, ranks);
                      if (!forward) std::swap(f.in_size, f.out_size);
                      const In in(f.memory.data(), f.in_size - (variant > 0 ? 1 : 0));
                      const Out out(f.memory.data() + 100, f.out_size);
                      forward ? f.fft->forward(in, out) : f.fft->backward(in, out);
                    }});
  }
}

}  // namespace

Fixture::Fixture(const Interface& interface, MPI_Comm comm, int ranks)
    : fft(interface.plan(comm, made_of(ranks))),
      in_size(fft->in_size()),
      out_size(fft->out_size()),
      memory(200) {}

Ask Fixture::made_of(int ranks) {
  Ask ask{{5, 7}, {}};
  ask.options.in = Layout::slab(ask.shape, ranks, 0);
  ask.options.out = Layout::slab(ask.shape, ranks, 1);
  return ask;
}

std::vector<Injection> injections(int ranks) {
  std::vector<Injection> list;
  shapes(list);
  layouts(list, ranks);
  options(list);
  plans(list, ranks);
  reals(list, ranks);
  memory(list, ranks);
  makers(list, ranks);
  mismatches(list, ranks);
  own_boxes(list, ranks);
  buffers(list, ranks);
  return list;
}

}  // namespace kallima::test
