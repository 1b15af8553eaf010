// SPDX-License-Identifier: BSD-3-Clause
#include "theory/collective_programs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "theory/all_to_all.hpp"
#include "theory/powers_of_two.hpp"

namespace kallima::butterfly {

namespace {

/// Rounds in which a processor sends what it had before, receives, and works.
class Rounds {
 public:
  explicit Rounds(Index procs) : program_(procs) {
    program_.begin_phase("begin");
    for (Index p = 0; p < procs; ++p) now_.push_back(program_.add_task(p, 0));
    next_ = now_;
  }

  void begin(const std::string& name, double work = 0) {
    program_.begin_phase(name);
    for (std::size_t p = 0; p < now_.size(); ++p) {
      next_[p] = program_.add_task(static_cast<Index>(p), work);
      program_.add_edge(now_[p], next_[p]);
    }
  }

  void send(Index from, Index to, double bytes) {
    const std::array<TaskId, 1> wanted = {next_[static_cast<std::size_t>(to)]};
    program_.add_message(now_[static_cast<std::size_t>(from)], to, wanted, bytes);
  }

  void end() { now_ = next_; }

  Program take() { return std::move(program_); }

 private:
  Program program_;
  std::vector<TaskId> now_;
  std::vector<TaskId> next_;
};

/// One collective after the other, by butterflies.
class Butterflies {
 public:
  explicit Butterflies(const Collective& collective) : of_(collective), rounds_(collective.procs) {
    models::exact_log2(collective.procs, "procs");
  }

  Butterflies& reduce_scatter() {
    for (Index span = of_.procs / 2; span >= 1; span /= 2)
      exchange("reduce", span, of_.work_per_byte);
    return *this;
  }

  /// What is sent in the round over `span` is as much as the reduce-scatter sent there.
  Butterflies& allgather(double work_per_byte = 0) {
    for (Index span = 1; span < of_.procs; span *= 2) exchange("gather", span, work_per_byte);
    return *this;
  }

  Butterflies& scatter() {
    for (Index span = of_.procs / 2; span >= 1; span /= 2) {
      rounds_.begin("scatter");
      for (Index p = 0; p < of_.procs; p += 2 * span) rounds_.send(p, p + span, bytes_over(span));
      rounds_.end();
    }
    return *this;
  }

  Butterflies& gather() {
    for (Index span = 1; span < of_.procs; span *= 2) {
      rounds_.begin("gather");
      for (Index p = 0; p < of_.procs; p += 2 * span) rounds_.send(p + span, p, bytes_over(span));
      rounds_.end();
    }
    return *this;
  }

  Program take() { return rounds_.take(); }

 private:
  /// Half of what 2 span processors have to share.
  [[nodiscard]] double bytes_over(Index span) const {
    return of_.bytes * static_cast<double>(span) / static_cast<double>(of_.procs);
  }

  void exchange(const std::string& name, Index span, double work_per_byte) {
    rounds_.begin(name, work_per_byte * bytes_over(span));
    for (Index p = 0; p < of_.procs; ++p) rounds_.send(p, p ^ span, bytes_over(span));
    rounds_.end();
  }

  Collective of_;
  Rounds rounds_;
};

/// Children of each processor.
using Tree = std::vector<std::vector<Index>>;

/// Over 1, ..., count, numbered from left to right: odd numbers are leaves. Returns its root.
Index add_in_order_tree(Tree& tree, Index count, Index shift) {
  const auto named = [&](Index place) { return (place - 1 + shift) % count + 1; };
  const auto top = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(count)));
  for (Index place = 1; place <= count; ++place) {
    const Index half = (place & -place) / 2;
    if (half == 0) continue;
    std::vector<Index>& children = tree[static_cast<std::size_t>(named(place))];
    children.push_back(named(place - half));
    // The right subtree may be cut off by the end; its root is then further down.
    for (Index step = half; step >= 1; step /= 2) {
      if (place + step > count) continue;
      children.push_back(named(place + step));
      break;
    }
  }
  return named(top);
}

/// An edge of one of two trees.
struct TreeEdge {
  std::size_t tree = 0;
  Index parent = 0;
  Index child = 0;
  int turn = -1;
};

/// Gives each edge one of two turns, so that no processor sends twice or receives twice in a turn:
/// edges that share a sender or a receiver form paths and even circles, along which turns alternate
/// (Sanders, Speck, Träff 2009, "Two-tree algorithms for full bandwidth broadcast, reduction and
/// scan").
class Turns {
 public:
  Turns(std::vector<TreeEdge>& edges, Index procs)
      : edges_(edges), sent_(static_cast<std::size_t>(procs)), come_(sent_.size()) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      sent_[static_cast<std::size_t>(edges[e].parent)].push_back(e);
      come_[static_cast<std::size_t>(edges[e].child)].push_back(e);
    }
    // Paths from their ends first; what is left are circles.
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (other_at_parent(e) == none) follow(e, true);
      if (other_at_child(e) == none) follow(e, false);
    }
    for (std::size_t e = 0; e < edges.size(); ++e) follow(e, true);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  static std::size_t other(const std::vector<std::size_t>& two, std::size_t edge) {
    if (two.size() < 2) return none;
    return two[0] == edge ? two[1] : two[0];
  }
  [[nodiscard]] std::size_t other_at_parent(std::size_t edge) const {
    return other(sent_[static_cast<std::size_t>(edges_[edge].parent)], edge);
  }
  [[nodiscard]] std::size_t other_at_child(std::size_t edge) const {
    return other(come_[static_cast<std::size_t>(edges_[edge].child)], edge);
  }

  void follow(std::size_t edge, bool by_child) {
    for (int turn = 0; edge != none && edges_[edge].turn < 0; turn = 1 - turn) {
      edges_[edge].turn = turn;
      edge = by_child ? other_at_child(edge) : other_at_parent(edge);
      by_child = !by_child;
    }
  }

  std::vector<TreeEdge>& edges_;
  std::vector<std::vector<std::size_t>> sent_;
  std::vector<std::vector<std::size_t>> come_;
};

/// Lets each processor serve first the child whose turn follows the one in which it receives.
void take_turns(std::array<Tree, 2>& trees, Index procs) {
  std::vector<TreeEdge> edges;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    for (Index p = 0; p < procs; ++p) {
      for (const Index child : trees[t][static_cast<std::size_t>(p)])
        edges.push_back({t, p, child});
    }
  }
  const Turns turns(edges, procs);
  std::array<std::vector<int>, 2> come;
  for (std::vector<int>& of_tree : come) of_tree.assign(static_cast<std::size_t>(procs), 1);
  for (const TreeEdge& edge : edges)
    come[edge.tree][static_cast<std::size_t>(edge.child)] = edge.turn;
  for (Tree& tree : trees) {
    for (std::vector<Index>& children : tree) children.clear();
  }
  std::stable_sort(edges.begin(), edges.end(), [&](const TreeEdge& a, const TreeEdge& b) {
    const auto late = [&](const TreeEdge& edge) {
      return edge.turn == come[edge.tree][static_cast<std::size_t>(edge.parent)];
    };
    return !late(a) && late(b);
  });
  for (const TreeEdge& edge : edges) {
    trees[edge.tree][static_cast<std::size_t>(edge.parent)].push_back(edge.child);
  }
}

/// Sends packets down trees.
class Packets {
 public:
  Packets(const Collective& collective, double packet)
      : of_(collective), program_(of_.procs), packet_(packet) {
    models::require(packet > 0, "a packet has no bytes; take at least one");
    program_.begin_phase("packets");
    count_ = std::max<Index>(1, static_cast<Index>(std::ceil(of_.bytes / packet)));
  }

  [[nodiscard]] Index count() const { return count_; }

  /// A packet from the root: each processor passes it on as soon as it has it.
  void send(Index which, const Tree& tree) {
    const TaskId task = program_.add_task(0, 0);
    if (which > 0) program_.add_edge(last_, task);
    last_ = task;
    pass_on(task, 0, bytes_of(which), tree);
  }

  Program take() { return std::move(program_); }

 private:
  [[nodiscard]] double bytes_of(Index which) const {
    return std::min(packet_, of_.bytes - static_cast<double>(which) * packet_);
  }

  void pass_on(TaskId task, Index proc, double bytes, const Tree& tree) {
    for (const Index child : tree[static_cast<std::size_t>(proc)]) {
      const std::array<TaskId, 1> there = {program_.add_task(child, 0)};
      program_.add_message(task, child, there, bytes);
      pass_on(there[0], child, bytes, tree);
    }
  }

  Collective of_;
  Program program_;
  double packet_;
  Index count_ = 1;
  TaskId last_ = 0;
};

}  // namespace

Program allgather(const Collective& collective) {
  return Butterflies(collective).allgather().take();
}

Program reduce_scatter(const Collective& collective) {
  return Butterflies(collective).reduce_scatter().take();
}

Program allreduce(const Collective& collective) {
  return Butterflies(collective).reduce_scatter().allgather().take();
}

Program scan(const Collective& collective) {
  return Butterflies(collective).reduce_scatter().allgather(2 * collective.work_per_byte).take();
}

Program scatter(const Collective& collective) { return Butterflies(collective).scatter().take(); }

Program gather(const Collective& collective) { return Butterflies(collective).gather().take(); }

Program reduce(const Collective& collective) {
  return Butterflies(collective).reduce_scatter().gather().take();
}

Program broadcast_binomial(const Collective& collective) {
  Rounds rounds(collective.procs);
  for (Index have = 1; have < collective.procs; have *= 2) {
    rounds.begin("broadcast");
    for (Index p = 0; p < std::min(have, collective.procs - have); ++p) {
      rounds.send(p, p + have, collective.bytes);
    }
    rounds.end();
  }
  return rounds.take();
}

Program broadcast_scatter_allgather(const Collective& collective) {
  return Butterflies(collective).scatter().allgather().take();
}

Program broadcast_pipelined(const Collective& collective, double packet) {
  Tree tree(static_cast<std::size_t>(collective.procs));
  for (Index p = 1; p < collective.procs; ++p) {
    tree[static_cast<std::size_t>((p - 1) / 2)].push_back(p);
  }
  Packets packets(collective, packet);
  for (Index i = 0; i < packets.count(); ++i) packets.send(i, tree);
  return packets.take();
}

Program broadcast_double_tree(const Collective& collective, double packet) {
  std::array<Tree, 2> trees;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    trees[i].resize(static_cast<std::size_t>(collective.procs));
    if (collective.procs < 2) continue;
    const Index top = add_in_order_tree(trees[i], collective.procs - 1, static_cast<Index>(i));
    trees[i][0] = {top};
  }
  take_turns(trees, collective.procs);
  Packets packets(collective, packet);
  for (Index i = 0; i < packets.count(); ++i) {
    packets.send(i, trees[static_cast<std::size_t>(i % 2)]);
  }
  return packets.take();
}

Program all_to_all_direct(const Collective& collective) {
  const Index procs = collective.procs;
  Rounds rounds(procs);
  rounds.begin("all to all");
  for (Index p = 0; p < procs; ++p) {
    for (Index i = 1; i < procs; ++i) {
      rounds.send(p, (p + i) % procs, collective.bytes / static_cast<double>(procs));
    }
  }
  rounds.end();
  return rounds.take();
}

Program all_to_all_by_digits(const Collective& collective, Index radix) {
  const Index procs = collective.procs;
  models::require(procs == 1 || (radix >= 2 && radix <= procs),
                  "the radix of an all-to-all is " + std::to_string(radix) + "; take 2 to " +
                      std::to_string(procs) + ", the number of processors");
  Rounds rounds(procs);
  for (Index weight = 1; weight < procs; weight *= radix) {
    rounds.begin("digit");
    for (Index digit = 1; digit < radix && digit * weight < procs; ++digit) {
      const auto blocks =
          static_cast<double>(models::blocks_with_digit(procs, radix, weight, digit));
      const double bytes = blocks * collective.bytes / static_cast<double>(procs);
      for (Index p = 0; p < procs; ++p) rounds.send(p, (p + digit * weight) % procs, bytes);
    }
    rounds.end();
  }
  return rounds.take();
}

}  // namespace kallima::butterfly
