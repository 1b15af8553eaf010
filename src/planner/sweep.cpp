// SPDX-License-Identifier: BSD-3-Clause
#include "planner/sweep.hpp"

#include <algorithm>
#include <bit>

#include "base/checked.hpp"
#include "steps/tile.hpp"

namespace kallima {

Sweep line_sweep(const PlanRequest& request, Kernel kernel, const Layout& layout,
                 std::size_t digit) {
  const Index length = layout.shape()[digit];
  const Index element = Element{true, request.problem.precision}.bytes();
  const Index line_bytes = checked_mul(length, element, "bytes of a line");
  const Index lines = std::max<Index>(1, layout.largest_local_size() / length);
  Sweep sweep;
  sweep.kernel = kernel;
  sweep.digit = static_cast<int>(digit);
  // Lines in memory: as many as fill the first cache. Lines that lie across memory come in runs of
  // whole cache lines, two at least, however long; more than eight are no faster to fetch.
  constexpr Index first_cache = Index{1} << 15;
  const bool fastest = layout.local_strides(0)[digit] == 1;
  const Index narrowest = fastest ? 1 : chunk_lines(element);
  const Index widest =
      fastest ? first_cache / std::min(line_bytes, first_cache) : 8 * cache_line / element;
  const Index fit = std::max(narrowest, std::min<Index>(request.tile_bytes / line_bytes, widest));
  sweep.lines =
      std::min(lines, static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(fit))));
  sweep.form = fastest || sweep.lines == 1 ? TileForm::lines : TileForm::interleaved;
  // Of any length, where nothing else is wanted or there is nothing else.
  const bool of_any = request.engine == LineEngine::kernels || !has_engine(LineEngine::fftw);
  if (request.engine != LineEngine::fftw && !request.problem.of_words() &&
      (has_kernel(sweep, length) || (of_any && has_kernels(kernel)))) {
    sweep.engine = LineEngine::kernels;
  }
  return sweep;
}

}  // namespace kallima
