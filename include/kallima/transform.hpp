// SPDX-License-Identifier: BSD-3-Clause
//
// Fourier transforms of arrays spread over the ranks of a communicator.
//
//     auto fft = kallima::Transform<double>(comm, {512, 512, 512});   // plans; collective
//     auto u   = fft.make_input();                                    // memory in the right place
//     auto u_k = fft.make_output();
//     for (auto [index, value] : u.indexed()) value = f(index);
//     fft.forward(u, u_k);
//     for (auto [k, value] : u_k.wavenumbers()) value *= k.is_zero() ? 0.0 : -1.0 / k.squared();
//     fft.backward(u_k, u);                                           // 1/N on the way back
//
// Collective calls are made by all ranks of the communicator, in the same order. A bad or
// mismatched argument on any rank raises the same error on all of them. A Transform works on a
// duplicate of the communicator and keeps its own workspace, so one Transform runs one transform at
// a time; use one per thread. Nothing here is collective to destroy.
#pragma once

#include <mpi.h>

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kallima/array.hpp"
#include "kallima/buffer.hpp"
#include "kallima/export.h"
#include "kallima/plan.hpp"
#include "kallima/wisdom.hpp"

namespace kallima {

/// By what results are multiplied.
enum class Scaling : std::uint8_t {
  none,      ///< nothing: forward and back multiplies by N
  by_n,      ///< 1/N on the way back: forward and back restores the input
  by_sqrt_n  ///< 1/sqrt(N) either way: unitary
};

/// What can be chosen about a transform. The same on every rank.
struct Options {
  std::optional<Layout> in;         ///< layout of the input; the planner's choice where empty
  std::optional<Layout> out;        ///< of the output; where empty any, which saves the way back
  Scaling scaling = Scaling::by_n;  ///< of results
  Effort effort =
      Effort::estimate;         ///< of the FFT engine; `measure` is slower to plan, faster to run
  Route route = Route::any;     ///< how pieces travel; windows fall back to messages where
                                ///< memory cannot be shared, and the plan says so
  std::vector<double> lengths;  ///< physical extents of the box, for wavenumbers; or none
  Index threads = 1;            ///< OpenMP threads that share a rank's sweeps; MPI is called
                                ///< by the calling thread alone (MPI_THREAD_FUNNELED)
  Index tile_bytes = 0;         ///< size that tiles should not exceed; 0: what the second
                                ///< cache of rank 0's cores holds
  Index message_bytes = 0;      ///< larger messages are cut into parts; 0: what an int counts
  bool large_counts = true;     ///< use MPI-4 large counts instead of parts, where there are any
  std::shared_ptr<MemorySource> memory;  ///< where memory comes from; the process where empty
};

/// What was really moved between this rank and others.
struct Moved {
  Index bytes_sent = 0;         ///< since the transform was made
  Index bytes_received = 0;     ///< likewise
  Index messages_sent = 0;      ///< pieces, however many parts each took
  Index messages_received = 0;  ///< likewise
  Index exchanges = 0;          ///< steps that moved them
};

/// All arguments of a transform but its communicator.
struct Arguments {
  Shape shape;      ///< extents, slowest axis of a C array first
  Options options;  ///< choices
};

template <class T>
class TransformCore;

/// A transform bound to memory: validated, ready to run any number of times.
template <class T>
class KALLIMA_API Bound {
 public:
  /// Runs. Collective; agrees on nothing, checks nothing, allocates nothing. Returns when no other
  /// rank will read or write this rank's arrays any more. Costs what the plan says.
  void run();

 private:
  template <class>
  friend class Transform;
  Bound(std::shared_ptr<TransformCore<T>> core, Direction direction, const std::complex<T>* in,
        std::complex<T>* out)
      : core_(std::move(core)), direction_(direction), in_(in), out_(out) {}

  std::shared_ptr<TransformCore<T>> core_;
  Direction direction_;
  const std::complex<T>* in_;
  std::complex<T>* out_;
};

/// Complex transforms of one shape over one communicator; T is float or double.
template <class T>
class KALLIMA_API Transform {
 public:
  /// Plans: rank 0 plans, all ranks receive the same plan and allocate the workspace. Collective:
  /// broadcasts and one agreement. Throws InvalidShape, InvalidLayout, TooFewRanks, InvalidOption,
  /// MismatchedArguments, OutOfMemory, Overflow, EngineFailure, alike on all ranks.
  /// (A null communicator throws on the rank that passes it, since the others cannot know.)
  Transform(MPI_Comm comm, const Shape& shape, const Options& options = {});
  /// The same, with arguments that are made inside the collective call: where making them throws on
  /// one rank (a layout's text that cannot be read, say), all ranks throw alike.
  static Transform with(MPI_Comm comm, const std::function<Arguments()>& arguments);

  /// This rank's part of an array in the input layout, zeroed. Collective; OutOfMemory alike.
  [[nodiscard]] Array<T> make_input() const;
  /// This rank's part of an array in the output layout, zeroed. Collective; OutOfMemory alike.
  [[nodiscard]] Array<T> make_output() const;
  /// A walkable view of user memory that holds this rank's part in the input layout. Local.
  [[nodiscard]] View<T> view_input(std::span<std::complex<T>> data) const;
  /// A walkable view of user memory that holds this rank's part in the output layout. Local.
  [[nodiscard]] View<T> view_output(std::span<std::complex<T>> data) const;

  /// Checks memory and binds it. Forward reads the input layout and writes the output layout,
  /// backward the other way round. `in` and `out` are the same memory (in place; then it holds the
  /// larger of both parts) or do not overlap; out of place `in` is never written. Ranks may differ
  /// in that. Collective, one agreement; InvalidBuffer alike on all ranks. The memory must outlive
  /// the last run.
  [[nodiscard]] Bound<T> bind(Direction direction, std::span<const std::complex<T>> in,
                              std::span<std::complex<T>> out) const;

  /// bind and run: position to frequency.
  void forward(std::span<const std::complex<T>> in, std::span<std::complex<T>> out) const;
  /// bind and run: frequency to position.
  void backward(std::span<const std::complex<T>> in, std::span<std::complex<T>> out) const;

  /// Layout of what forward reads.
  [[nodiscard]] const Layout& input_layout() const;
  /// Layout of what forward writes.
  [[nodiscard]] const Layout& output_layout() const;
  /// The steps of a direction.
  [[nodiscard]] const Plan& plan(Direction direction = Direction::forward) const;
  /// The steps of the forward transform, in words.
  [[nodiscard]] std::string explain() const;
  /// Bytes this rank's workspace takes, beyond input and output.
  [[nodiscard]] Index workspace_bytes() const;
  /// Elements this rank's array must hold to be transformed in place.
  [[nodiscard]] Index in_place_size() const;
  /// What was moved so far.
  [[nodiscard]] Moved moved() const;
  /// This rank's number in the communicator.
  [[nodiscard]] int rank() const;

 private:
  explicit Transform(std::shared_ptr<TransformCore<T>> core) : core_(std::move(core)) {}

  std::shared_ptr<TransformCore<T>> core_;
};

extern template class Bound<float>;
extern template class Bound<double>;
extern template class Transform<float>;
extern template class Transform<double>;

}  // namespace kallima
