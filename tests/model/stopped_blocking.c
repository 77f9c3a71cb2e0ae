/* SPDX-License-Identifier: MIT */
/*
 * Queues and schedules that block other threads when one thread stops, each as one might write
 * it. No scenario has a fault while all threads go on; each has a fault when one thread is
 * stopped. So the other stopped_*.c would find such a fault.
 */
#define NAP_RING_SIZE	4
#define NAP_RING_START	0xfffffffeu
#define NAP_OVERFLOW	vyukov

#include <nap/check.h>

#include "queue/ring.h"
#include "queue/kind.h"

#include "ring_setup.h"

#define STOPPER 0u

/* ---- a queue behind a lock that spins or sleeps */

static uint32_t lock;
static struct nap_batch locked_list;

static void lock_spinning(void)
{
	while (nap_cmpxchg_acquire(&lock, 0, 1))
		nap_cpu_relax();
}

static void lock_sleeping(void)
{
	while (nap_xchg_acquire(&lock, 1))
		check_futex_wait(&lock, 1, false);
}

static void unlock(void)
{
	nap_store_release(&lock, 0);
	check_futex_wake(&lock, 1);
}

static void push_spinning(void *number)
{
	lock_spinning();
	nap_batch_push(&locked_list, job_make((uint32_t)(uintptr_t)number));
	unlock();
}

static void push_sleeping(void *number)
{
	lock_sleeping();
	nap_batch_push(&locked_list, job_make((uint32_t)(uintptr_t)number));
	unlock();
}

#define TWO_PRODUCERS(push)	{ { push, THREAD(0), "P0" }, { push, THREAD(1), "P1" } }

CHECK_SCENARIO(blocking_spin_lock, .about = "a spin lock: found when its holder stops",
	.finds = "live-lock: P1 spins for ever, P0 has stopped", .may_stop = 1u << STOPPER,
	.threads = TWO_PRODUCERS(push_spinning));

CHECK_SCENARIO(blocking_spin_lock_goes_on, .about = "no fault while its holder goes on",
	.threads = TWO_PRODUCERS(push_spinning));

CHECK_SCENARIO(blocking_sleeping_lock, .about = "a lock that sleeps: found when its holder stops",
	.finds = "dead-lock: P1 waits for ever to be woken, P0 has stopped",
	.may_stop = 1u << STOPPER, .threads = TWO_PRODUCERS(push_sleeping));

CHECK_SCENARIO(blocking_sleeping_lock_goes_on, .about = "no fault while its holder goes on",
	.threads = TWO_PRODUCERS(push_sleeping));

/* ---- a consumer of Vyukov's queue that waits for the link, as most implementations do */

static void consume_waiting(void *unused)
{
	struct nap__consumer c;
	struct nap_task *task;

	(void)unused;
	if (!overflow_lock(&queue, &c))
		return;
	while (!(task = overflow_pop(&c)) &&
	       nap_load_relaxed(&queue.push) != (uintptr_t)&queue.stub)
		nap_cpu_relax();
	job_run(task);
	queue_unlock(&c);
}

#define PRODUCER_CONSUMER	{ { push_one, THREAD(0), "P" }, { consume_waiting, NULL, "C" } }

CHECK_SCENARIO(blocking_vyukov_pop, .about = "a pop that waits for the link: found in the gap",
	.setup = queue_name, .finds = "live-lock: C spins for ever, P has stopped",
	.may_stop = 1u << STOPPER, .threads = PRODUCER_CONSUMER);

CHECK_SCENARIO(blocking_vyukov_pop_goes_on, .about = "no fault while the producer goes on",
	.setup = queue_name, .threads = PRODUCER_CONSUMER);

/* ---- a thief that claims the victim's ring, as queues with a stealing flag do */

static uint32_t stealing;

static void begin_ring(void)
{
	rings_init(3);
}

static void steal_alone(void *own)
{
	while (nap_load_relaxed(&stealing) || nap_cmpxchg_acquire(&stealing, 0, 1))
		nap_cpu_relax();
	steal_half(own);
	nap_store_release(&stealing, 0);
}

#define TWO_THIEVES	{ { steal_alone, &thief_ring[0], "thief 0" },	\
			  { steal_alone, &thief_ring[1], "thief 1" } }

CHECK_SCENARIO(blocking_steal, .about = "thieves one at a time: found when one of them stops",
	.setup = begin_ring, .finds = "live-lock: thief 1 spins for ever, thief 0 has stopped",
	.may_stop = 1u << STOPPER, .threads = TWO_THIEVES);

CHECK_SCENARIO(blocking_steal_goes_on, .about = "no fault while both go on",
	.setup = begin_ring, .threads = TWO_THIEVES);
