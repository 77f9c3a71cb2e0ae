/* SPDX-License-Identifier: MIT */
/* Much memory that is soon used: src/os/linux/large.c. */
#ifndef NAP_LINUX_LARGE_H
#define NAP_LINUX_LARGE_H

#include <stddef.h>

/*
 * As nap__os_map(), but in large pages where the system has some to give. Of 160 MB in small ones
 * most of the time of a sort went into their 40,000 faults.
 */
void *nap__map_large(size_t size);

#endif /* NAP_LINUX_LARGE_H */
