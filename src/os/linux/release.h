/* SPDX-License-Identifier: MIT */
/*
 * The kernel's release, for features that a program cannot query.
 *
 * A list of versions, the oldest first, names the kernels with a feature: "6.6.51,6.9" means 6.6.51
 * and later versions of the series 6.6, and all versions from 6.9 on. So each version stands for
 * the rest of its series, and the last one for all later kernels. "0" names every kernel, and a
 * list that does not begin with a digit names none.
 */
#ifndef NAP_LINUX_RELEASE_H
#define NAP_LINUX_RELEASE_H

#include <stdbool.h>

#define RELEASE_SIZE 65		/* bytes of each string of uname(2) */

/* Reads the string that `uname -r` prints; false: uname(2) failed. */
bool nap__os_release(char release[RELEASE_SIZE]);

/*
 * Whether the kernel @release is in the list @since. Only the numbers at the beginning count, three
 * at most; a missing number is 0: "6.9.0-rc1" and "6.9-rc1" are 6.9.0. A release that does not
 * begin with a number is older than all others.
 */
bool nap__release_is_of(const char *release, const char *since);

#endif /* NAP_LINUX_RELEASE_H */
