/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * What a shared library of Kallima lets be seen: the public interface and nothing else. */
#ifndef KALLIMA_EXPORT_H
#define KALLIMA_EXPORT_H

#if defined(__GNUC__)
/** Marks what is part of the interface. */
#define KALLIMA_API __attribute__((visibility("default")))
#else
/** Marks what is part of the interface. */
#define KALLIMA_API
#endif

#endif
