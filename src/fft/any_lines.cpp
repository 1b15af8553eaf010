// SPDX-License-Identifier: BSD-3-Clause
#include "fft/any_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "kallima/buffer.hpp"

namespace kallima::fft {

namespace {

using Long = std::complex<long double>;

template <class N>
N product(const N& a, const N& b) {
  // Spelled out: the library's product of complex numbers checks for infinities.
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// An element of a line as a complex number, times a constant.
template <class T>
std::complex<T> times(T element, const std::complex<T>& factor) {
  return {element * factor.real(), element * factor.imag()};
}
template <class T>
std::complex<T> times(const std::complex<T>& element, const std::complex<T>& factor) {
  return product(element, factor);
}

/// An element, without its imaginary part or conjugated.
template <class T>
T part_of(T element, bool /*real*/, bool /*conjugated*/) {
  return element;
}
template <class T>
std::complex<T> part_of(const std::complex<T>& element, bool real, bool conjugated) {
  const T imag = conjugated ? -element.imag() : element.imag();
  return {element.real(), real ? T{0} : imag};
}

/// Of what is computed in long double, so that it is rounded once.
template <class T>
std::complex<T> rounded(const Long& value) {
  return {static_cast<T>(value.real()), static_cast<T>(value.imag())};
}

bool is_sine(LineKind kind) { return kind >= LineKind::sine_1; }

/// 1 to 4, of cosines and sines alike.
int type_of(LineKind kind) {
  return 1 + (static_cast<int>(kind) - static_cast<int>(LineKind::cosine_1)) % 4;
}

/// True for lines that a kernel takes as they are.
bool kernel_takes(const Batch& batch) {
  if (batch.kind != LineKind::fourier) return false;
  if (batch.numbers == Numbers::complex) return has_kernel(batch.length);
  return batch.length % 2 == 0 && has_kernel(batch.length / 2) && batch.from.element == 1 &&
         batch.to.element == 1;
}

}  // namespace

template <class T>
AnyLines<T>::AnyLines(const Batch& batch, int sign, Vectors vectors) : batch_(batch) {
  if (kernel_takes(batch)) {
    kernel_.emplace(batch, sign, vectors);
  } else if (batch.kind != LineKind::fourier) {
    make_trigonometric(vectors);
  } else if (batch.numbers != Numbers::complex) {
    make_real(vectors);
  } else if (!has_small_primes(batch.length)) {
    make_convolution(sign, vectors);
  } else if (batch.length > 1) {
    make_matrix(sign, vectors);
  } else {
    before_.first = behind_.first = {{0, Number{1}}};
    points_ = 1;
  }
}

template <class T>
void AnyLines<T>::make_matrix(int sign, Vectors vectors) {
  // x[c n2 + r] to X[k1 + n1 k2].
  const Index n1 = column_length(batch_.length);
  const Index n2 = batch_.length / n1;
  const Index from = batch_.from.element;
  const Index to = batch_.to.element;
  inner_.reserve(2);
  inner_.emplace_back(Batch{n1, n2, {n2 * from, from}, {n2, 1}}, sign, vectors);
  inner_.emplace_back(Batch{n2, n1, {1, n2}, {n1 * to, to}}, sign, vectors);
  roots_.emplace(batch_.length, host_memory());
  conjugates_roots_ = sign > 0;
}

template <class T>
void AnyLines<T>::add_inner(Index points, int sign, Vectors vectors) {
  points_ = points;
  together_ = lines_together(batch_.lines, points, static_cast<Index>(sizeof(Number)));
  const Strides strides{together_, 1};
  inner_.emplace_back(Batch{points, together_, strides, strides, true}, sign, vectors);
}

template <class T>
void AnyLines<T>::make_convolution(int sign, Vectors vectors) {
  // With jk = (j^2 + k^2 - (k - j)^2) / 2, a product, a convolution and a product.
  const Index n = batch_.length;
  inner_.reserve(2);
  add_inner(convolution_length(n), -1, vectors);
  add_inner(points_, 1, vectors);
  const Roots<long double> roots(2 * n, host_memory());
  std::vector<Number> conjugated(static_cast<std::size_t>(points_));
  Index square = 0;  // j^2 mod 2 n
  for (Index j = 0; j < n; ++j) {
    const Number root = rounded<T>(roots(square));
    const Number chirp = sign < 0 ? root : std::conj(root);
    before_.first.push_back({j, chirp});
    conjugated[static_cast<std::size_t>(j)] = std::conj(chirp);
    if (j > 0) conjugated[static_cast<std::size_t>(points_ - j)] = std::conj(chirp);
    square = (square + 2 * j + 1) % (2 * n);
  }
  behind_ = before_;
  const Batch alone{points_, 1, {}, {}, true};
  const Buffer scratch(host_memory(), lines_scratch<T>(alone), "a convolution's scratch");
  AnyLines(alone, -1, vectors)
      .run(conjugated.data(), conjugated.data(), reinterpret_cast<Number*>(scratch.view().data));
  for (Number& frequency : conjugated) frequency /= static_cast<T>(points_);
  filter_ = std::move(conjugated);
}

template <class T>
void AnyLines<T>::make_real(Vectors vectors) {
  const Index n = batch_.length;
  const Index frequencies = n / 2 + 1;
  const bool back = batch_.numbers == Numbers::to_real;
  add_inner(real_points(n), back ? 1 : -1, vectors);
  if (n % 2 != 0) {
    // Backward, the real part of twice the first half of the frequencies.
    for (Index j = 0; j < (back ? frequencies : n); ++j) {
      before_.first.push_back({j, Number{back && j > 0 ? T{2} : T{1}}});
    }
    for (Index k = 0; k < (back ? n : frequencies); ++k) behind_.first.push_back({k, Number{1}});
    return;
  }
  // Two neighbours are a number, z[j] = x[2j] + i x[2j + 1]; its frequencies are those of the even
  // ones and of the odd ones.
  const Index half = n / 2;
  const Roots<long double> roots(n, host_memory());
  const Long i{0, 1};
  if (back) {
    before_.conjugates = true;
    for (Index k = 0; k < half; ++k) {
      const Long turned = product(i, std::conj(roots(k)));
      before_.first.push_back({k, rounded<T>(1.L + turned)});
      before_.second.push_back({half - k, rounded<T>(1.L - turned)});
    }
    for (Index j = 0; j < n; ++j) {
      behind_.first.push_back({j / 2, j % 2 == 0 ? Number{1} : Number{0, -1}});
    }
    return;
  }
  for (Index j = 0; j < half; ++j) {
    before_.first.push_back({2 * j, Number{1}});
    before_.second.push_back({2 * j + 1, Number{0, 1}});
  }
  behind_.conjugates = true;
  for (Index k = 0; k < frequencies; ++k) {
    const Long turned = product(i, roots(k));
    behind_.first.push_back({k % half, rounded<T>(0.5L * (1.L - turned))});
    behind_.second.push_back({(half - k) % half, rounded<T>(0.5L * (1.L + turned))});
  }
}

template <class T>
void AnyLines<T>::make_trigonometric(Vectors vectors) {
  const Index n = batch_.length;
  const bool sine = is_sine(batch_.kind);
  const int type = type_of(batch_.kind);
  const int number = static_cast<int>(batch_.kind) - static_cast<int>(LineKind::cosine_1);
  add_inner(trigonometric_points(number, n), -1, vectors);
  const Roots<long double> roots(8 * n, host_memory());
  // exp(-i pi e / 4n)
  const auto root = [&](Index e) { return rounded<T>(roots(e)); };
  const auto sum = [](Sums& sums, const Term& first, const Term& second) {
    sums.first.push_back(first);
    sums.second.push_back(second);
  };
  const Number one{1};
  switch (type) {
    case 1:
      for (Index j = 0; j < points_; ++j) {
        const Index below = points_ - j;
        if (!sine) {
          before_.first.push_back({std::min(j, below), one});
        } else if (j % (n + 1) == 0) {
          before_.first.push_back({0, Number{}});
        } else {
          before_.first.push_back({std::min(j, below) - 1, j < below ? one : -one});
        }
      }
      for (Index k = 0; k < n; ++k) {
        behind_.first.push_back(sine ? Term{k + 1, Number{0, 1}} : Term{k, one});
      }
      return;
    case 2:
      for (Index j = 0; j < n; ++j) {
        before_.first.push_back({2 * j < n ? 2 * j : 2 * (n - 1 - j) + 1, one});
      }
      for (Index k = 0; k < n; ++k) {
        sum(behind_, {k, root(2 * k)}, {(n - k) % n, std::conj(root(2 * k))});
      }
      break;
    case 3:
      for (Index j = 0; j < n; ++j) {
        sum(before_, {j, root(2 * j)},
            {(n - j) % n, j == 0 ? Number{} : product(Number{0, 1}, root(2 * j))});
      }
      for (Index k = 0; k < n; ++k)
        behind_.first.push_back({k % 2 == 0 ? k / 2 : n - 1 - k / 2, one});
      break;
    default:
      for (Index j = 0; j < n; ++j) before_.first.push_back({j, root(2 * j)});
      for (Index k = 0; k < n; ++k) {
        sum(behind_, {k, root(2 * k + 1)}, {2 * n - 1 - k, std::conj(root(2 * k + 1))});
      }
  }
  if (!sine) return;
  // Sines are cosines of a line with alternating signs, whose frequencies are in reverse, and the
  // other way round.
  const auto alternate = [](std::vector<Term>& terms, auto index) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (index(i) % 2 != 0) terms[i].factor = -terms[i].factor;
    }
  };
  if (type == 2) {
    alternate(before_.first, [&](std::size_t i) { return before_.first[i].at; });
    std::reverse(behind_.first.begin(), behind_.first.end());
    std::reverse(behind_.second.begin(), behind_.second.end());
    return;
  }
  for (std::vector<Term>* const terms : {&before_.first, &before_.second}) {
    for (Term& term : *terms) term.at = n - 1 - term.at;
  }
  const auto place = [](std::size_t i) { return static_cast<Index>(i); };
  alternate(behind_.first, place);
  alternate(behind_.second, place);
}

template <class T>
void AnyLines<T>::run(const Number* from, Number* to, Number* scratch) const {
  if (kernel_) return kernel_->run(from, to, scratch);
  if (roots_) return run_matrix(from, to, scratch);
  const auto* const reals = reinterpret_cast<const T*>(from);
  switch (batch_.numbers) {
    case Numbers::complex:
      return run_sums(from, to, scratch);
    case Numbers::from_real:
      return run_sums(reals, to, scratch);
    case Numbers::to_real:
      return run_sums(from, reinterpret_cast<T*>(to), scratch);
    case Numbers::real:
      return run_sums(reals, reinterpret_cast<T*>(to), scratch);
  }
}

template <class T>
void AnyLines<T>::run_matrix(const Number* from, Number* to, Number* scratch) const {
  const AnyLines& columns = inner_.front();
  const Index n1 = columns.batch_.length;
  const Index n2 = columns.batch_.lines;
  Number* const rest = scratch + whole_lines(batch_.length * static_cast<Index>(sizeof(Number))) /
                                     static_cast<Index>(sizeof(Number));
  for (Index line = 0; line < batch_.lines; ++line) {
    columns.run(from + line * batch_.from.line, scratch, rest);
    for (Index k = 1; k < n1; ++k) {
      Number* const row = scratch + k * n2;
      for (Index j = 1; j < n2; ++j) {
        const Number root = (*roots_)(k * j);
        row[j] = product(row[j], conjugates_roots_ ? std::conj(root) : root);
      }
    }
    inner_.back().run(scratch, to + line * batch_.to.line, rest);
  }
}

template <class T>
template <class From, class To>
void AnyLines<T>::run_sums(const From* from, To* to, Number* scratch) const {
  const Index width = together_;
  constexpr auto number_bytes = static_cast<Index>(sizeof(Number));
  Number* const rest = scratch + whole_lines(points_ * width * number_bytes) / number_bytes;
  for (Index line = 0; line < batch_.lines; line += width) {
    const Index count = std::min(width, batch_.lines - line);
    std::fill_n(scratch, points_ * width, Number{});
    sum_up<From, Number>(before_, {from + line * batch_.from.line, batch_.from},
                         {scratch, {width, 1}}, count);
    if (!inner_.empty()) inner_.front().run(scratch, scratch, rest);
    if (!filter_.empty()) {
      for (Index i = 0; i < points_; ++i) {
        const Number factor = filter_[static_cast<std::size_t>(i)];
        Number* const z = scratch + i * width;
        for (Index l = 0; l < width; ++l) z[l] = product(z[l], factor);
      }
      inner_.back().run(scratch, scratch, rest);
    }
    sum_up<Number, To>(behind_, {scratch, {width, 1}}, {to + line * batch_.to.line, batch_.to},
                       count);
  }
}

template <class T>
template <class From, class To>
void AnyLines<T>::sum_up(const Sums& sums, const Side<const From>& from, const Side<To>& to,
                         Index lines) const {
  const auto store = [](To& result, const Number& value) {
    if constexpr (std::is_same_v<To, T>) {
      result = value.real();
    } else {
      result = value;
    }
  };
  // What would make a result complex that is to be real is left out.
  const bool to_real = std::is_same_v<From, Number> && batch_.numbers == Numbers::to_real;
  const auto is_real = [&](Index at) {
    return &sums == &before_ && to_real && (at == 0 || 2 * at == batch_.length);
  };
  for (std::size_t i = 0; i < sums.first.size(); ++i) {
    const Term& first = sums.first[i];
    const From* const x = from.data + first.at * from.strides.element;
    To* const out = to.data + static_cast<Index>(i) * to.strides.element;
    const bool x_is_real = is_real(first.at);
    if (sums.second.empty()) {
      for (Index l = 0; l < lines; ++l) {
        store(out[l * to.strides.line],
              times(part_of(x[l * from.strides.line], x_is_real, false), first.factor));
      }
      continue;
    }
    const Term& second = sums.second[i];
    const From* const y = from.data + second.at * from.strides.element;
    const bool y_is_real = is_real(second.at);
    for (Index l = 0; l < lines; ++l) {
      store(
          out[l * to.strides.line],
          times(part_of(x[l * from.strides.line], x_is_real, false), first.factor) +
              times(part_of(y[l * from.strides.line], y_is_real, sums.conjugates), second.factor));
    }
  }
}

template <class T>
Index lines_scratch(const Batch& batch) {
  constexpr auto number_bytes = static_cast<Index>(sizeof(std::complex<T>));
  const bool complex = batch.numbers == Numbers::complex;
  if (kernel_takes(batch)) {
    return complex ? kernel_scratch(batch.length) : real_kernel_scratch(batch.length / 2);
  }
  if (batch.kind != LineKind::fourier) {
    const int kind = static_cast<int>(batch.kind) - static_cast<int>(LineKind::cosine_1);
    return combined_lines_scratch(trigonometric_points(kind, batch.length), batch.lines,
                                  number_bytes);
  }
  if (!complex) {
    return combined_lines_scratch(real_points(batch.length), batch.lines, number_bytes);
  }
  return complex_lines_scratch(batch.length, batch.lines, number_bytes);
}

template class AnyLines<float>;
template class AnyLines<double>;
template Index lines_scratch<float>(const Batch& batch);
template Index lines_scratch<double>(const Batch& batch);

}  // namespace kallima::fft
