/* SPDX-License-Identifier: MIT */
/*
 * What a race detector is told of one waiter (src/os/happens.h), for a test that sets
 * nap__detected. Nothing else is told, and no detector is asked for.
 */
#ifndef NAP_TESTS_RACE_DETECTED_H
#define NAP_TESTS_RACE_DETECTED_H

#include "os/happens.h"
#include "wrap.h"

#ifndef NAP_NO_DETECTOR
static const void *claimed;		/* the waiter */
static bool told_before, told_after;	/* by the thread that claims it, and later by its own */

WRAP(void, nap__tell_before, (const void *at))
{
	told_before = told_before || (claimed && at == claimed);
}

WRAP(void, nap__tell_after, (const void *at))
{
	told_after = told_after || (told_before && at == claimed);
}

WRAP(void, nap__tell_unseen, (bool unseen))
{
	(void)unseen;
}

WRAP(void, nap__tell_given, (const void *at, size_t size))
{
	(void)at;
	(void)size;
}
#endif

#endif /* NAP_TESTS_RACE_DETECTED_H */
