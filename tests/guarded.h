/* SPDX-License-Identifier: MIT */
/* Memory between two parts that no thread may touch, so that an access beside it is noticed. */
#ifndef NAP_TESTS_GUARDED_H
#define NAP_TESTS_GUARDED_H

#include <stddef.h>
#include <stdlib.h>

#include "os/os.h"

#define GUARD_SIZE	65536u	/* the largest page of any machine */

/* Maps @size bytes, a multiple of GUARD_SIZE. They stay mapped. */
static inline unsigned char *guarded_map(size_t size)
{
	unsigned char *map = nap__os_map(size + 2 * GUARD_SIZE);

	if (!map || !nap__os_guard(map, GUARD_SIZE) ||
	    !nap__os_guard(map + GUARD_SIZE + size, GUARD_SIZE))
		abort();
	return map + GUARD_SIZE;
}

#endif /* NAP_TESTS_GUARDED_H */
