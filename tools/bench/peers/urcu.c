// SPDX-License-Identifier: MIT
/* liburcu's wait-free queue and lock-free stack, by their locking dequeues; and its atomics. */
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

static void queue_row(const struct size *size)
{
	cds_wfcq_init(&queue_head, &queue_tail);
	threads_time(size, queue_alone);
}

static void stack_alone(unsigned thread, uint64_t n)
{
	struct cds_lfs_node *node = &own[thread].in_stack;

	for (uint64_t i = 0; i < n; i++) {
		cds_lfs_node_init(node);
		cds_lfs_push(&stack, node);
		while (!(node = cds_lfs_pop_blocking(&stack)))
			caa_cpu_relax();
	}
}

static void stack_row(const struct size *size)
{
	cds_lfs_init(&stack);
	threads_time(size, stack_alone);
}

/* ---- atomics */

static unsigned long word;

static void compare_exchange(unsigned unused, uint64_t n)
{
	(void)unused;
	uatomic_set(&word, 0);
	for (uint64_t i = 0; i < n; i++)
		uatomic_cmpxchg(&word, i, i + 1);
}

static void compare_exchange_row(const struct size *size)
{
	threads_time(size, compare_exchange);
}

static void exchange(unsigned unused, uint64_t n)
{
	(void)unused;
	for (uint64_t i = 0; i < n; i++)
		uatomic_xchg(&word, i);
}

static void exchange_row(const struct size *size)
{
	threads_time(size, exchange);
}

static void add(unsigned unused, uint64_t n)
{
	(void)unused;
	for (uint64_t i = 0; i < n; i++)
		uatomic_add_return(&word, 1);
}

static void add_row(const struct size *size)
{
	threads_time(size, add);
}

static void fence(unsigned unused, uint64_t n)
{
	(void)unused;
	for (uint64_t i = 0; i < n; i++)
		cmm_smp_mb();
}

static void fence_row(const struct size *size)
{
	threads_time(size, fence);
}

static const struct row rows[] = {
	{ "fifo", queue_row },
	{ "stack", stack_row },
	{ "c", compare_exchange_row },
	{ "exchange", exchange_row },
	{ "add", add_row },
	{ "fence", fence_row },
	{ NULL, NULL },
};

const struct row *const row_tables[] = { rows, NULL };
