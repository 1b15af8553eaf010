// SPDX-License-Identifier: BSD-3-Clause
//
// The passes for one set of vector instructions and one precision, KALLIMA_REAL. Included once for
// each by foreach_target.h, so it has no guard of the usual kind.
#if defined(KALLIMA_LINE_PASSES) == defined(HWY_TARGET_TOGGLE)
#ifdef KALLIMA_LINE_PASSES
#undef KALLIMA_LINE_PASSES
#else
#define KALLIMA_LINE_PASSES
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstdint>
#include <numeric>
#include <utility>

#include "base/line_kernel.hpp"
#include "fft/line_passes.hpp"
#include "fft/unit_root.hpp"

// Without vector instructions there are no kernels.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace kallima::fft {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#define KALLIMA_INLINE HWY_ATTR __attribute__((always_inline))

/// Calls body(integral_constant) for 0 .. N-1, so that arrays of registers stay in registers.
template <class Body, int... I>
HWY_INLINE void each_of(Body& body, std::integer_sequence<int, I...> /*numbers*/) {
  (body(std::integral_constant<int, I>()), ...);
}
template <int N, class Body>
HWY_INLINE void each(Body body) {
  each_of(body, std::make_integer_sequence<int, N>());
}

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Tag<T>>;

/// Reals of a vector, complex numbers of it, and vectors of a cache line.
template <class T>
inline constexpr Index vector_reals = static_cast<Index>(hn::MaxLanes(Tag<T>()));
template <class T>
inline constexpr Index vector_numbers = vector_reals<T> / 2;
template <class T>
inline constexpr Index line_vectors = line_numbers<T> / vector_numbers<T>;
template <class T>
inline constexpr Index line_reals = 2 * line_numbers<T>;
inline constexpr Index line_bytes = 64;

/// Where part `part` of a cache line that many bytes from an address begins.
template <class T>
HWY_INLINE const T* part_of(const char* line, Index part) {
  return reinterpret_cast<const T*>(line) + part * vector_reals<T>;
}
template <class T>
HWY_INLINE T* part_of(char* line, Index part) {
  return reinterpret_cast<T*>(line) + part * vector_reals<T>;
}

/// Multiplies by -i where the sign is -1 and by i where it is 1. Fused into a sum it costs a
/// shuffle.
template <class T>
class Rotation {
 public:
  explicit HWY_INLINE Rotation(T sign) {
    const Tag<T> d;
    by_ = hn::OddEven(hn::Set(d, sign), hn::Set(d, -sign));
  }
  static HWY_INLINE Vector<T> swapped(Vector<T> x) { return hn::Reverse2(Tag<T>(), x); }
  /// a + rotated b, a - rotated b.
  [[nodiscard]] HWY_INLINE Vector<T> sum(Vector<T> a, Vector<T> b) const {
    return hn::MulAdd(swapped(b), by_, a);
  }
  [[nodiscard]] HWY_INLINE Vector<T> difference(Vector<T> a, Vector<T> b) const {
    return hn::NegMulAdd(swapped(b), by_, a);
  }
  /// x exp(+- 2 pi i E / R).
  template <int E, int R>
  [[nodiscard]] HWY_INLINE Vector<T> times_root(Vector<T> x) const {
    const Tag<T> d;
    constexpr int e = E % R;
    if constexpr (e == 0) {
      return x;
    } else if constexpr (2 * e == R) {
      return hn::Neg(x);
    } else if constexpr (4 * e == R) {
      return hn::Mul(swapped(x), by_);
    } else if constexpr (4 * e == 3 * R) {
      return hn::Neg(hn::Mul(swapped(x), by_));
    } else {
      constexpr UnitRoot root = unit_root(e, R);
      const Vector<T> sine = hn::Mul(by_, hn::Set(d, static_cast<T>(root.sine)));
      return hn::MulAdd(swapped(x), sine, hn::Mul(x, hn::Set(d, static_cast<T>(root.cosine))));
    }
  }

 private:
  Vector<T> by_;
};

/// Of two, three, ... numbers in registers, in place and in natural order.
template <int R, class T>
HWY_INLINE void transform(const Rotation<T>& turn, Vector<T> (&x)[R]);

template <class T>
HWY_INLINE void transform_4(const Rotation<T>& turn, Vector<T>& a, Vector<T>& b, Vector<T>& c,
                            Vector<T>& d) {
  const Vector<T> even = hn::Add(a, c);
  const Vector<T> odd = hn::Sub(a, c);
  const Vector<T> others = hn::Add(b, d);
  const Vector<T> apart = hn::Sub(b, d);
  a = hn::Add(even, others);
  c = hn::Sub(even, others);
  b = turn.sum(odd, apart);
  d = turn.difference(odd, apart);
}

/// The same where c is still to be rotated.
template <class T>
HWY_INLINE void transform_4_rotated(const Rotation<T>& turn, Vector<T>& a, Vector<T>& b,
                                    Vector<T>& c, Vector<T>& d) {
  const Vector<T> even = turn.sum(a, c);
  const Vector<T> odd = turn.difference(a, c);
  const Vector<T> others = hn::Add(b, d);
  const Vector<T> apart = hn::Sub(b, d);
  a = hn::Add(even, others);
  c = hn::Sub(even, others);
  b = turn.sum(odd, apart);
  d = turn.difference(odd, apart);
}

template <class T>
HWY_INLINE void transform_8(const Rotation<T>& turn, Vector<T> (&x)[8]) {
  Vector<T> even[4] = {x[0], x[2], x[4], x[6]};
  Vector<T> odd[4] = {x[1], x[3], x[5], x[7]};
  transform_4(turn, even[0], even[1], even[2], even[3]);
  transform_4(turn, odd[0], odd[1], odd[2], odd[3]);
  odd[1] = turn.template times_root<1, 8>(odd[1]);
  odd[3] = turn.template times_root<3, 8>(odd[3]);
  each<4>([&](auto k) KALLIMA_INLINE {
    if constexpr (k == 2) {
      x[2] = turn.sum(even[2], odd[2]);
      x[6] = turn.difference(even[2], odd[2]);
    } else {
      x[k] = hn::Add(even[k], odd[k]);
      x[k + 4] = hn::Sub(even[k], odd[k]);
    }
  });
}

template <class T>
HWY_INLINE void transform_16(const Rotation<T>& turn, Vector<T> (&x)[16]) {
  each<4>([&](auto j) KALLIMA_INLINE { transform_4(turn, x[j], x[j + 4], x[j + 8], x[j + 12]); });
  // x[j + 4 k] is the k-th of column j.
  each<4>([&](auto k) KALLIMA_INLINE {
    each<4>([&](auto j) KALLIMA_INLINE {
      constexpr int e = j * k;
      if constexpr (e != 4) x[j + 4 * k] = turn.template times_root<e, 16>(x[j + 4 * k]);
    });
    if constexpr (k == 2) {
      transform_4_rotated(turn, x[8], x[9], x[10], x[11]);
    } else {
      transform_4(turn, x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]);
    }
  });
  // What is at 4 k + m is result k + 4 m.
  each<4>([&](auto k) KALLIMA_INLINE {
    each<4>([&](auto m) KALLIMA_INLINE {
      if constexpr (m > k) {
        const Vector<T> other = x[4 * k + m];
        x[4 * k + m] = x[4 * m + k];
        x[4 * m + k] = other;
      }
    });
  });
}

/// R odd and prime: sums and differences of x_k and x_{R-k} meet cosines and sines.
template <int R, class T>
HWY_INLINE void transform_prime(const Rotation<T>& turn, Vector<T> (&x)[R]) {
  const Tag<T> d;
  constexpr int half = (R - 1) / 2;
  Vector<T> sums[half];
  Vector<T> differences[half];
  each<half>([&](auto k) KALLIMA_INLINE {
    sums[k] = hn::Add(x[k + 1], x[R - 1 - k]);
    differences[k] = hn::Sub(x[k + 1], x[R - 1 - k]);
  });
  const Vector<T> first = x[0];
  each<half>([&](auto k) KALLIMA_INLINE { x[0] = hn::Add(x[0], sums[k]); });
  each<half>([&](auto number) KALLIMA_INLINE {
    constexpr int m = number;
    Vector<T> even = first;
    Vector<T> odd = hn::Zero(d);
    each<half>([&](auto k) KALLIMA_INLINE {
      constexpr UnitRoot root = unit_root((m + 1) * (k + 1) % R, R);
      const Vector<T> cosine = hn::Set(d, static_cast<T>(root.cosine));
      const Vector<T> sine = hn::Set(d, static_cast<T>(root.sine));
      even = hn::MulAdd(sums[k], cosine, even);
      odd = k == 0 ? hn::Mul(differences[k], sine) : hn::MulAdd(differences[k], sine, odd);
    });
    x[m + 1] = turn.sum(even, odd);
    x[R - 1 - m] = turn.difference(even, odd);
  });
}

/// The first factor of a short transform's length; the length itself for primes.
constexpr int factor_of(int r) {
  if (r == 12) return 4;
  for (int f = 2; f * f <= r; ++f) {
    if (r % f == 0) return f;
  }
  return r;
}

/// The number below a b that leaves q when divided by a, and m by b.
constexpr int number_with(int q, int a, int m, int b) {
  int k = q;
  while (k % b != m) k += a;
  return k;
}

template <int R, class T>
HWY_INLINE void transform(const Rotation<T>& turn, Vector<T> (&x)[R]) {
  constexpr int a = factor_of(R);
  if constexpr (R == 2) {
    const Vector<T> second = hn::Sub(x[0], x[1]);
    x[0] = hn::Add(x[0], x[1]);
    x[1] = second;
  } else if constexpr (R == 4) {
    transform_4(turn, x[0], x[1], x[2], x[3]);
  } else if constexpr (R == 8) {
    transform_8(turn, x);
  } else if constexpr (R == 16) {
    transform_16(turn, x);
  } else if constexpr (a == R) {
    transform_prime<R>(turn, x);
  } else {
    // Cooley and Tukey 1965: columns of a, roots, rows of b. Where these have no common factor,
    // another order of elements and results leaves no roots (Good 1958).
    constexpr int b = R / a;
    constexpr bool coprime = std::gcd(a, b) == 1;
    Vector<T> y[R];
    each<b>([&](auto number) KALLIMA_INLINE {
      constexpr int j = number;
      Vector<T> column[a];
      each<a>([&](auto k)
                  KALLIMA_INLINE { column[k] = x[coprime ? (a * j + b * k) % R : j + b * k]; });
      transform<a>(turn, column);
      each<a>([&](auto q) KALLIMA_INLINE {
        y[b * q + j] = turn.template times_root < coprime ? 0 : j * q, R > (column[q]);
      });
    });
    each<a>([&](auto q) KALLIMA_INLINE {
      Vector<T> row[b];
      each<b>([&](auto j) KALLIMA_INLINE { row[j] = y[b * q + j]; });
      transform<b>(turn, row);
      each<b>([&](auto m)
                  KALLIMA_INLINE { x[coprime ? number_with(q, a, m, b) : q + a * m] = row[m]; });
    });
  }
}

/// Reals of a root of unity in a table: 16 bytes of real parts, 16 of imaginary ones.
template <class T>
inline constexpr Index root_reals = 32 / static_cast<Index>(sizeof(T));

/// x times roots: the imaginary parts have signs.
template <class T>
HWY_INLINE Vector<T> times(Vector<T> x, Vector<T> real, Vector<T> imag) {
  return hn::MulAdd(x, real, hn::Mul(Rotation<T>::swapped(x), imag));
}

/// x times a root that is the same for all its numbers. The same bits as times(): where there are
/// instructions for it, a processor reads both parts as operands.
template <class T>
HWY_INLINE Vector<T> times_one(Vector<T> x, const T* root) {
  const Tag<T> d;
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  const auto real = hn::Set(d, root[0]);
  const auto turned = hn::Mul(Rotation<T>::swapped(x), hn::Set(d, root[root_reals<T> - 1]));
  if constexpr (vector_reals<T> * sizeof(T) == 32) {
    if constexpr (sizeof(T) == 8) {
      return Vector<T>{_mm256_fmaddsub_pd(x.raw, real.raw, turned.raw)};
    } else {
      return Vector<T>{_mm256_fmaddsub_ps(x.raw, real.raw, turned.raw)};
    }
  } else {
#if HWY_TARGET <= HWY_AVX3
    if constexpr (sizeof(T) == 8) {
      return Vector<T>{_mm512_fmaddsub_pd(x.raw, real.raw, turned.raw)};
    } else {
      return Vector<T>{_mm512_fmaddsub_ps(x.raw, real.raw, turned.raw)};
    }
#endif
  }
#else
  return times<T>(x, hn::LoadDup128(d, root), hn::LoadDup128(d, root + root_reals<T> / 2));
#endif
}

/// x[q] to element j of row q, times its root.
template <int R, class T>
HWY_INLINE void leave_rows(const Vector<T> (&x)[R], const T* roots, char* to, Index row,
                           Index part) {
  const Tag<T> d;
  hn::Store(x[0], d, part_of<T>(to, part));
  each<R>([&](auto q) KALLIMA_INLINE {
    if constexpr (q > 0) {
      hn::Store(times_one<T>(x[q], roots + (q - 1) * root_reals<T>), d,
                part_of<T>(to + q * row * line_bytes, part));
    }
  });
}

template <int R, Index short_row, class T>
void first_pass(const char* from, const Index* HWY_RESTRICT offsets, Index lines, Index rest,
                Index row, const T* HWY_RESTRICT roots, T sign, char* scratch, Index block) {
  const Tag<T> d;
  const Rotation<T> turn(sign);
  if constexpr (short_row > 0) row = short_row;
  for (Index j = 0; j < rest; ++j, offsets += R, scratch += line_bytes) {
    for (Index line = 0; line < lines; ++line) {
      const char* const source = from + line * line_bytes;
      char* const to = scratch + line * block;
      each<static_cast<int>(line_vectors<T>)>([&](auto part) KALLIMA_INLINE {
        Vector<T> x[R];
        each<R>([&](auto k)
                    KALLIMA_INLINE { x[k] = hn::LoadU(d, part_of<T>(source + offsets[k], part)); });
        transform<R>(turn, x);
        leave_rows<R>(x, roots, to, row, part);
      });
    }
    roots += (R - 1) * root_reals<T>;
  }
}

template <int R, class T>
void middle_pass(Index lines, Index rest, const T* HWY_RESTRICT roots, T sign, char* scratch,
                 Index block) {
  const Tag<T> d;
  const Rotation<T> turn(sign);
  for (Index j = 0; j < rest; ++j, scratch += line_bytes) {
    for (Index line = 0; line < lines; ++line) {
      char* const place = scratch + line * block;
      each<static_cast<int>(line_vectors<T>)>([&](auto part) KALLIMA_INLINE {
        Vector<T> x[R];
        each<R>([&](auto k) KALLIMA_INLINE {
          x[k] = hn::Load(d, part_of<T>(place + rest * k * line_bytes, part));
        });
        transform<R>(turn, x);
        leave_rows<R>(x, roots, place, rest, part);
      });
    }
    roots += (R - 1) * root_reals<T>;
  }
}

/// Past the caches only whole cache lines may go: a part of one would be read first.
template <int R, bool streams, class T>
void last_pass(const char* scratch, Index lines, Index block, Index row, Index rows, char* to,
               const Index* HWY_RESTRICT offsets, T factor, T sign, const char* next,
               const Index* HWY_RESTRICT next_offsets) {
  const Tag<T> d;
  const Rotation<T> turn(sign);
  const auto by = hn::Set(d, factor);
  constexpr auto vectors = static_cast<int>(line_vectors<T>);
  constexpr bool together = streams && vectors > 1;  // parts are written at once
  for (Index i = 0; i < rows; ++i, scratch += row * line_bytes, offsets += R) {
    for (Index line = 0; line < lines; ++line) {
      const char* const from = scratch + line * block;
      char* const target = to + line * line_bytes;
      HWY_ALIGN T whole[together ? R * line_reals<T> : 1];
      each<vectors>([&](auto part) KALLIMA_INLINE {
        Vector<T> x[R];
        each<R>([&](auto k) KALLIMA_INLINE {
          x[k] = hn::Load(d, part_of<T>(from + k * line_bytes, part));
        });
        transform<R>(turn, x);
        if (factor != T{1}) each<R>([&](auto k) KALLIMA_INLINE { x[k] = hn::Mul(x[k], by); });
        each<R>([&](auto k) KALLIMA_INLINE {
          if constexpr (together) {
            hn::Store(x[k], d, &whole[k * line_reals<T> + part * vector_reals<T>]);
          } else if constexpr (streams) {
            hn::Stream(x[k], d, part_of<T>(target + offsets[k], part));
          } else {
            hn::StoreU(x[k], d, part_of<T>(target + offsets[k], part));
          }
        });
      });
      if constexpr (together) {
        for (Index k = 0; k < R; ++k) {
          each<vectors>([&](auto part) KALLIMA_INLINE {
            hn::Stream(hn::Load(d, &whole[k * line_reals<T> + part * vector_reals<T>]), d,
                       part_of<T>(target + offsets[k], part));
          });
        }
      }
    }
    if (next != nullptr) {
      for (Index line = 0; line < lines; ++line) {
        each<R>([&](auto k)
                    KALLIMA_INLINE { hwy::Prefetch(next + next_offsets[k] + line * line_bytes); });
      }
      next_offsets += R;
    }
  }
}

template <class T>
void take(const char* from, const Index* HWY_RESTRICT offsets, Index lines, Index length,
          char* scratch, Index block) {
  const Tag<T> d;
  for (Index i = 0; i < length; ++i, scratch += line_bytes) {
    for (Index line = 0; line < lines; ++line) {
      each<static_cast<int>(line_vectors<T>)>([&](auto part) KALLIMA_INLINE {
        hn::Store(hn::LoadU(d, part_of<T>(from + offsets[i] + line * line_bytes, part)), d,
                  part_of<T>(scratch + line * block, part));
      });
    }
  }
}

/// Exchanges runs of `size` numbers: odd runs of a with even runs of b.
template <int size, class T>
HWY_INLINE void exchange(Vector<T>& a, Vector<T>& b) {
  const Tag<T> d;
  constexpr Index bytes = size * 2 * static_cast<Index>(sizeof(T));
  Vector<T> low = a;
  Vector<T> high = b;
  if constexpr (bytes == 8) {
    const hn::Repartition<double, Tag<T>> wide;
    const auto x = hn::BitCast(wide, a);
    const auto y = hn::BitCast(wide, b);
    low = hn::BitCast(d, hn::InterleaveLower(wide, x, y));
    high = hn::BitCast(d, hn::InterleaveUpper(wide, x, y));
  } else if constexpr (2 * size == vector_numbers<T>) {
    low = hn::ConcatLowerLower(d, b, a);
    high = hn::ConcatUpperUpper(d, b, a);
  } else {
    static_assert(bytes == 16);
    low = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
    high = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
  }
  a = low;
  b = high;
}

/// A square of numbers, turned over in registers: rows become columns.
template <int size, class T, std::size_t N>
HWY_INLINE void turn_over(Vector<T> (&rows)[N]) {
  if constexpr (size < static_cast<int>(N)) {
    each<static_cast<int>(N)>([&](auto i) KALLIMA_INLINE {
      if constexpr ((i & size) == 0) exchange<size, T>(rows[i], rows[i + size]);
    });
    turn_over<2 * size, T>(rows);
  }
}

template <int R, class T>
void along_pass(const char* HWY_RESTRICT from, Index rest, Index row, const T* HWY_RESTRICT roots,
                T sign, char* HWY_RESTRICT scratch, Index ahead) {
  const Tag<T> d;
  const Rotation<T> turn(sign);
  constexpr Index lanes = line_numbers<T>;
  constexpr int numbers = static_cast<int>(vector_numbers<T>);
  constexpr auto number_bytes = static_cast<Index>(sizeof(std::complex<T>));
  for (Index begin = 0; begin < rest; begin += lanes) {
    // The last ones may begin inside of those before them, and do the same once more.
    const Index j = begin + lanes <= rest ? begin : rest - lanes;
    const char* const at_j = from + j * number_bytes;
    for (Index part = 0; part < line_vectors<T>; ++part) {
      Vector<T> x[R];
      each<R>([&](auto k) KALLIMA_INLINE {
        x[k] = hn::LoadU(d, part_of<T>(at_j + rest * k * number_bytes, part));
      });
      transform<R>(turn, x);
      each<R>([&](auto q) KALLIMA_INLINE {
        if constexpr (q > 0) {
          const T* const root = roots + (q - 1) * 2 * line_reals<T> + part * vector_reals<T>;
          x[q] = times<T>(x[q], hn::LoadU(d, root), hn::LoadU(d, root + line_reals<T>));
        }
      });
      each<R / numbers>([&](auto quad) KALLIMA_INLINE {
        Vector<T> square[numbers];
        each<numbers>([&](auto i) KALLIMA_INLINE { square[i] = x[numbers * quad + i]; });
        turn_over<1, T>(square);
        constexpr int q = numbers * quad;
        each<numbers>([&](auto i) KALLIMA_INLINE {
          const Index place = q / lanes * row + j + part * numbers + i;
          hn::Store(square[i], d, part_of<T>(scratch + place * line_bytes, q % lanes / numbers));
        });
      });
    }
    // A few at a time, as there are few buffers for what is being fetched.
    each<R>([&](auto k) KALLIMA_INLINE {
      __builtin_prefetch(at_j + rest * k * number_bytes + ahead, 0, 2);
    });
    roots += (R - 1) * 2 * line_reals<T>;
  }
}

/// A square of numbers from rows `from_row` apart to rows `to_row` apart, turned over.
template <bool streams, class T>
HWY_INLINE void turn_square(const char* from, Index from_row, char* to, Index to_row) {
  const Tag<T> d;
  constexpr int numbers = static_cast<int>(vector_numbers<T>);
  Vector<T> rows[numbers];
  each<numbers>([&](auto i)
                    KALLIMA_INLINE { rows[i] = hn::LoadU(d, part_of<T>(from + i * from_row, 0)); });
  turn_over<1, T>(rows);
  each<numbers>([&](auto i) KALLIMA_INLINE {
    if constexpr (streams) {
      hn::Stream(rows[i], d, part_of<T>(to + i * to_row, 0));
    } else {
      hn::StoreU(rows[i], d, part_of<T>(to + i * to_row, 0));
    }
  });
}

/// Elements of lines `line` bytes apart to groups `element` bytes apart, or back.
template <bool in, bool streams, class T>
HWY_INLINE void turn_lines(const char* HWY_RESTRICT from, char* HWY_RESTRICT to, Index line,
                           Index lanes, Index element, Index length) {
  constexpr Index numbers = vector_numbers<T>;
  constexpr auto number_bytes = static_cast<Index>(sizeof(std::complex<T>));
  Index i = 0;
  for (; i + numbers <= length; i += numbers) {
    for (Index l = 0; l < lanes; l += numbers) {
      const Index in_lines = l * line + i * number_bytes;
      const Index in_groups = i * element + l * number_bytes;
      if constexpr (in) {
        turn_square<streams, T>(from + in_lines, line, to + in_groups, element);
      } else {
        turn_square<streams, T>(from + in_groups, element, to + in_lines, line);
      }
    }
  }
  for (; i < length; ++i) {
    for (Index l = 0; l < lanes; ++l) {
      const Index in_lines = l * line + i * number_bytes;
      const Index in_groups = i * element + l * number_bytes;
      const auto* const number =
          reinterpret_cast<const std::complex<T>*>(from + (in ? in_lines : in_groups));
      *reinterpret_cast<std::complex<T>*>(to + (in ? in_groups : in_lines)) = *number;
    }
  }
}

template <class T>
void turn_in(const char* from, Index line, Index group, Index length, char* to) {
  const Index lanes = group / static_cast<Index>(sizeof(std::complex<T>));
  turn_lines<true, false, T>(from, to, line, lanes, group, length);
}

template <class T>
void turn_out(const char* from, Index element, Index group, Index length, char* to, Index line,
              bool streams) {
  constexpr auto number_bytes = static_cast<Index>(sizeof(std::complex<T>));
  constexpr Index whole = line_numbers<T>;
  const Index lanes = group / number_bytes;
  const bool aligned = reinterpret_cast<std::uintptr_t>(to) % 64 == 0 && line % 64 == 0;
  const Index past = streams && aligned ? length / whole * whole : 0;
  turn_lines<false, true, T>(from, to, line, lanes, element, past);
  turn_lines<false, false, T>(from + past * element, to + past * number_bytes, line, lanes, element,
                              length - past);
}

/// A root that differs from number to number: real parts, and imaginary ones with signs.
template <class T>
struct Root {
  Vector<T> real, imag;
};

/// Of a table with a group of so many reals for each of both.
template <class T>
HWY_INLINE Root<T> root_at(const T* table, Index reals, Index number, Index part) {
  const Tag<T> d;
  const T* const at = table + 2 * number * reals + part * vector_reals<T>;
  return {hn::Load(d, at), hn::Load(d, at + reals)};
}

template <class T>
HWY_INLINE Root<T> operator*(const Root<T>& a, const Root<T>& b) {
  return {hn::NegMulAdd(a.imag, b.imag, hn::Mul(a.real, b.real)),
          hn::MulAdd(a.real, b.imag, hn::Mul(a.imag, b.real))};
}

template <bool streams, class T>
HWY_INLINE void multiply_by(const char* from, const Index* from_offsets, Index group, char* to,
                            const Index* offsets, Index length, const T* fine, const T* coarse) {
  const Tag<T> d;
  const Index reals = group / static_cast<Index>(sizeof(T));
  for (Index begin = 0; begin < length; begin += fine_roots) {
    const Index count = HWY_MIN(fine_roots, length - begin);
    for (Index i = 0; i < count; ++i) {
      const T* const source = part_of<T>(from + from_offsets[begin + i], 0);
      T* const target = part_of<T>(to + offsets[begin + i], 0);
      for (Index part = 0; part < reals / vector_reals<T>; ++part) {
        const Root<T> root =
            root_at<T>(fine, reals, i, part) * root_at<T>(coarse, reals, begin / fine_roots, part);
        const Vector<T> product =
            times<T>(hn::LoadU(d, source + part * vector_reals<T>), root.real, root.imag);
        if constexpr (streams) {
          hn::Stream(product, d, target + part * vector_reals<T>);
        } else {
          hn::StoreU(product, d, target + part * vector_reals<T>);
        }
      }
    }
  }
}

template <class T>
void multiply(const char* from, const Index* from_offsets, Index group, char* to,
              const Index* offsets, Index length, const T* fine, const T* coarse, bool streams) {
  if (streams) {
    multiply_by<true>(from, from_offsets, group, to, offsets, length, fine, coarse);
  } else {
    multiply_by<false>(from, from_offsets, group, to, offsets, length, fine, coarse);
  }
}

template <class T>
void extend(T* table, Index group, Index have, Index count, const T* by) {
  const Tag<T> d;
  const Index reals = group / static_cast<Index>(sizeof(T));
  for (Index i = have; i < count; ++i) {
    for (Index part = 0; part < reals / vector_reals<T>; ++part) {
      const Root<T> root =
          root_at<T>(table, reals, i - have, part) * root_at<T>(by, reals, 0, part);
      T* const at = table + 2 * i * reals + part * vector_reals<T>;
      hn::Store(root.real, d, at);
      hn::Store(root.imag, d, at + reals);
    }
  }
}

/// Numbers of a vector in the other order, conjugated.
template <class D>
HWY_INLINE hn::Vec<D> mirrored(D d, hn::Vec<D> x) {
  using T = hn::TFromD<D>;
  const auto sign = hn::OddEven(hn::Set(d, T{-0.}), hn::Zero(d));
  const hn::Repartition<double, D> wide;
  if constexpr (hn::MaxLanes(d) == 2) {
    return hn::Xor(x, sign);
  } else if constexpr (sizeof(T) == 4) {
    return hn::Xor(hn::BitCast(d, hn::Reverse(wide, hn::BitCast(wide, x))), sign);
  } else {
    return hn::Xor(hn::ReverseBlocks(d, x), sign);
  }
}

/// Frequencies k and pairs - k, as many from k on as a vector has numbers. With a = z[k] and b the
/// conjugate of z[pairs - k]: forward (a + b) / 2 +- root (a - b), backward a + b +- root (a - b);
/// the second is conjugated.
template <bool forward, class D>
HWY_INLINE void halve(D d, const hn::TFromD<D>* from, Index pairs, Index k,
                      const hn::TFromD<D>* roots, Index imaginary, hn::TFromD<D>* to) {
  using T = hn::TFromD<D>;
  constexpr Index numbers = static_cast<Index>(hn::MaxLanes(D())) / 2;
  const Index other = pairs - k - numbers + 1;
  const auto a = hn::LoadU(d, from + 2 * k);
  const auto b = mirrored(d, hn::LoadU(d, from + 2 * other));
  const auto apart = hn::Sub(a, b);
  auto sum = hn::Add(a, b);
  if constexpr (forward) sum = hn::Mul(sum, hn::Set(d, T{0.5}));
  const auto real = hn::LoadU(d, roots);
  const auto imag = hn::LoadU(d, roots + imaginary);
  const auto product = hn::MulAdd(hn::Reverse2(d, apart), imag, hn::Mul(apart, real));
  hn::StoreU(hn::Add(sum, product), d, to + 2 * k);
  hn::StoreU(mirrored(d, hn::Sub(sum, product)), d, to + 2 * other);
}

template <bool forward, class T>
void halves(const T* from, Index pairs, const T* HWY_RESTRICT roots, T* to) {
  const Tag<T> d;
  const hn::CappedTag<T, 2> one;
  constexpr Index lanes = line_numbers<T>;
  constexpr Index numbers = vector_numbers<T>;
  // Between 0 and `pairs`, which are real.
  const T re = from[0];
  const T im = forward ? from[1] : from[2 * pairs];
  Index k = 1;
  while (2 * k <= pairs) {
    const Index in_group = (k - 1) % lanes;
    const T* const root = roots + (k - 1 - in_group) * 4 + 2 * in_group;
    if (in_group % numbers == 0 && 2 * (k + numbers) <= pairs + 1) {
      halve<forward>(d, from, pairs, k, root, line_reals<T>, to);
      k += numbers;
    } else {
      halve<forward>(one, from, pairs, k, root, line_reals<T>, to);
      ++k;
    }
  }
  to[0] = re + im;
  if constexpr (forward) {
    to[1] = 0;
    to[2 * pairs] = re - im;
    to[2 * pairs + 1] = 0;
  } else {
    to[1] = re - im;
  }
}

template <class T, int R>
void add_radix(LinePasses<T>& passes) {
  passes.first[R] = first_pass<R, 0, T>;
  passes.first_of_two[R] = first_pass<R, short_row, T>;
  passes.middle[R] = middle_pass<R, T>;
  passes.last[R] = last_pass<R, false, T>;
  passes.streams[R] = last_pass<R, true, T>;
  if constexpr (R % line_numbers<T> == 0) passes.along[R] = along_pass<R, T>;
}

template <class T, int... R>
LinePasses<T> all_passes(std::integer_sequence<int, R...> /*radices*/) {
  LinePasses<T> passes;
  (add_radix<T, R + 2>(passes), ...);
  passes.take = take<T>;
  passes.turn_in = turn_in<T>;
  passes.turn_out = turn_out<T>;
  passes.multiply = multiply<T>;
  passes.extend = extend<T>;
  passes.split = halves<true, T>;
  passes.merge = halves<false, T>;
  return passes;
}

static const LinePasses<KALLIMA_REAL>& passes() {
  static const LinePasses<KALLIMA_REAL> all =
      all_passes<KALLIMA_REAL>(std::make_integer_sequence<int, largest_radix - 1>());
  return all;
}

}  // namespace HWY_NAMESPACE
}  // namespace kallima::fft
HWY_AFTER_NAMESPACE();
#endif
#endif
