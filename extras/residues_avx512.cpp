// SPDX-License-Identifier: BSD-3-Clause
//
// Eight residues at a time. The only file that is compiled for AVX-512: what it calls of others
// must not be a function that other files may share, hence everything here is local to it.
#include "extras/residues.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>

#if defined(__GNUC__) && !defined(__clang__)
// GCC's own header leaves a vector undefined on purpose, and GCC 12 warns of it (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

namespace kallima::extras {

namespace {

struct EightLanes {
  /// A type of our own: attributes of the compiler's are lost where it is an argument of a
  /// template.
  struct Vector {
    __m512i of;
  };
  static constexpr Index lanes = 8;
  static constexpr bool turns = true;

  static __mmask8 first(Index count) { return static_cast<__mmask8>((1U << count) - 1U); }
  static Vector load(const Residue* from, Index count) {
    if (count == lanes) return {_mm512_loadu_si512(from)};
    return {_mm512_maskz_loadu_epi64(first(count), from)};
  }
  static void store(Residue* to, Vector value, Index count) {
    if (count == lanes) return _mm512_storeu_si512(to, value.of);
    _mm512_mask_storeu_epi64(to, first(count), value.of);
  }
  static Vector all(Residue value) { return {each(value)}; }
  static Vector sub(Vector a, Vector b) { return {difference(a.of, b.of)}; }
  static Vector add(Vector a, Vector b) {
    return {difference(a.of, _mm512_sub_epi64(each(solinas_prime), b.of))};
  }
  static Vector turn(Vector a, Vector b) { return {product(a.of, b.of)}; }

 private:
  static constexpr Residue low_half = 0xFFFFFFFF;

  static __m512i each(Residue value) {
    return _mm512_set1_epi64(static_cast<long long>(value));  // NOLINT(google-runtime-int)
  }
  static __m512i difference(__m512i a, __m512i b) {
    const __m512i result = _mm512_sub_epi64(a, b);
    return _mm512_mask_add_epi64(result, _mm512_cmplt_epu64_mask(a, b), result,
                                 each(solinas_prime));
  }
  /// As one lane does it, with the product made of four of half the width.
  static __m512i product(__m512i a, __m512i b) {
    const __m512i half = each(low_half);
    const __m512i a_upper = _mm512_srli_epi64(a, 32);
    const __m512i b_upper = _mm512_srli_epi64(b, 32);
    const __m512i lows = _mm512_mul_epu32(a, b);
    const __m512i across =
        _mm512_add_epi64(_mm512_mul_epu32(a_upper, b), _mm512_srli_epi64(lows, 32));
    const __m512i back =
        _mm512_add_epi64(_mm512_mul_epu32(a, b_upper), _mm512_and_si512(across, half));
    const __m512i upper = _mm512_add_epi64(
        _mm512_add_epi64(_mm512_mul_epu32(a_upper, b_upper), _mm512_srli_epi64(across, 32)),
        _mm512_srli_epi64(back, 32));
    const __m512i low = _mm512_or_si512(_mm512_slli_epi64(back, 32), _mm512_and_si512(lows, half));
    const __m512i top = _mm512_srli_epi64(upper, 32);
    __m512i rest = _mm512_sub_epi64(low, top);
    rest = _mm512_mask_sub_epi64(rest, _mm512_cmplt_epu64_mask(low, top), rest, half);
    const __m512i middle = _mm512_mul_epu32(upper, half);
    __m512i sum = _mm512_add_epi64(rest, middle);
    sum = _mm512_mask_add_epi64(sum, _mm512_cmplt_epu64_mask(sum, middle), sum, half);
    const __m512i prime = each(solinas_prime);
    return _mm512_mask_sub_epi64(sum, _mm512_cmpge_epu64_mask(sum, prime), sum, prime);
  }
};

template <class Factor>
void multiply_by(Residue* data, Index count, Factor factor) {
  for (Index i = 0; i < count; i += EightLanes::lanes) {
    const Index here = some<EightLanes>(count - i);
    EightLanes::store(data + i, EightLanes::turn(EightLanes::load(data + i, here), factor(i, here)),
                      here);
  }
}

void multiply(const Field& /*field*/, Residue* data, const Residue* factors, Index count) {
  multiply_by(data, count,
              [=](Index i, Index here) { return EightLanes::load(factors + i, here); });
}

void scale(const Field& /*field*/, Residue* data, Residue factor, Index count) {
  const EightLanes::Vector all = EightLanes::all(factor);
  multiply_by(data, count, [=](Index, Index) { return all; });
}

void stages(const Field& /*field*/, Residue* data, const Interleaved& lines, const Residue* table) {
  all_stages(EightLanes(), data, lines.length, 1, lines, table);
}

}  // namespace

WideResidues wide_residues() {
  if (__builtin_cpu_supports("avx512f") == 0) return {};
  return {true, multiply, scale, stages};
}

}  // namespace kallima::extras

#else

namespace kallima::extras {

WideResidues wide_residues() { return {}; }

}  // namespace kallima::extras

#endif
