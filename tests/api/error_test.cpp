// SPDX-License-Identifier: BSD-3-Clause
//
// Every argument, every bad value, every rank: each single rank in turn passes something bad, then
// all ranks at once. All ranks must get the same exception: type, code and text; in time; and the
// communicator must work afterwards. What C can say goes through the C interface too, and must give
// the code of the exception and its text.
//
//     mpirun -n 3 error_test [--list] [--every K]
//
// --list prints the texts; --every tests one case of K, which a slow build asks for.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "api/injections.hpp"
#include "api/interfaces.hpp"
#include "api/memory.hpp"
#include "base/text.hpp"
#include "comm/together.hpp"
#include "kallima/error.hpp"
#include "kallima/transform.hpp"
#include "support/reference.hpp"

// A sanitizer should let an allocation fail that is too large, as the system does.
extern "C" const char* __asan_default_options();  // NOLINT
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace kallima::test {
namespace {

using Elements = std::vector<std::complex<double>>;

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

/// Two ranks with different errors: the lower one's is everybody's.
struct Pair {
  const char* name;
  ErrorCode code;
  std::function<void(Ask&)> spoil;
};

class Tester {
 public:
  Tester(Together& all, bool list, long every) : all_(all), list_(list), every_(every) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  }
  ~Tester() { MPI_Comm_free(&comm_); }
  Tester(const Tester&) = delete;
  Tester& operator=(const Tester&) = delete;

  void test(const Injection& injection) {
    for (int bad = 0; bad < all_.ranks(); ++bad) {
      through_both(injection, ", rank " + std::to_string(bad), injection.expected,
                   all_.rank() == bad ? 1 : 0);
    }
    through_both(injection, ", all ranks", injection.expected,
                 injection.mismatch ? all_.rank() : 1);
    // And the harness itself: without anything bad there is no error.
    through_both(injection, ", nobody", ErrorCode::ok, 0);
  }

  void through_both(const Injection& injection, const std::string& who, ErrorCode expected,
                    int variant) {
    if (seen_++ % every_ != 0) return;
    std::optional<std::string> wanted;
    if (injection.cpp) {
      wanted = run("C++: " + injection.name + who, expected,
                   [&] { injection.attempt(through_cpp(), comm_, variant); });
      for (const std::string& part : injection.says) {
        if (expected == ErrorCode::ok || wanted->find(part) != std::string::npos) continue;
        all_.run("C++: " + injection.name + who, [&](Complaints& complaints) {
          complaints.expect(false, "'" + *wanted + "' should speak of " + part);
        });
      }
    }
    if (!injection.c) return;
    ++through_c_;
    run(
        "C: " + injection.name + who, expected,
        [&] { injection.attempt(through_c(), comm_, variant); }, wanted);
  }

  /// `body` must throw `expected` on all ranks alike, with the text `wanted` as far as C's texts
  /// go. Returns the text.
  std::string run(const std::string& name, ErrorCode expected, const std::function<void()>& body,
                  const std::optional<std::string>& wanted = {}) {
    (expected == ErrorCode::ok ? harmless_ : injected_) += 1;
    std::string text;
    all_.run(name, [&](Complaints& complaints) {
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
        complaints.expect(text.size() > 20, "the text names no fix: " + text);
      }
      if (wanted) {
        complaints.expect(text == cut_for_c(*wanted),
                          "C says '" + text + "' and should say '" + *wanted + "'");
      }
      if (list_ && all_.rank() == 0) std::printf("%s: %s\n", name.c_str(), text.c_str());
      expect_works(complaints);
    });
    return text;
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
    static const std::vector<std::complex<long double>> expected = reference<double>({shape}, 7);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto want = expected[static_cast<std::size_t>(out_flats[i])];
      const std::complex<long double> is(out[i].real(), out[i].imag());
      complaints.expect(std::abs(is - want) < 1e-14L, "a transform after the error is wrong");
    }
  }

  void pairs() {
    const std::vector<Pair> kinds = {
        {"a zero extent", ErrorCode::invalid_shape, [](Ask& a) { a.shape[1] = 0; }},
        {"an overflow", ErrorCode::overflow, [](Ask& a) { a.shape[1] = Index{1} << 62; }},
        {"a bad option", ErrorCode::invalid_option, [](Ask& a) { a.options.tile_bytes = -1; }},
        {"a bad layout", ErrorCode::invalid_layout,
         [](Ask& a) { a.in_text = "boxes z y x | 0:6 0:4 0:4"; }},
        {"another shape", ErrorCode::mismatched_arguments, [](Ask& a) { a.shape[0] += 1; }},
        {"no memory", ErrorCode::out_of_memory, [](Ask& a) {
           const auto source = std::make_shared<CountingMemory>();
           source->fail_at(1);
           a.options.memory = source;
         }}};
    for (std::size_t a = 0; a < kinds.size(); ++a) {
      for (std::size_t b = 0; b < kinds.size(); ++b) {
        if (a == b) continue;
        for (int low = 0; low + 1 < all_.ranks(); ++low) {
          const int high = all_.ranks() - 1;
          // On rank 0 another shape is no error: then it is the others who differ.
          if (low == 0 && kinds[a].code == ErrorCode::mismatched_arguments) continue;
          through_both({std::string(kinds[a].name) + " on rank " + std::to_string(low) + " and " +
                            kinds[b].name + " on rank " + std::to_string(high),
                        kinds[a].code, false,
                        [&](const Interface& interface, MPI_Comm comm, int) {
                          Ask ask{base_shape, {}};
                          if (all_.rank() == low) kinds[a].spoil(ask);
                          if (all_.rank() == high) kinds[b].spoil(ask);
                          const auto fft = interface.plan(comm, ask);
                        }},
                       "", kinds[a].code, 1);
        }
      }
    }
  }

  /// More than there is, on all ranks: sizes that fit 64 bits and no memory.
  void too_large() {
    for (const Shape& shape : {Shape{Index{1} << 56}, Shape{Index{1} << 28, Index{1} << 28},
                               Shape{Index{1} << 20, Index{1} << 20, Index{1} << 16}}) {
      through_both({"constructor, 2^56 elements in " + std::to_string(shape.size()) + " axes",
                    ErrorCode::out_of_memory, false,
                    [&](const Interface& interface, MPI_Comm comm, int) {
                      const auto fft = interface.plan(comm, {shape, {}});
                    }},
                   "", ErrorCode::out_of_memory, 1);
    }
  }

  /// Calls that concern one rank.
  void local(const std::vector<LocalCall>& calls) {
    kallima_transform* fft = nullptr;
    const int64_t shape[] = {5, 7};
    kallima_create(comm_, 2, shape, nullptr, &fft, nullptr);
    for (const LocalCall& call : calls) {
      all_.run("C: " + call.name, [&](Complaints& complaints) { call.check(complaints, fft); });
      ++local_;
    }
    kallima_destroy(fft);
  }

  [[nodiscard]] std::string counted() const {
    return "cases (" + std::to_string(injected_) + " errors injected, " +
           std::to_string(harmless_) + " without; " + std::to_string(through_c_) +
           " of them through C; and " + std::to_string(local_) + " of local calls of C)";
  }

 private:
  Together& all_;
  bool list_;
  long every_;
  long seen_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  long injected_ = 0;
  long harmless_ = 0;
  long through_c_ = 0;
  long local_ = 0;
};

int run(bool list, long every) {
  Together all;
  std::string counted;
  {
    Tester tester(all, list, every);
    for (const Injection& injection : injections(all.ranks())) tester.test(injection);
    for (const Injection& injection : c_injections(all.ranks())) tester.test(injection);
    tester.pairs();
    tester.too_large();
    tester.local(c_local_calls());
    counted = tester.counted();
  }
  return all.finish(counted);
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool list = false;
  long every = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--list") list = true;
    if (argument == "--every" && i + 1 < argc) every = std::stol(argv[++i]);
  }
  const int status = kallima::test::run(list, every);
  MPI_Finalize();
  return status;
}
