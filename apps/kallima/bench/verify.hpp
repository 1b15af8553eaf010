// SPDX-License-Identifier: BSD-3-Clause
//
// Is the answer right? Sampled outputs are compared with direct sums over the distributed input, in
// long double: slow, obvious, and independent of every transform library. Each rank sums over what
// it holds, so nothing is gathered and any size can be checked.
//
// A sum of N terms costs accuracy; so terms are added in short blocks, and the blocks compensated
// (Neumaier, ZAMM 54, 1974). Compensating every term was rejected: it is several times slower and
// changes only digits that no double has.
#pragma once

#include <mpi.h>

#include <complex>
#include <functional>
#include <vector>

#include "kallima/array.hpp"
#include "kallima/plan.hpp"

namespace kallima::cli {

using Wide = std::complex<long double>;

/// a * b modulo n, for 0 <= a, b < n <= 2^62.
Index product_modulo(Index a, Index b, Index n);

/// Indices of `count` outputs, spread by a hash; all of them where there are no more.
std::vector<MultiIndex> sampled_indices(const Shape& shape, Index count);

/// Unscaled sums of what the ranks hold together, at each sampled index. Collective: one
/// MPI_Allreduce. O(local size x samples). `progress` is told the share that is done. Elements are
/// real or complex. Backward, all frequencies have to be there.
template <class E>
std::vector<Wide> direct_sums(MPI_Comm comm, const BasicView<E>& input, const Problem& problem,
                              const std::vector<MultiIndex>& samples, Direction direction,
                              const std::function<void(double)>& progress);

/// Elements at the sampled indices, on all ranks. Collective: one MPI_Allreduce.
template <class E>
std::vector<Wide> elements_at(MPI_Comm comm, const BasicView<E>& output,
                              const std::vector<MultiIndex>& samples);

/// |got - scale * want| / |scale * want| in the L2 norm.
double relative_error(const std::vector<Wide>& got, const std::vector<Wide>& want,
                      long double scale);

/// How far an array is from `scale` times what fill() writes, relative, in the L2 norm. Collective.
template <class E>
double distance_from_input(MPI_Comm comm, const BasicView<E>& part, long double scale);

/// What the library promises: max(eps, 1.5 eps sqrt(log2 N)).
double promised_error(const Problem& problem);

}  // namespace kallima::cli
