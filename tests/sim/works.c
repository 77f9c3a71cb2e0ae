/* SPDX-License-Identifier: MIT */
/*
 * Works whose behaviour is published: the simulator has to show it. Works that are wrong: the
 * simulator has to refuse them. A work is done by run.workers threads, run.tasks times in all.
 */
#include <stddef.h>

#include "program/work.h"

static uint64_t each;		/* tasks of each thread */
static uint64_t begin_at;	/* ns */

static void (*body_of)(unsigned number);

static void thread_of_work(void *arg)
{
	sim_sleep_until(begin_at);
	body_of((unsigned)(uintptr_t)arg);
}

/* Runs @body on every worker. The measurement begins just before all of them begin. */
static void on_all(void (*body)(unsigned number))
{
	uint32_t thread[MAX_CPUS];

	body_of = body;
	each = sim_run.tasks / sim_run.workers;
	begin_at = 100000 * (uint64_t)sim_run.workers;
	for (unsigned i = 0; i < sim_run.workers; i++)
		thread[i] = sim_thread_start(thread_of_work, (void *)(uintptr_t)i, false);
	sim_sleep_until(begin_at - 5000);
	sim_measure_begins();
	for (unsigned i = 0; i < sim_run.workers; i++)
		sim_thread_join(thread[i]);
	sim_measure_ends();
}

static void one_task(void)
{
	sim_queued(1);
	sim_begins();
	sim_work(sim_run.grain_ns);
	sim_ends();
}

/* ---- a convoy: a mutex that is handed to the first thread in line, which sleeps */

static struct {
	uint32_t guard, held, first, last;
	uint32_t turn[MAX_CPUS];
} fair __attribute__((aligned(64)));

static void guard(void)
{
	while (__atomic_exchange_n(&fair.guard, 1, __ATOMIC_ACQUIRE))
		sim_relax();
}

static void unguard(void)
{
	__atomic_store_n(&fair.guard, 0, __ATOMIC_RELEASE);
}

static void fair_lock(void)
{
	uint32_t *turn;

	guard();
	if (!fair.held) {
		fair.held = 1;
		unguard();
		return;
	}
	turn = &fair.turn[fair.last++ % MAX_CPUS];
	*turn = 0;
	unguard();
	while (!__atomic_load_n(turn, __ATOMIC_ACQUIRE))
		sim_futex_wait(turn, 0, UINT64_MAX);
}

static void fair_unlock(void)
{
	uint32_t *turn = NULL;

	guard();
	if (fair.first == fair.last)
		fair.held = 0;
	else
		turn = &fair.turn[fair.first++ % MAX_CPUS];
	unguard();
	if (turn) {
		__atomic_store_n(turn, 1, __ATOMIC_RELEASE);
		sim_futex_wake(turn, 1);
	}
}

static void convoy_body(unsigned number)
{
	(void)number;
	for (uint64_t i = 0; i < each; i++) {
		fair_lock();
		one_task();
		fair_unlock();
		sim_work(2 * sim_run.grain_ns);
	}
}

static void convoy(void)
{
	sim_name(&fair, sizeof(fair), "the fair mutex");
	on_all(convoy_body);
}

SIM_WORK(convoy, .name = "convoy", .about = "a mutex that is handed on to a sleeper", .run = convoy,
	 .tasks = 2000, .grain_ns = 500, .alone = true);

/* The convoy's work under a lock that any thread may take, whichever has waited longest. */
static uint32_t spin __attribute__((aligned(64)));

static void barging_body(unsigned number)
{
	(void)number;
	for (uint64_t i = 0; i < each; i++) {
		while (__atomic_exchange_n(&spin, 1, __ATOMIC_ACQUIRE))
			while (__atomic_load_n(&spin, __ATOMIC_RELAXED))
				sim_relax();
		one_task();
		__atomic_store_n(&spin, 0, __ATOMIC_RELEASE);
		sim_work(2 * sim_run.grain_ns);
	}
}

static void barging(void)
{
	on_all(barging_body);
}

SIM_WORK(barging, .name = "barging", .about = "a lock that nobody sleeps for", .run = barging,
	 .tasks = 2000, .grain_ns = 500, .alone = true);

/* ---- false sharing */

static uint64_t packed[MAX_CPUS] __attribute__((aligned(64)));
static struct {
	uint64_t n __attribute__((aligned(64)));
} padded[MAX_CPUS];

static void packed_body(unsigned number)
{
	for (uint64_t i = 0; i < each; i++) {
		packed[number]++;
		one_task();
	}
}

static void padded_body(unsigned number)
{
	for (uint64_t i = 0; i < each; i++) {
		padded[number].n++;
		one_task();
	}
}

static void packed_work(void)
{
	sim_name(packed, sizeof(packed), "packed counters");
	on_all(packed_body);
}

static void padded_work(void)
{
	sim_name(padded, sizeof(padded), "padded counters");
	on_all(padded_body);
}

SIM_WORK(packed, .name = "packed", .about = "counters that share lines", .run = packed_work,
	 .tasks = 4000, .grain_ns = 20, .alone = true);
SIM_WORK(padded, .name = "padded", .about = "counters on lines of their own", .run = padded_work,
	 .tasks = 4000, .grain_ns = 20, .alone = true);

/*
 * ---- a store to a line that is elsewhere, and an operation that waits for the store, or does not
 */

static uint64_t wanted[2] __attribute__((aligned(64)));

static void store_body(bool fenced, unsigned number)
{
	for (uint64_t i = 0; i < each; i++) {
		__atomic_store_n(&wanted[number % 2], i, __ATOMIC_RELAXED);
		if (fenced)
			__atomic_thread_fence(__ATOMIC_SEQ_CST);
		sim_work(1000);
	}
}

static void fenced_body(unsigned number)
{
	store_body(true, number);
}

static void unfenced_body(unsigned number)
{
	store_body(false, number);
}

static void fenced(void)
{
	on_all(fenced_body);
}

static void unfenced(void)
{
	on_all(unfenced_body);
}

SIM_WORK(fenced, .name = "fenced", .about = "stores to a shared line, each before a fence",
	 .run = fenced, .each = 1000, .alone = true);
SIM_WORK(unfenced, .name = "unfenced", .about = "the stores alone", .run = unfenced, .each = 1000,
	 .alone = true);

/* ---- what nap-sim-measure measures: everybody adds to one word */

static uint64_t sum __attribute__((aligned(64)));

static void contended_body(unsigned number)
{
	(void)number;
	for (uint64_t i = 0; i < each; i++)
		__atomic_fetch_add(&sum, 1, __ATOMIC_SEQ_CST);
}

static void contended(void)
{
	on_all(contended_body);
	if (sum != each * sim_run.workers)
		sim_fail("additions are lost");
}

SIM_WORK(contended, .name = "contended", .about = "fetch-add on one word", .run = contended,
	 .each = 10000, .alone = true);

/* ---- two locks of Mellor-Crummey and Scott's "Algorithms for Scalable Synchronization", 1991 */

static struct {
	uint32_t next __attribute__((aligned(64)));
	uint32_t serves __attribute__((aligned(64)));
} ticket;

static void ticket_body(unsigned number)
{
	(void)number;
	for (uint64_t i = 0; i < each; i++) {
		uint32_t mine = __atomic_fetch_add(&ticket.next, 1, __ATOMIC_RELAXED);

		while (__atomic_load_n(&ticket.serves, __ATOMIC_ACQUIRE) != mine)
			sim_relax();
		one_task();
		__atomic_store_n(&ticket.serves, mine + 1, __ATOMIC_RELEASE);
	}
}

static void ticket_work(void)
{
	sim_name(&ticket, sizeof(ticket), "the ticket lock");
	on_all(ticket_body);
}

struct mcs {
	struct mcs *next;
	uint32_t waits;
} __attribute__((aligned(64)));
static struct mcs nodes[MAX_CPUS], *tail __attribute__((aligned(64)));

static void mcs_body(unsigned number)
{
	struct mcs *mine = &nodes[number];

	for (uint64_t i = 0; i < each; i++) {
		struct mcs *before, *expected = mine;

		__atomic_store_n(&mine->next, NULL, __ATOMIC_RELAXED);
		__atomic_store_n(&mine->waits, 1, __ATOMIC_RELAXED);
		before = __atomic_exchange_n(&tail, mine, __ATOMIC_ACQ_REL);
		if (before) {
			__atomic_store_n(&before->next, mine, __ATOMIC_RELEASE);
			while (__atomic_load_n(&mine->waits, __ATOMIC_ACQUIRE))
				sim_relax();
		}
		one_task();
		if (!__atomic_load_n(&mine->next, __ATOMIC_ACQUIRE) &&
		    __atomic_compare_exchange_n(&tail, &expected, NULL, 0, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			continue;
		while (!__atomic_load_n(&mine->next, __ATOMIC_ACQUIRE))
			sim_relax();
		__atomic_store_n(&__atomic_load_n(&mine->next, __ATOMIC_RELAXED)->waits, 0,
				 __ATOMIC_RELEASE);
	}
}

static void mcs_work(void)
{
	on_all(mcs_body);
}

SIM_WORK(ticket, .name = "ticket", .about = "a ticket lock", .run = ticket_work, .each = 30,
	 .grain_ns = 50, .alone = true);
SIM_WORK(mcs, .name = "mcs", .about = "an MCS lock", .run = mcs_work, .each = 30, .grain_ns = 50,
	 .alone = true);

/* ---- what is wrong */

static void twice(void)
{
	sim_measure_begins();
	sim_queued(1);
	sim_begins();
	sim_ends();
	sim_begins();
}

SIM_WORK(twice, .name = "twice", .about = "a task that begins twice", .run = twice, .tasks = 1,
	 .alone = true);

static void for_ever(void)
{
	static uint32_t word;

	sim_measure_begins();
	sim_futex_wait(&word, 0, UINT64_MAX);
}

SIM_WORK(for_ever, .name = "for-ever", .about = "a wait for nobody", .run = for_ever, .tasks = 1,
	 .alone = true);
