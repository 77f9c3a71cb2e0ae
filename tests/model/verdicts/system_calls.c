/* SPDX-License-Identifier: MIT */
/*
 * Futexes and thread numbers by syscall(2).
 *
 * verdict woken: no fault
 * verdict all_woken: allowed
 * verdict some_bits: undecided: a futex operation on some bits of the set only
 * verdict all_bits: no fault
 * verdict deadline_after_free: found: use of freed memory: heap
 * verdict other_call: undecided: a system call other than futex
 * verdict numbers: no fault
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <nap/check.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint word, slept;
static long woken;

static void sleep_once(void *arg)
{
	(void)arg;
	if (!syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL))
		atomic_fetch_add(&slept, 1);
}

/* A thread that has seen the 1 does not sleep; a thread that has slept was counted. */
static void wake_all(void *arg)
{
	(void)arg;
	atomic_store(&word, 1);
	woken = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 9);
}

static void count(void)
{
	CHECK(woken == (long)slept);
}

static bool both_slept(void)
{
	return woken == 2;
}

CHECK_SCENARIO(woken, .finally = count, .threads = { { sleep_once }, { sleep_once }, { wake_all } });
CHECK_SCENARIO(all_woken, .exists = both_slept,
	       .threads = { { sleep_once }, { sleep_once }, { wake_all } });

static void sleep_on(void *bits)
{
	syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, NULL, NULL, (uint32_t)(uintptr_t)bits);
}

static void wake_bits(void *bits)
{
	atomic_store(&word, 1);
	syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 1, NULL, NULL, (uint32_t)(uintptr_t)bits);
}

CHECK_SCENARIO(some_bits, .threads = { { sleep_on, (void *)2 }, { wake_bits, (void *)-1 } });
CHECK_SCENARIO(all_bits, .threads = { { sleep_on, (void *)-1 }, { wake_bits, (void *)-1 } });

static void wait_until_freed(void *arg)
{
	struct timespec *deadline = calloc(1, sizeof(*deadline));

	(void)arg;
	free(deadline);
	syscall(SYS_futex, &word, FUTEX_WAIT, 0, deadline);
}

CHECK_SCENARIO(deadline_after_free, .threads = { { wait_until_freed } });

static void call_other(void *arg)
{
	(void)arg;
	atomic_load(&word);
	syscall(SYS_getpid);
}

CHECK_SCENARIO(other_call, .threads = { { call_other } });

static _Atomic pid_t number;

static void number_threads(void *arg)
{
	pid_t other = atomic_exchange(&number, gettid());

	(void)arg;
	CHECK(gettid() > 0 && gettid() == syscall(SYS_gettid));
	CHECK(gettid() != other);
}

CHECK_SCENARIO(numbers, .threads = { { number_threads }, { number_threads } });
