// SPDX-License-Identifier: BSD-3-Clause
//
// Whatever ranks find wrong, all throw the same: type, code and text of the lowest rank that found
// something.
#include "comm/agreement.hpp"

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include "comm/together.hpp"
#include "kallima/error.hpp"

namespace kallima::test {
namespace {

using comm::agree;
using comm::Communicator;
using comm::Verdict;

/// Runs `body` and says what it threw.
template <class Body>
Verdict thrown_by(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

std::string suffix(int rank) { return " (found on rank " + std::to_string(rank) + ")"; }

ErrorCode code_of_rank(int rank) { return static_cast<ErrorCode>(1 + rank % 14); }

void lowest_rank_wins(Together& all, const Communicator& world) {
  for (unsigned bad = 0; bad < (1U << all.ranks()); ++bad) {
    all.run("the lowest rank's error wins, bad ranks " + std::to_string(bad),
            [&](Complaints& complaints) {
              Verdict mine;
              if (((bad >> all.rank()) & 1U) != 0) {
                mine = {code_of_rank(all.rank()), "text of rank " + std::to_string(all.rank())};
              }
              const Verdict got = thrown_by([&] { agree(world, mine); });
              int lowest = 0;
              while (lowest < all.ranks() && ((bad >> lowest) & 1U) == 0) ++lowest;
              if (bad == 0) {
                complaints.expect(got.code == ErrorCode::ok, "an error though nobody has one");
                return;
              }
              complaints.equal(static_cast<int>(got.code), static_cast<int>(code_of_rank(lowest)),
                               "the code");
              complaints.expect(
                  got.text == "text of rank " + std::to_string(lowest) + suffix(lowest),
                  "the text is '" + got.text + "'");
            });
  }
}

void texts_of_any_length_and_content(Together& all, const Communicator& world) {
  std::vector<std::string> texts = {"", "a", "two\nlines", "n\xC3\xA4\xC3\xA4n",
                                    std::string("with\0zero", 9)};
  for (const std::size_t length : {4095U, 65536U, 3000001U}) texts.emplace_back(length, 'x');
  for (const std::string& text : texts) {
    for (int bad = 0; bad < all.ranks(); ++bad) {
      all.run("texts of " + std::to_string(text.size()) + " bytes from rank " + std::to_string(bad),
              [&](Complaints& complaints) {
                Verdict mine;
                if (all.rank() == bad) mine = {ErrorCode::invalid_option, text};
                const Verdict got = thrown_by([&] { agree(world, mine); });
                complaints.expect(got.code == ErrorCode::invalid_option, "another code");
                // what() ends at a zero.
                complaints.expect(got.text == std::string((text + suffix(bad)).c_str()),
                                  "the text changed on its way");
              });
    }
  }
}

/// Name of the type that `body` throws.
template <class Body>
std::string type_thrown_by(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return typeid(error).name();
  }
  return {};
}

void every_code_becomes_its_type(Together& all, const Communicator& world) {
  for (int number = 1; name_of(static_cast<ErrorCode>(number)) != "unknown"; ++number) {
    const auto code = static_cast<ErrorCode>(number);
    all.run("code " + std::string(name_of(code)) + " becomes its type",
            [&](Complaints& complaints) {
              Verdict mine;
              if (all.rank() == all.ranks() - 1) mine = {code, "some text"};
              const std::string is = type_thrown_by([&] { agree(world, mine); });
              const std::string should = type_thrown_by([&] { throw_error(code, "some text"); });
              complaints.expect(is == should, "it is " + is + " and should be " + should);
            });
  }
}

/// What `body` throws on one rank is what all throw.
template <class Body>
void foreign_exception(Together& all, const Communicator& world, const std::string& name,
                       ErrorCode expected, Body body) {
  for (int bad = 0; bad < all.ranks(); ++bad) {
    all.run(name + " on rank " + std::to_string(bad), [&](Complaints& complaints) {
      const Verdict mine = Verdict::of([&] {
        if (all.rank() == bad) body();
      });
      const Verdict got = thrown_by([&] { agree(world, mine); });
      complaints.equal(static_cast<int>(got.code), static_cast<int>(expected), "the code");
      complaints.expect(got.text.size() > suffix(bad).size() + 5, "the text says nothing");
    });
  }
}

void exceptions_of_other_types(Together& all, const Communicator& world) {
  foreign_exception(all, world, "an error of ours", ErrorCode::invalid_shape,
                    [] { throw InvalidShape("a shape that cannot be"); });
  foreign_exception(all, world, "bad_alloc", ErrorCode::out_of_memory,
                    [] { throw std::bad_alloc(); });
  foreign_exception(all, world, "length_error", ErrorCode::internal_error,
                    [] { throw std::length_error("a vector that is too long"); });
  foreign_exception(all, world, "runtime_error", ErrorCode::internal_error,
                    [] { throw std::runtime_error("something else"); });
  foreign_exception(all, world, "a thrown int", ErrorCode::internal_error, [] { throw 17; });
  foreign_exception(all, world, "a thrown text", ErrorCode::internal_error, [] { throw "text"; });
}

void broadcast_reaches_all(Together& all, const Communicator& world) {
  for (int root = 0; root < all.ranks(); ++root) {
    for (const std::size_t size : {0U, 1U, 1000U, 2000000U}) {
      all.run("broadcast of " + std::to_string(size) + " bytes from rank " + std::to_string(root),
              [&](Complaints& complaints) {
                std::string text(size, ' ');
                for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i % 251);
                // What others pass does not matter.
                const std::string mine = all.rank() == root ? text : "something else";
                complaints.expect(comm::broadcast(world, mine, root) == text,
                                  "another text arrived");
              });
    }
  }
}

int run() {
  Together all;
  const auto world = Communicator::of(MPI_COMM_WORLD);
  lowest_rank_wins(all, *world);
  texts_of_any_length_and_content(all, *world);
  every_code_becomes_its_type(all, *world);
  exceptions_of_other_types(all, *world);
  broadcast_reaches_all(all, *world);
  return all.finish("agreements");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) { return kallima::test::under_mpi(argc, argv, kallima::test::run); }
