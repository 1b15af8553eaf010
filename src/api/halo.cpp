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

/// A box of rows that lie in memory one behind the other, or apart.
struct Rows {
  Index offset = 0;     // bytes from the start of the array
  Index row_bytes = 0;  // along the axis that is fastest in memory
  Shape counts;         // of the other axes, slowest first
  Shape strides;        // bytes
};

}  // namespace halo

namespace {

using halo::Rows;

Rows rows_of(const HaloBox& box, const Layout& layout, Index rank, Index bytes) {
  const std::vector<Index> strides = layout.local_strides(rank);
  Rows rows;
  rows.offset = layout.first_offset(rank) * bytes;
  for (std::size_t a = 0; a < strides.size(); ++a) rows.offset += box.low[a] * strides[a] * bytes;
  for (std::size_t i = 0; i + 1 < strides.size(); ++i) {
    const auto a = static_cast<std::size_t>(layout.order()[i]);
    rows.counts.push_back(box.count[a]);
    rows.strides.push_back(strides[a] * bytes);
  }
  rows.row_bytes = box.count[static_cast<std::size_t>(layout.order().back())] * bytes;
  return rows;
}

/// Calls visit(offset) for each row.
template <class Visit>
void for_each_row(const Rows& rows, std::size_t axis, Index offset, const Visit& visit) {
  if (axis == rows.counts.size()) return visit(offset);
  for (Index i = 0; i < rows.counts[axis]; ++i) {
    for_each_row(rows, axis + 1, offset + i * rows.strides[axis], visit);
  }
}

/// Copies rows into one block, or out of it; returns the place behind it.
std::byte* pack(const Rows& rows, const std::byte* array, std::byte* block) {
  for_each_row(rows, 0, rows.offset, [&](Index offset) {
    std::memcpy(block, array + offset, static_cast<std::size_t>(rows.row_bytes));
    block += rows.row_bytes;
  });
  return block;
}

const std::byte* unpack(const Rows& rows, std::byte* array, const std::byte* block) {
  for_each_row(rows, 0, rows.offset, [&](Index offset) {
    std::memcpy(array + offset, block, static_cast<std::size_t>(rows.row_bytes));
    block += rows.row_bytes;
  });
  return block;
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
        kept_.push_back(
            {rows_of(kept.from, layout, rank, bytes), rows_of(kept.to, layout, rank, bytes)});
        kept_bytes_ = std::max(kept_bytes_, volume(kept.from.count) * bytes);
      }
      const auto lay_out = [&](const std::vector<HaloPeer>& peers, Side& side) {
        Index all = 0;
        for (const HaloPeer& peer : peers) {
          side.messages.push_back({peer.rank, {nullptr, peer.elements * bytes}});
          all = checked_add(all, peer.elements * bytes, "bytes of a halo");
          for (const HaloBox& box : peer.boxes) {
            side.rows.push_back(rows_of(box, layout, rank, bytes));
          }
        }
        return all;
      };
      const Index sent = lay_out(pieces.sends, sending_);
      const Index received = lay_out(pieces.receives, receiving_);
      memory_ = std::make_shared<Buffer>(host_memory(),
                                         checked_add(checked_add(sent, received, "bytes of a halo"),
                                                     kept_bytes_, "bytes of a halo"),
                                         "halo");
      std::byte* at = memory_->view().data;
      for (Side* const side : {&sending_, &receiving_}) {
        side->block = at;
        for (comm::Message& message : side->messages) {
          message.data.data = at;
          at += message.data.bytes;
        }
      }
      aside_ = at;
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
      std::byte* out = sending_.block;
      for (const Rows& rows : sending_.rows) out = pack(rows, array, out);
      channel_->exchange(sending_.messages, receiving_.messages);
      const std::byte* in = receiving_.block;
      for (const Rows& rows : receiving_.rows) in = unpack(rows, array, in);
      for (const KeptRows& kept : kept_) {
        pack(kept.from, array, aside_);
        unpack(kept.to, array, aside_);
      }
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
    std::vector<halo::Rows> rows;  // in the order in which they lie in the block
    std::byte* block = nullptr;
  };
  struct KeptRows {
    halo::Rows from;
    halo::Rows to;
  };

  std::shared_ptr<const comm::Communicator> communicator_;
  Layout layout_;
  Index elements_ = 0;
  Index kept_bytes_ = 0;
  std::vector<KeptRows> kept_;
  Side sending_;
  Side receiving_;
  std::shared_ptr<Buffer> memory_;
  std::byte* aside_ = nullptr;
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
