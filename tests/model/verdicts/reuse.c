/* SPDX-License-Identifier: MIT */
/*
 * Memory that comes back to the thread that has freed it. fresh.c has the same scenarios without
 * that.
 *
 * options --reuse
 * verdict comes_back: allowed
 * verdict another_size: forbidden
 * verdict of_setup: allowed
 * verdict of_another_thread: forbidden
 * verdict read_before_write: found: reads what was never written
 * verdict use_of_last_life: found: (use of freed memory|use of memory whose allocation by T1)
 * verdict aba: found: .*atomic_load\(&generation\) == seen
 */
#include <nap/check.h>
#include <stdatomic.h>
#include <stdlib.h>

static bool same;
static _Atomic(int *) top;
static atomic_int generation;
static void *first;

static bool is_same(void)
{
	return same;
}

static void free_and_allocate(size_t before, size_t after)
{
	void *old = malloc(before), *new;

	atomic_load(&generation);
	free(old);
	new = malloc(after);
	same = old == new;
	free(new);
}

static void allocate_twice(void *arg)
{
	free_and_allocate(8, 8);
}

static void allocate_larger(void *arg)
{
	free_and_allocate(8, 24);
}

CHECK_SCENARIO(comes_back, .exists = is_same, .allowed = CHECK_ALL, .threads = { { allocate_twice } });
CHECK_SCENARIO(another_size, .exists = is_same, .threads = { { allocate_larger } });

static void allocate_first(void)
{
	first = malloc(8);
}

static void free_first(void *arg)
{
	atomic_load(&generation);
	free(first);
	same = malloc(8) == first;
}

CHECK_SCENARIO(of_setup, .exists = is_same, .allowed = CHECK_ALL, .setup = allocate_first,
	       .threads = { { free_first } });

static void only_free(void *arg)
{
	free(first);
	atomic_store(&generation, 1);
}

static void only_allocate(void *arg)
{
	if (atomic_load(&generation))
		same = malloc(8) == first;
}

CHECK_SCENARIO(of_another_thread, .exists = is_same, .setup = allocate_first,
	       .threads = { { only_free }, { only_allocate } });

static void read_again(void *arg)
{
	int *p = malloc(sizeof(*p)), value;

	*p = atomic_load(&generation);
	free(p);
	p = malloc(sizeof(*p));
	value = *p;
	CHECK(!value);
}

CHECK_SCENARIO(read_before_write, .threads = { { read_again } });

static void push_first(void)
{
	int *mem = malloc(sizeof(*mem));

	*mem = 0;
	atomic_store(&top, mem);
}

static void replace(void *arg)
{
	int *old = atomic_exchange(&top, NULL);

	if (!old)
		return;
	free(old);
	old = malloc(sizeof(*old));
	*old = 1;
	atomic_store(&generation, 1);
	atomic_store(&top, old);
}

static void look(void *arg)
{
	int *old = atomic_load(&top);

	if (old)
		CHECK(*old < 2);
}

CHECK_SCENARIO(use_of_last_life, .setup = push_first, .threads = { { look }, { replace } });

/* Takes the top if it is still @old. Then @seen holds, too: true as long as no memory returns. */
static void take(void *arg)
{
	int *old = atomic_load(&top);
	int seen = atomic_load(&generation);

	if (old && atomic_compare_exchange_strong(&top, &old, NULL))
		CHECK(atomic_load(&generation) == seen);
}

CHECK_SCENARIO(aba, .setup = push_first, .threads = { { take }, { replace } });
