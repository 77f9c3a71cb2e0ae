/* SPDX-License-Identifier: MIT */
/*
 * Loops that wait without a call of the checker, and loops that only look as if they waited.
 *
 * verdict test_and_set: no fault
 * verdict test_and_set_yields: no fault
 * verdict compare_exchange: no fault
 * verdict load_spins: found: data race: write by T[01] and write by T[01] of data
 * verdict plain_spins: found: data race: read by T0 and write by T1 of plain_flag
 * verdict polls_twice: found: .*: seen
 * verdict gives_up: found: data race
 * verdict gives_up_alone: no fault
 * verdict counts_turns: no fault
 * verdict counts_elsewhere: no fault
 * verdict for_ever: found: live-lock: T0 spins for ever
 * verdict for_ever_without_access: undecided: a million plain accesses without an operation between them
 * verdict retries: no fault
 * verdict retries_unordered: found: .*: b == a
 * verdict through_array: no fault$
 * verdict sum_of_two: no fault$
 */
#include <nap/check.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int lock, flag;
static int data, gave_up;
static volatile int plain_flag;

static void locks(void *arg)
{
	while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
		;
	data++;
	atomic_store_explicit(&lock, 0, memory_order_release);
}

static void locks_with_yields(void *arg)
{
	while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
		sched_yield();
	data++;
	atomic_store_explicit(&lock, 0, memory_order_release);
}

static void locks_by_compare(void *arg)
{
	int free = 0;

	while (!atomic_compare_exchange_strong(&lock, &free, 1))
		free = 0;
	data++;
	atomic_store(&lock, 0);
}

CHECK_SCENARIO(test_and_set, .threads = { { locks }, { locks } });
CHECK_SCENARIO(test_and_set_yields, .threads = { { locks_with_yields }, { locks_with_yields } });
CHECK_SCENARIO(compare_exchange, .threads = { { locks_by_compare }, { locks_by_compare } });

static void waits(void *arg)
{
	while (atomic_load_explicit(&lock, memory_order_acquire))
		;
	data++;
}

static void holds(void *arg)
{
	atomic_store(&lock, 1);
	data = 1;
	atomic_store_explicit(&lock, 0, memory_order_release);
}

CHECK_SCENARIO(load_spins, .threads = { { waits }, { holds } });

static void waits_plainly(void *arg)
{
	while (!plain_flag)
		;
	CHECK(data == 1);
}

static void sets_plainly(void *arg)
{
	data = 1;
	plain_flag = 1;
}

CHECK_SCENARIO(plain_spins, .threads = { { waits_plainly }, { sets_plainly } });

static int poll(void)
{
	int seen = atomic_load_explicit(&flag, memory_order_relaxed);

	sched_yield();
	return seen;
}

static void polls(void *arg)
{
	int a = poll(), b = poll(), seen = a || b;

	CHECK(seen);
}

static void sets(void *arg)
{
	data = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
}

CHECK_SCENARIO(polls_twice, .threads = { { sets }, { polls } });

static void looks_three_times(void *arg)
{
	for (int i = 0; i < 3; i++) {
		if (atomic_load_explicit(&flag, memory_order_acquire))
			return;
		sched_yield();
	}
	gave_up = data;
}

static void looks(void *arg)
{
	atomic_load(&flag);
}

CHECK_SCENARIO(gives_up, .threads = { { sets }, { looks_three_times } });
CHECK_SCENARIO(gives_up_alone, .threads = { { looks }, { looks_three_times } });

/* The counter is not on the stack of the loop. */
static int turns;

static void counts(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed) && turns < 5)
		turns++;
}

CHECK_SCENARIO(counts_turns, .threads = { { counts }, { looks } });

/* The counter is on the stack of another thread, which waits for the loop to end. */
static int *_Atomic elsewhere;
static atomic_int counted;

static void lends(void *arg)
{
	int turned = 0;

	atomic_store(&elsewhere, &turned);
	while (!atomic_load(&counted))
		;
	CHECK(turned == 5);
}

static void counts_there(void *arg)
{
	int *n;

	while (!(n = atomic_load(&elsewhere)))
		;
	while (!atomic_load_explicit(&flag, memory_order_relaxed) && *n < 5)
		++*n;
	atomic_store(&counted, 1);
}

CHECK_SCENARIO(counts_elsewhere, .threads = { { lends }, { counts_there } });

static void waits_for_nobody(void *arg)
{
	while (!atomic_load(&flag))
		;
}

static void turns_for_ever(void *arg)
{
	atomic_load(&flag);
	while (!plain_flag)
		;
}

CHECK_SCENARIO(for_ever, .threads = { { waits_for_nobody }, { looks } });
CHECK_SCENARIO(for_ever_without_access, .threads = { { turns_for_ever } });

/* A sequence lock, and a sequence lock whose reader does not check again in order. */
static atomic_uint sequence;
static atomic_int first, second;

static void writes(void *arg)
{
	atomic_store_explicit(&sequence, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&first, 1, memory_order_relaxed);
	atomic_store_explicit(&second, 1, memory_order_relaxed);
	atomic_store_explicit(&sequence, 2, memory_order_release);
}

static void read_both(bool ordered)
{
	unsigned before;
	int a, b;

	do {
		while ((before = atomic_load_explicit(&sequence, memory_order_acquire)) & 1)
			;
		a = atomic_load_explicit(&first, memory_order_relaxed);
		b = atomic_load_explicit(&second, memory_order_relaxed);
		if (ordered)
			atomic_thread_fence(memory_order_acquire);
	} while (atomic_load_explicit(&sequence, memory_order_relaxed) != before);
	CHECK(b == a);
}

static void reads(void *arg)
{
	read_both(true);
}

static void reads_unordered(void *arg)
{
	read_both(false);
}

CHECK_SCENARIO(retries, .threads = { { writes }, { reads } });
CHECK_SCENARIO(retries_unordered, .threads = { { writes }, { reads_unordered } });

/*
 * Iterations that come to one place several times: through an array, and by a function called
 * twice.
 */
static atomic_int of[4];

static void says_in_array(void *arg)
{
	atomic_store(&of[3], 1);
}

static void looks_through(void *arg)
{
	for (bool found = false; !found;)
		for (int i = 0; i < 4; i++)
			if (atomic_load(&of[i]))
				found = true;
}

static int get(atomic_int *from)
{
	return atomic_load(from);
}

static void looks_at_two(void *arg)
{
	while (!(get(&of[2]) + get(&of[3])))
		;
}

CHECK_SCENARIO(through_array, .threads = { { says_in_array }, { looks_through } });
CHECK_SCENARIO(sum_of_two, .threads = { { says_in_array }, { looks_at_two } });
