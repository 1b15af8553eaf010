// SPDX-License-Identifier: BSD-3-Clause
//
// Fields of a batch behind pointers of their own: the same bits as in one array, by every method,
// in place and out of place, and nothing beside a rank's part is written.
#include <algorithm>
#include <complex>
#include <span>
#include <string>
#include <vector>

#include "comm/together.hpp"
#include "kallima/kallima.h"
#include "kallima/transform.hpp"
#include "support/random.hpp"

namespace kallima::test {
namespace {

constexpr double mark = -777.25;

struct Case {
  Kind kind = Kind::c2c;
  Shape shape;
  Options options;
};

Case random_case(Random& random, int ranks) {
  Case c;
  c.kind = random.pick<Kind>({Kind::c2c, Kind::r2c, Kind::r2r});
  c.shape = {random.between(1, 4)};
  const Index axes = random.between(1, 3);
  for (Index a = 0; a < axes; ++a) c.shape.push_back(random.between(1, 12));
  const AxisKind others = c.kind == Kind::r2r ? AxisKind::cosine_2 : AxisKind::fourier;
  c.options.axes.assign(c.shape.size(), others);
  c.options.axes.front() = random.pick<AxisKind>({AxisKind::batch, AxisKind::none});
  if (c.kind == Kind::r2c) c.options.axes.back() = AxisKind::real;
  c.options.method = static_cast<ExchangeMethod>(random.between(0, 4));
  c.options.chunks = random.between(0, 2);
  c.options.adaptive = random.chance(20);
  // Axes that are only left alone may be cut by the planner: the layouts are given.
  const bool margins = random.chance(40);
  const auto part = [&](const Shape& shape) {
    std::vector<Index> procs(shape.size(), 1);
    procs[1] = std::min<Index>(shape[1], ranks);
    Layout layout = Layout::block(shape, procs);
    if (!margins) return layout;
    std::vector<Margin> around(shape.size(), Margin{1, 2});
    around.front() = {};
    return layout.with_margins(around);
  };
  Problem problem{c.shape, Precision::f64, c.kind, -1, c.options.axes};
  if (c.options.axes.front() == AxisKind::none || margins || random.chance(50)) {
    c.options.in = part(c.shape);
    c.options.out = part(problem.frequency_shape());
  }
  return c;
}

using Numbers = std::vector<double>;

/// An array, and the same cut into fields.
struct Memory {
  Numbers all;
  std::vector<Numbers> fields;

  Memory(Index size, std::size_t count, Random* random) : all(static_cast<std::size_t>(size)) {
    for (double& value : all) value = random == nullptr ? mark : random->real();
    const auto each = static_cast<std::ptrdiff_t>(all.size() / count);
    for (auto begin = all.begin(); fields.size() < count; begin += each) {
      fields.emplace_back(begin, begin + each);
    }
  }
  [[nodiscard]] bool same() const {
    Numbers joined;
    for (const Numbers& field : fields) joined.insert(joined.end(), field.begin(), field.end());
    return joined == all;
  }
  [[nodiscard]] std::vector<const void*> read() const {
    std::vector<const void*> result;
    for (const Numbers& field : fields) result.push_back(field.data());
    return result;
  }
  [[nodiscard]] std::vector<void*> written() {
    std::vector<void*> result;
    for (Numbers& field : fields) result.push_back(field.data());
    return result;
  }
};

/// One direction, against a transform of one array by the same plan.
void check(const Planned<double>& fields, const Planned<double>& whole, Direction direction,
           Random& random, Complaints& complaints) {
  const Plan& plan = fields.plan(direction);
  const auto count = static_cast<std::size_t>(plan.problem().shape.front());
  const State& first = plan.states().front();
  const State& last = plan.states().back();
  const auto doubles = [&](const State& state) {
    return state.layout.allocated_size(fields.rank()) * (state.element.complex ? 2 : 1);
  };
  const auto elements = [&](Index numbers, const State& state) {
    return static_cast<std::size_t>(numbers) / (state.element.complex ? 2 : 1);
  };
  const Index in_size = doubles(first);
  const Index out_size = doubles(last);
  Memory from(in_size, count, &random);
  Memory to(out_size, count, nullptr);
  whole
      .bind_memory(direction, from.all.data(), elements(in_size, first), to.all.data(),
                   elements(out_size, last))
      .run();
  const auto each = [&](Index numbers, const State& state) {
    return std::vector<std::size_t>(count, elements(numbers, state) / count);
  };
  auto bound = fields.bind_fields_memory(direction, [&] {
    return FieldMemory{from.read(), each(in_size, first), to.written(), each(out_size, last)};
  });
  for (int again = 0; again < 3; ++again) bound.run();
  complaints.expect(to.same(), "separate fields have other bits, or something beside was written");
  complaints.expect(from.same(), "an input field was written");
  // One array does, too: its fields lie one behind the other.
  Numbers again(static_cast<std::size_t>(out_size), mark);
  fields.run_memory(direction, from.all.data(), elements(in_size, first), again.data(),
                    elements(out_size, last));
  complaints.expect(again == to.all, "one array has other bits");
  if (first.layout.has_margins()) return;
  const auto one = static_cast<std::ptrdiff_t>(out_size) / static_cast<std::ptrdiff_t>(count);
  const Index room = std::max(in_size, out_size);
  Memory both(room, count, nullptr);
  for (std::size_t i = 0; i < count; ++i) {
    std::copy(from.fields[i].begin(), from.fields[i].end(), both.fields[i].begin());
  }
  fields
      .bind_fields_memory(
          direction,
          [&] {
            return FieldMemory{both.read(), each(room, first), both.written(), each(room, last)};
          })
      .run();
  for (std::size_t i = 0; i < count; ++i) {
    complaints.expect(
        std::equal(to.fields[i].begin(), to.fields[i].begin() + one, both.fields[i].begin()),
        "in place, separate fields have other bits");
  }
}

template <template <class> class Fft>
void check(const Case& c, Random& random, Complaints& complaints) {
  Options options = c.options;
  options.separate_fields = true;
  const Fft<double> fields(MPI_COMM_WORLD, c.shape, options);
  options.separate_fields = false;
  options.plan = std::make_shared<const Plan>(fields.plan());
  const Fft<double> whole(MPI_COMM_WORLD, c.shape, options);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    check(fields, whole, direction, random, complaints);
  }
}

void fields_are_as_in_one_array(Together& all) {
  Random random(5);
  for (int number = 0; number < 120; ++number) {
    const Case c = random_case(random, all.ranks());
    const std::string text = Problem{c.shape, Precision::f64, c.kind, -1, c.options.axes}.to_text();
    Random values(static_cast<std::uint64_t>(number) + 1000);  // ranks draw different numbers
    all.run(text + " by " + std::string(name_of(c.options.method)), [&](Complaints& complaints) {
      if (c.kind == Kind::c2c) return check<Transform>(c, values, complaints);
      if (c.kind == Kind::r2c) return check<RealTransform>(c, values, complaints);
      check<R2RTransform>(c, values, complaints);
    });
  }
}

Options of_a_batch() {
  Options options;
  options.separate_fields = true;
  options.axes = {AxisKind::batch, AxisKind::fourier, AxisKind::fourier};
  return options;
}

void spans_are_taken(Together& all) {
  all.run("spans", [&](Complaints& complaints) {
    Options options = of_a_batch();
    const Transform<double> fft(MPI_COMM_WORLD, {3, 8, 6}, options);
    const auto size = [&](const Layout& layout) {
      return static_cast<std::size_t>(layout.allocated_size(fft.rank()) / 3);
    };
    using Field = std::vector<std::complex<double>>;
    Field u(size(fft.input_layout()), 1.0), v(u.size(), 2.0), w(u.size(), 3.0);
    Field u_k(size(fft.output_layout())), v_k(u_k.size()), w_k(u_k.size());
    fft.bind_fields(Direction::forward, {u, v, w}, {u_k, v_k, w_k}).run();
    double sum = 0.;
    for (const Field* field : {&u_k, &v_k, &w_k}) {
      for (const std::complex<double>& value : *field) sum += value.real();
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    complaints.expect(std::abs(sum - 48. * 6.) < 1e-9, "the means are wrong");
    options.axes.back() = AxisKind::real;
    const RealTransform<double> real(MPI_COMM_WORLD, {3, 8, 6}, options);
    std::vector<double> a(size(real.input_layout()), 1.0), b(a), c(a);
    Field a_k(size(real.output_layout())), b_k(a_k.size()), c_k(a_k.size());
    real.bind_forward_fields({a, b, c}, {a_k, b_k, c_k}).run();
    real.bind_backward_fields({a_k, b_k, c_k}, {a, b, c}).run();
    complaints.expect(
        std::all_of(c.begin(), c.end(), [](double value) { return std::abs(value - 1.) < 1e-12; }),
        "forward and back does not restore fields");
  });
}

void mistakes_are_the_same_error_everywhere(Together& all) {
  const auto refuse = [&](const std::string& name, const std::string& code, const auto& make) {
    expect_refused(all, name, code, make);
  };
  const Shape shape = {2, 8, 6};
  const auto make = [&](const Options& options) {
    Transform<double>(MPI_COMM_WORLD, shape, options);
  };
  refuse("axis 0 is transformed", "invalid_option", [&] {
    Options options = of_a_batch();
    options.axes = {};
    make(options);
  });
  refuse("axis 0 is fastest", "invalid_option", [&] {
    Options options = of_a_batch();
    options.in = Layout::slab(shape, all.ranks(), 1).with_order({1, 2, 0});
    make(options);
  });
  if (all.ranks() > 1) {
    refuse("axis 0 is cut", "invalid_option", [&] {
      Options options = of_a_batch();
      options.axes.front() = AxisKind::none;
      options.in = Layout::slab(shape, 2);
      make(options);
    });
    refuse("only one rank asks for it", "mismatched_arguments", [&] {
      Options options = of_a_batch();
      options.separate_fields = all.rank() == 0;
      make(options);
    });
  }
  const Transform<double> fft(MPI_COMM_WORLD, shape, of_a_batch());
  std::vector<std::complex<double>> memory(400);
  const auto in = [&](std::size_t i) { return std::span(memory).subspan(50 * i, 48); };
  const auto out = [&](std::size_t i) { return std::span(memory).subspan(200 + 50 * i, 48); };
  using In = std::vector<std::span<const std::complex<double>>>;
  using Out = std::vector<std::span<std::complex<double>>>;
  const auto bind = [&](const In& from, const Out& to) {
    // Wrong on the last rank alone.
    const bool wrong = all.rank() + 1 == all.ranks();
    static_cast<void>(wrong
                          ? fft.bind_fields(Direction::forward, from, to)
                          : fft.bind_fields(Direction::forward, {in(0), in(1)}, {out(0), out(1)}));
  };
  refuse("a field is missing", "invalid_buffer", [&] { bind({in(0)}, {out(0), out(1)}); });
  refuse("a field too many", "invalid_buffer", [&] {
    bind({in(0), in(1)}, {out(0), out(1), out(2)});
  });
  refuse("a field is short", "invalid_buffer", [&] {
    bind({in(0), in(1).first(1)}, {out(0), out(1)});
  });
  refuse("a field is null", "invalid_buffer", [&] {
    bind({in(0), std::span(static_cast<const std::complex<double>*>(nullptr), 48)},
         {out(0), out(1)});
  });
  refuse("a field twice", "invalid_buffer", [&] { bind({in(0), in(1)}, {out(0), out(0)}); });
  refuse("an output field is another's input", "invalid_buffer", [&] {
    bind({in(0), in(1)}, {in(1), out(1)});
  });
  refuse("one field in place", "invalid_buffer", [&] { bind({in(0), in(1)}, {in(0), out(1)}); });
  refuse("fields are not separate", "invalid_option", [&] {
    Options options = of_a_batch();
    options.separate_fields = false;
    const Transform<double> joined(MPI_COMM_WORLD, shape, options);
    static_cast<void>(joined.bind_fields(Direction::forward, {in(0), in(1)}, {out(0), out(1)}));
  });
}

void c_has_them(Together& all) {
  all.run("in C", [&](Complaints& complaints) {
    const std::vector<int64_t> shape = {2, 8, 6};
    const std::vector<int> axes = {KALLIMA_BATCH, KALLIMA_FOURIER, KALLIMA_REAL};
    kallima_options options;
    kallima_options_init(&options, sizeof options);
    options.kind = KALLIMA_R2C;
    options.axes = axes.data();
    options.separate_fields = 1;
    kallima_transform* fft = nullptr;
    kallima_bound* there = nullptr;
    kallima_bound* back = nullptr;
    kallima_error error;
    if (kallima_create(MPI_COMM_WORLD, 3, shape.data(), &options, &fft, &error) != KALLIMA_OK) {
      return complaints.expect(false, error.text);
    }
    int64_t in = 0;
    int64_t out = 0;
    kallima_allocated_size(fft, KALLIMA_INPUT, &in);
    kallima_allocated_size(fft, KALLIMA_OUTPUT, &out);
    std::vector<double> u(static_cast<std::size_t>(in / 2), 1.), v(u.size(), 2.);
    Numbers u_k(static_cast<std::size_t>(out)), v_k(u_k.size());
    void* const positions[] = {u.data(), v.data()};
    void* const frequencies[] = {u_k.data(), v_k.data()};
    const void* const read[] = {u.data(), v.data()};
    const void* const read_back[] = {u_k.data(), v_k.data()};
    complaints.expect(kallima_bind_fields(fft, KALLIMA_FORWARD, 2, read, in / 2, frequencies,
                                          out / 2, &there, &error) == KALLIMA_OK,
                      error.text);
    complaints.expect(kallima_bind_fields(fft, KALLIMA_BACKWARD, 2, read_back, out / 2, positions,
                                          in / 2, &back, &error) == KALLIMA_OK,
                      error.text);
    complaints.expect(kallima_run(there, &error) == KALLIMA_OK, error.text);
    complaints.expect(kallima_run(back, &error) == KALLIMA_OK, error.text);
    complaints.expect(
        std::all_of(v.begin(), v.end(), [](double value) { return std::abs(value - 2.) < 1e-12; }),
        "forward and back does not restore fields");
    kallima_bound* none = nullptr;
    complaints.expect(kallima_bind_fields(fft, KALLIMA_FORWARD, 2, nullptr, in / 2, frequencies,
                                          out / 2, &none, &error) == KALLIMA_INVALID_BUFFER,
                      "no fields are taken");
    complaints.expect(kallima_bind_fields(fft, 7, 2, read, in / 2, frequencies, out / 2, &none,
                                          &error) == KALLIMA_INVALID_OPTION,
                      "a direction that is none is taken");
    complaints.expect(kallima_bind_fields(fft, KALLIMA_FORWARD, 2, read, in / 2, frequencies,
                                          out / 2, nullptr, &error) == KALLIMA_INVALID_OPTION,
                      "no room for a handle is taken");
    kallima_bound_destroy(there);
    kallima_bound_destroy(back);
    kallima_destroy(fft);
  });
}

int run() {
  Together all;
  fields_are_as_in_one_array(all);
  spans_are_taken(all);
  mistakes_are_the_same_error_everywhere(all);
  c_has_them(all);
  return all.finish("separate fields");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) { return kallima::test::under_mpi(argc, argv, kallima::test::run); }
