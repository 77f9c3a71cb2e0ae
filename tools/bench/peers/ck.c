/* SPDX-License-Identifier: MIT */
/*
 * Concurrency Kit. Its ring is used with one producer and many consumers, as nap's is. Its
 * Michael-Scott queue, for many producers and consumers, needs memory reclamation, and is left
 * out.
 */
#include "common/threads.h"

#include <ck_pr.h>
#include <ck_ring.h>
#include <ck_stack.h>
#include <stddef.h>

#define SLOTS 256u

const char row_peer[] = "ck";

struct own {
	ck_ring_t ring;
	ck_ring_buffer_t slots[SLOTS];
	ck_stack_entry_t element;
} __attribute__((aligned(64)));

static struct own own[THREADS_MAX];
static ck_stack_t stack __attribute__((aligned(64))) = CK_STACK_INITIALIZER;
static bool stack_is_shared;

static void ring_alone(unsigned thread, uint64_t n)
{
	ck_ring_t *ring = &own[thread].ring;
	void *element = &own[thread].element;

	for (uint64_t i = 0; i < n; i++) {
		ck_ring_enqueue_spmc(ring, own[thread].slots, element);
		ck_ring_dequeue_spmc(ring, own[thread].slots, &element);
	}
}

static void ring_begin(const struct size *unused)
{
	(void)unused;
	for (unsigned i = 0; i < THREADS_MAX; i++)
		ck_ring_init(&own[i].ring, SLOTS);
}

/* Takes all elements, here one, by an exchange. */
static void stack_take_all(ck_stack_entry_t *element, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		ck_stack_push_upmc(&stack, element);
		element = ck_stack_batch_pop_upmc(&stack);
	}
}

/*
 * One of several threads takes a single element. By an exchange it would take the other threads'
 * elements, too. An element comes back to the stack while others pop, so the stack's head has a
 * generation, which changes with each pop.
 */
static void stack_alone(unsigned thread, uint64_t n)
{
	ck_stack_entry_t *element = &own[thread].element;

	if (!stack_is_shared) {
		stack_take_all(element, n);
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		ck_stack_push_mpmc(&stack, element);
		while (!(element = ck_stack_pop_mpmc(&stack)))
			ck_pr_stall();
	}
}

static void stack_begin(const struct size *size)
{
	stack_is_shared = size->workers > 1;
}

static uint64_t word __attribute__((aligned(64)));

OPERATION(compare_exchange, ck_pr_cas_64(&word, i, i + 1))
OPERATION(add, ck_pr_faa_64(&word, 1))

static const struct row rows[] = {
	ROW_ALONE("ring", ring_begin, ring_alone),
	ROW_ALONE("stack", stack_begin, stack_alone),
	ROW_ALONE("c", NULL, compare_exchange),
	ROW_ALONE("add", NULL, add),
	ROWS_END,
};

const struct row *const row_tables[] = { rows, NULL };
