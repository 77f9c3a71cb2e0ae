/* SPDX-License-Identifier: MIT */
/*
 * The lost wake-up of Zap's Sync (the blog text, functions notify() and wait() of "The final
 * algorithm"; src/thread_pool.zig, notify() and wait(), has the same orders). A producer publishes
 * a task, and then checks NOTIFIED; a worker clears NOTIFIED, and then checks the queue. That is
 * store buffering: each thread may miss what the other has stored. The producer finds an old
 * NOTIFIED and relies on a worker to check the queue; the worker has checked it, has found nothing,
 * and parks. There are pushes from outside, and pushes into a worker's own ring. This table says
 * which of the two ("own ring", or both) may be lost with each form:
 *
 *	                                             sc    tso          rc11
 *	published: nothing                           -     own ring     both
 *	a full fence in the producer only            -     -            both
 *	a full fence in the worker only              -     own ring     both
 *	a full fence in both (nap)                   -     -            -
 *	a read-modify-write in place of the load     -     -            -
 *	both stores and both loads seq_cst           -     -            -
 *
 * The worker ends when it has the task, so a worker that waits for ever has missed the task. In the
 * beginning NOTIFIED is set, by a schedule whose task another worker has taken since.
 */
#include "lost_wakeup.h"

#define WORKER		1u
/* one more bit of a form: the producer pushes into a worker's own ring */
#define OWN_RING	16u

struct task {
	struct task *next;
	int payload;
};

static struct task task;
static bool ran;

/* The stack onto which an outside producer pushes. */
static _Atomic(struct task *) stack;

/* The ring of a worker that is in the middle of a task. */
static _Atomic uint32_t ring_head, ring_tail;
static _Atomic(struct task *) ring_slot[2];

static void push_foreign(bool seq_cst)
{
	struct task *top = atomic_load_explicit(&stack, memory_order_relaxed);

	task.next = top;
	if (seq_cst)
		atomic_compare_exchange_strong_explicit(&stack, &top, &task, memory_order_seq_cst,
							memory_order_relaxed);
	else
		atomic_compare_exchange_strong_explicit(&stack, &top, &task, memory_order_release,
							memory_order_relaxed);
}

static void push_own(bool seq_cst)
{
	atomic_store_explicit(&ring_slot[0], &task, memory_order_relaxed);
	if (seq_cst)
		atomic_store_explicit(&ring_tail, 1, memory_order_seq_cst);
	else
		atomic_store_explicit(&ring_tail, 1, memory_order_release);
}

static struct task *take_foreign(bool seq_cst)
{
	struct task *top;

	if (seq_cst)
		top = atomic_load_explicit(&stack, memory_order_seq_cst);
	else
		top = atomic_load_explicit(&stack, memory_order_relaxed);
	return top ? atomic_exchange_explicit(&stack, NULL, memory_order_acquire) : NULL;
}

static struct task *steal(bool seq_cst)
{
	uint32_t head = atomic_load_explicit(&ring_head, memory_order_relaxed), tail;
	struct task *oldest;

	if (seq_cst)
		tail = atomic_load_explicit(&ring_tail, memory_order_seq_cst);
	else
		tail = atomic_load_explicit(&ring_tail, memory_order_acquire);
	if (head == tail)
		return NULL;
	oldest = atomic_load_explicit(&ring_slot[head], memory_order_relaxed);
	return atomic_compare_exchange_strong_explicit(&ring_head, &head, head + 1,
						       memory_order_release,
						       memory_order_relaxed) ? oldest : NULL;
}

static void begin(void)
{
	idle_word = NOTIFIED;
	check_name(&idle_word, sizeof(idle_word), "sync");
	check_name(&stack, sizeof(stack), "stack");
	check_name(&ring_tail, sizeof(ring_tail), "ring.tail");
}

static void producer(void *arg)
{
	unsigned int form = (unsigned int)(uintptr_t)arg;

	task.payload = 42;
	if (form & OWN_RING)
		push_own(form & SEQ_CST);
	else
		push_foreign(form & SEQ_CST);
	idle_notify(form);
}

static void worker(void *arg)
{
	unsigned int form = (unsigned int)(uintptr_t)arg;
	struct task *found;

	do {
		idle_wait(form);
		found = form & OWN_RING ? steal(form & SEQ_CST) : take_foreign(form & SEQ_CST);
	} while (!found);
	CHECK(found->payload == 42);
	ran = true;
}

static void judge(void)
{
	if (check_waits(WORKER))
		check_fail("lost wake-up: a worker is parked beside a task");
	CHECK(ran);
}

/* SHAPE(id, what, form, ...): the last arguments are the models and what they find. */
#define SHAPE(id, what, form, ...)							\
	CHECK_SCENARIO(lost_wakeup_##id, .about = what, .setup = begin, .finally = judge, \
		.threads = { { producer, (void *)(uintptr_t)(form), "producer" },	\
			     { worker, (void *)(uintptr_t)(form), "worker" } },		\
		.models = CHECK_ALL, .may_block = true, __VA_ARGS__)

#define LOST_IN(which) .finds = "lost wake-up", .finds_in = (which)
#define NOT_LOST .finds = NULL

SHAPE(foreign_published, "published form, push from outside: lost on weak machines only",
      0, LOST_IN(CHECK_RC11));
SHAPE(foreign_producer_fence, "push from outside, a fence in the producer only: not enough",
      PRODUCER_FENCE, LOST_IN(CHECK_RC11));
SHAPE(foreign_worker_fence, "push from outside, a fence in the worker only: not enough",
      WORKER_FENCE, LOST_IN(CHECK_RC11));
SHAPE(foreign_both_fences, "push from outside, a fence in both: not lost",
      BOTH_FENCES, NOT_LOST);
SHAPE(foreign_rmw, "push from outside, a read-modify-write in place of the load: not lost",
      PRODUCER_RMW, NOT_LOST);
SHAPE(foreign_seq_cst, "push from outside, stores and loads seq_cst: not lost",
      SEQ_CST, NOT_LOST);

SHAPE(own_ring_published, "published form, push into the own ring: lost on x86, too",
      OWN_RING, LOST_IN(CHECK_RC11 | CHECK_TSO));
SHAPE(own_ring_producer_fence, "own ring, a fence in the producer only: enough on x86 only",
      OWN_RING | PRODUCER_FENCE, LOST_IN(CHECK_RC11));
SHAPE(own_ring_worker_fence, "own ring, a fence in the worker only: not enough on x86 either",
      OWN_RING | WORKER_FENCE, LOST_IN(CHECK_RC11 | CHECK_TSO));
SHAPE(own_ring_both_fences, "own ring, a fence in both: not lost",
      OWN_RING | BOTH_FENCES, NOT_LOST);
SHAPE(own_ring_rmw, "own ring, a read-modify-write in place of the load: not lost",
      OWN_RING | PRODUCER_RMW, NOT_LOST);
SHAPE(own_ring_seq_cst, "own ring, stores and loads seq_cst: not lost",
      OWN_RING | SEQ_CST, NOT_LOST);
