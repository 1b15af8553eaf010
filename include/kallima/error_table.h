/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * \file
 * The one table of errors, for C and C++: X(code, name, NAME, ExceptionType, meaning). Exceptions,
 * codes of the C interface and their texts all come from it. Numbers are never reused.
 */
#ifndef KALLIMA_ERROR_TABLE_H
#define KALLIMA_ERROR_TABLE_H

/** Calls X once per error. */
#define KALLIMA_ERROR_TABLE(X)                                                                     \
  X(1, invalid_shape, INVALID_SHAPE, InvalidShape, "a shape that cannot be transformed")           \
  X(2, invalid_layout, INVALID_LAYOUT, InvalidLayout,                                              \
    "a layout that contradicts itself or its shape")                                               \
  X(3, too_few_ranks, TOO_FEW_RANKS, TooFewRanks, "a layout that needs more ranks than there are") \
  X(4, invalid_option, INVALID_OPTION, InvalidOption, "an option outside its range")               \
  X(5, invalid_buffer, INVALID_BUFFER, InvalidBuffer,                                              \
    "memory that is null, too short or overlaps wrongly")                                          \
  X(6, mismatched_arguments, MISMATCHED_ARGUMENTS, MismatchedArguments,                            \
    "ranks that called with different arguments")                                                  \
  X(7, out_of_memory, OUT_OF_MEMORY, OutOfMemory, "memory that could not be had")                  \
  X(8, overflow, OVERFLOW, Overflow, "a size that does not fit its integer type")                  \
  X(9, parse_error, PARSE_ERROR, ParseError, "a text that could not be read")                      \
  X(10, mpi_failure, MPI_FAILURE, MpiFailure, "an MPI call that failed")                           \
  X(11, engine_failure, ENGINE_FAILURE, EngineFailure, "the FFT engine refused a transform")       \
  X(12, file_error, FILE_ERROR, FileError, "a file that could not be read or written")             \
  X(13, stale_communicator, STALE_COMMUNICATOR, StaleCommunicator,                                 \
    "a transform used after MPI_Finalize")                                                         \
  X(14, internal_error, INTERNAL_ERROR, InternalError, "a defect of the library itself")           \
  X(15, deadline_exceeded, DEADLINE_EXCEEDED, DeadlineExceeded,                                    \
    "a call that waited longer than its deadline")                                                 \
  X(16, broken_transform, BROKEN_TRANSFORM, BrokenTransform,                                       \
    "a transform used after a call on it has failed")                                              \
  X(17, concurrent_use, CONCURRENT_USE, ConcurrentUse, "a transform used by two threads at once")

#endif
