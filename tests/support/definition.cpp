// SPDX-License-Identifier: BSD-3-Clause
#include "support/definition.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <numbers>
#include <vector>

#include "exec/loopback.hpp"
#include "extras/bitonic.hpp"
#include "extras/number_theoretic.hpp"
#include "extras/walsh.hpp"
#include "steps/digits.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

namespace kallima::test {

namespace {

/// Memory of one rank, in complex elements or others of their size, and what it holds.
template <class T>
struct Held {
  std::vector<exec::Number<T>> memory;

  template <class E>
  void fill(const Layout& layout, Index rank, const std::vector<E>& whole) {
    auto* const data = reinterpret_cast<E*>(memory.data());
    for (const HeldElement& each : held_part(layout, rank)) {
      data[each.offset] = whole[static_cast<std::size_t>(each.flat)];
    }
  }
  template <class E>
  void take(const Layout& layout, Index rank, std::vector<E>& whole) const {
    const auto* const data = reinterpret_cast<const E*>(memory.data());
    for (const HeldElement& each : held_part(layout, rank)) {
      whole[static_cast<std::size_t>(each.flat)] = data[each.offset];
    }
  }
};

/// From a whole array of From to one of To, row-major. Out of place, `complaint` says where the
/// input was written.
template <class T, class To, class From>
std::vector<To> run(const Plan& plan, bool in_place, const std::vector<From>& whole,
                    std::string& complaint) {
  const State& first = plan.states().front();
  const State& last = plan.states().back();
  const auto ranks = static_cast<std::size_t>(plan.ranks());
  std::vector<Held<T>> in(ranks);
  std::vector<Held<T>> out(ranks);
  std::vector<const exec::Number<T>*> sources(ranks);
  std::vector<exec::Number<T>*> targets(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto rank = static_cast<Index>(r);
    const Index room = in_complex(first.layout.allocated_size(rank), first.element);
    const Index wanted = in_complex(last.layout.allocated_size(rank), last.element);
    in[r].memory.resize(static_cast<std::size_t>(in_place ? std::max(room, wanted) : room));
    in[r].fill(first.layout, rank, whole);
    if (!in_place) out[r].memory.resize(static_cast<std::size_t>(wanted));
    sources[r] = in[r].memory.data();
    targets[r] = in_place ? in[r].memory.data() : out[r].memory.data();
  }
  std::vector<std::vector<exec::Number<T>>> before;
  for (const Held<T>& held : in) before.push_back(held.memory);
  exec::Loopback<T> loopback(plan, in_place);
  loopback.run(sources, targets, exec::Factor<T>{1});
  std::vector<To> result(static_cast<std::size_t>(volume(last.layout.shape())));
  for (std::size_t r = 0; r < ranks; ++r) {
    (in_place ? in : out)[r].take(last.layout, static_cast<Index>(r), result);
    const std::size_t bytes = before[r].size() * sizeof(exec::Number<T>);
    if (!in_place && bytes > 0 && std::memcmp(in[r].memory.data(), before[r].data(), bytes) != 0) {
      complaint = "the input was written";
    }
  }
  return result;
}

/// Replaces every line along every axis by line(values, axis).
template <class Number, class Line>
std::vector<Number> along_axes(std::vector<Number> whole, const Shape& shape, Line line) {
  Index stride = volume(shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Index n = shape[axis];
    stride /= n;
    for (Index begin = 0; begin < volume(shape); ++begin) {
      if (begin / stride % n != 0) continue;
      const auto at = [&](Index i) { return static_cast<std::size_t>(begin + i * stride); };
      std::vector<Number> values;
      for (Index i = 0; i < n; ++i) values.push_back(whole[at(i)]);
      values = line(values, axis);
      for (Index i = 0; i < n; ++i) whole[at(i)] = values[static_cast<std::size_t>(i)];
    }
  }
  return whole;
}

/// Sum over j of values[j] term(j, k), for each k.
template <class Number, class Term>
std::vector<Number> sums(const std::vector<Number>& values, Term term) {
  const auto n = static_cast<Index>(values.size());
  std::vector<Number> result;
  for (Index k = 0; k < n; ++k) {
    Number sum{};
    for (Index j = 0; j < n; ++j) sum = sum + term(values[static_cast<std::size_t>(j)], j, k);
    result.push_back(sum);
  }
  return result;
}

using Exact = std::complex<long double>;
__extension__ using Wide = unsigned __int128;

std::vector<Exact> fourier(const std::vector<Exact>& values) {
  // Plans of one problem are compared with the same sums one after the other.
  static std::vector<Exact> last;
  static std::vector<Exact> last_result;
  if (values == last) return last_result;
  const auto n = static_cast<Index>(values.size());
  static std::map<Index, std::vector<Exact>> roots_of;
  std::vector<Exact>& roots = roots_of[n];
  for (auto k = static_cast<Index>(roots.size()); k < n; ++k) {
    const long double turn = static_cast<long double>(k) / static_cast<long double>(n);
    const long double angle = -2 * std::numbers::pi_v<long double> * turn;
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  last = values;
  last_result = sums(values, [&](const Exact& value, Index j, Index k) {
    return value * roots[static_cast<std::size_t>(j * k % n)];
  });
  return last_result;
}

/// What is left of a line of its frequencies |k| <= most.
std::vector<Exact> low_pass(const std::vector<Exact>& values, Index most) {
  std::vector<Exact> kept = fourier(values);
  const auto n = static_cast<Index>(kept.size());
  for (Index k = 0; k < n; ++k) {
    Exact& value = kept[static_cast<std::size_t>(k)];
    value = std::min(k, n - k) <= most ? std::conj(value) : Exact{};
  }
  kept = fourier(kept);
  for (Exact& value : kept) value = std::conj(value) / static_cast<long double>(n);
  return kept;
}

/// Cosines and sines as FFTW's manual defines them ("What FFTW Really Computes"): each is a sum
/// over j of c_j x_j f(pi (j + a) (k + b) / m), where c_j is 2, but 1 at the ends that the kind is
/// even about.
std::vector<Exact> trigonometric(AxisKind kind, const std::vector<Exact>& values) {
  const auto n = static_cast<Index>(values.size());
  const bool cosine = kind < AxisKind::sine_1;
  const int type =
      static_cast<int>(kind) - static_cast<int>(cosine ? AxisKind::cosine_1 : AxisKind::sine_1) + 1;
  const long double whole = cosine ? 0.L : 1.L;  // of what counts by whole elements
  const long double a = type == 2 || type == 4 ? 0.5L : whole;
  const long double b = type == 3 || type == 4 ? 0.5L : whole;
  const Index period = type == 1 ? (cosine ? n - 1 : n + 1) : n;
  const auto m = static_cast<long double>(period);
  return sums(values, [&](const Exact& value, Index j, Index k) {
    const bool first = cosine && j == 0 && (type == 1 || type == 3);
    const bool last = (cosine && type == 1 && j == n - 1) || (!cosine && type == 3 && j == n - 1);
    const long double angle = std::numbers::pi_v<long double> * (static_cast<long double>(j) + a) *
                              (static_cast<long double>(k) + b) / m;
    const long double weight = first || last ? 1.L : 2.L;
    return value * (weight * (cosine ? std::cos(angle) : std::sin(angle)));
  });
}

double sum_of_squares(const std::vector<Exact>& values) {
  long double sum = 0;
  for (const Exact& value : values) sum += std::norm(value);
  return static_cast<double>(sum);
}

double distance(const std::vector<Exact>& got, const std::vector<Exact>& want) {
  long double apart = 0;
  long double size = std::numeric_limits<long double>::min();
  for (std::size_t i = 0; i < want.size(); ++i) {
    apart += std::norm(got[i] - want[i]);
    size += std::norm(want[i]);
  }
  return static_cast<double>(std::sqrt(apart / size));
}

template <class E>
std::vector<Exact> exact(const std::vector<E>& values, long double factor = 1) {
  std::vector<Exact> result;
  for (const E& value : values) result.push_back(Exact(value) * factor);
  return result;
}

/// Of what is transformed from E to F: complex numbers, or T for reals.
template <class T, class E, class F>
std::string complaint_of_numbers(const Plan& plan, const Plan& back) {
  const Shape& shape = plan.problem().shape;
  const Shape kept = plan.problem().frequency_shape();
  Random random(1);
  std::vector<E> x(static_cast<std::size_t>(volume(shape)));
  for (E& value : x) {
    if constexpr (std::is_same_v<E, T>) {
      value = static_cast<T>(random.real());
    } else {
      value = {static_cast<T>(random.real()), static_cast<T>(random.real())};
    }
  }
  const Problem& problem = plan.problem();
  const std::vector<Exact> all =
      along_axes(exact(x), shape, [&](const std::vector<Exact>& values, std::size_t axis) {
        const AxisKind kind = problem.axis_kind(axis);
        if (kind == AxisKind::none || kind == AxisKind::batch) return values;
        return is_trigonometric(kind) ? trigonometric(kind, values) : fourier(values);
      });
  std::vector<Exact> want;
  for (std::size_t flat = 0; flat < all.size(); ++flat) {
    bool is_kept = true;
    auto rest = static_cast<Index>(flat);
    for (std::size_t a = shape.size(); a-- > 0; rest /= shape[a]) {
      const Index k = rest % shape[a];
      const bool last = !problem.truncated(a) || problem.axis_kind(a) == AxisKind::real;
      is_kept = is_kept && (last ? k < kept[a] : std::min(k, shape[a] - k) <= problem.keep[a]);
    }
    if (is_kept) want.push_back(all[flat]);
  }
  const std::vector<Exact> left =
      along_axes(exact(x), shape, [&](const std::vector<Exact>& values, std::size_t axis) {
        return problem.truncated(axis) ? low_pass(values, problem.keep[axis]) : values;
      });
  // Where few frequencies are kept, they may be small by chance.
  const double small = std::sqrt(sum_of_squares(all) * static_cast<double>(want.size()) /
                                 static_cast<double>(all.size()) / sum_of_squares(want));
  const double most = (problem.truncated() ? std::max(1., small) : 1.) * 64. *
                      static_cast<double>(std::numeric_limits<T>::epsilon());
  std::string complaint;
  for (const bool in_place : {false, true}) {
    const std::string where = in_place ? " in place" : "";
    const auto error_of_return = [&](const std::vector<E>& returned) {
      const long double factor = 1.L / static_cast<long double>(problem.logical_size());
      return distance(exact(returned, factor), left);
    };
    if (plan.round_trip()) {
      const double error = error_of_return(run<T, E>(plan, in_place, x, complaint));
      if (!(error <= most)) return "error " + std::to_string(error) + " there and back" + where;
      continue;
    }
    const auto there = run<T, F>(plan, in_place, x, complaint);
    const double error = distance(exact(there), want);
    if (!(error <= most)) return "error " + std::to_string(error) + " forward" + where;
    const double error_back = error_of_return(run<T, E>(back, in_place, there, complaint));
    if (!(error_back <= most)) return "error " + std::to_string(error_back) + " backward" + where;
  }
  return complaint;
}

/// Of words: a line is transformed by `line`, and undone but for the factor n by the plan back.
template <class T, class Line>
std::string complaint_of_words(const Plan& plan, std::vector<exec::Number<T>> x, Line line) {
  const std::vector<exec::Number<T>> want = along_axes(x, plan.problem().shape, line);
  std::string complaint;
  for (const bool in_place : {false, true}) {
    const std::string where = in_place ? " in place" : "";
    const auto there = run<T, exec::Number<T>>(plan, in_place, x, complaint);
    if (there != want) return "wrong forward" + where;
    if (plan.problem().kind == Kind::sort) continue;
    const auto returned = run<T, exec::Number<T>>(plan.reversed(), in_place, there, complaint);
    auto scaled = x;
    const auto n = static_cast<Index>(x.size());
    exec::Operation<T>::scale({}, scaled.data(), n, 1, n, static_cast<exec::Factor<T>>(n));
    if (returned != scaled) return "wrong backward" + where;
  }
  return complaint;
}

/// So many whole numbers below a bound.
template <class Number>
std::vector<Number> whole_numbers(Index count, std::int64_t below) {
  Random random(2);
  std::vector<Number> result;
  for (Index i = 0; i < count; ++i) {
    result.push_back(static_cast<Number>(random.between(0, below - 1)));
  }
  return result;
}

std::string complaint_of_words(const Plan& plan) {
  const Index elements = plan.problem().elements();
  if (plan.problem().kind == Kind::sort) {
    using Keys = std::vector<extras::KeyBits>;
    return complaint_of_words<Bitonic>(plan, whole_numbers<extras::KeyBits>(elements, elements),
                                       [](Keys keys, std::size_t) {
                                         std::sort(keys.begin(), keys.end());
                                         return keys;
                                       });
  }
  if (plan.problem().kind == Kind::walsh) {
    using Line = std::vector<double>;
    return complaint_of_words<Walsh>(
        plan, whole_numbers<double>(elements, 1000), [](const Line& values, std::size_t) {
          const auto n = static_cast<std::uint64_t>(values.size());
          return sums(values, [&](double value, Index j, Index k) {
            const auto bits = extras::reversed_bits(k, std::countr_zero(n)) & j;
            return std::popcount(static_cast<std::uint64_t>(bits)) % 2 == 0 ? value : -value;
          });
        });
  }
  const std::shared_ptr<const extras::Field> field = extras::Field::standard();
  using Line = std::vector<extras::Residue>;
  return complaint_of_words<NumberTheoretic>(
      plan, whole_numbers<extras::Residue>(elements, 1000), [&](const Line& values, std::size_t) {
        const auto n = static_cast<Index>(values.size());
        Line result;
        for (Index k = 0; k < n; ++k) {
          Wide sum = 0;
          for (Index j = 0; j < n; ++j) {
            const extras::Residue root =
                field->power(field->root(n), static_cast<std::uint64_t>(j * k % n));
            sum += field->product(values[static_cast<std::size_t>(j)], root);
          }
          result.push_back(static_cast<extras::Residue>(sum % field->prime()));
        }
        return result;
      });
}

}  // namespace

std::string complaint_of(const Plan& plan) {
  if (plan.problem().of_words()) {
    return complaint_of_words(plan.direction() == Direction::forward ? plan : plan.reversed());
  }
  const bool forward = plan.direction() == Direction::forward;
  const Plan there = forward ? plan : plan.reversed();
  const Plan back = there.reversed();
  const auto of_type = [&]<class T>(T) {
    using Complex = std::complex<T>;
    if (plan.problem().real()) return complaint_of_numbers<T, T, Complex>(there, back);
    if (plan.problem().kind == Kind::r2r) return complaint_of_numbers<T, T, T>(there, back);
    return complaint_of_numbers<T, Complex, Complex>(there, back);
  };
  return plan.problem().precision == Precision::f32 ? of_type(float{}) : of_type(double{});
}

std::vector<std::complex<double>> run_plan(const Plan& plan,
                                           const std::vector<std::complex<double>>& whole) {
  std::string complaint;
  return run<double, std::complex<double>>(plan, false, whole, complaint);
}

}  // namespace kallima::test
