// SPDX-License-Identifier: BSD-3-Clause
//
// The messages of a pipelined exchange: they leave as soon as what they carry is computed, and come
// as soon as their place is free, while the ranks go on computing and now and then call progress().
// Nothing moves on by itself: MPI need not make progress outside of its calls.
//
// Messages travel in packets, some for each peer at a time. MPI asks a receiver for every long
// message whether it is ready, and over TCP question and answer queue behind whatever bytes are on
// their way to the same rank: behind few, if packets are small, and other packets travel meanwhile.
// Rejected: whole messages, with which both directions take turns instead of sharing the wire.
//
// Each peer is served by itself, in the order of its messages, which is the same at both ends. Its
// two directions wait for each other only where a place is not free, and never both: of two ranks
// that have sent as much, each has room for a packet more.
//
// Requests are persistent: they are made once for arrays that stay where they are.
//
// Between nodes a pipelined exchange is one rank's share of its node's: what may leave is what all
// ranks of the node have computed, what has arrived is what all of them own has. They tell each
// other by marks in their segments. See exchange/node_layout.hpp.
//
// All calls may come from several threads (MPI_THREAD_MULTIPLE), as where a ProgressThread helps.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/recorder.hpp"
#include "comm/channel.hpp"
#include "comm/node_sync.hpp"
#include "comm/requests.hpp"

namespace kallima::comm {

/// What the ranks of a node have to know of each other in a pipelined exchange. The same on all of
/// them.
struct Team {
  std::size_t slot = 0;    ///< of marks; exchanges that are under way at once have different ones
  Index sent_chunks = 1;   ///< that each of them computes
  Index taken_chunks = 1;  ///< that each of them takes
};

/// One pipelined exchange of a plan. Runs over and over.
class PipelinedExchange {
 public:
  /// Turns are parallel to the messages that begin() gets. Pipelined that are under way at once
  /// have different numbers, the same on all ranks. `memory` as for a Channel.
  PipelinedExchange(std::shared_ptr<const Communicator> communicator, const Limits& limits,
                    int number, std::vector<Dependency> sends, std::vector<Dependency> receives,
                    std::shared_ptr<const void> memory = {});
  ~PipelinedExchange() = default;
  PipelinedExchange(const PipelinedExchange&) = delete;
  PipelinedExchange& operator=(const PipelinedExchange&) = delete;
  PipelinedExchange(PipelinedExchange&&) = delete;
  PipelinedExchange& operator=(PipelinedExchange&&) = delete;

  /// Makes requests for these messages, unless they are those of the last time. Local.
  void prepare(std::span<const Message> sends, std::span<const Message> receives);
  /// Prepares and begins to receive. Everything before must be through. Local.
  void begin(std::span<const Message> sends, std::span<const Message> receives);
  /// The same as one of a node's ranks, all of which begin the same. None of them may still read or
  /// write what lies in their segments from before.
  void begin(std::span<const Message> sends, std::span<const Message> receives, NodeSync& node,
             const Team& team);
  /// So many chunks of what is sent are computed: what they complete may leave.
  void computed(Index chunks);
  /// Moves on what can move; nothing between finish() and begin(). Never waits. Local; costs a
  /// call of MPI for each direction, and one for each packet that it starts.
  void progress();
  /// Waits until all that chunks up to this one take has arrived, on the whole node.
  void wait_for(Index taken);
  /// Waits until everything is through and this rank's memory is free.
  void finish();

  /// After a failure: what has not come need not come any more. Memory stays in use all the same.
  void abandon();

  /// Records messages from now on, as those of this stage; or no more.
  void record(Recorder* recorder, Index stage);

 private:
  /// What one call of MPI carries.
  struct Packet {
    std::size_t message = 0;
    Index end = 0;  ///< bytes of its buffer up to its end
    bool through = false;
  };
  /// What goes one way between this rank and a peer, in order.
  struct Line {
    std::vector<std::size_t> packets;
    std::size_t started = 0;
    std::size_t through = 0;  ///< packets at the front
    Index bytes = 0;          ///< of these
    double since = 0.;        ///< when the message that is under way began, for a trace
    Index send_offset = 0;    ///< bytes that the receiver has room for before it sends as many
  };
  /// One direction.
  struct Side {
    explicit Side(Requests none) : requests(std::move(none)) {}

    std::vector<Dependency> dependencies;
    std::vector<Message> messages;  ///< as of the last time
    std::vector<Packet> packets;
    Requests requests;                   ///< by packet
    std::vector<Line> lines;             ///< by buffer
    std::vector<MPI_Request> under_way;  ///< of these, for MPI_Testsome
    std::vector<std::size_t> which;      ///< packets they are of
    std::size_t left = 0;                ///< packets that are not through
    Index bytes = 0;                     ///< of all messages
  };
  void remake(Side& side, std::span<const Message> messages, bool sending);
  static void rewind(Side& side);
  void start(Side& side, Line& line) const;
  void test(Side& side);
  void note(const Side& side, Line& line, std::size_t packet);
  void restart();
  void move_on();
  void hear_team();
  [[nodiscard]] bool arrived(Index taken);
  void start_sends();
  void start_receives();
  /// Moves on what can move until `done`, which is asked under the lock.
  template <class Done>
  void wait(Done done);

  std::mutex mutex_;  // over everything below
  std::shared_ptr<const Communicator> communicator_;
  Limits limits_;
  int tag_;
  Side sending_;
  Side receiving_;
  std::vector<std::size_t> order_;  // of buffers
  std::vector<Index> wanted_;       // messages that a chunk takes, in packets
  std::vector<Index> missing_;      // of these, not here yet
  std::vector<int> completed_;      // for MPI_Testsome
  bool under_way_ = false;          // from begin() to finish()
  bool failed_ = false;             // in the middle of moving on
  Index computed_ = 0;
  NodeSync* node_ = nullptr;         // where a node's ranks work together
  Team team_;                        // then
  std::uint64_t computed_base_ = 0;  // marks when it began
  std::uint64_t arrived_base_ = 0;
  std::size_t arrived_ = 0;  // chunks at the front
  Recorder* recorder_ = nullptr;
  Index stage_ = 0;
};

}  // namespace kallima::comm
