/* SPDX-License-Identifier: MIT */
/*
 * Faults of a user, one a scenario; nap_check.sh says what the tool has to report. This file is
 * not a program of `make model`.
 */
#include <nap/check.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic uint32_t flag, other;
static int data, seen[2], *heap;

static void write_relaxed(void *arg)
{
	data = 1;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void read_if_set(void *arg)
{
	if (atomic_load_explicit(&flag, memory_order_relaxed))
		CHECK(data == 1);	/* the race */
}

CHECK_SCENARIO(race, .about = "a flag that publishes nothing",
	.threads = { { write_relaxed }, { read_if_set } });
CHECK_SCENARIO(race_expected, .finds = "data race",
	.threads = { { write_relaxed }, { read_if_set } });
CHECK_SCENARIO(other_expected, .finds = "live-lock",
	.threads = { { write_relaxed }, { read_if_set } });
CHECK_SCENARIO(none_is_there, .finds = "data race", .threads = { { write_relaxed } });

static void is_not_set(void *arg)
{
	CHECK(atomic_load_explicit(&flag, memory_order_relaxed) == 0);
}

CHECK_SCENARIO(assertion, .threads = { { is_not_set }, { write_relaxed } });

static void sleep_on(void *word)
{
	check_futex_wait(word, 0, false);
}

static void wake_other(void *word)
{
	check_futex_wake((uint32_t *)&other, 1);
}

CHECK_SCENARIO(dead_lock, .threads = { { sleep_on, (void *)&flag }, { wake_other } });

static void spin(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		check_yield();
}

static void spin_silently(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		;
}

static void set_other(void *arg)
{
	atomic_store_explicit(&other, 1, memory_order_release);
}

CHECK_SCENARIO(live_lock, .threads = { { spin }, { set_other } });
CHECK_SCENARIO(no_yield, .threads = { { spin_silently }, { set_other } });

static void allocate(void)
{
	heap = malloc(sizeof(*heap));
	*heap = 7;
}

static void release(void *arg)
{
	free(heap);
	atomic_store_explicit(&flag, 1, memory_order_release);
}

static void use_then(void *arg)
{
	if (atomic_load_explicit(&flag, memory_order_acquire))
		CHECK(*heap == 7);	/* the use */
}

static void release_then(void *arg)
{
	if (atomic_load_explicit(&flag, memory_order_acquire))
		free(heap);
}

CHECK_SCENARIO(use_after_free, .setup = allocate, .threads = { { release }, { use_then } });
CHECK_SCENARIO(double_free, .setup = allocate, .threads = { { release }, { release_then } });

static void hand_over(void *arg)
{
	int *made = malloc(sizeof(*made));

	*made = 7;
	heap = made;
	atomic_store_explicit(&flag, 1, memory_order_release);
}

static void take_over(void *arg)
{
	if (!atomic_load_explicit(&flag, memory_order_acquire))
		return;
	CHECK(*heap == 7);
	free(heap);
}

CHECK_SCENARIO(malloced, .threads = { { hand_over }, { take_over } });
CHECK_SCENARIO(sampled, .random = 9, .threads = { { hand_over }, { take_over } });
CHECK_SCENARIO(bounded, .preemptions = 1, .threads = { { hand_over }, { take_over } });

static void follow_null(void *arg)
{
	CHECK(*heap == 7);	/* the crash */
}

CHECK_SCENARIO(crash, .threads = { { follow_null } });

/* Store buffering. */
static void left(void *arg)
{
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	seen[0] = atomic_load_explicit(&other, memory_order_relaxed);
}

static void right(void *arg)
{
	atomic_store_explicit(&other, 1, memory_order_relaxed);
	seen[1] = atomic_load_explicit(&flag, memory_order_relaxed);
}

static void not_both(void)
{
	CHECK(seen[0] || seen[1]);
}

static bool both(void)
{
	return !seen[0] && !seen[1];
}

CHECK_SCENARIO(sb, .finally = not_both, .threads = { { left }, { right } }, .models = CHECK_ALL);
CHECK_SCENARIO(sb_exists, .exists = both, .allowed = CHECK_TSO | CHECK_RC11,
	.threads = { { left }, { right } }, .models = CHECK_ALL);

/* The memory that one scenario uses is not in the executions of the next one. */
static void heavy(void *arg)
{
	check_membarrier();
	right(arg);
}

static void light(void *arg)
{
	left(arg);
	atomic_signal_fence(memory_order_seq_cst);
}

CHECK_SCENARIO(membarrier, .threads = { { light }, { heavy } });
CHECK_SCENARIO(signal_fence, .finally = not_both, .threads = { { light }, { right } });

/* ---- threads that stop */

static void store_twice(void *arg)
{
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	atomic_store_explicit(&flag, 2, memory_order_relaxed);
}

static void load_once(void *arg)
{
	seen[0] = (int)atomic_load_explicit(&flag, memory_order_relaxed);
}

static void load_three(void *arg)
{
	load_once(arg);
	atomic_load_explicit(&flag, memory_order_relaxed);
	atomic_load_explicit(&flag, memory_order_relaxed);
}

/*
 * The writer stops before it stores 1, before it stores 2, at its end, or never. The reader then
 * has 1 + 2 + 3 + 3 values to load.
 */
CHECK_SCENARIO(stops, .may_stop = 1, .threads = { { store_twice }, { load_once } });
/* The reader stops at one of four places, or not, whatever it has loaded: (1 + 3 + 6 + 10) + 10. */
CHECK_SCENARIO(reader_stops, .may_stop = 2, .threads = { { store_twice }, { load_three } });
/* In 4 executions the reader stops before it loads, in 9 at its end, and in 9 it ends. */
CHECK_SCENARIO(both_stop, .may_stop = 3, .threads = { { store_twice }, { load_once } });
CHECK_SCENARIO(nobody_there, .may_stop = 4, .threads = { { store_twice }, { load_once } });

static void take_lock(void *arg)
{
	uint32_t expected = 0;

	while (!atomic_compare_exchange_strong_explicit(&flag, &expected, 1, memory_order_acquire,
							memory_order_relaxed)) {
		expected = 0;
		check_yield();
	}
	data++;
	atomic_store_explicit(&flag, 0, memory_order_release);
}

CHECK_SCENARIO(spins, .may_stop = 1, .threads = { { take_lock }, { take_lock } });

static void wait_set(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		check_futex_wait((uint32_t *)&flag, 0, false);
}

static void set_and_wake(void *arg)
{
	atomic_store_explicit(&flag, 1, memory_order_release);
	check_futex_wake((uint32_t *)&flag, 1);
}

CHECK_SCENARIO(waits, .may_stop = 1, .threads = { { set_and_wake }, { wait_set } });

static bool stopped_in_between(void)
{
	return check_stopped(0) && !check_stopped(1) && atomic_load(&flag) == 1;
}

CHECK_SCENARIO(stopped_exists, .may_stop = 1, .exists = stopped_in_between, .allowed = CHECK_RC11,
	.threads = { { store_twice }, { load_once } });

/* The list's only element is taken out, freed, allocated again, and put back. */
static _Atomic(int *) top;

static void put_one(void)
{
	atomic_store(&top, calloc(1, sizeof(int)));
}

static void put_back(void *arg)
{
	int *one = atomic_exchange(&top, NULL);

	if (!one)
		return;
	free(one);
	one = malloc(sizeof(*one));
	*one = 1;
	atomic_store(&flag, 1);
	atomic_store(&top, one);
}

static void take_same(void *arg)
{
	int *one = atomic_load(&top);
	uint32_t before = atomic_load(&flag);

	if (one && atomic_compare_exchange_strong(&top, &one, NULL))
		CHECK(atomic_load(&flag) == before);
}

CHECK_SCENARIO(comes_back, .setup = put_one, .threads = { { put_back }, { take_same } });
