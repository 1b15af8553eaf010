// SPDX-License-Identifier: BSD-3-Clause
//
// Multiplies two polynomials and two large integers by number-theoretic transforms over all ranks,
// and checks the products against GMP.
//
// An integer is the value of a polynomial at 2^16 whose coefficients are its digits. The product of
// two polynomials is a convolution, exact modulo the prime as long as its coefficients are below
// it: n (2^16 - 1)^2 < 2^64 - 2^32 + 1 for up to 2^32 digits. What is left is to carry. Digits lie
// in blocks, so that a carry leaves a rank once, to the next one.
//
//     mpirun -n 4 example_multiply [BITS]      of the product, 10^5 by default
#include <gmp.h>
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "kallima/ntt.hpp"

namespace {

using kallima::Index;
using Word = std::uint64_t;
using Digits = kallima::BasicArray<Word>;

constexpr int digit_bits = 16;
constexpr Word digit_mask = (Word{1} << digit_bits) - 1;

/// Digit `index` of a factor: any number, the same on every rank; the last one is not zero.
Word digit(Word factor, Index index) {
  Word x = (factor << 48) + static_cast<Word>(index) + 0x9E3779B97F4A7C15;
  for (const Word multiplier : {0xBF58476D1CE4E5B9, 0x94D049BB133111EB}) {
    x = (x ^ x >> 29) * multiplier;
  }
  return x >> 48 | 1;
}

/// Two factors of so many digits each.
struct Factors {
  Index digits = 1;

  [[nodiscard]] Index product_digits() const { return 2 * digits; }
};

/// The product of two polynomials, coefficient by coefficient; in the layout of the transform.
Digits multiplied(const kallima::Ntt& ntt, const Factors& factors) {
  auto a = ntt.make_input();
  auto a_k = ntt.make_output();
  auto b_k = ntt.make_output();
  const auto set = [&](Word factor) {
    for (auto [index, value] : a.indexed()) {
      value = index[0] < factors.digits ? digit(factor, index[0]) : 0;
    }
  };
  set(1);
  ntt.forward(a, a_k);
  set(2);
  ntt.forward(a, b_k);
  ntt.multiply(a_k, b_k);
  ntt.backward(a_k, a);
  return a;
}

/// Adds a carry to digits from the first on; returns what is carried out of the last. With `all`
/// every digit is looked at, otherwise none behind the last that the carry reaches.
Word carried(const Digits& digits, Word carry, bool all) {
  for (Word& value : digits) {
    if (carry == 0 && !all) break;
    // Stays below 2^64: for up to 2^31 digits coefficients are below 2^63, and carries far below.
    const Word sum = value + carry;
    value = sum & digit_mask;
    carry = sum >> digit_bits;
  }
  return carry;
}

/// Turns coefficients into digits below 2^16. Collective: as many rounds as a carry has ranks to go
/// through, one but for long rows of 2^16 - 1.
void carry_all(const Digits& digits, Index working, int rank) {
  const bool works = rank < working;
  const int next = works && rank + 1 < working ? rank + 1 : MPI_PROC_NULL;
  const int before = works && rank > 0 ? rank - 1 : MPI_PROC_NULL;
  Word out = works ? carried(digits, 0, true) : 0;
  for (int more = 1; more != 0;) {
    Word in = 0;
    MPI_Sendrecv(&out, 1, MPI_UINT64_T, next, 0, &in, 1, MPI_UINT64_T, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    out = carried(digits, in, false);
    const int mine = out != 0 && next != MPI_PROC_NULL ? 1 : 0;
    MPI_Allreduce(&mine, &more, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
}

/// All elements on rank 0, in order: blocks lie in the order of ranks.
std::vector<Word> gathered(const Digits& digits, Index n, int rank, int ranks) {
  std::vector<int> counts;
  std::vector<int> places;
  for (int r = 0; r < ranks; ++r) {
    places.push_back(r == 0 ? 0 : places.back() + counts.back());
    counts.push_back(static_cast<int>(digits.layout().local_size(r)));
  }
  std::vector<Word> all(rank == 0 ? static_cast<std::size_t>(n) : 0);
  MPI_Gatherv(digits.data(), static_cast<int>(digits.size()), MPI_UINT64_T, all.data(),
              counts.data(), places.data(), MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return all;
}

/// An integer of GMP.
class Integer {
 public:
  /// Whose digits these are, each of so many bits.
  Integer(const std::vector<Word>& digits, int bits) {
    mpz_init(value_);
    mpz_import(value_, digits.size(), -1, sizeof(Word), 0, 64 - static_cast<std::size_t>(bits),
               digits.data());
  }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;
  ~Integer() { mpz_clear(value_); }

  void multiply(const Integer& other) { mpz_mul(value_, value_, other.value_); }
  [[nodiscard]] bool equals(const Integer& other) const {
    return mpz_cmp(value_, other.value_) == 0;
  }
  [[nodiscard]] std::size_t bits() const { return mpz_sizeinbase(value_, 2); }

 private:
  mpz_t value_;
};

/// True where the product of both factors by GMP has these digits, of so many bits each. With 64
/// bits each digit is a coefficient, as none is that large: Kronecker's substitution.
bool is_product(const std::vector<Word>& product, const Factors& factors, int bits,
                double* seconds) {
  std::vector<Word> a;
  std::vector<Word> b;
  for (Index i = 0; i < factors.digits; ++i) {
    a.push_back(digit(1, i));
    b.push_back(digit(2, i));
  }
  Integer expected(a, bits);
  const Integer other(b, bits);
  const double begin = MPI_Wtime();
  expected.multiply(other);
  *seconds = MPI_Wtime() - begin;
  return expected.equals(Integer(product, bits));
}

int multiply(Index bits) {
  const Factors factors{std::max<Index>(1, bits / (2 * digit_bits))};
  const auto n = static_cast<Index>(std::bit_ceil(static_cast<Word>(factors.product_digits())));
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // As many ranks as a power of two says, if each has digits.
  const auto working =
      static_cast<Index>(std::bit_floor(static_cast<Word>(std::min<Index>(ranks, n))));
  kallima::NttOptions options;
  options.in = kallima::Layout::block({n}, {working});
  const kallima::Ntt ntt(MPI_COMM_WORLD, {n}, options);

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  const Digits product = multiplied(ntt, factors);
  constexpr Index most_coefficients = Index{1} << 16;  // GMP would take long for more
  std::vector<Word> coefficients;
  if (n <= most_coefficients) coefficients = gathered(product, n, ntt.rank(), ranks);
  carry_all(product, working, ntt.rank());
  MPI_Barrier(MPI_COMM_WORLD);
  const double took = MPI_Wtime() - begin;
  const std::vector<Word> digits = gathered(product, n, ntt.rank(), ranks);

  int right = 1;
  if (ntt.rank() == 0) {
    double by_gmp = 0.;
    const bool same = is_product(digits, factors, digit_bits, &by_gmp);
    std::printf("product of %zu bits, %lld digits on %lld of %d ranks: %.3f s, GMP %.3f s, %s\n",
                Integer(digits, digit_bits).bits(), static_cast<long long>(n),
                static_cast<long long>(working), ranks, took, by_gmp, same ? "equal" : "DIFFERENT");
    double ignored = 0.;
    const bool same_polynomial =
        coefficients.empty() || is_product(coefficients, factors, 64, &ignored);
    if (!coefficients.empty()) {
      std::printf("product of polynomials: %s\n", same_polynomial ? "equal" : "DIFFERENT");
    }
    right = same && same_polynomial ? 1 : 0;
  }
  MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return right == 1 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    constexpr Index usual = 100000;
    status = multiply(argc > 1 ? std::atoll(argv[1]) : usual);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  MPI_Finalize();
  return status;
}
