// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/chunks.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "base/checked.hpp"
#include "exchange/method.hpp"
#include "kallima/error.hpp"
#include "layout/peers.hpp"

namespace kallima {

namespace {

/// The pass beside an exchange: its first sweep, and whether a second one shares it.
struct Pass {
  std::size_t step = 0;
  bool joined = false;

  [[nodiscard]] const Sweep& sweep(const StepList& plan) const {
    return std::get<Sweep>(plan.steps()[step]);
  }
  [[nodiscard]] const Layout& layout(const StepList& plan) const {
    return plan.states()[step].layout;
  }
  [[nodiscard]] bool sweeps(const StepList& plan, int digit) const {
    const Sweep& first = sweep(plan);
    if (first.kernel == Kernel::none) return false;
    return first.digit == digit ||
           (joined && std::get<Sweep>(plan.steps()[step + 1]).digit == digit);
  }
};

std::optional<Pass> pass_beside(const StepList& plan, std::size_t step, bool sending) {
  if (!sending) {
    const Sweep* const behind = plan.sweep_at(step + 1);
    if (behind == nullptr) return std::nullopt;
    const Sweep* const next = plan.sweep_at(step + 2);
    return Pass{step + 1, next != nullptr && next->joined};
  }
  const Sweep* const before = step > 0 ? plan.sweep_at(step - 1) : nullptr;
  if (before == nullptr) return std::nullopt;
  return before->joined ? Pass{step - 2, true} : Pass{step - 1, false};
}

/// Chunks of a rank begin at multiples of so many places along a digit: there, tiles do.
Index unit_along(const StepList& plan, const Pass& pass, int digit, const Shape& local) {
  const Sweep& sweep = pass.sweep(plan);
  if (pass.joined || sweep.kernel == Kernel::none) return 1;
  Index outer = 1;
  Index inner = 1;
  bool behind = false;
  for (const int other : line_digits(pass.layout(plan), sweep, local)) {
    if (other == digit) {
      behind = true;
    } else {
      (behind ? inner : outer) *= local[static_cast<std::size_t>(other)];
    }
  }
  const Index extent = local[static_cast<std::size_t>(digit)];
  if (outer > 1 && extent * inner % sweep.lines != 0) return std::max<Index>(1, extent);
  return sweep.lines / std::gcd(sweep.lines, inner);
}

/// A side of an exchange on one rank: bounds of its chunks follow from this.
struct ChunkedExtent {
  Index places = 0;
  Index unit = 1;  ///< places at multiples of which chunks begin
};

ChunkedExtent extent_on(const StepList& plan, const Pass& pass, int digit, Index rank) {
  const Shape local = pass.layout(plan).local_shape(rank);
  return {local[static_cast<std::size_t>(digit)], unit_along(plan, pass, digit, local)};
}

/// Bounds of chunks [first, end) of so many.
Range bounds(const ChunkedExtent& extent, Index chunks, Index first, Index end) {
  const Index units = ceil_div(extent.places, extent.unit);
  const auto begin_of = [&](Index chunk) {
    return std::min(extent.places, units * chunk / chunks * extent.unit);
  };
  return {begin_of(first), begin_of(end)};
}

/// True where each peer has in common with a rank all the places the rank holds along a digit.
bool shared_whole(const Layout& mine, const Layout& theirs, std::size_t digit) {
  return theirs.axis(digit).procs == 1 || theirs.axis(digit) == mine.axis(digit);
}

}  // namespace

std::vector<int> line_digits(const Layout& layout, const Sweep& sweep, const Shape& local_shape) {
  std::vector<int> others = layout.order();
  if (sweep.kernel != Kernel::none) std::erase(others, sweep.digit);
  std::stable_partition(others.begin(), others.end(), [&](int digit) {
    return local_shape[static_cast<std::size_t>(digit)] == 1;
  });
  return others;
}

std::vector<Part> parts_of(const Chunks& chunks) {
  std::vector<Part> parts;
  if (chunks.alike()) {
    for (Index chunk = 0; chunk < chunks.sent; ++chunk) parts.push_back({chunk, chunk + 1, chunk});
    return parts;
  }
  for (Index sent = 0; sent < chunks.sent; ++sent) {
    for (Index taken = 0; taken < chunks.ahead(); ++taken) parts.push_back({sent, sent + 1, taken});
  }
  for (Index taken = chunks.ahead(); taken < chunks.taken; ++taken) {
    parts.push_back({0, chunks.sent, taken});
  }
  return parts;
}

std::vector<CutDigit> cut_digits(const StepList& plan, std::size_t step, bool sending) {
  const auto& exchange = std::get<Exchange>(plan.steps()[step]);
  const std::optional<Pass> pass = pass_beside(plan, step, sending);
  const Layout& from = plan.states()[step].layout;
  if (!pass || exchange.hermitian() || !transposes(from, exchange.to)) return {};
  const Layout& mine = sending ? from : exchange.to;
  const Layout& theirs = sending ? exchange.to : from;
  const std::vector<RankClass> classes = rank_classes({mine}, mine.ranks());
  std::vector<CutDigit> result;
  for (const int digit : mine.order()) {
    const auto d = static_cast<std::size_t>(digit);
    if (pass->sweeps(plan, digit) || !shared_whole(mine, theirs, d)) continue;
    Index most = std::numeric_limits<Index>::max();
    for (const RankClass& ranks : classes) {
      const Shape local = mine.local_shape(ranks.first);
      if (volume(local) == 0) continue;
      most = std::min(most, ceil_div(local[d], unit_along(plan, *pass, digit, local)));
    }
    if (most > 1) result.push_back({digit, most});
  }
  return result;
}

std::vector<CutDigit> cut_digits_alike(const StepList& plan, std::size_t step) {
  const std::optional<Pass> before = pass_beside(plan, step, true);
  const std::optional<Pass> behind = pass_beside(plan, step, false);
  const std::vector<CutDigit> taken = cut_digits(plan, step, false);
  const Layout& from = plan.states()[step].layout;
  const Layout& to = plan.states()[step + 1].layout;
  std::vector<CutDigit> result;
  for (CutDigit digit : cut_digits(plan, step, true)) {
    const auto same = [&](const CutDigit& other) { return other.digit == digit.digit; };
    const auto other = std::find_if(taken.begin(), taken.end(), same);
    const auto d = static_cast<std::size_t>(digit.digit);
    if (other == taken.end() || from.axis(d) != to.axis(d)) continue;
    // Chunks of both sides have to end at the same places.
    const auto whole = [&](const Pass& pass) {
      const Layout& layout = pass.layout(plan);
      const std::vector<RankClass> classes = rank_classes({layout}, layout.ranks());
      return std::all_of(classes.begin(), classes.end(), [&](const RankClass& ranks) {
        const Shape local = layout.local_shape(ranks.first);
        return volume(local) == 0 || unit_along(plan, pass, digit.digit, local) == 1;
      });
    };
    if (!whole(*before) || !whole(*behind)) continue;
    digit.most = std::min(digit.most, other->most);
    result.push_back(digit);
  }
  return result;
}

Cutting::Cutting(const StepList& plan, std::size_t step)
    : plan_(plan), step_(step), chunks_(std::get<Exchange>(plan.steps()[step]).chunks) {
  const auto require = [&](bool sending, int digit, Index chunks) {
    if (chunks == 1) return;
    for (const CutDigit& known : cut_digits(plan, step, sending)) {
      if (known.digit == digit && chunks >= 1 && chunks <= known.most) return;
    }
    throw InternalError("an exchange is cut where it cannot be");
  };
  require(true, chunks_.sent_digit, chunks_.sent);
  require(false, chunks_.taken_digit, chunks_.taken);
  if (chunks_.alike()) {
    const std::vector<CutDigit> digits = cut_digits_alike(plan, step);
    const auto known = [&](const CutDigit& cut) { return cut.digit == chunks_.sent_digit; };
    if (chunks_.sent != chunks_.taken || std::none_of(digits.begin(), digits.end(), known)) {
      throw InternalError("an exchange is cut twice along the same digit, and not alike");
    }
  }
  if (chunks_.parts() > 1 && !method_of(Site{plan, step}).chunks()) {
    throw InternalError("an exchange is cut whose method does not go in chunks");
  }
}

Range Cutting::sent(Index rank, Index first, Index end) const {
  const Pass pass = *pass_beside(plan_, step_, true);
  return bounds(extent_on(plan_, pass, chunks_.sent_digit, rank), chunks_.sent, first, end);
}

Range Cutting::taken(Index rank, Index first, Index end) const {
  const Pass pass = *pass_beside(plan_, step_, false);
  return bounds(extent_on(plan_, pass, chunks_.taken_digit, rank), chunks_.taken, first, end);
}

Index PeerBuffer::allocated_size() const { return std::max(send_offset + out.back(), in.back()); }

PartBegins::PartBegins(const StepList& plan, std::size_t step)
    : plan_(plan),
      step_(step),
      chunks_(std::get<Exchange>(plan.steps()[step]).chunks),
      parts_(parts_of(chunks_)) {
  Cutting(plan, step);  // throws
}

std::vector<Range> PartBegins::chunks_on(bool sending, Index rank) const {
  const Index count = sending ? chunks_.sent : chunks_.taken;
  if (count == 1) return {{0, 1}};
  const ChunkedExtent extent = extent_on(plan_, *pass_beside(plan_, step_, sending),
                                         sending ? chunks_.sent_digit : chunks_.taken_digit, rank);
  std::vector<Range> result;
  for (Index chunk = 0; chunk < count; ++chunk) {
    result.push_back(bounds(extent, count, chunk, chunk + 1));
  }
  return result;
}

std::vector<Index> PartBegins::between(Index sender, Index taker) const {
  const std::vector<Range> sent = chunks_on(true, sender);
  const std::vector<Range> taken = chunks_on(false, taker);
  std::vector<Index> begins = {0};
  begins.reserve(parts_.size() + 1);
  for (const Part& part : parts_) {
    if (chunks_.alike()) {
      begins.push_back(begins.back() + sent[static_cast<std::size_t>(part.first)].size());
      continue;
    }
    const Index places = sent[static_cast<std::size_t>(part.end) - 1].end -
                         sent[static_cast<std::size_t>(part.first)].begin;
    begins.push_back(begins.back() + places * taken[static_cast<std::size_t>(part.taken)].size());
  }
  return begins;
}

std::vector<Index> PartBegins::begins(Index sender, Index taker, Index elements) const {
  std::vector<Index> result = between(sender, taker);
  const Index each = elements / result.back();
  for (Index& begin : result) begin *= each;
  return result;
}

std::vector<Index> PartBegins::sizes(Index sender, Index taker, Index elements) const {
  std::vector<Index> result = begins(sender, taker, elements);
  for (std::size_t i = 0; i + 1 < result.size(); ++i) result[i] = result[i + 1] - result[i];
  result.pop_back();
  return result;
}

double PartBegins::largest() const {
  const std::vector<Index> begins = between(0, 0);
  Index largest = 0;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    largest = std::max(largest, begins[i + 1] - begins[i]);
  }
  return static_cast<double>(largest) / static_cast<double>(begins.back());
}

namespace {

/// Neither of two ranks may wait for the other to send what it cannot, for want of room for what
/// the first one sends: so an incoming part, of whatever size, has room before the outgoing one of
/// the same number has left.
Index send_offset(const std::vector<Index>& in, const std::vector<Index>& out) {
  Index most = 0;
  for (std::size_t i = 0; i + 1 < in.size(); ++i) {
    most = std::max({most, in[i + 1] - out[std::min(i, out.size() - 1)], in[i + 1] - in[i]});
  }
  for (std::size_t i = 0; i + 1 < out.size() && in.size() > 1; ++i) {
    most = std::max(most, out[i + 1] - out[i]);
  }
  return most;
}

}  // namespace

PeerBuffer PeerBuffer::between(Index peer, std::vector<Index> out, std::vector<Index> in) {
  PeerBuffer buffer;
  buffer.peer = peer;
  buffer.send_offset = kallima::send_offset(in, out);
  buffer.peer_send_offset = kallima::send_offset(out, in);
  buffer.out = std::move(out);
  buffer.in = std::move(in);
  return buffer;
}

std::vector<PeerBuffer> peer_buffers(const StepList& plan, std::size_t step, Index rank) {
  const auto& exchange = std::get<Exchange>(plan.steps()[step]);
  const Layout& from = plan.states()[step].layout;
  const PartBegins part_begins(plan, step);
  std::map<Index, PeerBuffer> by_peer;
  const auto add = [&](const Peer& peer, bool sending) {
    PeerBuffer& buffer = by_peer[peer.rank];
    buffer.peer = peer.rank;
    std::vector<Index>& begins = sending ? buffer.out : buffer.in;
    if (peer.rank == rank) {
      begins = {0, peer.size};
    } else {
      begins = sending ? part_begins.begins(rank, peer.rank, peer.size)
                       : part_begins.begins(peer.rank, rank, peer.size);
    }
  };
  for (const Peer& taker : peers_of(from, exchange.to, rank)) add(taker, true);
  for (const Peer& sender : peers_of(exchange.to, from, rank)) add(sender, false);
  std::vector<PeerBuffer> result;
  for (auto& entry : by_peer) {
    PeerBuffer& buffer = entry.second;
    if (buffer.out.empty()) buffer.out = {0};
    if (buffer.in.empty()) buffer.in = {0};
    if (buffer.peer != rank) {
      buffer = PeerBuffer::between(buffer.peer, std::move(buffer.out), std::move(buffer.in));
    }
    result.push_back(std::move(buffer));
  }
  return result;
}

PeerBufferSizes::PeerBufferSizes(const StepList& plan, std::size_t step)
    : from_(plan.states()[step].layout),
      to_(std::get<Exchange>(plan.steps()[step]).to),
      part_begins_(plan, step),
      peers_(from_, to_) {}

PeerBuffer PeerBufferSizes::buffer(Index rank, Index peer) const {
  const auto begins = [&](Index sender, Index taker) {
    const Index size = common_size(from_, sender, to_, taker);
    return size == 0 ? std::vector<Index>{0} : part_begins_.begins(sender, taker, size);
  };
  return PeerBuffer::between(peer, begins(rank, peer), begins(peer, rank));
}

PeerBufferSize PeerBufferSizes::of(Index rank) const {
  PeerBufferSize result;
  const auto add = [&](Index room, Index buffers) {
    if (buffers == 0) return;
    result.all += buffers * room;
    result.largest = std::max(result.largest, room);
  };
  const Shape sends = from_.local_shape(rank);
  const Shape takes = to_.local_shape(rank);
  if (volume(sends) == 0 && volume(takes) == 0) return result;
  for (const RankClass& peers : peers_.of(rank)) {
    const bool own =
        from_.local_shape(peers.first) == sends && to_.local_shape(peers.first) == takes;
    if (!own || peers.ranks > 1) {
      add(buffer(rank, peers.first).allocated_size(), own ? peers.ranks - 1 : peers.ranks);
    }
  }
  add(common_size(from_, rank, to_, rank), 1);  // what it keeps is one part and stays
  return result;
}

}  // namespace kallima
