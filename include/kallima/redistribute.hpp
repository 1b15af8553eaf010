// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays that go from one layout to another, and nothing else: the exchanges of a transform without
// the transform, for elements of any type.
//
//     kallima::Redistribute<float> turn(comm, {64, 64, 64}, "z:block/4 y:all x:all",
//                                       "z:all y:block/4 x:all");      // plans; collective
//     std::vector<float> slabs(turn.input_size());
//     std::vector<float> others(turn.output_size());
//     turn.forward(slabs, others);
//     turn.backward(others, slabs);
//
// It is a transform that has AxisKind::none along every axis: planned, priced, explained, run and
// broken off like one, by the same exchange methods. Layouts are whatever transforms take: grids,
// boxes, one's own box, margins, any order in memory.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "kallima/export.h"
#include "kallima/transform.hpp"

namespace kallima {

/// A redistribution of elements that are known by their size only. Redistribute gives it a type.
class KALLIMA_API Redistribution {
 public:
  /// A redistribution bound to memory: validated, ready to run any number of times.
  class Bound {
   public:
    /// Runs. Collective; agrees on nothing, checks nothing, allocates nothing.
    void run() const { run_(); }

   private:
    friend class Redistribution;
    explicit Bound(std::function<void()> run) : run_(std::move(run)) {}
    std::function<void()> run_;
  };

  /// Plans for elements of so many bytes; both layouts are given. Of `options`, layouts, kinds of
  /// axes and scaling are not looked at. An element of another size than 1, 4, 8 or 16 bytes takes
  /// an axis for its parts, of the six that there are. Collective; throws as Transform does.
  Redistribution(MPI_Comm comm, const Shape& shape, const LayoutChoice& from,
                 const LayoutChoice& to, Index element_bytes, const Options& options = {});
  /// The same from Options::in to Options::out, with arguments that are made inside the collective
  /// call.
  static Redistribution with(MPI_Comm comm, Index element_bytes,
                             const std::function<Arguments()>& arguments);

  /// Checks memory and binds it. Forward goes from the first layout to the second. `in` and `out`
  /// are the same memory or do not overlap; `in` is not written then. Collective, one agreement;
  /// InvalidBuffer alike on all ranks.
  [[nodiscard]] Bound bind(Direction direction, const void* in, std::size_t in_elements, void* out,
                           std::size_t out_elements) const;
  /// The same of arrays that are asked for inside the collective call, so that what `memory` throws
  /// on one rank, all ranks throw.
  [[nodiscard]] Bound bind(Direction direction, const std::function<ArrayMemory()>& memory) const;
  /// Runs on memory that was not bound, as Planned::run_memory() does: checked on this rank alone.
  void run(Direction direction, const void* in, std::size_t in_elements, void* out,
           std::size_t out_elements) const;

  /// Elements of this rank's array in the first layout, padding and margins included.
  [[nodiscard]] Index input_size() const;
  /// The same in the second.
  [[nodiscard]] Index output_size() const;
  /// Elements of an array that is redistributed in place.
  [[nodiscard]] Index in_place_size() const;
  /// The steps of a direction. Where elements have parts, their axis is the first.
  [[nodiscard]] const Plan& plan(Direction direction = Direction::forward) const;
  /// The steps in words, with prices and times, as Planned::explain(). Local.
  [[nodiscard]] std::string explain(Direction direction = Direction::forward) const;
  /// What was moved so far, on this rank.
  [[nodiscard]] CommStatistics statistics() const;
  /// Bytes this rank's workspace takes, beyond input and output.
  [[nodiscard]] Index workspace_bytes() const;
  /// This rank's number in the communicator.
  [[nodiscard]] int rank() const;

 private:
  class Core;
  template <class T>
  class CoreOf;
  explicit Redistribution(std::shared_ptr<Core> core) : core_(std::move(core)) {}

  std::shared_ptr<Core> core_;
};

/// A redistribution of elements E: any type that can be copied by its bytes.
template <class E>
class Redistribute : public Redistribution {
  static_assert(std::is_trivially_copyable_v<E>,
                "kallima::Redistribute<E>: elements are copied by their bytes");

 public:
  /// Plans. Collective; see Redistribution.
  Redistribute(MPI_Comm comm, const Shape& shape, const LayoutChoice& from, const LayoutChoice& to,
               const Options& options = {})
      : Redistribution(comm, shape, from, to, static_cast<Index>(sizeof(E)), options) {}

  /// Checks memory and binds it. Collective.
  [[nodiscard]] Bound bind(Direction direction, std::span<const E> in, std::span<E> out) const {
    return Redistribution::bind(direction, in.data(), in.size(), out.data(), out.size());
  }
  /// Runs on memory that was not bound.
  void run(Direction direction, std::span<const E> in, std::span<E> out) const {
    Redistribution::run(direction, in.data(), in.size(), out.data(), out.size());
  }
  /// bind and run, from the first layout to the second.
  void forward(std::span<const E> in, std::span<E> out) const {
    bind(Direction::forward, in, out).run();
  }
  /// bind and run, the way back.
  void backward(std::span<const E> in, std::span<E> out) const {
    bind(Direction::backward, in, out).run();
  }
};

}  // namespace kallima
