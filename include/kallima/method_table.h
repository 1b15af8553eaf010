/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * \file
 * The one table of exchange methods, for C and C++: X(number, name, NAME, "name", meaning). The
 * enumerations, names in texts and what the library does for each all come from it. Of plans that
 * cost the same the planner takes the one whose method stands first.
 */
#ifndef KALLIMA_METHOD_TABLE_H
#define KALLIMA_METHOD_TABLE_H

/** Calls X once per exchange method. */
#define KALLIMA_METHOD_TABLE(X)                                                                    \
  X(1, shared_memory, SHARED_MEMORY, "shared-memory",                                              \
    "memory that all ranks share: the sweeps beside it read and write it directly")                \
  X(2, point_to_point, POINT_TO_POINT, "point-to-point", "a message per pair of ranks, in rounds") \
  X(3, alltoallv, ALLTOALLV, "alltoallv", "one MPI_Alltoallv, for comparison")                     \
  X(4, node_aggregated, NODE_AGGREGATED, "node-aggregated",                                        \
    "a message per pair of nodes, out of and into memory that a node's ranks share")               \
  X(5, bruck, BRUCK, "bruck",                                                                      \
    "Bruck's algorithm: by digits of the distance, many small pieces in a message")

#endif
