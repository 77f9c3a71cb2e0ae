/* SPDX-License-Identifier: MIT */
#include "os/futex.h"

#include <stddef.h>

#include "arch/syscall.h"

/* numbers of linux/futex.h, restated so that this file includes headers of nap only */
#define FUTEX_WAKE		1
#define FUTEX_WAIT_BITSET	9	/* takes an absolute time, unlike FUTEX_WAIT */
#define FUTEX_PRIVATE		128
#define FUTEX_ANY		0xffffffffL

struct futex_time {
	int64_t sec;
	int64_t nsec;
};

int nap__futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline)
{
	struct futex_time time = {
		.sec = (int64_t)(deadline / NS_PER_S),
		.nsec = (int64_t)(deadline % NS_PER_S),
	};

	return (int)nap__syscall6(NAP__NR_futex, (long)word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE,
				  (long)expected, deadline == UINT64_MAX ? 0 : (long)&time, 0,
				  FUTEX_ANY);
}

void nap__futex_wake(uint32_t *word, uint32_t n)
{
	nap__syscall3(NAP__NR_futex, (long)word, FUTEX_WAKE | FUTEX_PRIVATE, (long)n);
}
