/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * \file
 * The C interface of Kallima; bindings of other languages sit on it.
 *
 *     kallima_transform* fft;
 *     int64_t shape[3] = {512, 512, 512}, n_in, n_out;
 *     if (kallima_create(comm, 3, shape, NULL, &fft, NULL) != KALLIMA_OK) ...
 *     kallima_allocated_size(fft, KALLIMA_INPUT, &n_in);                  // elements to allocate
 *     kallima_allocated_size(fft, KALLIMA_OUTPUT, &n_out);
 *     ...                    // allocate u and u_k, fill u: kallima_local_axis says what lies where
 *     kallima_forward(fft, u, n_in, u_k, n_out, NULL);
 *     kallima_backward(fft, u_k, n_out, u, n_in, NULL);
 *     kallima_destroy(fft);
 *
 * Every call that can fail returns a code, KALLIMA_OK or one of the table in error_table.h
 * (KALLIMA_INVALID_SHAPE, KALLIMA_INVALID_BUFFER, ...), and fills an error text where the caller
 * passes a kallima_error. Collective calls return the same code and the same text on all ranks, as
 * exceptions of C++ do. (A NULL handle or communicator is INVALID_OPTION on the rank that passes
 * it, since the others cannot know.) Elements of arrays are complex: pairs of float or double, as
 * C's and C++'s complex types are; the input of a KALLIMA_R2C transform has real ones, and both
 * sides of a KALLIMA_R2R transform. Structs carry their size, so that later versions can grow
 * without breaking programs.
 */
#ifndef KALLIMA_KALLIMA_H
#define KALLIMA_KALLIMA_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "kallima/error_table.h"
#include "kallima/export.h"
#include "kallima/method_table.h"
#include "kallima/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What calls return. */
enum kallima_code {
  KALLIMA_OK = 0,
#define KALLIMA_C_CODE(code, name, NAME, type, meaning) KALLIMA_##NAME = code,
  KALLIMA_ERROR_TABLE(KALLIMA_C_CODE)
#undef KALLIMA_C_CODE
};

/** An error in words. */
typedef struct kallima_error {
  int code;       /**< as returned */
  char text[508]; /**< what is wrong and the fix; cut to fit, always ends in 0 */
} kallima_error;

/** What is transformed: complex to complex, real to complex (backward: complex to real), or real to
 * real. */
enum kallima_kind { KALLIMA_C2C = 0, KALLIMA_R2C = 1, KALLIMA_R2R = 2 };
/** What is done along one axis, as AxisKind of C++ says; cosine and sine transforms are FFTW's
 * REDFT00, 10, 01, 11 and RODFT00, 10, 01, 11. */
enum kallima_axis_kind {
  KALLIMA_FOURIER = 0,  /**< Fourier transform */
  KALLIMA_REAL = 1,     /**< the r2c axis */
  KALLIMA_COSINE_1 = 2, /**< REDFT00 */
  KALLIMA_COSINE_2 = 3, /**< REDFT10 */
  KALLIMA_COSINE_3 = 4, /**< REDFT01 */
  KALLIMA_COSINE_4 = 5, /**< REDFT11 */
  KALLIMA_SINE_1 = 6,   /**< RODFT00 */
  KALLIMA_SINE_2 = 7,   /**< RODFT10 */
  KALLIMA_SINE_3 = 8,   /**< RODFT01 */
  KALLIMA_SINE_4 = 9,   /**< RODFT11 */
  KALLIMA_NO_KIND = 10, /**< nothing */
  KALLIMA_BATCH = 11    /**< nothing, and every rank holds all of it where the planner chooses */
};
/** Floating-point format. */
enum kallima_precision { KALLIMA_F32 = 0, KALLIMA_F64 = 1 };
/** By what results are multiplied: nothing, 1/N backward, 1/sqrt(N) both ways, 1/N forward. */
enum kallima_scaling {
  KALLIMA_SCALE_NONE = 0,
  KALLIMA_SCALE_N = 1,
  KALLIMA_SCALE_SQRT_N = 2,
  KALLIMA_SCALE_N_FORWARD = 3
};
/** How hard plans and the FFT engine look for what is fast. */
enum kallima_effort { KALLIMA_ESTIMATE = 0, KALLIMA_MEASURE = 1, KALLIMA_PATIENT = 2 };
/** How pieces travel. */
enum kallima_method {
  KALLIMA_ANY_METHOD = 0, /**< whichever is cheapest of those that can be had */
#define KALLIMA_METHOD(number, name, NAME, text, meaning) \
  KALLIMA_##NAME = (number), /**< meaning                 \
                              */
  KALLIMA_METHOD_TABLE(KALLIMA_METHOD)
#undef KALLIMA_METHOD
};
/** Which way. */
enum kallima_direction { KALLIMA_FORWARD = 0, KALLIMA_BACKWARD = 1 };
/** Which side of a transform: what forward reads, what forward writes. */
enum kallima_side { KALLIMA_INPUT = 0, KALLIMA_OUTPUT = 1 };

/** What this rank alone holds of an array: boxes, one behind the other in its memory. Those of all
 * ranks are gathered in the collective call that they are given to. */
typedef struct kallima_boxes {
  size_t size;            /**< bytes of this struct, set by the caller */
  int count;              /**< of boxes; 0: this rank holds nothing */
  const int64_t* bounds;  /**< per box the first index along each axis, then one beyond the last
                               along each axis; NULL where there are none */
  const int* order;       /**< axes from slowest to fastest in memory, the same on all ranks; NULL:
                               0, 1, 2, ... */
  const int64_t* margins; /**< elements below and above each box, per axis, the same on all ranks;
                               NULL: none */
} kallima_boxes;

/** Choices of a transform; the same on every rank, but for boxes. Fill it with
 * kallima_options_init, then change.
 */
typedef struct kallima_options {
  size_t size;            /**< bytes of this struct, as the caller knows it */
  int precision;          /**< kallima_precision; double by default */
  int scaling;            /**< kallima_scaling; 1/N backward by default */
  int engine_effort;      /**< kallima_effort of the FFT engine; estimate by default */
  int method;             /**< kallima_method; by default what is cheapest */
  int large_counts;       /**< nonzero: use MPI-4 large counts where there are any (default) */
  int kind;               /**< kallima_kind; complex to complex by default */
  const char* in_layout;  /**< text of the input layout, as "z:block/4 y:all x:all"; NULL: any */
  const char* out_layout; /**< text of the output layout; NULL: any */
  const double* lengths;  /**< one physical box length per axis, or NULL */
  int64_t tile_bytes;     /**< size that tiles should not exceed; 0: from the cache */
  int64_t threads;        /**< OpenMP threads that share a rank's sweeps; 0: one */
  int64_t message_bytes;  /**< larger messages are cut; 0: where MPI cannot count them */
  void* (*allocate)(size_t bytes, void* context);           /**< 64-byte aligned memory, or NULL */
  void (*release)(void* data, size_t bytes, void* context); /**< gives it back */
  void* memory_context;                                     /**< passed to both */
  int r2c_axis; /**< of R2C: axis of which n/2 + 1 frequencies are kept; negative: the last
                 * (default)
                 */
  int padded;   /**< of R2C, nonzero: rows of reals along that axis are padded to 2 (n/2 + 1) */
  const char* machine; /**< file or name of the machine that plans are priced on; NULL: the one that
                            KALLIMA_MACHINE names on rank 0, or the built-in one */
  const char* plan;    /**< text of a plan to be run instead of planning; NULL: plans. Refused where
                            it is damaged, cannot be run or does not compute this transform */
  int64_t chunks;      /**< messages travel while sweeps compute, which are cut into so many chunks
                            each; 1: never; 0: as the planner finds it best (default) */
  int progress_thread; /**< nonzero: a thread of its own moves messages on while sweeps compute, for
                  ranks with a core to spare; wants MPI_THREAD_MULTIPLE */
  const char* trace;   /**< file that each rank writes what it did to when the transform is
                            destroyed, with the plan's hash and the rank in its name; NULL: the one
                            that KALLIMA_TRACE names, or none */
  double deadline; /**< seconds after which a collective call no longer waits for other ranks but
                        fails with DEADLINE_EXCEEDED, which ends the transform; 0: what
                        KALLIMA_DEADLINE says, or none (default) */
  int plan_effort; /**< KALLIMA_ESTIMATE (default), or KALLIMA_MEASURE: times plans */
  int adaptive;    /**< nonzero: the first 20 runs of each direction try up to 5 ways to
                        exchange, all with the same bits, and the fastest stays */
  double planning_seconds; /**< that measuring plans may take; 2 by default */
  const char* plan_wisdom; /**< file that rank 0 looks for a plan in before it plans, and that
                                KALLIMA_MEASURE adds to; NULL: none */
  const int* axes;         /**< one kallima_axis_kind per axis; NULL: Fourier along all. KALLIMA_R2R
                                needs them */
  const int64_t* keep; /**< per Fourier axis, the largest |k| of the frequencies that are kept, or
                            -1 for all: what is not is neither computed nor sent, and backward
                            it is 0; NULL: all of all axes */
  int separate_fields; /**< nonzero: the fields of a batch, axis 0, have pointers of their own:
                            kallima_bind_fields */
  const kallima_boxes* in_boxes;  /**< what this rank holds of the input, instead of in_layout and
                                       given on every rank; NULL: as in_layout says */
  const kallima_boxes* out_boxes; /**< the same of the output */
} kallima_options;

/** What was moved between this rank and others since the transform, or the halo exchange, was made.
 */
typedef struct kallima_statistics {
  size_t size;               /**< bytes of this struct, set by the caller */
  int64_t bytes_sent;        /**< by this rank; in shared memory, others read them in place, in no
                                  messages */
  int64_t bytes_received;    /**< by this rank */
  int64_t messages_sent;     /**< by this rank */
  int64_t messages_received; /**< by this rank */
  int64_t exchanges;         /**< steps that moved them */
} kallima_statistics;

/** A planned transform. */
typedef struct kallima_transform kallima_transform;
/** A transform bound to memory. */
typedef struct kallima_bound kallima_bound;
/** A planned halo exchange. */
typedef struct kallima_halo kallima_halo;

/** Name of a code: "ok", "invalid_shape", ...; "unknown" for others. Never NULL. */
KALLIMA_API const char* kallima_code_name(int code);
/** What a code means, in a few words. Never NULL. */
KALLIMA_API const char* kallima_code_meaning(int code);
/** The library's version, for instance "0.1.0". */
KALLIMA_API const char* kallima_version(void);

/** Fills `options` with defaults; pass sizeof(kallima_options). INVALID_OPTION for NULL. */
KALLIMA_API int kallima_options_init(kallima_options* options, size_t size);

/** Plans. Collective. `options` may be NULL. On success *transform is to be destroyed. */
KALLIMA_API int kallima_create(MPI_Comm comm, int axes, const int64_t* shape,
                               const kallima_options* options, kallima_transform** transform,
                               kallima_error* error);
/** Plans a redistribution: elements of so many bytes go from options->in_layout to
 * options->out_layout, which must be given, and back. Collective. It is a transform that computes
 * nothing: all that takes one takes it, in elements of that size. Of the options, precision, kind,
 * axes and scaling are not looked at. */
KALLIMA_API int kallima_create_redistribution(MPI_Comm comm, int axes, const int64_t* shape,
                                              int64_t element_bytes, const kallima_options* options,
                                              kallima_transform** transform, kallima_error* error);
/** Frees; not collective, may be called after MPI_Finalize. NULL is fine. */
KALLIMA_API void kallima_destroy(kallima_transform* transform);

/**
 * Position to frequency. Collective. Sizes are in elements: of reals on the side of positions where
 * the problem is real, and else of complex numbers. in == out is in place: then the memory holds n
 * complex elements, n from kallima_in_place_size. Real data in place:
 *
 *     kallima_forward(fft, u, 2 * n, u, n, &error);
 *     kallima_backward(fft, u, n, u, 2 * n, &error);
 */
KALLIMA_API int kallima_forward(const kallima_transform* transform, const void* in,
                                int64_t in_elements, void* out, int64_t out_elements,
                                kallima_error* error);
/** Frequency to position. Collective. */
KALLIMA_API int kallima_backward(const kallima_transform* transform, const void* in,
                                 int64_t in_elements, void* out, int64_t out_elements,
                                 kallima_error* error);
/** Checks memory once, to run many times. Collective. On success *bound is to be destroyed. */
KALLIMA_API int kallima_bind(const kallima_transform* transform, int direction, const void* in,
                             int64_t in_elements, void* out, int64_t out_elements,
                             kallima_bound** bound, kallima_error* error);
/** The same of the fields of a batch, each behind a pointer of its own and with so many elements;
 * options.separate_fields must have been set. Per field, arrays take kallima_allocated_size /
 * fields elements. All are in place or none is. */
KALLIMA_API int kallima_bind_fields(const kallima_transform* transform, int direction, int fields,
                                    const void* const* in, int64_t in_elements, void* const* out,
                                    int64_t out_elements, kallima_bound** bound,
                                    kallima_error* error);
/** Runs. Collective; agrees on nothing, allocates nothing. */
KALLIMA_API int kallima_run(kallima_bound* bound, kallima_error* error);
/** The same with another scaling than that of the options. */
KALLIMA_API int kallima_run_scaled(kallima_bound* bound, int scaling, kallima_error* error);
/** Runs on memory that was not bound: checks it on this rank alone, and sends nothing for that.
 * Collective. Where memory on some rank does not do, the transform is broken, and the others fail
 * as they learn of it; kallima_bind costs an agreement and is forgiving. */
KALLIMA_API int kallima_run_on(const kallima_transform* transform, int direction, const void* in,
                               int64_t in_elements, void* out, int64_t out_elements, int scaling,
                               kallima_error* error);
/** Frees; not collective. NULL is fine. */
KALLIMA_API void kallima_bound_destroy(kallima_bound* bound);

/** Frequencies along one axis. Of element i, which is `stride` elements behind the one before, the
 * wavenumber is k[axis] + i k_step along the axis, and k[a] along the others. */
typedef struct kallima_row {
  void* data;       /**< the first element: complex, of KALLIMA_R2R real */
  int64_t count;    /**< elements */
  int64_t stride;   /**< distance of neighbours in memory, in elements */
  int axes;         /**< number of axes */
  int axis;         /**< the one that the row is along */
  const int64_t* k; /**< signed wavenumber of the first element, one number per axis */
  int64_t k_step;   /**< by which it grows along the axis */
  const double*
      component;         /**< the same in units of the box: 2 pi k / length, or k without lengths */
  double component_step; /**< by which that grows along the axis */
} kallima_row;

/** What is done with a row of frequencies; returns 0, or something else where that fails. */
typedef int (*kallima_row_function)(const kallima_row* row, void* context);

/** Forward, `function` on every row of frequencies, backward, in one plan: what is known as
 * Transform::apply in C++. Collective. `in` and `out` are arrays of the input side, the same or
 * apart. The first call plans and allocates. Rows come in no order, to several threads at once
 * where options.threads are several. Where a function does not return 0 on some rank, all ranks
 * fail and the transform cannot be used any more. */
KALLIMA_API int kallima_apply(const kallima_transform* transform, const void* in,
                              int64_t in_elements, void* out, int64_t out_elements,
                              kallima_row_function function, void* context, kallima_error* error);

/** What is done with a row of frequencies, `row`, and the same row of a second array, `other`,
 * which is only read. */
typedef int (*kallima_row_pair_function)(const kallima_row* row, const kallima_row* other,
                                         void* context);
/** The same of two inputs, as for convolutions and correlations: forward of both, `function`,
 * backward of what it left in the rows of the first. */
KALLIMA_API int kallima_apply_two(const kallima_transform* transform, const void* in,
                                  int64_t in_elements, const void* second, int64_t second_elements,
                                  void* out, int64_t out_elements,
                                  kallima_row_pair_function function, void* context,
                                  kallima_error* error);

/** Elements that this rank holds on a side, without padding, as Layout::local_size of C++ says:
 * reals on the input side of a KALLIMA_R2C transform and on both of a KALLIMA_R2R one. Local. */
KALLIMA_API int kallima_local_size(const kallima_transform* transform, int side, int64_t* elements);
/** Elements of memory that this rank's part on a side takes, padding included, as
 * Layout::allocated_size of C++ says: so many are to be allocated, and named to kallima_forward and
 * the like. Local. */
KALLIMA_API int kallima_allocated_size(const kallima_transform* transform, int side,
                                       int64_t* elements);
/** Complex elements (of KALLIMA_R2R reals) that one array needs on this rank to be transformed in
 * place. Local. */
KALLIMA_API int kallima_in_place_size(const kallima_transform* transform, int64_t* elements);
/** Global indices first, first + step, ... (count) that this rank holds along an axis, and the
 * distance in memory between neighbours. Local. Any pointer may be NULL. */
KALLIMA_API int kallima_local_axis(const kallima_transform* transform, int side, int axis,
                                   int64_t* first, int64_t* step, int64_t* count, int64_t* stride);
/** Axes from slowest to fastest in a side's memory: one number per axis. Local. */
KALLIMA_API int kallima_memory_order(const kallima_transform* transform, int side, int* order);
/** Wavenumbers of the frequencies that this rank holds along an axis of the output side, as many as
 * kallima_local_axis says: k as signed integers, component in units of the box (2 pi k / length, or
 * as k without lengths). Either may be NULL. Local. */
KALLIMA_API int kallima_wavenumbers(const kallima_transform* transform, int axis, int64_t* k,
                                    double* component);
/** Rank that holds the element at a global index. Local. */
KALLIMA_API int kallima_owner(const kallima_transform* transform, int side, const int64_t* index,
                              int* rank);
/** Text of a side's layout. Writes at most `capacity` bytes with the 0 at the end; *needed (may be
 * NULL) gets the bytes that all of it takes. Local. */
KALLIMA_API int kallima_layout_text(const kallima_transform* transform, int side, char* text,
                                    size_t capacity, size_t* needed);
/** Text of the plan of a direction; as kallima_layout_text. Local. */
KALLIMA_API int kallima_plan_text(const kallima_transform* transform, int direction, char* text,
                                  size_t capacity, size_t* needed);
/** Bytes of this rank's workspace. Local. */
KALLIMA_API int kallima_workspace_bytes(const kallima_transform* transform, int64_t* bytes);
/** What was moved so far; set moved->size first. Local. */
KALLIMA_API int kallima_get_statistics(const kallima_transform* transform,
                                       kallima_statistics* moved);

/**
 * Plans an exchange of ghost cells: margins of a rank's array get copies of what neighbours have,
 * corners included. Collective. On success *halo is to be destroyed.
 *
 *     const int64_t shape[3] = {128, 128, 128};
 *     kallima_halo* halo;
 *     kallima_halo_create(comm, 3, shape, "z:block/4~2 y:all~2 x:all~2", NULL, NULL,
 *                         sizeof(double), &halo, NULL);
 *     kallima_halo_allocated_size(halo, &n);          // elements to allocate, margins included
 *     ...                                             // computes its own part
 *     kallima_halo_run(halo, u, n, NULL);
 *     kallima_halo_destroy(halo);
 *
 * \param comm           ranks that take part
 * \param axes           number of axes
 * \param shape          extents of the whole array
 * \param layout         text of the layout, with margins; its axes lie in blocks or boxes
 * \param widths         what is filled of the margins: below and above of the first axis, of the
 *                       second, ...; NULL: all of them
 * \param periodic       one number per axis, 0 where nothing lies beyond the ends; NULL: all axes
 *                       are periodic
 * \param element_bytes  bytes of an element
 * \param halo           gets the handle; NULL where it fails
 * \param error          gets words; may be NULL
 */
KALLIMA_API int kallima_halo_create(MPI_Comm comm, int axes, const int64_t* shape,
                                    const char* layout, const int64_t* widths, const int* periodic,
                                    int64_t element_bytes, kallima_halo** halo,
                                    kallima_error* error);
/** Fills the margins of an array of so many elements. Collective; agrees on nothing, allocates
 * nothing. Where an array on some rank is too short, the exchange is broken, and the others fail as
 * they learn of it. */
KALLIMA_API int kallima_halo_run(kallima_halo* halo, void* data, int64_t elements,
                                 kallima_error* error);
/** Frees; not collective, may be called after MPI_Finalize. NULL is fine. */
KALLIMA_API void kallima_halo_destroy(kallima_halo* halo);
/** Elements of memory that this rank's part takes, margins included. Local. */
KALLIMA_API int kallima_halo_allocated_size(const kallima_halo* halo, int64_t* elements);
/** Place in memory of this rank's first own element, behind the margins below. Local. */
KALLIMA_API int kallima_halo_first_offset(const kallima_halo* halo, int64_t* elements);
/** Global indices first, first + 1, ... (count) that this rank holds along an axis, and the
 * distance in memory between neighbours. Local. Any pointer may be NULL. */
KALLIMA_API int kallima_halo_local_axis(const kallima_halo* halo, int axis, int64_t* first,
                                        int64_t* count, int64_t* stride);
/** Bytes of this rank's message buffers. Local. */
KALLIMA_API int kallima_halo_workspace_bytes(const kallima_halo* halo, int64_t* bytes);
/** What was moved so far; set moved->size first. Local. */
KALLIMA_API int kallima_halo_get_statistics(const kallima_halo* halo, kallima_statistics* moved);

#ifdef __cplusplus
}
#endif

#endif
