/* SPDX-License-Identifier: MIT */
/*
 * C++20's barriers, latches and waits for atomic variables. No thread sleeps for ever, a waiter
 * sees what was written before, and a thread that is not notified is found.
 *
 * verdict barrier: no fault
 * verdict barrier_of_three: found: dead-lock: T[01] waits for ever
 * verdict latch: no fault
 * verdict stored: no fault
 * verdict stored_x86: no fault
 * verdict not_told: found: dead-lock: T0 waits for ever
 * verdict relaxed: found: data race
 */
#include <nap/check.h>
#include <atomic>
#include <barrier>
#include <latch>

static std::barrier<> two(2), three(3);
static std::latch all(2);
static std::atomic<int> word;
static int written[2];

static void meet(void *number)
{
	int mine = number != NULL;

	written[mine] = 1;
	two.arrive_and_wait();
	CHECK(written[!mine] == 1);
}

static void meet_three(void *)
{
	three.arrive_and_wait();
}

static void come(void *number)
{
	int mine = number != NULL;

	written[mine] = 1;
	all.arrive_and_wait();
	CHECK(written[!mine] == 1);
}

static void store(void *told)
{
	written[0] = 1;
	word.store(1, std::memory_order_release);
	if (told)
		word.notify_one();
}

static void wait(void *)
{
	word.wait(0, std::memory_order_acquire);
	CHECK(written[0] == 1);
}

static void wait_relaxed(void *)
{
	word.wait(0, std::memory_order_relaxed);
	CHECK(written[0] == 1);
}

static char yes;

CHECK_SCENARIO(barrier, .threads = { { meet }, { meet, &yes } });
CHECK_SCENARIO(barrier_of_three, .threads = { { meet_three }, { meet_three } });
CHECK_SCENARIO(latch, .threads = { { come }, { come, &yes } });
CHECK_SCENARIO(stored, .threads = { { wait }, { store, &yes } });
CHECK_SCENARIO(stored_x86, .threads = { { wait }, { store, &yes } }, .models = CHECK_TSO);
CHECK_SCENARIO(not_told, .threads = { { wait }, { store } });
CHECK_SCENARIO(relaxed, .threads = { { wait_relaxed }, { store, &yes } });
