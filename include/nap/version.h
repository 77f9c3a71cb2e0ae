/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_version - which version of nap a program was compiled with, and which one runs
 *
 * The macros are those of the headers, and nap_version() is that of the library that runs:
 *
 *	#if NAP_VERSION < NAP_VERSION_OF(1, 0, 0)
 *	#error "nap 1.0.0 is needed"
 *	#endif
 *
 *	if (nap_version() < NAP_VERSION)
 *		...			the library is older than the headers
 *
 * Documentation/abi.rst says what stays the same from one version to the next.
 */
#ifndef NAP_VERSION_H
#define NAP_VERSION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The only place that has these numbers: the Makefile reads them. */

/** NAP_VERSION_MAJOR - the first number of the version */
#define NAP_VERSION_MAJOR 1

/** NAP_VERSION_MINOR - the second number */
#define NAP_VERSION_MINOR 0

/** NAP_VERSION_PATCH - the third number */
#define NAP_VERSION_PATCH 0

/** NAP_VERSION_OF() - a version as one number, which is larger for a later version */
#define NAP_VERSION_OF(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))

/** NAP_VERSION - the version of the headers, as NAP_VERSION_OF() has it */
#define NAP_VERSION NAP_VERSION_OF(NAP_VERSION_MAJOR, NAP_VERSION_MINOR, NAP_VERSION_PATCH)

#define nap__text_of(number) #number
#define nap__version_text(major, minor, patch) \
	nap__text_of(major) "." nap__text_of(minor) "." nap__text_of(patch)

/** NAP_VERSION_STRING - the same as text: "1.0.0" */
#define NAP_VERSION_STRING \
	nap__version_text(NAP_VERSION_MAJOR, NAP_VERSION_MINOR, NAP_VERSION_PATCH)

/** nap_version() - the NAP_VERSION of the library that runs; any thread or signal handler */
uint32_t nap_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_VERSION_H */
