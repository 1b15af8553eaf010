// SPDX-License-Identifier: BSD-3-Clause
//
// Runs one rank's share of a plan: for each stage of the schedule, what is gathered from where and
// scattered to where. Everything is laid out when it is made; running allocates nothing. It holds
// no MPI: whoever drives it carries the messages, a Channel between processes or Loopback within
// one.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/message.hpp"
#include "exchange/chunks.hpp"
#include "exchange/method.hpp"
#include "exec/operation.hpp"
#include "kallima/plan.hpp"
#include "kallima/row.hpp"
#include "schedule/schedule.hpp"
#include "steps/tile.hpp"

namespace kallima::exec {

/// What a sweep multiplies a line by: exp(-+ 2 pi i j k / modulus), k along the line.
struct Twiddle {
  /// A digit of j.
  struct Term {
    std::size_t digit = 0;
    Progression values;  ///< of this rank's places
    Index weight = 1;
  };
  Index modulus = 0;  ///< 0: nothing
  std::vector<Term> terms;
  std::size_t table = 0;  ///< index of the roots
};

/// Where a sweep turns: which frequencies its lines have.
struct Turn {
  /// A digit of an index of frequencies.
  struct Term {
    std::size_t axis = 0;
    Progression values;  ///< of this rank's places
    Index weight = 1;
  };
  std::vector<Term> terms;     ///< by digit
  Index frequencies = 0;       ///< of a line
  Kernel back = Kernel::none;  ///< what undoes the sweep
  std::size_t engine = 0;      ///< index of the engine plan that does
  std::vector<Index> filter;   ///< of a convolution: by digit, the distance between neighbours in
                               ///< the chirp's frequencies, those of a line together
  Index filter_offset = 0;     ///< of the first of them
  bool conjugated = false;     ///< backward they are conjugated
};

/// What a chirp multiplies on a rank.
struct Chirp {
  Index n = 0;            ///< extent of the axis as positions
  Index frequencies = 0;  ///< of its frequencies
  Index points = 0;       ///< of the convolution
  Progression indices;    ///< of the axis
  Progression target;     ///< of what is written: the axis, or points
  bool to_points = false;
  bool of_half = false;   ///< reads half of the frequencies, of reals
  std::size_t table = 0;  ///< index of the roots of 2 n
};

/// How planes of two digits are transformed, and by which engines. What is left over behind whole
/// chunks has its own.
struct PlaneEngines {
  PlaneShape shape;
  std::size_t fast = 0;  ///< digit along rows
  std::size_t slow = 0;  ///< digit along columns
  std::size_t rows = 0;
  std::size_t last_rows = 0;
  std::size_t columns = 0;
  std::size_t last_columns = 0;
  Index source_row = 0;  ///< elements from row to row where the engine reads them, in its units
  Index real_row = 0;    ///< elements from row to row of reals that it leaves aside
  Range dropped_rows = {0, 0};     ///< those of frequencies that are not kept
  Range dropped_columns = {0, 0};  ///< likewise
};

/// One stage, laid out for one rank.
struct StageLayout {
  bool is_exchange = false;
  Sweep sweep;  ///< of a sweep or a copy
  Direction direction = Direction::forward;
  std::optional<Sweep> joined;        ///< that shares the pass
  std::vector<StridedBlock> sources;  ///< gathered from
  std::vector<StridedBlock> targets;  ///< scattered to
  bool from_real = false;             ///< sources are of reals
  bool to_real = false;               ///< targets are
  Index length = 1;                   ///< of a line, in positions
  Range dropped = {0, 0};             ///< of its frequencies, those that are not kept
  Range joined_dropped = {0, 0};      ///< likewise of the joined sweep
  Shape local_shape;                  ///< of what is swept
  std::vector<int> others;            ///< digits that number the lines, slowest first
  TileShape tile;                     ///< of a sweep by itself
  Index tile_size = 0;                ///< behind it is the engine's scratch
  std::size_t engine = 0;             ///< index of its engine plan
  PlaneEngines plane;                 ///< instead, of joined sweeps
  Index at_once = 1;                  ///< lines that are scattered at a time, whole chunks of them
  Twiddle twiddle;                    ///< behind the engine when forward, before it when backward
  Turn turn;                          ///< of a sweep that turns
  Chirp chirp;                        ///< of a chirp
  bool streams = false;               ///< writes past the caches
  bool scales = false;                ///< the last that computes applies the factor
  const Method* method = nullptr;     ///< of an exchange
  Drive drive = Drive::rounds;        ///< of it
  std::vector<Round> rounds;          ///< of an exchange: one, by Bruck's algorithm several
  Index sent_chunks = 1;              ///< of the sweep before it, where it is pipelined
  Index taken_chunks = 1;             ///< of the sweep behind it
  int step = 0;                       ///< of the plan; unused for a copy
  int cut = 0;                        ///< digit along which a sweep beside one is cut
  std::vector<Range> bounds;          ///< of its chunks; none: it is not cut
};

/// Engine plans and roots of unity of a Transform, shared by its two directions' executors.
template <class T>
class EngineSet {
 public:
  using Engine = typename Operation<T>::Engine;
  using Roots = typename Operation<T>::Roots;
  using Setup = typename Operation<T>::Setup;

  EngineSet(Setup setup, std::shared_ptr<MemorySource> memory)
      : setup_(std::move(setup)), memory_(std::move(memory)) {}

  [[nodiscard]] const Setup& setup() const { return setup_; }

  /// Index of the plan for this batch; makes it if needed, overwriting `from` and `to`.
  std::size_t find(const fft::Batch& batch, int sign, Number<T>* from, Number<T>* to);
  [[nodiscard]] const Engine& operator[](std::size_t i) const { return entries_[i].engine; }
  /// Index of the roots of this modulus; makes them if needed.
  std::size_t find_roots(Index modulus);
  [[nodiscard]] const Roots& roots(std::size_t i) const { return roots_[i]; }
  /// Bytes of all roots.
  [[nodiscard]] Index root_bytes() const;

 private:
  struct Entry {
    fft::Batch batch;
    int sign = 0;
    Engine engine;
  };
  Setup setup_;
  std::shared_ptr<MemorySource> memory_;
  std::vector<Entry> entries_;
  std::vector<Roots> roots_;
};

/// What a sweep does between tiles, for others: moves messages on.
using Progress = std::function<void()>;

/// The threads of a rank.
struct Workers {
  Index count = 1;
  Index tile = 0;  ///< elements from one thread's tile to the next one's
};

/// One rank's share of a plan, in or out of place.
template <class T>
class Executor {
 public:
  /// Where the areas are. `workspace` holds main + spill elements of the Workspace of this rank,
  /// `transit` transit elements, `tile` tile elements for every thread; all aligned to 64 bytes.
  struct Areas {
    const Number<T>* input = nullptr;
    Number<T>* output = nullptr;
    Number<T>* workspace = nullptr;
    Number<T>* transit = nullptr;
    Number<T>* tile = nullptr;
    /// Both segments of every rank, by rank; empty where the plan has none.
    std::array<std::span<Number<T>* const>, 2> segments = {};
    /// Of a plan that turns: what is done to frequencies, once they are multiplied by this factor.
    const RowWork* work = nullptr;
    const Spectrum* spectrum = nullptr;
    Factor<T> turn_factor{1};
    /// Of a convolution: the chirp's frequencies, Workspace::filter elements. A run that makes them
    /// leaves them there, and nothing in the output.
    Number<T>* filter = nullptr;
    bool makes_filter = false;
    /// Instead of input and output, where fields are separate: by field.
    std::span<const Number<T>* const> input_fields = {};
    std::span<Number<T>* const> output_fields = {};
  };

  /// Lays out the stages. O(peers) memory. `tile` is used to plan the engine.
  Executor(const Plan& plan, const UserArrays& arrays, Index rank, EngineSet<T>& engines,
           Number<T>* tile, const Workers& workers = {});

  [[nodiscard]] std::size_t stages() const { return stages_.size(); }
  [[nodiscard]] bool is_exchange(std::size_t stage) const { return stages_[stage].is_exchange; }
  /// What the driver does for an exchange.
  [[nodiscard]] Drive drive(std::size_t stage) const { return stages_[stage].drive; }
  /// The method of an exchange.
  [[nodiscard]] const Method& method(std::size_t stage) const { return *stages_[stage].method; }

  /// True for an exchange that goes on beside the sweeps around it.
  [[nodiscard]] bool pipelined(std::size_t stage) const {
    return stages_[stage].is_exchange && stages_[stage].drive == Drive::pipelined;
  }
  /// The step of the plan that it is: a number that all ranks know it by. (A rank without data
  /// cannot tell in place from out of place, and may have another stage more.)
  [[nodiscard]] int step(std::size_t stage) const { return stages_[stage].step; }
  /// Chunks of a sweep, 1 but for those beside pipelined exchanges. The same on all ranks.
  [[nodiscard]] std::size_t chunks(std::size_t stage) const {
    return std::max<std::size_t>(1, chunks_[stage].size());
  }
  /// Chunks of the sweep before an exchange that is pipelined, and of the sweep behind it.
  [[nodiscard]] Index sent_chunks(std::size_t stage) const { return stages_[stage].sent_chunks; }
  [[nodiscard]] Index taken_chunks(std::size_t stage) const { return stages_[stage].taken_chunks; }

  /// Runs a sweep or copy; `factor` is applied by the last stage that computes.
  void sweep(std::size_t stage, const Areas& areas, Factor<T> factor) const;
  /// Runs one chunk of it, and `progress` every now and then, on the calling thread.
  void sweep(std::size_t stage, std::size_t chunk, const Areas& areas, Factor<T> factor,
             const Progress& progress) const;
  /// Hops of an exchange, one after the other. Ranks may differ.
  [[nodiscard]] std::size_t rounds(std::size_t stage) const { return stages_[stage].rounds.size(); }
  /// Moves what a round leaves on this rank; before its messages.
  void keep(std::size_t stage, const Areas& areas, std::size_t round = 0) const;
  /// Messages of a round; valid until the next call for the same executor. Allocates nothing.
  std::span<const comm::Message> sends(std::size_t stage, const Areas& areas,
                                       std::size_t round = 0);
  std::span<const comm::Message> receives(std::size_t stage, const Areas& areas,
                                          std::size_t round = 0);
  /// When these may go and come, where the exchange is pipelined; in the same order.
  [[nodiscard]] std::vector<Dependency> dependencies(std::size_t stage, bool sending) const;

 private:
  void choose_engines(StageLayout& stage, int sign, Number<T>* tile);
  void choose_way_back(StageLayout& stage, Number<T>* tile);
  /// One of the threads that share a sweep.
  struct Worker {
    Number<T>* tile = nullptr;  ///< its own
    Index number = 0;
    Index count = 1;
    const Progress* between_tiles = nullptr;  ///< of the first one

    void progress() const {
      if (between_tiles != nullptr) (*between_tiles)();
    }
  };
  void run(const StageLayout& here, const Areas& areas, Factor<T> factor,
           const Progress* progress) const;
  void sweep_planes(const StageLayout& stage, const Areas& areas, Factor<T> factor,
                    const Worker& worker) const;
  void sweep_planes_to_real(const StageLayout& stage, const Areas& areas, Factor<T> factor,
                            const Worker& worker) const;
  void sweep_tiles(const StageLayout& stage, const Areas& areas, Factor<T> factor,
                   const Worker& worker) const;
  void sweep_chirp(const StageLayout& stage, const Areas& areas, Factor<T> factor,
                   const Worker& worker) const;
  void copy_blocks(const StageLayout& stage, const Areas& areas, const Worker& worker) const;

  Workers workers_;
  std::vector<StageLayout> stages_;
  std::vector<std::vector<StageLayout>> chunks_;  // of every stage that is cut
  EngineSet<T>& engines_;
  std::vector<comm::Message> sending_;
  std::vector<comm::Message> receiving_;
};

extern template class EngineSet<float>;
extern template class EngineSet<double>;
extern template class Executor<float>;
extern template class Executor<double>;

}  // namespace kallima::exec
