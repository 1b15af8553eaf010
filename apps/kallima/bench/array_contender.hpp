// SPDX-License-Identifier: BSD-3-Clause
//
// What transforms of arrays have in common: two layouts, a way there and a way back.
#pragma once

#include <fmt/format.h>

#include <complex>
#include <span>

#include "contender.hpp"
#include "numbers.hpp"
#include "verify.hpp"

namespace kallima::cli {

inline Direction opposite(Direction direction) {
  return direction == Direction::forward ? Direction::backward : Direction::forward;
}

/// A contender that reads one layout and writes another.
template <class T>
class ArrayContender : public Contender {
 public:
  ArrayContender(const Session& session, const Task& task) : session_(session), task_(task) {}

  [[nodiscard]] const Facts& facts() const override { return facts_; }

  [[nodiscard]] Needs needs() const override {
    const auto size = static_cast<Index>(sizeof(std::complex<T>));
    const auto bytes = [&](const Layout& layout, bool real) {
      return std::max(layout.allocated_size(session_.rank) * (real ? size / 2 : size),
                      scratch_ * size);
    };
    const Index in = bytes(ends_.in, reads_reals());
    const Index out = bytes(ends_.out, writes_reals());
    if (task_.in_place) return {std::max(in, out), 0};
    return {in, out};
  }

  void plan(const Memory& memory) final {
    source_ = reinterpret_cast<std::complex<T>*>(memory.source);
    target_ = task_.in_place ? source_ : reinterpret_cast<std::complex<T>*>(memory.target);
    make_plans();
  }

  // All contenders share the arrays; and in place, what a second run would make of the output of
  // the first grows beyond all numbers.
  void prepare() override {
    if (reads_reals()) {
      fill(real_view(source_, ends_.in));
    } else {
      fill(input());
    }
  }

  double run() override {
    const double start = MPI_Wtime();
    go();
    return MPI_Wtime() - start;
  }

  std::optional<Errors> verify(Progress& progress) override {
    const bool forward = task_.direction == Direction::forward;
    const auto there = [&] { go(); };
    const auto back = [&] { go_back(); };
    const Problem& problem = task_.request.problem;
    if (problem.complex_positions()) {
      return verified(progress, input(), output(), task_.direction, ends_.scale, there, back);
    }
    if (!problem.complex_frequencies()) {
      return verified(progress, real_view(source_, ends_.in), real_view(target_, ends_.out),
                      task_.direction, ends_.scale, there, back);
    }
    // Not every array of frequencies is the spectrum of reals, so both directions begin with reals.
    if (forward) {
      return verified(progress, real_view(source_, ends_.in), output(), Direction::forward,
                      ends_.scale, there, back);
    }
    // Both ways without a scale multiply by N.
    const auto elements = static_cast<long double>(problem.logical_size());
    return verified(progress, real_view(target_, ends_.out), input(), Direction::forward,
                    ends_.scale_there_and_back / ends_.scale / elements, back, there);
  }

 protected:
  /// Both ends of the timed direction.
  struct Ends {
    Layout in;
    Layout out;
    bool known_order = true;                  ///< false where outputs lie in an order of its own
    long double scale = 1.0L;                 ///< by what the timed direction multiplies
    long double scale_there_and_back = 1.0L;  ///< by what both together do
  };

  /// Once; before needs() is asked. `scratch` elements are wanted in each array at least.
  void set_ends(Ends ends, Index scratch = 0) {
    facts_.layout_in = ends.in.to_text();
    facts_.layout_out =
        ends.known_order ? ends.out.to_text() : ends.out.to_text() + ", in an order of its own";
    facts_.out_as_asked = leaves_as_asked(task_, ends.in, ends.out, ends.known_order);
    ends_ = std::move(ends);
    scratch_ = scratch;
  }
  /// The ends of a library whose layouts in position and frequency are these and which scales
  /// nothing.
  void set_unscaled_ends(Layout position, Layout frequency, bool known_order = true,
                         Index scratch = 0) {
    const bool forward = task_.direction == Direction::forward;
    const auto elements = static_cast<long double>(task_.request.problem.logical_size());
    set_ends({forward ? position : frequency, forward ? frequency : position, known_order, 1.0L,
              elements},
             scratch);
  }

  /// Plans for source() and target(), the timed direction and the way back. Collective.
  virtual void make_plans() = 0;
  /// From source to target, the timed direction.
  virtual void go() = 0;
  /// From target to source.
  virtual void go_back() = 0;

  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] Facts& facts() { return facts_; }
  [[nodiscard]] std::complex<T>* source() const { return source_; }
  [[nodiscard]] std::complex<T>* target() const { return target_; }
  /// Sign of the exponent.
  [[nodiscard]] int sign() const { return task_.direction == Direction::forward ? -1 : 1; }

  [[nodiscard]] View<T> input() const { return view(source_, ends_.in); }
  [[nodiscard]] View<T> output() const { return view(target_, ends_.out); }

  /// True where the timed direction reads, or writes, reals.
  [[nodiscard]] bool reads_reals() const { return has_reals(task_.direction); }
  [[nodiscard]] bool writes_reals() const { return has_reals(opposite(task_.direction)); }

 private:
  /// True where a direction starts with reals.
  [[nodiscard]] bool has_reals(Direction direction) const {
    const Problem& problem = task_.request.problem;
    return !(direction == Direction::forward ? problem.complex_positions()
                                             : problem.complex_frequencies());
  }
  [[nodiscard]] View<T> view(std::complex<T>* data, const Layout& layout) const {
    return {{data, static_cast<std::size_t>(layout.allocated_size(session_.rank))},
            layout,
            session_.rank};
  }
  [[nodiscard]] RealView<T> real_view(std::complex<T>* data, const Layout& layout) const {
    return {{reinterpret_cast<T*>(data),
             static_cast<std::size_t>(layout.allocated_size(session_.rank))},
            layout,
            session_.rank};
  }

  /// Fills one end, goes there, compares samples with direct sums, comes back, compares all.
  template <class E, class F, class There, class Back>
  Errors verified(Progress& progress, const BasicView<E>& from, const BasicView<F>& to,
                  Direction direction, long double scale, const There& there, const Back& back) {
    Errors errors;
    const std::vector<MultiIndex> samples = sampled_indices(to.layout().shape(), 64);
    fill(from);
    std::vector<Wide> want;
    if (ends_.known_order) {
      want = direct_sums(
          session_.comm, from, task_.request.problem, samples, direction, [&](double done) {
            progress.show(fmt::format("{}: summing directly {:.0f} %", facts_.name, 100 * done));
          });
    }
    progress.show(fmt::format("{}: there and back", facts_.name));
    there();
    if (ends_.known_order) {
      errors.sampled = relative_error(elements_at(session_.comm, to, samples), want, scale);
    }
    back();
    if (task_.request.problem.truncated()) {
      // What is left has all frequencies that are kept, and no others.
      there();
      errors.returned = relative_error(elements_at(session_.comm, to, samples), want,
                                       scale * ends_.scale_there_and_back);
      return errors;
    }
    errors.returned = distance_from_input(session_.comm, from, ends_.scale_there_and_back);
    return errors;
  }

  Session session_;
  Task task_;
  Facts facts_;
  Ends ends_;
  Index scratch_ = 0;
  std::complex<T>* source_ = nullptr;
  std::complex<T>* target_ = nullptr;
};

/// Makes a contender in the precision of the problem.
template <template <class> class Kind, class... Arguments>
std::unique_ptr<Contender> in_precision(const Session& session, const Task& task,
                                        const Arguments&... arguments) {
  if (task.request.problem.precision == Precision::f32) {
    return std::make_unique<Kind<float>>(session, task, arguments...);
  }
  return std::make_unique<Kind<double>>(session, task, arguments...);
}

}  // namespace kallima::cli
