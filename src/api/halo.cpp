// SPDX-License-Identifier: BSD-3-Clause
//
// A halo exchange: each rank packs what others want of its part, one message to each, and unpacks
// what it gets into its margins.
#include "kallima/halo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "api/request.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"
#include "comm/agreement.hpp"
#include "comm/channel.hpp"
#include "kallima/buffer.hpp"
#include "kallima/error.hpp"
#include "layout/halo.hpp"

namespace kallima {

/// What a halo exchange copies.
namespace halo {

/// Rows of bytes that lie apart, from one memory to another.
struct Copy {
  Index from = 0;  // bytes from the start of either memory
  Index to = 0;
  Index row_bytes = 0;
  Shape counts;  // of rows, slowest first
  Shape from_strides;
  Shape to_strides;
};

}  // namespace halo

namespace {

using halo::Copy;

/// Where a box lies: in bytes, axes from slowest to fastest in memory.
struct HaloSide {
  Index offset = 0;
  Shape strides;
};

Shape counts_of(const HaloBox& box, const Layout& layout) {
  Shape counts;
  for (const int a : layout.order()) counts.push_back(box.count[static_cast<std::size_t>(a)]);
  return counts;
}

HaloSide in_array(const HaloBox& box, const Layout& layout, Index rank, Index bytes) {
  const std::vector<Index> strides = layout.local_strides(rank);
  HaloSide side{layout.first_offset(rank) * bytes, {}};
  for (const int axis : layout.order()) {
    const auto a = static_cast<std::size_t>(axis);
    side.offset += box.low[a] * strides[a] * bytes;
    side.strides.push_back(strides[a] * bytes);
  }
  return side;
}

/// One element behind the other.
HaloSide in_block(const Shape& counts, Index offset, Index bytes) {
  HaloSide side{offset, Shape(counts.size())};
  Index stride = bytes;
  for (std::size_t i = counts.size(); i-- > 0; stride *= counts[i]) side.strides[i] = stride;
  return side;
}

/// Rows are as long as they can be: axes along which both memories go on where a row ends are in
/// it.
Copy copy_of(const Shape& counts, const HaloSide& from, const HaloSide& to, Index bytes) {
  Copy copy{from.offset, to.offset, bytes, {}, {}, {}};
  std::size_t axes = counts.size();
  while (axes > 0 && (counts[axes - 1] == 1 || (from.strides[axes - 1] == copy.row_bytes &&
                                                to.strides[axes - 1] == copy.row_bytes))) {
    copy.row_bytes *= counts[--axes];
  }
  for (std::size_t i = 0; i < axes; ++i) {
    if (counts[i] == 1) continue;
    copy.counts.push_back(counts[i]);
    copy.from_strides.push_back(from.strides[i]);
    copy.to_strides.push_back(to.strides[i]);
  }
  return copy;
}

/// Along the last axis; of a size that the compiler knows, unless that is 0.
template <std::size_t known>
void copy_rows(const Copy& copy, const std::byte* from, std::byte* to) {
  const std::size_t bytes = known > 0 ? known : static_cast<std::size_t>(copy.row_bytes);
  const Index from_stride = copy.from_strides.back();
  const Index to_stride = copy.to_strides.back();
  for (Index i = 0; i < copy.counts.back(); ++i, from += from_stride, to += to_stride) {
    std::memcpy(to, from, bytes);
  }
}

/// Margins of few elements have many short rows: a call for each would cost more than the bytes.
void copy_rows_of_any_size(const Copy& copy, const std::byte* from, std::byte* to) {
  switch (copy.row_bytes) {
    case 4:
      return copy_rows<4>(copy, from, to);
    case 8:
      return copy_rows<8>(copy, from, to);
    case 16:
      return copy_rows<16>(copy, from, to);
    case 24:
      return copy_rows<24>(copy, from, to);
    case 32:
      return copy_rows<32>(copy, from, to);
    case 48:
      return copy_rows<48>(copy, from, to);
    case 64:
      return copy_rows<64>(copy, from, to);
    default:
      return copy_rows<0>(copy, from, to);
  }
}

void copy_along(const Copy& copy, std::size_t axis, const std::byte* from, std::byte* to) {
  if (axis + 1 == copy.counts.size()) return copy_rows_of_any_size(copy, from, to);
  for (Index i = 0; i < copy.counts[axis]; ++i) {
    copy_along(copy, axis + 1, from + i * copy.from_strides[axis], to + i * copy.to_strides[axis]);
  }
}

void run_copy(const Copy& copy, const std::byte* from, std::byte* to) {
  if (copy.counts.empty()) {
    std::memcpy(to + copy.to, from + copy.from, static_cast<std::size_t>(copy.row_bytes));
  } else {
    copy_along(copy, 0, from + copy.from, to + copy.to);
  }
}

std::string fingerprint(const HaloArguments& with) {
  std::string text =
      fmt::format("shape {}\nlayout {}\nelement bytes {}\n", fmt::join(with.layout.shape(), "x"),
                  with.layout.to_text(), with.element_bytes);
  for (const Margin& width : with.widths) {
    text += fmt::format("width {} {}\n", width.below, width.above);
  }
  for (const bool round : with.periodic) text += fmt::format("periodic {}\n", round);
  return text;
}

}  // namespace

class HaloExchange::Core {
 public:
  Core(MPI_Comm comm, const std::function<HaloArguments()>& make)
      : communicator_(comm::Communicator::reserve(comm, 0.)) {
    const comm::Call call(*communicator_);
    const int rank = communicator_->rank;
    std::string ask;
    HaloArguments with;
    comm::Verdict verdict = comm::Verdict::of([&] {
      with = make();
      const Layout& layout = with.layout;
      if (with.element_bytes < 1) {
        throw InvalidOption(
            fmt::format("elements of {} bytes; give at least 1", with.element_bytes));
      }
      validate_halo(layout, with.widths, with.periodic);
      if (layout.ranks() > communicator_->size) {
        throw TooFewRanks(fmt::format("the layout needs {}, there are {}; start more",
                                      text::plural(layout.ranks(), "rank"), communicator_->size));
      }
      ask = fingerprint(with);
    });
    const std::string root = comm::broadcast(*communicator_, ask);
    verdict.and_then([&] {
      if (!root.empty()) require_same(ask, root, rank);
      layout_ = with.layout;
      const Layout& layout = layout_;
      const Index bytes = with.element_bytes;
      elements_ = layout.allocated_size(rank);
      checked_mul(elements_, bytes, "bytes of an array with its margins");
      const HaloPieces pieces = halo_pieces(layout, with.widths, with.periodic, rank);
      for (const HaloPieces::Kept& kept : pieces.kept) {
        kept_.push_back(copy_of(counts_of(kept.from, layout),
                                in_array(kept.from, layout, rank, bytes),
                                in_array(kept.to, layout, rank, bytes), bytes));
      }
      const auto lay_out = [&](const std::vector<HaloPeer>& peers, Side& side, bool sends) {
        Index all = 0;
        Index at = 0;
        for (const HaloPeer& peer : peers) {
          side.messages.push_back({peer.rank, {nullptr, peer.elements * bytes}});
          all = checked_add(all, peer.elements * bytes, "bytes of a halo");
          for (const HaloBox& box : peer.boxes) {
            const Shape counts = counts_of(box, layout);
            const HaloSide array = in_array(box, layout, rank, bytes);
            const HaloSide block = in_block(counts, at, bytes);
            side.copies.push_back(
                copy_of(counts, sends ? array : block, sends ? block : array, bytes));
            at += volume(counts) * bytes;
          }
        }
        return all;
      };
      const Index sent = lay_out(pieces.sends, sending_, true);
      const Index received = lay_out(pieces.receives, receiving_, false);
      memory_ = std::make_shared<Buffer>(host_memory(),
                                         checked_add(sent, received, "bytes of a halo"), "halo");
      std::byte* at = memory_->view().data;
      for (Side* const side : {&sending_, &receiving_}) {
        side->block = at;
        for (comm::Message& message : side->messages) {
          message.data.data = at;
          at += message.data.bytes;
        }
      }
      channel_ = std::make_unique<comm::Channel>(communicator_, comm::Limits{}, memory_);
      channel_->reserve(receiving_.messages);
      // Ranks do not all begin with the same peer.
      std::rotate(sending_.messages.begin(),
                  std::find_if(sending_.messages.begin(), sending_.messages.end(),
                               [&](const comm::Message& message) { return message.peer > rank; }),
                  sending_.messages.end());
    });
    agree(*communicator_, verdict, {communicator_->number, 5, "make a halo exchange"});
  }

  void run(void* data, std::size_t elements) {
    const comm::Call call(*communicator_, "halo exchange", communicator_->deadline);
    auto* const array = static_cast<std::byte*>(data);
    try {
      if (static_cast<Index>(elements) < elements_ || (elements_ > 0 && data == nullptr)) {
        throw InvalidBuffer(fmt::format(
            "the array has {} elements, this rank's part takes {} with its margins; allocate "
            "layout.allocated_size(rank) elements",
            data == nullptr ? 0 : elements, elements_));
      }
      for (const Copy& copy : sending_.copies) run_copy(copy, array, sending_.block);
      channel_->exchange(sending_.messages, receiving_.messages);
      for (const Copy& copy : receiving_.copies) run_copy(copy, receiving_.block, array);
      // From the rank's own part into its margins: the two have nothing in common.
      for (const Copy& copy : kept_) run_copy(copy, array, array);
    } catch (...) {
      channel_->abandon();
      communicator_->fail_as_thrown();
    }
  }

  [[nodiscard]] const comm::Counters& counters() const { return channel_->counters(); }
  [[nodiscard]] Index bytes() const { return memory_->view().bytes; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] int rank() const { return communicator_->rank; }

 private:
  /// What is sent, or received.
  struct Side {
    std::vector<comm::Message> messages;
    std::vector<halo::Copy> copies;  // into the block, or out of it
    std::byte* block = nullptr;
  };

  std::shared_ptr<const comm::Communicator> communicator_;
  Layout layout_;
  Index elements_ = 0;
  std::vector<halo::Copy> kept_;
  Side sending_;
  Side receiving_;
  std::shared_ptr<Buffer> memory_;
  std::unique_ptr<comm::Channel> channel_;
};

HaloExchange::HaloExchange(MPI_Comm comm, const Layout& layout, const std::vector<Margin>& widths,
                           const std::vector<bool>& periodic, Index element_bytes)
    : core_(std::make_shared<Core>(comm, [&] {
        return HaloArguments{layout, widths, periodic, element_bytes};
      })) {}

HaloExchange::HaloExchange(std::shared_ptr<Core> core) : core_(std::move(core)) {}

HaloExchange HaloExchange::with(MPI_Comm comm, const std::function<HaloArguments()>& make) {
  return HaloExchange(std::make_shared<Core>(comm, make));
}

void HaloExchange::run(void* data, std::size_t elements) { core_->run(data, elements); }

CommStatistics HaloExchange::statistics() const { return statistics_of(core_->counters()); }

Index HaloExchange::workspace_bytes() const { return core_->bytes(); }

const Layout& HaloExchange::layout() const { return core_->layout(); }

int HaloExchange::rank() const { return core_->rank(); }

}  // namespace kallima
