// SPDX-License-Identifier: BSD-3-Clause
//
// Number-theoretic and Walsh-Hadamard transforms and sorts under MPI: on 1, 2, ... of the ranks,
// for arrays of 2^1 to 2^16, by messages, by messages in chunks, and by segments; with many ranks
// each array by one of them in turn. And their errors, which are the same on all ranks.
//
//     mpirun -n 8 butterflies_test
#include <mpi.h>

#include <algorithm>
#include <array>
#include <random>

#include "comm/together.hpp"
#include "kallima/kallima.hpp"
#include "kallima/ntt.hpp"
#include "kallima/sort.hpp"
#include "kallima/walsh_hadamard.hpp"
#include "support/butterflies.hpp"

namespace kallima::test {
namespace {

using Word = std::uint64_t;

constexpr int most_bits = 16;
constexpr int few_ranks = 4;

/// What goes in and what should come out, the same on every rank.
struct Data {
  Index n = 1;
  std::vector<Word> words;
  std::vector<Word> transformed;  // modulo the first prime
  std::vector<Word> other;        // modulo another
  std::vector<double> numbers;    // whole ones: their sums are exact
  std::vector<double> walsh;      // in Paley's order
  std::vector<Word> sorted;
};

Data make_data(int bits, Word root, Word other_root) {
  Data data;
  data.n = Index{1} << bits;
  std::mt19937_64 random(static_cast<Word>(bits));
  for (Index i = 0; i < data.n; ++i) {
    data.words.push_back(random() % ntt_primes[3]);  // below all primes
    data.numbers.push_back(static_cast<double>(random() % 2001) - 1000.);
  }
  data.transformed = ntt_by_halves(data.words, root, ntt_primes[0]);
  data.other = ntt_by_halves(data.words, other_root, ntt_primes[1]);
  const std::vector<double> hadamard = hadamard_by_recursion(data.numbers);
  for (Index k = 0; k < data.n; ++k) {
    data.walsh.push_back(hadamard[static_cast<std::size_t>(hadamard_index(k, data.n))]);
  }
  data.sorted = data.words;
  std::sort(data.sorted.begin(), data.sorted.end());
  return data;
}

template <class E>
void fill(const BasicArray<E>& array, const std::vector<E>& whole) {
  for (auto [index, value] : array.indexed()) value = whole[static_cast<std::size_t>(index[0])];
}

template <class E>
bool holds(const BasicArray<E>& array, const std::vector<E>& whole) {
  bool right = true;
  for (auto [index, value] : array.indexed()) {
    right = right && value == whole[static_cast<std::size_t>(index[0])];
  }
  return right;
}

/// Forward and back; the input of a transform out of place stays as it was.
template <class Transform, class E>
void check_transform(const Transform& transform, const std::vector<E>& whole,
                     const std::vector<E>& expected, const std::string& what,
                     Complaints& complaints) {
  auto in = transform.make_input();
  auto out = transform.make_output();
  auto back = transform.make_input();
  fill(in, whole);
  transform.forward(in, out);
  complaints.expect(holds(out, expected), what + " is wrong");
  complaints.expect(holds(in, whole), what + " changes its input");
  transform.backward(out, back);
  complaints.expect(holds(back, whole), what + " back is wrong");
}

struct Decomposition {
  const char* name;
  ExchangeMethod method;
  Index chunks;
};
constexpr std::array ways = {Decomposition{"messages", ExchangeMethod::point_to_point, 1},
                             Decomposition{"chunks", ExchangeMethod::point_to_point, 4},
                             Decomposition{"segments", ExchangeMethod::shared_memory, 1}};

void check(MPI_Comm comm, const Data& data, const Decomposition& way, bool other_prime,
           Complaints& complaints) {
  const std::string by = std::string(" by ") + way.name;
  NttOptions options;
  options.method = way.method;
  options.chunks = way.chunks;
  check_transform(Ntt(comm, {data.n}, options), data.words, data.transformed, "ntt" + by,
                  complaints);
  if (other_prime) {
    NttOptions other = options;
    other.prime = ntt_primes[1];
    check_transform(Ntt(comm, {data.n}, other), data.words, data.other, "another prime" + by,
                    complaints);
  }
  check_transform(WalshHadamard(comm, {data.n}, options), data.numbers, data.walsh,
                  "walsh-hadamard" + by, complaints);
  const Sort<Word> sort(comm, data.n, options);
  auto keys = sort.make_keys();
  auto sorted = sort.make_keys();
  fill(keys, data.words);
  sort.sort(keys, sorted);
  complaints.expect(holds(sorted, data.sorted), "sort" + by + " is wrong");
  complaints.expect(holds(keys, data.words), "sort" + by + " changes its input");
  sort.sort(keys, keys);
  complaints.expect(holds(keys, data.sorted), "sort" + by + " in place is wrong");
}

/// All ranks fail alike, with this code.
void check_error(ErrorCode expected, const std::function<void()>& call, Complaints& complaints) {
  std::string text = "no error";
  try {
    call();
  } catch (const Error& error) {
    text = std::string(name_of(error.code())) + ": " + error.what();
  }
  std::array<char, 1024> root{};
  text.copy(root.data(), root.size() - 1);
  MPI_Bcast(root.data(), static_cast<int>(root.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  complaints.expect(text == root.data(), "'" + text + "' and on rank 0 '" + root.data() + "'");
  complaints.expect(text.starts_with(std::string(name_of(expected)) + ":"), text);
}

void check_errors(Together& all) {
  const bool mine = all.rank() == all.ranks() - 1;
  const auto expect = [&](const char* name, ErrorCode code, const std::function<void()>& call) {
    all.run(name, [&](Complaints& complaints) { check_error(code, call, complaints); });
  };
  expect("no power of two", ErrorCode::invalid_shape,
         [&] { const Ntt ntt(MPI_COMM_WORLD, {mine ? 12 : 16}); });
  expect("no prime", ErrorCode::invalid_option, [&] {
    NttOptions bad;
    if (mine) bad.prime = 0xFFFFFFFFFFFFFFFF;
    const Ntt ntt(MPI_COMM_WORLD, {16}, bad);
  });
  expect("no roots", ErrorCode::invalid_shape, [&] {
    NttOptions bad;
    bad.prime = 257;
    const Ntt ntt(MPI_COMM_WORLD, {512}, bad);
  });
  expect("no square root", ErrorCode::invalid_option, [&] {
    NttOptions bad;
    bad.scaling = Scaling::by_sqrt_n;
    const Ntt ntt(MPI_COMM_WORLD, {16}, bad);
  });
  if (all.ranks() > 1) {
    expect("primes that differ", ErrorCode::mismatched_arguments, [&] {
      NttOptions bad;
      bad.prime = ntt_primes[mine ? 1 : 0];
      const Ntt ntt(MPI_COMM_WORLD, {16}, bad);
    });
    expect("sizes that differ", ErrorCode::mismatched_arguments,
           [&] { const Sort<double> sort(MPI_COMM_WORLD, mine ? 32 : 16); });
  }
  expect("Walsh of 12", ErrorCode::invalid_shape,
         [&] { const WalshHadamard walsh(MPI_COMM_WORLD, {mine ? 12 : 16}); });
  expect("12 keys", ErrorCode::invalid_shape,
         [&] { const Sort<double> sort(MPI_COMM_WORLD, mine ? 12 : 16); });
  expect("keys in a layout", ErrorCode::invalid_option, [&] {
    Options bad;
    if (mine) bad.in = Layout::cyclic({16}, {1});
    const Sort<double> sort(MPI_COMM_WORLD, 16, bad);
  });
  const auto expect_refused = [&](const char* name, const Plan& plan, auto make) {
    // Through its text, as others have it.
    Options given;
    given.plan = std::make_shared<const Plan>(Plan::parse(plan.to_text()));
    expect(name, ErrorCode::invalid_option, [&] { make(given); });
  };
  const auto fourier = [](const Options& options) {
    const Transform<float> fft(MPI_COMM_WORLD, {1024}, options);
  };
  const auto walsh = [](const Options& options) {
    const WalshHadamard transform(MPI_COMM_WORLD, {1024}, options);
  };
  const auto ntt = [](const Options& options) {
    NttOptions more;
    static_cast<Options&>(more) = options;
    const Ntt transform(MPI_COMM_WORLD, {1024}, more);
  };
  const Plan sorting = Sort<double>(MPI_COMM_WORLD, 1024).plan();
  const Plan of_walsh = WalshHadamard(MPI_COMM_WORLD, {1024}).plan();
  const Plan of_fourier = Transform<float>(MPI_COMM_WORLD, {1024}).plan();
  expect_refused("a sort's plan in a Transform", sorting, fourier);
  expect_refused("a sort's plan in Walsh's", sorting, walsh);
  expect_refused("Walsh's plan in a Transform", of_walsh, fourier);
  expect_refused("Walsh's plan in an Ntt", of_walsh, ntt);
  expect_refused("Fourier's plan in Walsh's", of_fourier, walsh);
  expect_refused("Fourier's plan in an Ntt", of_fourier, ntt);
  expect_refused("a plan in a sort", sorting, [](const Options& options) {
    const Sort<double> sort(MPI_COMM_WORLD, 1024, options);
  });
  expect("too few keys", ErrorCode::invalid_buffer, [&] {
    const Sort<std::int64_t> sort(MPI_COMM_WORLD, 1024);
    auto keys = sort.make_keys();
    const bool bad = sort.rank() == 0;
    std::span<std::int64_t> given(keys.data(), keys.size() - (bad ? 1 : 0));
    sort.sort(given, given);
  });
}

int run() {
  Together all(30.);
  std::vector<MPI_Comm> some;
  for (int ranks = 1; ranks <= all.ranks(); ++ranks) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, all.rank() < ranks ? 0 : MPI_UNDEFINED, 0, &comm);
    some.push_back(comm);
  }
  NttOptions other;
  other.prime = ntt_primes[1];
  const Ntt first_field(MPI_COMM_SELF, {1});
  const Ntt other_field(MPI_COMM_SELF, {1}, other);
  for (int bits = 1; bits <= most_bits; ++bits) {
    const Index n = Index{1} << bits;
    const Data data = make_data(bits, first_field.root(n), other_field.root(n));
    for (int ranks = 1; ranks <= all.ranks(); ++ranks) {
      const MPI_Comm comm = some[static_cast<std::size_t>(ranks - 1)];
      all.run("2^" + std::to_string(bits) + " on " + std::to_string(ranks),
              [&](Complaints& complaints) {
                if (comm == MPI_COMM_NULL) return;
                for (std::size_t i = 0; i < ways.size(); ++i) {
                  const bool in_turn = static_cast<std::size_t>(bits + ranks) % ways.size() == i;
                  if (!in_turn && all.ranks() > few_ranks) continue;
                  check(comm, data, ways[i], bits % 4 == 0, complaints);
                }
              });
    }
  }
  check_errors(all);
  for (MPI_Comm& comm : some) {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  return all.finish("butterflies");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) { return kallima::test::under_mpi(argc, argv, kallima::test::run); }
