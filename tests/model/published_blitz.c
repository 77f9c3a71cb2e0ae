/* SPDX-License-Identifier: MIT */
/*
 * How Blitz loses an injected job (the text on its thread pool, "Progressive Sleep", "SeqCst
 * Fences" and "Key Design Decisions" 3; src/Pool.zig, sleep(), newInjectedJobs() and
 * wakeSpecificThread()). Blitz has two faults; Rayon, where the protocol comes from, has neither.
 *
 * The sleeper is counted before it is blocked. A poster that finds the sleeper counted checks,
 * without the sleeper's lock, whether the sleeper is blocked. If the sleeper is not blocked yet,
 * the poster skips it. The sleeper has checked for jobs before, and now blocks. This happens under
 * any memory model.
 *
 * The second fence is missing. The text wants a fence between the sleeper's count and its last
 * check for jobs. The source has no fence, but a sequentially consistent compare-exchange, by which
 * the sleeper is counted. In C11 and on AArch64 this is no fence: the last check may come before
 * the count.
 *
 * The jobs event counter is left out: with the parity of the text the counter is odd from the first
 * job on, and no job changes it again. A futex on `blocked` stands for the condition variable and
 * its lock, and loses no wake-up of its own.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <nap/check.h>

#define SLEEPER		1u

/* Bits of a form */
#define BLOCKED_FIRST	1u	/* the sleeper is blocked before it is counted */
#define SECOND_FENCE	2u

struct job {
	int payload;
};

static struct job job;
static _Atomic(struct job *) injected;
static _Atomic uint32_t sleeping, blocked;
static bool ran;

static void poster(void *arg)
{
	struct job *none = NULL;

	(void)arg;
	job.payload = 42;
	atomic_compare_exchange_strong_explicit(&injected, &none, &job, memory_order_acq_rel,
						memory_order_acquire);
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&sleeping, memory_order_seq_cst))
		return;
	if (!atomic_load_explicit(&blocked, memory_order_acquire))
		return;
	atomic_store_explicit(&blocked, 0, memory_order_release);
	check_futex_wake((uint32_t *)&blocked, 1);
	atomic_fetch_sub_explicit(&sleeping, 1, memory_order_seq_cst);
}

static void sleeper(void *arg)
{
	unsigned int form = (unsigned int)(uintptr_t)arg;
	struct job *found;

	if (form & BLOCKED_FIRST)
		atomic_store_explicit(&blocked, 1, memory_order_release);
	atomic_fetch_add_explicit(&sleeping, 1, memory_order_seq_cst);
	if (form & SECOND_FENCE)
		atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&injected, memory_order_acquire)) {
		if (!(form & BLOCKED_FIRST))
			atomic_store_explicit(&blocked, 1, memory_order_release);
		while (atomic_load_explicit(&blocked, memory_order_acquire))
			check_futex_wait((uint32_t *)&blocked, 1, false);
	}
	found = atomic_exchange_explicit(&injected, NULL, memory_order_acquire);
	CHECK(found && found->payload == 42);
	ran = true;
}

static void begin(void)
{
	check_name(&injected, sizeof(injected), "injected");
	check_name(&sleeping, sizeof(sleeping), "sleeping");
	check_name(&blocked, sizeof(blocked), "blocked");
}

static void judge(void)
{
	if (check_waits(SLEEPER))
		check_fail("lost wake-up: a worker sleeps beside a job");
	CHECK(ran);
}

#define BLITZ(id, what, form, ...)							\
	CHECK_SCENARIO(blitz_##id, .about = what, .setup = begin, .finally = judge,	\
		.threads = { { poster, NULL, "poster" },				\
			     { sleeper, (void *)(uintptr_t)(form), "sleeper" } },	\
		.models = CHECK_ALL, .may_block = true, __VA_ARGS__)

BLITZ(counted_before_blocked,
      "published form: a sleeper that is counted and not yet blocked is skipped",
      SECOND_FENCE, .finds = "lost wake-up");
BLITZ(no_second_fence,
      "published form: a seq_cst compare-exchange in place of the second fence",
      BLOCKED_FIRST, .finds = "lost wake-up", .finds_in = CHECK_RC11);
BLITZ(mended, "blocked before counted, and a fence before the last look: not lost",
      BLOCKED_FIRST | SECOND_FENCE, .finds = NULL);
