/* SPDX-License-Identifier: MIT */
/*
 * liburcu's wait-free queue and lock-free stack, with their locking dequeues; and its atomics.
 * All these functions are in line, as liburcu's authors advise programs whose licence allows it.
 */
#define _LGPL_SOURCE
#include "common/threads.h"

#include <stddef.h>
#include <urcu/uatomic.h>
#include <urcu/wfcqueue.h>
#include <urcu/lfstack.h>

const char row_peer[] = "urcu";

struct own {
	struct cds_wfcq_node in_queue;
	struct cds_lfs_node in_stack;
} __attribute__((aligned(64)));

static struct own own[THREADS_MAX];
static struct cds_wfcq_head queue_head __attribute__((aligned(64)));
static struct cds_wfcq_tail queue_tail __attribute__((aligned(64)));
static struct cds_lfs_stack stack __attribute__((aligned(64)));

static void queue_alone(unsigned thread, uint64_t n)
{
	struct cds_wfcq_node *node = &own[thread].in_queue;

	for (uint64_t i = 0; i < n; i++) {
		cds_wfcq_node_init(node);
		cds_wfcq_enqueue(&queue_head, &queue_tail, node);
		while (!(node = cds_wfcq_dequeue_blocking(&queue_head, &queue_tail)))
			caa_cpu_relax();
	}
}

static void queue_begin(const struct size *unused)
{
	(void)unused;
	cds_wfcq_init(&queue_head, &queue_tail);
}

static bool stack_is_shared;

/*
 * Takes all elements, here one, by an exchange. That needs no lock, because nobody takes single
 * elements at the same time.
 */
static void stack_take_all(struct cds_lfs_node *node, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		cds_lfs_node_init(node);
		cds_lfs_push(&stack, node);
		node = &__cds_lfs_pop_all(&stack)->node;
	}
}

/*
 * One of several threads takes a single element under the lock. By an exchange it would take the
 * other threads' elements, too.
 */
static void stack_alone(unsigned thread, uint64_t n)
{
	struct cds_lfs_node *node = &own[thread].in_stack;

	if (!stack_is_shared) {
		stack_take_all(node, n);
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		cds_lfs_node_init(node);
		cds_lfs_push(&stack, node);
		while (!(node = cds_lfs_pop_blocking(&stack)))
			caa_cpu_relax();
	}
}

static void stack_begin(const struct size *size)
{
	stack_is_shared = size->workers > 1;
	cds_lfs_init(&stack);
}

/* ---- atomics */

static unsigned long word;

OPERATION(compare_exchange, uatomic_cmpxchg(&word, i, i + 1))
OPERATION(exchange, uatomic_xchg(&word, i))
OPERATION(add, uatomic_add_return(&word, 1))
OPERATION(fence, cmm_smp_mb())

static const struct row rows[] = {
	ROW_ALONE("fifo", queue_begin, queue_alone),
	ROW_ALONE("stack", stack_begin, stack_alone),
	ROW_ALONE("c", NULL, compare_exchange),
	ROW_ALONE("exchange", NULL, exchange),
	ROW_ALONE("add", NULL, add),
	ROW_ALONE("fence", NULL, fence),
	ROWS_END,
};

const struct row *const row_tables[] = { rows, NULL };
