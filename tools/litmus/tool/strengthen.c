/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tool/order.h"

/* Returns the pair that wants a fence before this instruction, or NULL. */
static const struct pair *fence_before(const struct pair *pair, unsigned nr, unsigned thread,
				       unsigned index)
{
	for (unsigned i = 0; i < nr; i++)
		if (pair[i].order && pair[i].order->fence && pair[i].thread == thread &&
		    pair[i].second == index)
			return &pair[i];
	return NULL;
}

static void strengthen_access(struct instruction *one, uint64_t load, uint64_t store)
{
	if (one->op == OP_LOAD && load)
		one->read_tags = load;
	if (one->op == OP_STORE && store)
		one->write_tags = store;
}

static void strengthen_accesses(struct instruction *code, const struct pair *pair, unsigned nr,
				unsigned thread)
{
	for (unsigned i = 0; i < nr; i++) {
		const struct order *order = pair[i].order;

		if (!order || pair[i].thread != thread)
			continue;
		strengthen_access(&code[pair[i].first], order->load, order->store_first);
		strengthen_access(&code[pair[i].second], order->load_second, order->store);
	}
}

/* Copies a thread's code, with the fences. A jump to an instruction goes to the fence before it. */
static void strengthen_thread(struct test *test, unsigned t, const struct pair *pair, unsigned nr,
			      unsigned **map)
{
	struct thread *thread = &test->thread[t];
	unsigned room = 2 * thread->nr + 1, to = 0;
	struct instruction *old = arena_alloc(test->arena, room * sizeof(*old));
	struct instruction *code = arena_alloc(test->arena, room * sizeof(*code));
	unsigned *at = arena_alloc(test->arena, room * sizeof(*at));

	*map = arena_alloc(test->arena, room * sizeof(**map));
	memcpy(old, thread->code, thread->nr * sizeof(*old));
	strengthen_accesses(old, pair, nr, t);
	for (unsigned i = 0; i < thread->nr; i++) {
		const struct pair *fenced = fence_before(pair, nr, t, i);

		at[i] = to;
		if (fenced) {
			(*map)[to] = i;
			code[to++] = (struct instruction) { .op = OP_FENCE, .size = 4, .dst = -1,
				.stored = -1, .read_tags = fenced->order->fence, .at = old[i].at };
		}
		(*map)[to] = i;
		code[to++] = old[i];
	}
	at[thread->nr] = to;
	for (unsigned i = 0; i < to; i++)
		if (code[i].op == OP_BRANCH || code[i].op == OP_JUMP)
			code[i].target = at[code[i].target];
	thread->code = code;
	thread->nr = thread->room = to;
}

struct test *strengthened(const struct test *test, const struct pair *pair, unsigned nr,
			  unsigned *map[TEST_THREADS])
{
	struct test *copy = arena_alloc(test->arena, sizeof(*copy));

	*copy = *test;
	for (unsigned t = 0; t < test->nr_threads; t++)
		strengthen_thread(copy, t, pair, nr, &map[t]);
	return copy;
}
