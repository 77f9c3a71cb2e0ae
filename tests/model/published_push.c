/* SPDX-License-Identifier: MIT */
/*
 * A local push without a wake-up (NVIDIA/stdexec#1305, static_thread_pool). A worker that
 * schedules inside a task puts the new task into its own queue and notifies no worker, because
 * the worker itself comes back to that queue. But first the worker is inside its task, which may
 * be long or wait for the new task, while the other workers sleep.
 *
 * The pushing worker's thread ends after the push, which stands for the long task. The other
 * worker parks when it finds nothing, and is not at fault: both fences of lost_wakeup.h are
 * there.
 */
#include "lost_wakeup.h"

#define THIEF	1u

struct task {
	int payload;
};

static struct task task;
static _Atomic uint32_t ring_head, ring_tail;
static _Atomic(struct task *) ring_slot[2];
static bool ran;

static void push(void)
{
	task.payload = 42;
	atomic_store_explicit(&ring_slot[0], &task, memory_order_relaxed);
	atomic_store_explicit(&ring_tail, 1, memory_order_release);
}

static void pusher(void *arg)
{
	(void)arg;
	push();
}

static void pusher_that_notifies(void *arg)
{
	(void)arg;
	push();
	idle_notify(BOTH_FENCES);
}

static struct task *steal(void)
{
	uint32_t head = atomic_load_explicit(&ring_head, memory_order_relaxed);
	struct task *oldest;

	if (head == atomic_load_explicit(&ring_tail, memory_order_acquire))
		return NULL;
	oldest = atomic_load_explicit(&ring_slot[head], memory_order_relaxed);
	return atomic_compare_exchange_strong_explicit(&ring_head, &head, head + 1,
						       memory_order_release,
						       memory_order_relaxed) ? oldest : NULL;
}

static void thief(void *arg)
{
	struct task *found;

	(void)arg;
	while (!(found = steal()))
		idle_wait(BOTH_FENCES);
	CHECK(found->payload == 42);
	ran = true;
}

static void begin(void)
{
	check_name(&idle_word, sizeof(idle_word), "sync");
	check_name(&ring_tail, sizeof(ring_tail), "ring.tail");
}

static void judge(void)
{
	if (check_waits(THIEF))
		check_fail("work not conserved: a worker is parked beside a task");
	CHECK(ran);
}

CHECK_SCENARIO(published_push_without_wakeup,
	.about = "published form: a worker pushes and goes on, the others sleep",
	.setup = begin, .finally = judge, .may_block = true,
	.threads = { { pusher, NULL, "pusher" }, { thief, NULL, "thief" } },
	.models = CHECK_ALL, .finds = "work not conserved");

CHECK_SCENARIO(published_push_with_wakeup,
	.about = "the same with a notification behind the push: the task is stolen",
	.setup = begin, .finally = judge, .may_block = true,
	.threads = { { pusher_that_notifies, NULL, "pusher" }, { thief, NULL, "thief" } },
	.models = CHECK_ALL);
