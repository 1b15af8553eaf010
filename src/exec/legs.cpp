// SPDX-License-Identifier: BSD-3-Clause
#include "exec/legs.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "exec/run.hpp"
#include "kallima/error.hpp"
#include "plan/mirror.hpp"
#include "plan/nodes.hpp"
#include "plan/relays.hpp"

namespace kallima::exec {

namespace {

/// Strides of a dense array of these extents, in a memory order.
std::vector<Index> dense_strides(const std::vector<Progression>& places,
                                 const std::vector<int>& order) {
  std::vector<Index> strides(places.size());
  Index stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto a = static_cast<std::size_t>(order[i]);
    strides[a] = stride;
    stride *= places[a].count;
  }
  return strides;
}

/// The pieces of an exchange on one side, packed into the area they are assigned to.
struct Packed {
  std::vector<Patch> patches;   // all, own one included
  std::vector<Parcel> parcels;  // by peer
};

/// A number for a parcel that leaves its sender, which is this rank or its peer.
using RoundRule = Index (*)(Index rank, Index peer, Index ranks);
Index round_by(RoundRule rule, const Parcel& parcel, Index rank, Index ranks, bool sending) {
  return sending ? rule(rank, parcel.peer, ranks) : rule(parcel.peer, rank, ranks);
}

/// A parcel that is one of the parts of a message.
struct NumberedParcel {
  std::size_t part = 0;
  Parcel parcel;
};

/// Leaves of a patch the places that are so many in its order along a digit.
void restrict_to(Patch& patch, int digit, const Range& range) {
  Progression& places = patch.places[static_cast<std::size_t>(digit)];
  places = Progression::make(places.at(range.begin), places.step, range.size());
}

/// Who sends to whom.
struct Between {
  Index sender = 0;
  Index taker = 0;
};

/// The pieces of an exchange, as its messages' parts cut them. In a message they lie in the order
/// of the state behind it.
class PieceParts {
 public:
  PieceParts(const Plan& plan, std::size_t step)
      : exchange_(std::get<Exchange>(plan.steps()[step])),
        cutting_(plan, step),
        parts_(parts_of(exchange_.chunks)) {}

  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] const Part& operator[](std::size_t part) const { return parts_[part]; }

  /// All of a piece, at `offset`.
  [[nodiscard]] Patch whole(Patch piece, Index offset) const {
    piece.offset = offset;
    piece.strides = dense_strides(piece.places, exchange_.to.order());
    return piece;
  }

  /// What of it is in one part, at `offset`.
  [[nodiscard]] Patch cut(Patch piece, std::size_t number, const Between& between,
                          Index offset) const {
    const Chunks& chunks = exchange_.chunks;
    const Part& part = parts_[number];
    if (chunks.sent > 1) {
      restrict_to(piece, chunks.sent_digit, cutting_.sent(between.sender, part.first, part.end));
    }
    if (chunks.taken > 1) {
      restrict_to(piece, chunks.taken_digit,
                  cutting_.taken(between.taker, part.taken, part.taken + 1));
    }
    return whole(std::move(piece), offset);
  }

 private:
  const Exchange& exchange_;
  Cutting cutting_;
  std::vector<Part> parts_;
};

/// Elements that take the room of a complex one.
Index unit_of(const Element& element) { return element.complex ? 1 : 2; }

class Builder {
 public:
  Builder(const Plan& plan, const Schedule& schedule, Index rank)
      : plan_(plan),
        rank_(rank),
        capacity_(output_capacity(plan, schedule.in_place, rank)),
        spill_at_(workspace(plan, schedule, rank).main) {}

  /// The whole local array of a state, in one block.
  [[nodiscard]] std::vector<Patch> natural(std::size_t state, Area area) const {
    const Layout& layout = plan_.states()[state].layout;
    const Index unit = unit_of(plan_.states()[state].element);
    const Index size = layout.room(rank_);
    if (size == 0) return {};
    Patch patch;
    patch.area = area;
    patch.owner = rank_;
    if (area == Area::output && !is_users(state) && size > unit * capacity_) {
      patch.area = Area::workspace;
      patch.offset = unit * spill_at_;
    }
    for (const Index count : layout.local_shape(rank_)) {
      patch.places.push_back(Progression::make(0, 1, count));
    }
    patch.strides = layout.local_strides(rank_);
    return {patch};
  }

  /// What this rank holds of `mine`, where it lies in the windows of the ranks that hold `theirs`.
  [[nodiscard]] std::vector<Patch> in_windows(const Layout& mine, const Layout& theirs,
                                              Area area) const {
    std::vector<Patch> patches;
    for (const Piece& piece : pieces(mine, theirs, rank_)) {
      Patch patch;
      patch.area = area;
      patch.owner = piece.peer;
      patch.places = piece.places;
      const std::vector<Index> strides = theirs.local_strides(piece.peer);
      for (std::size_t d = 0; d < strides.size(); ++d) {
        const Progression held = theirs.part(piece.peer, d);
        const Progression at = places(held, intersect(mine.part(rank_, d), held));
        patch.offset += at.first * strides[d];
        patch.strides.push_back(at.step * strides[d]);
      }
      patches.push_back(std::move(patch));
    }
    return patches;
  }

  /// The same, where each of them packed its pieces for an exchange, which is step `step`. What the
  /// rank has on both sides stays at `home`, where there is one.
  [[nodiscard]] std::vector<Patch> packed_in_windows(std::size_t step, Area area,
                                                     const std::optional<Area>& home) const {
    std::vector<Patch> patches;
    for (const Cut& cut : cuts(step, false, rank_)) {
      Index before = 0;
      for (const Cut& sent : cuts(step, true, cut.peer)) {
        if (sent.peer == rank_) break;
        before += sent.size;
      }
      for (const CutPart& part : cut.parts) {
        add_part(patches, part, {area, cut.peer, part.conjugated, before, {}, {}}, home,
                 in_digits(step + 1));
      }
    }
    return patches;
  }

  /// Pieces that this rank sends or receives in an exchange, one behind the other by peer.
  [[nodiscard]] Packed packed(std::size_t step, bool sending, Area area,
                              const std::optional<Area>& home = std::nullopt) const {
    Packed result;
    const auto& exchange = std::get<Exchange>(plan_.steps()[step]);
    const State& mine = plan_.states()[sending ? step : step + 1];
    const Index unit = unit_of(mine.element);
    const Index capacity = unit * capacity_;
    const Index total = mine.layout.local_size(rank_);
    // Alltoallv wants one block of memory; messages may spill piece by piece.
    const bool whole_spills =
        area == Area::output && exchange.method == ExchangeMethod::alltoallv && total > capacity;
    Index at = 0;
    Index spilled = 0;
    bool spilling = whole_spills;
    for (const Cut& cut : cuts(step, sending, rank_)) {
      if (area == Area::output && at + cut.size > capacity) spilling = true;
      const Area where = spilling ? Area::workspace : area;
      const Index begin = spilling ? unit * spill_at_ + spilled : at;
      (spilling ? spilled : at) += cut.size;
      for (const CutPart& part : cut.parts) {
        add_part(result.patches, part, {where, rank_, part.conjugated, begin, {}, {}}, home,
                 in_digits(sending ? step : step + 1));
      }
      result.parcels.push_back({cut.peer, where, begin, cut.size, unit == 2});
    }
    return result;
  }

  /// Pieces that this rank sends or receives in a pipelined exchange, part by part in their lanes.
  /// Parcels are in the order in which they go or come.
  [[nodiscard]] Packed in_lanes(std::size_t step, bool sending, Area area) const {
    const auto& exchange = std::get<Exchange>(plan_.steps()[step]);
    const Layout& from = plan_.states()[step].layout;
    const Index unit = unit_of(plan_.states()[step].element);
    const PieceParts parts(plan_, step);
    const std::vector<Lane> all = lanes(plan_, step, rank_);
    const std::vector<Placed> placed = placed_lanes(all, area == Area::output, unit * capacity_);
    std::vector<NumberedParcel> parcels;
    Packed result;
    const Layout& mine = sending ? from : exchange.to;
    const Layout& theirs = sending ? exchange.to : from;
    std::size_t i = 0;  // lanes and pieces are both in the order of peers
    for (const Piece& piece : pieces(mine, theirs, rank_)) {
      while (all[i].peer != piece.peer) ++i;
      const Lane& lane = all[i];
      const std::vector<Index>& begins = sending ? lane.out : lane.in;
      Patch patch;
      patch.area = placed[i].spills ? Area::workspace : area;
      patch.owner = rank_;
      const Index base = placed[i].begin + (placed[i].spills ? unit * spill_at_ : 0);
      patch.places = piece.places;
      if (lane.peer == rank_) {
        result.patches.push_back(parts.whole(patch, base));
        continue;
      }
      const Index sender = sending ? rank_ : lane.peer;
      const Index taker = sending ? lane.peer : rank_;
      for (std::size_t p = 0; p < parts.size(); ++p) {
        Patch here =
            parts.cut(patch, p, {sender, taker}, base + begins[p] + (sending ? lane.apart : 0));
        const Parcel parcel{lane.peer,   here.area,
                            here.offset, begins[p + 1] - begins[p],
                            unit == 2,   turn_of(lane, i, parts[p], sending),
                            rank_};
        parcels.push_back({p, parcel});
        result.patches.push_back(std::move(here));
      }
    }
    const auto round = [&](const Parcel& parcel) {
      return round_by(transport::turn_of, parcel, rank_, plan_.ranks(), sending);
    };
    std::sort(parcels.begin(), parcels.end(),
              [&](const NumberedParcel& a, const NumberedParcel& b) {
                return a.part != b.part ? a.part < b.part : round(a.parcel) < round(b.parcel);
              });
    for (const NumberedParcel& numbered : parcels) result.parcels.push_back(numbered.parcel);
    return result;
  }

  /// Pieces of an exchange whose parts take each other's places.
  [[nodiscard]] Packed flowing(std::size_t step, bool sending, Area area) const {
    const bool nodes =
        std::get<Exchange>(plan_.steps()[step]).method == ExchangeMethod::node_aggregated;
    return nodes ? in_nodes(step, sending, area) : in_lanes(step, sending, area);
  }

  /// Pieces that this rank sends or takes in an exchange by nodes, where they lie in the windows of
  /// its node; and the messages of the lanes that it owns.
  [[nodiscard]] Packed in_nodes(std::size_t step, bool sending, Area area) const {
    const auto& exchange = std::get<Exchange>(plan_.steps()[step]);
    const Layout& from = plan_.states()[step].layout;
    const Index unit = unit_of(plan_.states()[step].element);
    const PieceParts parts(plan_, step);
    const NodeMap map = node_map(plan_);
    const NodeLayout node = node_layout(plan_, step, map.node_of(rank_));
    Packed result;
    const auto mine = [&](const NodePlace& place) {
      return (sending ? place.sender : place.taker) == rank_;
    };
    std::vector<NodePlace> places;
    std::copy_if((sending ? node.out : node.in).begin(), (sending ? node.out : node.in).end(),
                 std::back_inserter(places), mine);
    std::size_t at = 0;  // places and pieces are both in the order of peers
    for (const Piece& piece :
         sending ? pieces(from, exchange.to, rank_) : pieces(exchange.to, from, rank_)) {
      const NodePlace& place = places[at++];
      Patch patch;
      patch.area = area;
      patch.owner = place.window;
      patch.places = piece.places;
      if (map.node_of(place.sender) == map.node_of(place.taker)) {
        result.patches.push_back(parts.whole(patch, place.begins[0]));
        continue;
      }
      for (std::size_t p = 0; p < parts.size(); ++p) {
        result.patches.push_back(parts.cut(patch, p, {place.sender, place.taker}, place.begins[p]));
      }
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (std::size_t i = 0; i < node.lanes.size(); ++i) {
        const NodeLane& owned = node.lanes[i];
        const Lane& lane = owned.lane;
        const std::vector<Index>& begins = sending ? lane.out : lane.in;
        if (owned.owner != rank_ || begins.size() == 1) continue;
        const Index begin = owned.begin + begins[p] + (sending ? lane.apart : 0);
        result.parcels.push_back({lane.peer, area, begin, begins[p + 1] - begins[p], unit == 2,
                                  turn_of(lane, i, parts[p], sending), rank_});
      }
    }
    return result;
  }

  /// What changes owner between this rank and others, wherever it lies: for the count alone.
  [[nodiscard]] std::vector<Parcel> moved(std::size_t step, bool sending) const {
    std::vector<Parcel> parcels;
    const bool real = !plan_.states()[step].element.complex;
    for (const Cut& cut : cuts(step, sending, rank_)) {
      if (cut.peer != rank_) parcels.push_back({cut.peer, Area::window, 0, cut.size, real});
    }
    return parcels;
  }

  /// The half spectrum of a state, in rows.
  [[nodiscard]] std::vector<Patch> half_rows(std::size_t state, const Mirror& mirror,
                                             Area area) const {
    std::vector<Patch> patches = natural(state, area);
    for (Patch& patch : patches) {
      const Shape rows = mirror.half_rows();
      patch.places = {Progression::make(0, 1, rows[0]), Progression::make(0, 1, rows[1])};
      patch.strides = {rows[1], 1};
    }
    return patches;
  }

  /// Where what a rank holds on both sides of the exchange of k with n - k stays: in the user's own
  /// array, if the half spectrum is that, and what travels goes by windows.
  [[nodiscard]] std::optional<Area> home(std::size_t step, bool in_place) const {
    const Exchange* const exchange = exchange_at(plan_, step);
    if (exchange == nullptr || !exchange->mirrors() ||
        exchange->method != ExchangeMethod::shared_memory) {
      return std::nullopt;
    }
    if (in_digits(step) && is_users(step + 2)) return Area::output;
    if (in_digits(step + 1) && is_users(step - 1)) {
      return in_place ? Area::output : Area::input;
    }
    return std::nullopt;
  }

 private:
  static transport::Turn turn_of(const Lane& lane, std::size_t number, const Part& part,
                                 bool sending) {
    transport::Turn turn;
    turn.lane = static_cast<Index>(number);
    turn.needs = part.end;
    turn.taken = part.taken;
    turn.apart = sending ? lane.peer_apart : lane.apart;
    return turn;
  }

  /// Adds a part of a parcel that begins at `parcel`; but what is at home is on the split side
  /// taken from there or left there, and on the other side there already.
  static void add_part(std::vector<Patch>& patches, const CutPart& part, const Patch& parcel,
                       const std::optional<Area>& home, bool split_side) {
    Patch patch = parcel;
    patch.places = part.places;
    if (home && part.home) {
      if (!split_side) return;
      patch.area = *home;
      patch.offset = part.home->offset;
      patch.strides = part.home->strides;
    } else {
      patch.offset += part.in_parcel.offset;
      patch.strides = part.in_parcel.strides;
    }
    patches.push_back(std::move(patch));
  }

  /// True for the side of the exchange of k with n - k that has the axis in digits.
  [[nodiscard]] bool in_digits(std::size_t state) const {
    return plan_.states()[state].digits.size() > plan_.problem().shape.size();
  }

  /// True where a state lies in the user's own array: it is the first or the last, but for other
  /// words for it. (Reals need not fill a whole number of complex elements.)
  [[nodiscard]] bool is_users(std::size_t state) const {
    const auto regroups = [](const Step& step) { return std::holds_alternative<Regroup>(step); };
    const auto at = plan_.steps().begin() + static_cast<std::ptrdiff_t>(state);
    return std::all_of(plan_.steps().begin(), at, regroups) ||
           std::all_of(at, plan_.steps().end(), regroups);
  }

  /// What a rank sends or receives in an exchange, by peer, and how it lies in the message.
  [[nodiscard]] std::vector<Cut> cuts(std::size_t step, bool sending, Index rank) const {
    const auto& exchange = std::get<Exchange>(plan_.steps()[step]);
    const State& before = plan_.states()[step];
    const State& after = plan_.states()[step + 1];
    if (exchange.mirrors()) {
      const Mirror mirror = Mirror::between(before, after);
      const bool folding = folds(before, after);
      return folding == sending ? mirror.half_side(rank) : mirror.split_side(rank, folding);
    }
    const Layout& mine = (sending ? before : after).layout;
    const Layout& theirs = (sending ? after : before).layout;
    std::vector<Cut> result;
    for (const Piece& piece : pieces(mine, theirs, rank)) {
      CutPart whole;
      whole.places = piece.places;
      whole.in_parcel.strides = dense_strides(piece.places, exchange.to.order());
      result.push_back({piece.peer, piece.size, {}});
      result.back().parts.push_back(std::move(whole));
    }
    return result;
  }

  const Plan& plan_;
  Index rank_;
  Index capacity_;
  Index spill_at_;
};

std::vector<Parcel> in_rounds(const std::vector<Parcel>& parcels, Index rank, Index ranks,
                              bool sending) {
  std::vector<Parcel> result;
  std::copy_if(parcels.begin(), parcels.end(), std::back_inserter(result),
               [&](const Parcel& parcel) { return parcel.peer != rank; });
  const auto round = [&](const Parcel& parcel) {
    return round_by(transport::round_of, parcel, rank, ranks, sending);
  };
  std::sort(result.begin(), result.end(),
            [&](const Parcel& a, const Parcel& b) { return round(a) < round(b); });
  return result;
}

/// Every rank's message for every other one it has something for, and what stays.
Hop in_one_hop(const Packed& sent, const Packed& received, Index rank, Index ranks) {
  Hop hop;
  hop.sends = in_rounds(sent.parcels, rank, ranks, true);
  hop.receives = in_rounds(received.parcels, rank, ranks, false);
  const auto own = [&](const Parcel& parcel) { return parcel.peer == rank; };
  const auto from = std::find_if(sent.parcels.begin(), sent.parcels.end(), own);
  const auto to = std::find_if(received.parcels.begin(), received.parcels.end(), own);
  if (from != sent.parcels.end()) hop.kept.push_back({*from, *to});
  return hop;
}

/// The same by relays. What a rank sends in a hop is put together in transit, what it receives
/// stays there; the last hop brings home what has come, and what never left.
std::vector<Hop> in_hops(const std::vector<RelayHop>& relayed, const RelayRoom& room,
                         const Packed& sent, const Packed& received, Index rank) {
  std::map<std::pair<Index, Index>, Parcel> held;  // by sender and taker
  for (const Parcel& parcel : sent.parcels) held[{rank, parcel.peer}] = parcel;
  const bool real = !sent.parcels.empty()
                        ? sent.parcels.front().real
                        : !received.parcels.empty() && received.parcels.front().real;
  Index arrives = room.out;
  std::vector<Hop> hops;
  for (const RelayHop& relay : relayed) {
    Hop hop;
    Index leaves = 0;
    for (const RelayMessage& message : relay.sends) {
      hop.sends.push_back({message.peer, Area::transit, leaves, message.size(), real});
      for (const RelayMessage::Load& load : message.loads) {
        const auto piece = held.find({load.sender, load.taker});
        hop.kept.push_back({piece->second, {message.peer, Area::transit, leaves, load.size, real}});
        held.erase(piece);
        leaves += load.size;
      }
    }
    for (const RelayMessage& message : relay.receives) {
      hop.receives.push_back({message.peer, Area::transit, arrives, message.size(), real});
      for (const RelayMessage::Load& load : message.loads) {
        held[{load.sender, load.taker}] = {message.peer, Area::transit, arrives, load.size, real};
        arrives += load.size;
      }
    }
    hops.push_back(std::move(hop));
  }
  Hop home;
  for (const Parcel& parcel : received.parcels) {
    home.kept.push_back({held.at({parcel.peer, rank}), parcel});
  }
  hops.push_back(std::move(home));
  return hops;
}

Twiddle twiddle_of(const State& state, int swept, Index rank) {
  Twiddle twiddle;
  twiddle.modulus = state.twiddle_modulus(swept);
  for (const int digit : state.twiddle_digits(swept)) {
    const auto at = static_cast<std::size_t>(digit);
    twiddle.terms.push_back({at, state.layout.part(rank, at), state.digits[at].weight});
  }
  return twiddle;
}

/// Cuts the sweep of steps [first, last] as the exchanges beside it want it.
void cut(LegLayout& leg, const Plan& plan, std::size_t first, std::size_t last, Index rank) {
  const Chunks before = chunks_at(plan, first - 1);  // none before the first step
  const Chunks behind = chunks_at(plan, last + 1);
  if (before.taken > 1) {
    leg.cut = before.taken_digit;
    const Cutting cutting(plan, first - 1);
    for (Index i = 0; i < before.taken; ++i) leg.bounds.push_back(cutting.taken(rank, i, i + 1));
  } else if (behind.sent > 1) {
    leg.cut = behind.sent_digit;
    const Cutting cutting(plan, last + 1);
    for (Index i = 0; i < behind.sent; ++i) leg.bounds.push_back(cutting.sent(rank, i, i + 1));
  }
}

/// The part of a patch in a range of a digit, whose places are counted from there. False for none.
bool cut_patch(Patch& patch, std::size_t digit, const Range& range) {
  const Run run = run_of(patch.places[digit], range);
  if (run.count == 0) return false;
  patch.offset += run.skip * patch.strides[digit];
  patch.places[digit] =
      Progression::make(run.first - range.begin, patch.places[digit].step, run.count);
  return true;
}

}  // namespace

std::vector<LegLayout> chunks_of(const LegLayout& leg) {
  const auto digit = static_cast<std::size_t>(leg.cut);
  std::vector<LegLayout> result;
  for (const Range& range : leg.bounds) {
    LegLayout chunk = leg;
    chunk.bounds.clear();
    chunk.local_shape[digit] = range.size();
    for (std::vector<Patch>* const patches : {&chunk.sources, &chunk.targets}) {
      std::erase_if(*patches, [&](Patch& patch) { return !cut_patch(patch, digit, range); });
    }
    for (Twiddle::Term& term : chunk.twiddle.terms) {
      if (term.digit != digit || range.size() == 0) continue;
      term.values = Progression::make(term.values.at(range.begin), term.values.step, range.size());
    }
    result.push_back(std::move(chunk));
  }
  return result;
}

std::vector<LegLayout> lay_out(const Plan& plan, const Schedule& schedule, Index rank) {
  const Builder builder(plan, schedule, rank);
  const auto layout_at = [&](std::size_t state) -> const Layout& {
    return plan.states()[state].layout;
  };
  const auto flows_at = [&](std::size_t step) {
    const Exchange* const exchange = exchange_at(plan, step);
    return exchange != nullptr && exchange->flows();
  };
  std::vector<LegLayout> legs;
  std::size_t last_computing = std::numeric_limits<std::size_t>::max();
  for (const Leg& leg : schedule.legs) {
    LegLayout out;
    if (leg.step == Leg::copy) {
      out.sources = builder.natural(0, leg.from);
      out.targets = builder.natural(0, leg.to);
      out.from_real = out.to_real = !plan.states()[0].element.complex;
      out.local_shape = layout_at(0).local_shape(rank);
      out.others = line_digits(layout_at(0), out.sweep, out.local_shape);
      legs.push_back(std::move(out));
      continue;
    }
    const auto step = static_cast<std::size_t>(leg.step);
    const std::size_t last = leg.last();
    const Layout& before = layout_at(step);
    const Layout& after = layout_at(last + 1);
    const Element& element = plan.states()[step].element;
    const Element& element_after = plan.states()[last + 1].element;
    out.from_real = !element.complex;
    out.to_real = !element_after.complex;
    if (const Exchange* const moved = exchange_at(plan, step)) {
      const Exchange& exchange = *moved;
      out.is_exchange = true;
      out.step = leg.step;
      out.method = exchange.method;
      if (leg.meets) {
        out.hops = {{{}, builder.moved(step, true), builder.moved(step, false)}};
        legs.push_back(std::move(out));
        continue;
      }
      if (exchange.flows()) {
        out.flows = true;
        out.sent_chunks = exchange.chunks.sent;
        out.taken_chunks = exchange.chunks.taken;
        out.hops = {{{},
                     builder.flowing(step, true, leg.from).parcels,
                     builder.flowing(step, false, leg.to).parcels}};
        if (exchange.chunks.sent == 1) {
          // The sweep before may be cut for an exchange before it.
          const auto all = static_cast<Index>(std::max<std::size_t>(1, legs.back().bounds.size()));
          for (Parcel& parcel : out.hops.front().sends) parcel.turn.needs = all;
          out.sent_chunks = all;
        }
        legs.push_back(std::move(out));
        continue;
      }
      const Packed sent = builder.packed(step, true, leg.from);
      const Packed received = builder.packed(step, false, leg.to);
      if (exchange.method == ExchangeMethod::bruck) {
        const RelayGroup group(before, exchange.to, rank);
        out.hops = in_hops(group.hops(rank, exchange.radix), group.room(rank, exchange.radix), sent,
                           received, rank);
      } else {
        out.hops = {in_one_hop(sent, received, rank, plan.ranks())};
      }
      legs.push_back(std::move(out));
      continue;
    }
    out.step = leg.step;
    out.sweep = std::get<Sweep>(plan.steps()[step]);
    out.local_shape = before.local_shape(rank);
    out.others = line_digits(before, out.sweep, out.local_shape);
    if (leg.steps == 2) {
      out.joined = std::get<Sweep>(plan.steps()[last]);
      std::erase(out.others, out.joined->digit);
    }
    // Beside the exchange of k with n - k, the half spectrum is seen in rows.
    const auto mirror_at = [&](std::size_t exchange) -> std::optional<Mirror> {
      const Exchange* const moved = exchange_at(plan, exchange);
      if (out.sweep.kernel != Kernel::none || moved == nullptr || !moved->mirrors()) {
        return std::nullopt;
      }
      return Mirror::between(plan.states()[exchange], plan.states()[exchange + 1]);
    };
    const std::optional<Mirror> unfolded = step > 0 ? mirror_at(step - 1) : std::nullopt;
    const std::optional<Mirror> folding = mirror_at(last + 1);
    if (unfolded || folding) {
      out.local_shape = (unfolded ? *unfolded : *folding).half_rows();
      out.others = {0, 1};
    }
    const auto home_at = [&](std::size_t exchange) {
      return builder.home(exchange, schedule.in_place);
    };
    out.sources = leg.pulls && leg.gathers
                      ? builder.packed_in_windows(step - 1, leg.from, home_at(step - 1))
                  : leg.pulls          ? builder.in_windows(before, layout_at(step - 1), leg.from)
                  : flows_at(step - 1) ? builder.flowing(step - 1, false, leg.from).patches
                  : leg.gathers        ? builder.packed(step - 1, false, leg.from).patches
                  : folding            ? builder.half_rows(step, *folding, leg.from)
                                       : builder.natural(step, leg.from);
    out.targets = leg.pushes           ? builder.in_windows(after, layout_at(last + 2), leg.to)
                  : flows_at(last + 1) ? builder.flowing(last + 1, true, leg.to).patches
                  : leg.scatters ? builder.packed(last + 1, true, leg.to, home_at(last + 1)).patches
                  : unfolded     ? builder.half_rows(last + 1, *unfolded, leg.to)
                                 : builder.natural(last + 1, leg.to);
    cut(out, plan, step, last, rank);
    if (out.sweep.kernel != Kernel::none) {
      last_computing = legs.size();
      const bool joins_real = out.joined && out.joined->kernel == Kernel::real;
      out.length = positions_along(plan, leg, joins_real ? *out.joined : out.sweep);
      // Position digits are the same before and behind, but for the one that is swept.
      if (out.sweep.kernel != Kernel::compare) {
        out.twiddle = twiddle_of(plan.states()[step], out.sweep.digit, rank);
      }
    }
    legs.push_back(std::move(out));
  }
  if (last_computing < legs.size()) legs[last_computing].scales = true;
  return legs;
}

}  // namespace kallima::exec
