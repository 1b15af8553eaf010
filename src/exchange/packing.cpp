// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/packing.hpp"

#include <algorithm>

#include "exchange/blocks.hpp"

namespace kallima {

Packing packing_at(const Site& site) {
  const Exchange& exchange = site.exchange();
  Packing packing{exchange.to.order(), 0};
  const Sweep* const sweep = site.plan.sweep_at(site.step + 1);
  if (sweep == nullptr || sweep->kernel == Kernel::none || is_chirp(sweep->kernel) ||
      exchange.pipelined() || site.several_boxes() || packing.order.size() < 2) {
    return packing;
  }
  const Sweep* const next = site.plan.sweep_at(site.step + 2);
  const bool plane = next != nullptr && next->joined;
  if (!plane && sweep->form == TileForm::lines) return packing;
  // Behind each other what a tile has: its rows along the fastest digit, one for each element of a
  // line, or each line of a plane.
  const int slow = plane && sweep->form == TileForm::lines ? next->digit : sweep->digit;
  const int fast = packing.order.back();
  if (slow == fast) return packing;
  std::erase(packing.order, slow);
  packing.order.insert(packing.order.end() - 1, slow);
  if (!plane) packing.panel = sweep->lines;
  return packing;
}

std::vector<CutPart> packed_parts(const std::vector<Progression>& places, const Packing& packing) {
  CutPart whole;
  whole.places = places;
  whole.in_message.strides = dense_strides(places, packing.order);
  const auto fast = static_cast<std::size_t>(packing.order.back());
  const Index extent = places[fast].count;
  if (packing.panel == 0 || extent <= packing.panel) return {whole};
  const auto slow = static_cast<std::size_t>(packing.order[packing.order.size() - 2]);
  const Index rows = places[slow].count;
  const Index rest = extent % packing.panel;
  std::vector<CutPart> parts;
  CutPart panels = whole;
  panels.places[fast] = Progression::make(places[fast].first, places[fast].step, extent - rest);
  panels.in_message.strides[slow] = packing.panel;
  panels.in_message.panels = {fast, packing.panel, packing.panel * rows, 0};
  parts.push_back(std::move(panels));
  if (rest == 0) return parts;
  CutPart last = std::move(whole);
  last.places[fast] = Progression::make(places[fast].at(extent - rest), places[fast].step, rest);
  last.in_message.offset = (extent - rest) * rows;
  last.in_message.strides[slow] = rest;
  parts.push_back(std::move(last));
  return parts;
}

}  // namespace kallima
