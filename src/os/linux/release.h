/* SPDX-License-Identifier: MIT */
/*
 * Which kernel this is, for what it cannot be asked otherwise.
 *
 * Kernels that have something are a list of versions, the oldest first: "6.6.51,6.9" is 6.6.51 and
 * what follows in the series 6.6, and all from 6.9 on. So the last one goes on for ever, each of
 * the others as long as its series. "0" is every kernel, and what begins with no digit is none.
 */
#ifndef NAP_LINUX_RELEASE_H
#define NAP_LINUX_RELEASE_H

#include <stdbool.h>

#define RELEASE_SIZE 65		/* of each string that uname(2) gives */

/* What `uname -r` prints; false: the kernel, or a sandbox, does not say. */
bool nap__os_release(char release[RELEASE_SIZE]);

/*
 * Whether the kernel @release is one of the list @since. Only the numbers in the beginning count,
 * three at most, those that are left out are 0: "6.9.0-rc1" and "6.9-rc1" are 6.9.0. A release that
 * does not begin with a number is older than any.
 */
bool nap__release_is_of(const char *release, const char *since);

#endif /* NAP_LINUX_RELEASE_H */
