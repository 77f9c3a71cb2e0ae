/* SPDX-License-Identifier: MIT */
/*
 * The kernel's release, for features that the kernel cannot be asked for.
 *
 * A list of versions, the oldest first, says which kernels have something: "6.6.51,6.9" is 6.6.51
 * and later ones of the series 6.6, and all from 6.9 on. So the last version has no end, and each
 * other one ends with its series. "0" is every kernel, and a list that begins with no digit is
 * none.
 */
#ifndef NAP_LINUX_RELEASE_H
#define NAP_LINUX_RELEASE_H

#include <stdbool.h>

#define RELEASE_SIZE 65		/* of each string that uname(2) gives */

/* Reads what `uname -r` prints; false: the kernel, or a sandbox, does not say. */
bool nap__os_release(char release[RELEASE_SIZE]);

/*
 * Whether the kernel @release is in the list @since. Only the numbers at the beginning count, three
 * at most; missing ones are 0: "6.9.0-rc1" and "6.9-rc1" are 6.9.0. A release that does not begin
 * with a number is older than any.
 */
bool nap__release_is_of(const char *release, const char *since);

#endif /* NAP_LINUX_RELEASE_H */
