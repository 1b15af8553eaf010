// SPDX-License-Identifier: BSD-3-Clause
//
// Plans made by hand, step by step, without the planner.
#pragma once

#include <string>
#include <vector>

#include "kallima/plan.hpp"

namespace kallima::samples {

inline Step sweep(int digit, Index lines = 1, TileForm form = TileForm::lines) {
  return Sweep{Kernel::fourier, digit, lines, form};
}

inline Step copy() { return Sweep{}; }

inline Step exchange(const Layout& to, ExchangeMethod method = ExchangeMethod::point_to_point) {
  return Exchange{to, method, {}};
}

inline Plan forward(const std::string& problem, Index ranks, const Layout& start,
                    std::vector<Step> steps, Placement placement = {}) {
  return {Problem::parse(problem), Direction::forward, ranks, placement, start, std::move(steps)};
}

/// 8 x 6 x 5 in slabs over 3 ranks.
inline Plan slab_plan() {
  const Shape shape{8, 6, 5};
  return forward("c2c:8x6x5", 3, Layout::slab(shape, 3),
                 {sweep(2, 4), sweep(1, 2, TileForm::interleaved),
                  exchange(Layout::slab(shape, 3, 1)), sweep(0)});
}

/// Plans of every kind: uneven, idle ranks, boxes, another order in memory, one axis of extent 1,
/// the way back to the first layout, single precision, a known placement.
inline std::vector<Plan> plans() {
  std::vector<Plan> result;
  result.push_back(slab_plan());
  {
    const Shape shape{7, 9, 5};
    const Layout z = Layout::parse("z:all y:block/2@3 x:block/3@1", shape);
    const Layout y = Layout::parse("z:block/2@3 y:all x:block/3@1", shape);
    const Layout x = Layout::pencil(shape, 2, 2, 3);
    result.push_back(forward("c2c:7x9x5:f32", 6, x,
                             {sweep(2), exchange(y), sweep(1), exchange(z), sweep(0)}, {3}));
    result.push_back(forward("c2c:7x9x5", 8, x,
                             {sweep(2), exchange(y), sweep(1), exchange(z), sweep(0), exchange(y),
                              copy(), exchange(x, ExchangeMethod::alltoallv), copy()}));
  }
  {
    const Shape shape{100};
    result.push_back(forward("c2c:100", 4, Layout::block(shape, {4}),
                             {copy(), exchange(Layout::block(shape, {1})), sweep(0),
                              exchange(Layout::cyclic(shape, {4})), copy()}));
    result.push_back(forward("c2c:100", 4, Layout::block(shape, {1}), {sweep(0)}));
  }
  {
    const Shape shape{6, 4};
    const Layout boxes = Layout::boxes(
        shape, {{{0, 0}, {2, 4}}, {{0, 0}, {0, 0}}, {{5, 0}, {6, 4}}, {{2, 0}, {5, 4}}}, {1, 0});
    result.push_back(
        forward("c2c:6x4", 5, boxes,
                {sweep(1), exchange(Layout::slab(shape, 5, 1, Rule::ceil)), sweep(0)}));
  }
  {
    const Shape shape{8, 1, 8};
    result.push_back(forward("c2c:8x1x8", 4, Layout::slab(shape, 4),
                             {sweep(2), exchange(Layout::slab(shape, 4, 2)), sweep(0)}));
    result.push_back(forward("c2c:8x1x8", 4, Layout::slab(shape, 4),
                             {sweep(2), sweep(1), exchange(Layout::slab(shape, 4, 2)), sweep(0)}));
  }
  return result;
}

}  // namespace kallima::samples
