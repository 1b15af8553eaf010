/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the Fortran module and the C interface: communicators of Fortran, and arrays of any kind
 * and rank, which come as descriptors. An array that is not contiguous is refused: a copy of it
 * would be gone before a bound transform runs. What is wrong with an array on one rank is brought
 * into the collective call, so that all ranks fail alike.
 */
#include <ISO_Fortran_binding.h>
#include <mpi.h>
#include <stdio.h>

#include "kallima/kallima.h"

int kallima_fortran_create(MPI_Fint comm, int axes, const int64_t* shape,
                           const kallima_options* options, kallima_transform** transform,
                           kallima_error* error);
int kallima_fortran_create_redistribution(MPI_Fint comm, int axes, const int64_t* shape,
                                          int64_t element_bytes, const kallima_options* options,
                                          kallima_transform** transform, kallima_error* error);
int kallima_fortran_create_halo(MPI_Fint comm, int axes, const int64_t* shape, const char* layout,
                                const int64_t* widths, const int* periodic, int64_t element_bytes,
                                kallima_halo** halo, kallima_error* error);
int kallima_fortran_bind(const kallima_transform* transform, int direction, const CFI_cdesc_t* in,
                         const CFI_cdesc_t* out, const int* in_element, const int* out_element,
                         kallima_bound** bound, kallima_error* error);
int kallima_fortran_exchange(kallima_halo* halo, const CFI_cdesc_t* array, int64_t element_bytes,
                             kallima_error* error);
size_t kallima_fortran_options_bytes(void);

/* As the C compiler has it, for a test of the module's own declaration. */
size_t kallima_fortran_options_bytes(void) { return sizeof(kallima_options); }

int kallima_fortran_create(MPI_Fint comm, int axes, const int64_t* shape,
                           const kallima_options* options, kallima_transform** transform,
                           kallima_error* error) {
  return kallima_create(MPI_Comm_f2c(comm), axes, shape, options, transform, error);
}

int kallima_fortran_create_redistribution(MPI_Fint comm, int axes, const int64_t* shape,
                                          int64_t element_bytes, const kallima_options* options,
                                          kallima_transform** transform, kallima_error* error) {
  return kallima_create_redistribution(MPI_Comm_f2c(comm), axes, shape, element_bytes, options,
                                       transform, error);
}

int kallima_fortran_create_halo(MPI_Fint comm, int axes, const int64_t* shape, const char* layout,
                                const int64_t* widths, const int* periodic, int64_t element_bytes,
                                kallima_halo** halo, kallima_error* error) {
  return kallima_halo_create(MPI_Comm_f2c(comm), axes, shape, layout, widths, periodic,
                             element_bytes, halo, error);
}

/* Bytes of an array, -1 where it is not contiguous. */
static int64_t bytes_of(const CFI_cdesc_t* array) {
  int64_t bytes = (int64_t)array->elem_len;
  int i;
  for (i = 0; i < array->rank; ++i) {
    if (array->dim[i].extent == 0) return 0;
  }
  for (i = 0; i < array->rank; ++i) {
    if (array->dim[i].extent > 1 && array->dim[i].sm != bytes) return -1;
    bytes *= array->dim[i].extent;
  }
  return bytes;
}

/* What is wrong with an array whose elements should have so many bytes, of real or of complex
 * numbers; NULL if nothing. element: bytes of an element, bytes of a real number in it, 0 where
 * elements may be of any type. */
static const char* wrong_with(const CFI_cdesc_t* array, const int* element, int either) {
  const CFI_type_t type = array->type;
  const int is_complex = type == CFI_type_float_Complex || type == CFI_type_double_Complex;
  const int is_real = type == CFI_type_float || type == CFI_type_double;
  if (bytes_of(array) < 0) {
    return "is not contiguous: pass a whole array, or a section without strides";
  }
  if (element[1] == 0) {
    return (int)array->elem_len == element[0] ? NULL : "has elements of another size";
  }
  if (!is_complex && !is_real) return "has elements that are neither real nor complex";
  if ((int)array->elem_len != element[1] * (is_complex ? 2 : 1)) {
    return "is of another precision than the transform: set precision in kallima_options";
  }
  if (!either && (int)array->elem_len != element[0]) {
    return is_complex ? "is complex, and this side is real" : "is real, and this side is complex";
  }
  return NULL;
}

int kallima_fortran_bind(const kallima_transform* transform, int direction, const CFI_cdesc_t* in,
                         const CFI_cdesc_t* out, const int* in_element, const int* out_element,
                         kallima_bound** bound, kallima_error* error) {
  const int in_place = in->base_addr == out->base_addr && in->base_addr != NULL;
  const char* name = "the first array ";
  const char* wrong = wrong_with(in, in_element, in_place);
  int code;
  if (wrong == NULL) {
    name = "the second array ";
    wrong = wrong_with(out, out_element, in_place);
  }
  if (wrong == NULL) {
    return kallima_bind(transform, direction, in->base_addr, bytes_of(in) / in_element[0],
                        out->base_addr, bytes_of(out) / out_element[0], bound, error);
  }
  /* Not memory: all ranks are told so. A rank that holds nothing may have any array. */
  code = kallima_bind(transform, direction, NULL, -1, NULL, -1, bound, error);
  if (code != KALLIMA_OK) snprintf(error->text, sizeof error->text, "%s%s", name, wrong);
  return code;
}

int kallima_fortran_exchange(kallima_halo* halo, const CFI_cdesc_t* array, int64_t element_bytes,
                             kallima_error* error) {
  const int64_t bytes = bytes_of(array);
  if (bytes < 0 || (int64_t)array->elem_len != element_bytes) {
    const int code = kallima_halo_run(halo, NULL, -1, error);
    if (code == KALLIMA_OK) return code;
    snprintf(error->text, sizeof error->text, "the array %s",
             bytes < 0 ? "is not contiguous: pass a whole array"
                       : "has elements of another size than the halo");
    return code;
  }
  return kallima_halo_run(halo, array->base_addr, bytes / element_bytes, error);
}
