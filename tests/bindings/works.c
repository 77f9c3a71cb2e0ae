/* SPDX-License-Identifier: MIT */
/*
 * Functions of works for the tests of bindings: a shared object.
 */
#include <nap/nap.h>

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

struct sum {
	struct nap_work work;
	const uint32_t *numbers;
	size_t n;
	uint64_t sum;
};

int sum(struct nap_work *work);
int sum(struct nap_work *work)
{
	struct sum *s = nap_container_of(work, struct sum, work);

	for (size_t i = 0; i < s->n; i++)
		s->sum += s->numbers[i];
	return (int)s->n;
}

struct meeting {
	struct nap_work work;
	uint32_t *here;
	uint32_t of;
};

/*
 * Waits until @of threads are in this function at the same time, which they can be only if it runs
 * without the GIL. Returns 0, or -ETIME after a minute.
 */
int meet(struct nap_work *work);
int meet(struct nap_work *work)
{
	struct meeting *m = nap_container_of(work, struct meeting, work);
	struct timespec now, begun;

	clock_gettime(CLOCK_MONOTONIC, &begun);
	__atomic_fetch_add(m->here, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(m->here, __ATOMIC_SEQ_CST) < m->of) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > begun.tv_sec + 60)
			return -ETIME;
		sched_yield();
	}
	return 0;
}

/* Runs until it is canceled. */
int until_canceled(struct nap_work *work);
int until_canceled(struct nap_work *work)
{
	struct meeting *m = nap_container_of(work, struct meeting, work);

	__atomic_store_n(m->here, 1, __ATOMIC_SEQ_CST);
	while (!nap_work_is_canceled(work))
		sched_yield();
	return 7;
}
