/* SPDX-License-Identifier: MIT */
/*
 * Variables in the frames of other threads' functions, while the frames exist and after that.
 *
 * verdict gone_with_thread: found: a stack frame that is gone: T1 uses a variable of T0
 * verdict gone_the_second_time: found: a stack frame that is gone: T1 uses a variable of T0
 * verdict gone_with_function: found: a stack frame that is gone: T1 uses a variable of T0
 * verdict gone_atomic: found: a stack frame that is gone: T[01] uses a variable of T[01]
 * verdict gone_atomic_first: found: a stack frame that is gone: T0 uses a variable of T1
 * verdict waited_for: no fault
 */
#include <nap/check.h>
#include <stdatomic.h>

static int *_Atomic shared;
static atomic_int *_Atomic counter;
static atomic_int flag;

static void publish(int value)
{
	int local = value;

	atomic_store_explicit(&shared, &local, memory_order_release);
}

static void publish_and_end(void *arg)
{
	publish(7);
}

static void publish_and_go_on(void *arg)
{
	publish(7);
	atomic_load(&flag);
	while (!atomic_load(&flag))
		;
}

static void use(void *arg)
{
	int *p = atomic_load_explicit(&shared, memory_order_acquire);

	if (p)
		CHECK(*p == 7);
	atomic_store(&flag, 1);
}

CHECK_SCENARIO(gone_with_thread, .threads = { { publish_and_end }, { use } });
CHECK_SCENARIO(gone_with_function, .threads = { { publish_and_go_on }, { use } });

static void publish_and_wait_inside(void)
{
	int local = 7;

	atomic_store_explicit(&shared, &local, memory_order_release);
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		;
}

static void lend(void *arg)
{
	publish_and_wait_inside();
	atomic_load(&flag);
}

static void use_twice(void *arg)
{
	int *p;

	while (!(p = atomic_load_explicit(&shared, memory_order_acquire)))
		;
	CHECK(*p == 7);
	atomic_store_explicit(&flag, 1, memory_order_release);
	if (*p != 7)
		atomic_store(&flag, 2);
}

CHECK_SCENARIO(gone_the_second_time, .threads = { { lend }, { use_twice } });

static void publish_counter(void *arg)
{
	atomic_int local = 0;

	atomic_store_explicit(&counter, &local, memory_order_release);
}

static void count(void *arg)
{
	atomic_int *p = atomic_load_explicit(&counter, memory_order_acquire);

	if (p)
		atomic_fetch_add(p, 1);
}

CHECK_SCENARIO(gone_atomic, .threads = { { publish_counter }, { count } });
CHECK_SCENARIO(gone_atomic_first, .threads = { { count }, { publish_counter } });

static void publish_and_wait(void *arg)
{
	int local = 7;

	atomic_store_explicit(&shared, &local, memory_order_release);
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		;
}

static void use_and_say(void *arg)
{
	int *p;

	while (!(p = atomic_load_explicit(&shared, memory_order_acquire)))
		;
	CHECK(*p == 7);
	atomic_store_explicit(&flag, 1, memory_order_release);
}

CHECK_SCENARIO(waited_for, .threads = { { publish_and_wait }, { use_and_say } });
