// SPDX-License-Identifier: BSD-3-Clause
//
// What a Transform is made of, on one rank: two plans, four drivers (each direction, in and out of
// place), engines, workspace and a channel. Where it learns, there are plans and drivers for each
// candidate. How ranks agree on all that is here too.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/driver.hpp"
#include "api/learning.hpp"
#include "base/checked.hpp"
#include "comm/agreement.hpp"
#include "kallima/planner.hpp"
#include "kallima/transform.hpp"

namespace kallima {

/// What a core is made from: what users give, and what their operation adds.
template <class T>
struct AskedTransform {
  Arguments given;
  typename exec::Operation<T>::Setup setup = {};
  bool turns = false;  ///< there and back, for apply()
};

template <class T>
class TransformCore {
 public:
  /// Collective; see Transform and RealTransform. `beside`: on the duplicate of another, of which
  /// it is a part.
  static std::shared_ptr<TransformCore> make(MPI_Comm comm, Kind kind,
                                             const std::function<AskedTransform<T>()>& ask,
                                             const comm::Communicator* beside = nullptr);

  /// For make().
  TransformCore() = default;
  /// Writes the trace, if there is one.
  ~TransformCore();
  TransformCore(const TransformCore&) = delete;
  TransformCore& operator=(const TransformCore&) = delete;
  TransformCore(TransformCore&&) = delete;
  TransformCore& operator=(TransformCore&&) = delete;

  /// Where real elements lie, they are addressed as the complex ones they take the room of.
  void run(Direction direction, const exec::Number<T>* in, exec::Number<T>* out,
           std::optional<Scaling> scaling = {});
  /// Memory of a user, in elements of the end it is for; and its layout, where that is known.
  struct Given {
    const void* data = nullptr;
    std::size_t size = 0;
    const Layout* layout = nullptr;
  };
  /// Checks memory on this rank, then runs. What does not do breaks the transform.
  void run_unbound(Direction direction, const Given& in, const Given& out,
                   std::optional<Scaling> scaling);
  /// Runs on separate fields, which were checked.
  void run_fields(Direction direction, std::span<const void* const> in, std::span<void* const> out,
                  std::optional<Scaling> scaling = {});
  /// Forward, what users do with frequencies, backward. Checks memory on this rank; what does not
  /// do breaks this, and what `work` throws. Collective; plans when it is called first.
  void apply(const Given& in, const Given& out, const RowWork& work);
  /// The same with the frequencies of a second array at hand.
  void apply(const Given& in, const Given& second, const Given& out, const RowPairWork& work);
  /// Throws alike on all ranks where memory on any of them does not do. Collective.
  void require_fitting(Direction direction, const Given& in, const Given& out) const {
    require_fitting(direction, [&]() -> BothGiven { return {in, out}; });
  }
  /// The memory of both ends of a run.
  using BothGiven = std::pair<Given, Given>;
  /// The same of memory that is asked for inside of it, which may throw.
  void require_fitting(Direction direction, const std::function<BothGiven()>& memory) const;
  /// Separate fields, which are asked for. Throws as require_fitting(). Collective.
  [[nodiscard]] std::shared_ptr<const FieldMemory> bound_fields(
      Direction direction, const std::function<FieldMemory()>& fields) const;
  /// An array in one of the plan's layouts. Collective.
  template <class E>
  [[nodiscard]] BasicArray<E> make_array(const Layout& layout, const char* what) const {
    const comm::Call call(*communicator_, "make memory", options_.deadline);
    const int rank = communicator_->rank;
    std::optional<BasicArray<E>> result;
    agree(*communicator_, comm::Verdict::of([&] {
      const Index bytes =
          checked_mul(layout.allocated_size(rank), static_cast<Index>(sizeof(E)), what);
      result.emplace(Buffer(options_.memory, bytes, what), layout, rank, *spectrum_);
    }),
          intent(what, 4));
    return std::move(*result);
  }

  /// The one that was chosen so far.
  [[nodiscard]] const Plan& plan(Direction direction) const {
    const auto way = static_cast<std::size_t>(direction);
    return candidates_[learning_[way].chosen()].plans[way];
  }
  /// What was tried and learned, for people; empty where nothing is learned.
  [[nodiscard]] std::string learned(Direction direction) const;
  [[nodiscard]] const comm::Communicator& communicator() const { return *communicator_; }
  [[nodiscard]] const typename exec::Operation<T>::Setup& setup() const { return setup_; }
  /// What apply() runs, once it was called; null before.
  [[nodiscard]] const TransformCore* turning() const { return turning_.get(); }
  [[nodiscard]] const Spectrum& spectrum() const { return *spectrum_; }
  [[nodiscard]] Index workspace_bytes() const {
    return workspace_.view().bytes + transit_.view().bytes + segment_bytes_[0] + segment_bytes_[1] +
           tile_.view().bytes + engines_->root_bytes() + filter_.view().bytes +
           frequencies_.view().bytes + second_frequencies_.view().bytes +
           (turning_ ? turning_->workspace_bytes() : 0) +
           (straight_ ? straight_->workspace_bytes() : 0);
  }
  [[nodiscard]] CommStatistics statistics() const;
  /// What the stages of a direction took on this rank, in or out of place, whichever ran more
  /// often.
  [[nodiscard]] Timings timings(Direction direction) const;
  /// What was recorded, as events of a trace file; empty where nothing is.
  [[nodiscard]] std::string trace() const;
  /// Rank 0's.
  [[nodiscard]] Machine machine() const {
    return machine_.empty() ? built_in_machine() : Machine::parse(machine_);
  }
  /// Elements of an array that is transformed in place: complex ones, where either end has such.
  [[nodiscard]] Index in_place_size() const;

 private:
  /// Runs, in a call that has begun; `work` where the plan turns.
  void drive(Direction direction, const exec::Number<T>* in, exec::Number<T>* out,
             std::optional<Scaling> scaling, const RowWork* work = nullptr);
  /// apply() of the core that is made for it.
  void turn(const Given& in, const Given& out, const RowWork& work);
  void turn(const Given& in, const Given& second, const Given& out, const RowPairWork& work);
  void validate_turn(const Given& in, const Given& out, bool has_work) const;
  void make_turning();
  void make_second();
  /// What takes the second of two inputs to its frequencies.
  [[nodiscard]] TransformCore& straight() { return straight_ ? *straight_ : *this; }
  /// Memory for the frequencies that a core leaves, and which they are.
  [[nodiscard]] Buffer room_for_frequencies(std::vector<LocalPart>& parts) const;
  /// One way to do it.
  struct Candidate {
    std::array<Plan, 2> plans;                          // by Direction
    std::array<std::unique_ptr<Driver<T>>, 4> drivers;  // by variant
  };

  /// The rest of make(), where all ranks have come to. `verdict`: what this rank found so far.
  bool plan_together(Kind kind, const AskedTransform<T>& asked, comm::Verdict verdict);
  void measure_plans(MPI_Comm comm, Kind kind, const Arguments& given);
  /// Of rank 0.
  [[nodiscard]] std::vector<Plan> candidates_for(const Plan& plan) const;
  /// Takes candidates over: plans that do the same, the planner's choice first.
  void adopt(const std::vector<Plan>& forward);
  [[nodiscard]] Workspace workspace_of_all() const;
  void make_drivers(Candidate& candidate, const Carriers& carriers, const exec::Workers& workers);
  void learn(Learning& learning, double seconds);
  void validate_buffers(Direction direction, const Given& in, const Given& out) const;
  void validate_between(const State& first, const State& last, bool forward, const Given& in,
                        const Given& out, Index fields = 1) const;
  void validate_fields(Direction direction, const FieldMemory& memory) const;
  static void require_direction(Direction direction);
  /// Of one of separate fields, on this rank.
  [[nodiscard]] Index field_bytes(const State& state) const;
  void spread_fields(Direction direction, const exec::Number<T>* in, exec::Number<T>* out);
  void make_filter();
  void open_segments();
  void close_segments();
  /// A call on this rank; what the others must call at the same time, in words.
  [[nodiscard]] comm::Intent intent(const char* call, int number) const {
    return {communicator_->number, number, call};
  }
  void record();
  [[nodiscard]] typename Driver<T>::Areas areas(const exec::Number<T>* in,
                                                exec::Number<T>* out) const;
  /// Where a driver is.
  static std::size_t variant(Direction direction, bool in_place) {
    return 2 * static_cast<std::size_t>(direction) + (in_place ? 1 : 0);
  }

  std::shared_ptr<const comm::Communicator> communicator_;
  Options options_;
  std::optional<Spectrum> spectrum_;  // once planned
  PlanRequest here_;                  // of rank 0: what it planned for
  std::string machine_;               // the text of rank 0's; empty: the built-in one
  std::string measured_;              // what was timed at planning, for people
  typename exec::Operation<T>::Setup setup_;
  std::array<std::array<exec::Factor<T>, 2>, 4> factors_{};  // by Scaling and Direction
  Buffer workspace_;
  Buffer transit_;  // what goes by Bruck's algorithm
  Buffer filter_;   // of a convolution: the chirp's frequencies
  std::unique_ptr<comm::SharedSegments>
      segments_;  // where the plan's exchanges go through shared memory
  std::array<std::vector<exec::Number<T>*>, 2> segment_of_;  // by rank
  std::array<Index, 2> segment_bytes_{};
  Buffer tile_;
  std::unique_ptr<exec::EngineSet<T>> engines_;
  std::shared_ptr<comm::Channel> channel_;
  std::shared_ptr<comm::ProgressThread> progress_thread_;
  std::vector<Candidate> candidates_;
  std::array<Learning, 2> learning_;  // by Direction
  /// Where fields of a run begin, where they are separate.
  struct Fields {
    std::vector<const exec::Number<T>*> in;
    std::vector<exec::Number<T>*> out;
  };
  Fields fields_;
  bool holds_ = true;                        // this rank has a part of the array, in some step
  std::shared_ptr<TransformCore> turning_;   // for apply(), once it was called
  Buffer frequencies_;                       // of such a core, where no plan turns
  std::vector<LocalPart> frequency_parts_;   // what they are
  std::shared_ptr<TransformCore> straight_;  // where a plan turns, the same that does not: for the
                                             // second of two inputs
  Buffer second_frequencies_;                // of that
  std::vector<LocalPart> second_parts_;      // what they are
  bool has_second_ = false;                  // these three are made
  std::shared_ptr<Recorder> recorder_;       // where a trace is wanted
};

extern template class TransformCore<float>;
extern template class TransformCore<double>;

}  // namespace kallima
