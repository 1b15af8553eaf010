/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * The version of Kallima; the build reads it here. */
#ifndef KALLIMA_VERSION_H
#define KALLIMA_VERSION_H

#define KALLIMA_VERSION_MAJOR 0 /**< changes what programs have to say */
#define KALLIMA_VERSION_MINOR 1 /**< below 1.0 the same */
#define KALLIMA_VERSION_PATCH 0 /**< fixes */
#define KALLIMA_VERSION "0.1.0" /**< the three in one */

#endif
