/* SPDX-License-Identifier: MIT */
/*
 * The unbounded queues. All kinds keep one contract, which is tested for each kind; then come tests
 * of single kinds.
 */
#include "queue/treiber.h"
#include "queue/vyukov.h"

#include <pthread.h>

#include "harness.h"

#define MANY 1000

static struct nap__queue queue;
static struct nap_task tasks[MANY];

/* A table of functions for each kind, so that the contract is written once. */
struct kind {
	const char *name;
	bool fifo;
	void (*push)(struct nap__queue *q, struct nap_task *head, struct nap_task *tail);
	bool (*lock)(struct nap__queue *q, struct nap__consumer *c);
	struct nap_task *(*pop)(struct nap__consumer *c);
	bool (*unlock)(struct nap__consumer *c);
	bool (*empty)(struct nap__queue *q);
};

#define KIND(name, fifo) \
	{ #name, fifo, name##_push, name##_lock, name##_pop, name##_unlock, name##_empty }

FIXTURE(kind) { const struct kind *k; };
FIXTURE_VARIANT(kind) { struct kind k; };
FIXTURE_VARIANT_ADD(kind, treiber) { .k = KIND(treiber, false) };
FIXTURE_VARIANT_ADD(kind, treiber_fifo) { .k = KIND(treiber_fifo, true) };
FIXTURE_VARIANT_ADD(kind, vyukov) { .k = KIND(vyukov, true) };
FIXTURE_SETUP(kind)
{
	self->k = &variant->k;
	memset(&queue, 0, sizeof(queue));
	for (int i = 0; i < MANY; i++)
		nap_task_init(&tasks[i], NULL);
}
FIXTURE_TEARDOWN(kind) { }

static void push_range(const struct kind *k, int from, int n)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (int i = 0; i < n; i++)
		nap_batch_push(&batch, &tasks[from + i]);
	k->push(&queue, batch.head, batch.tail);
}

static int pop(const struct kind *k, struct nap__consumer *c)
{
	struct nap_task *task = k->pop(c);

	return task ? (int)(task - tasks) : -1;
}

TEST_F(kind, empty_cannot_be_locked)
{
	struct nap__consumer c;

	EXPECT_TRUE(self->k->empty(&queue));
	EXPECT_FALSE(self->k->lock(&queue, &c));
	push_range(self->k, 0, 1);
	EXPECT_FALSE(self->k->empty(&queue));
	ASSERT_TRUE(self->k->lock(&queue, &c));
	EXPECT_EQ(pop(self->k, &c), 0);
	EXPECT_EQ(pop(self->k, &c), -1);
	EXPECT_FALSE(self->k->unlock(&c));
	EXPECT_TRUE(self->k->empty(&queue));
	EXPECT_FALSE(self->k->lock(&queue, &c));
}

TEST_F(kind, order_of_single_pushes)
{
	struct nap__consumer c;

	for (int i = 0; i < MANY; i++)
		push_range(self->k, i, 1);
	ASSERT_TRUE(self->k->lock(&queue, &c));
	for (int i = 0; i < MANY; i++)
		ASSERT_EQ(pop(self->k, &c), self->k->fifo ? i : MANY - 1 - i);
	EXPECT_EQ(pop(self->k, &c), -1);
	EXPECT_FALSE(self->k->unlock(&c));
}

/* FIFO is a promise across batches, grabs and locks: no later task overtakes an earlier one. */
TEST_F(kind, fifo_across_batches_and_locks)
{
	int pushed = 0, popped = 0;
	bool seen[MANY] = { false };

	for (int round = 1; pushed + round <= MANY; round++) {
		struct nap__consumer c;

		push_range(self->k, pushed, round);
		pushed += round;
		ASSERT_TRUE(self->k->lock(&queue, &c));
		for (int i = 0; i < round / 2; i++) {
			int got = pop(self->k, &c);

			ASSERT_GE(got, 0);
			ASSERT_FALSE(seen[got]);
			seen[got] = true;
			if (self->k->fifo)
				ASSERT_EQ(got, popped);
			popped++;
			if (i == 0 && pushed < MANY)
				push_range(self->k, pushed++, 1);
		}
		ASSERT_EQ(self->k->unlock(&c), popped < pushed);
	}
	EXPECT_GT(popped, 0);
}

TEST_F(kind, a_second_consumer_is_turned_away)
{
	struct nap__consumer c, other;

	push_range(self->k, 0, 2);
	ASSERT_TRUE(self->k->lock(&queue, &c));
	EXPECT_FALSE(self->k->lock(&queue, &other));
	EXPECT_EQ(pop(self->k, &c), 0);
	self->k->unlock(&c);
	EXPECT_TRUE(self->k->lock(&queue, &other));
	EXPECT_EQ(pop(self->k, &other), 1);
	self->k->unlock(&other);
}

/*
 * A try-lock that fails must not lose a notification. The lock's holder has seen an empty queue.
 * Then a producer pushes, and the worker that this push wakes does not get the lock. The holder
 * must learn of the task when it unlocks.
 */
TEST_F(kind, unlock_tells_of_a_task_that_came_while_locked)
{
	struct nap__consumer holder, woken;

	push_range(self->k, 0, 1);
	ASSERT_TRUE(self->k->lock(&queue, &holder));
	EXPECT_EQ(pop(self->k, &holder), 0);
	EXPECT_EQ(pop(self->k, &holder), -1);
	push_range(self->k, 1, 1);
	EXPECT_FALSE(self->k->lock(&queue, &woken));
	EXPECT_TRUE(self->k->unlock(&holder));
	ASSERT_TRUE(self->k->lock(&queue, &woken));
	EXPECT_EQ(pop(self->k, &woken), 1);
	EXPECT_FALSE(self->k->unlock(&woken));
}

TEST_F(kind, unlock_tells_of_what_is_left)
{
	struct nap__consumer c;

	push_range(self->k, 0, 3);
	ASSERT_TRUE(self->k->lock(&queue, &c));
	pop(self->k, &c);
	EXPECT_TRUE(self->k->unlock(&c));
	ASSERT_TRUE(self->k->lock(&queue, &c));
	pop(self->k, &c);
	pop(self->k, &c);
	EXPECT_FALSE(self->k->unlock(&c));
}

TEST_F(kind, a_task_may_be_freed_as_soon_as_it_is_popped)
{
	struct nap__consumer c;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 5; i++) {
			struct nap_task *task = malloc(sizeof(*task));

			ASSERT_NE(task, NULL);
			self->k->push(&queue, task, task);
		}
		ASSERT_TRUE(self->k->lock(&queue, &c));
		for (int i = 0; i < 5; i++) {
			struct nap_task *task = self->k->pop(&c);

			ASSERT_NE(task, NULL);
			memset(task, 0xee, sizeof(*task));
			free(task);
		}
		EXPECT_FALSE(self->k->unlock(&c));
	}
}

/* 3 producers, 2 consumers; the payload is not atomic. */
#define PRODUCERS 3
struct item {
	struct nap_task task;
	unsigned producer;
	unsigned long number, taken;
};

static const struct kind *hammered;
static struct item *items;
static unsigned long per_producer, nr_taken;
static uint32_t out_of_order;

static void *produce(void *arg)
{
	struct item *mine = arg;

	for (unsigned long i = 0; i < per_producer; ) {
		unsigned long n = 1 + i % 3;
		struct nap_batch batch = NAP_BATCH_INIT;

		for (; n && i < per_producer; n--, i++) {
			mine[i].number = i;
			nap_batch_push(&batch, &mine[i].task);
		}
		hammered->push(&queue, batch.head, batch.tail);
	}
	return NULL;
}

/* The lock is held by one consumer at a time, so the order can be checked under it. */
static unsigned long next_number[PRODUCERS];

static void *consume(void *arg)
{
	(void)arg;
	while (nap_load_relaxed(&nr_taken) < PRODUCERS * per_producer) {
		struct nap__consumer c;
		struct nap_task *task;

		if (!hammered->lock(&queue, &c)) {
			sched_yield();
			continue;
		}
		for (int i = 0; i < 7 && (task = hammered->pop(&c)); i++) {
			struct item *item = nap_container_of(task, struct item, task);

			if (item->number != next_number[item->producer]++)
				nap_store_relaxed(&out_of_order, 1);
			item->taken++;
			nap_fetch_add_relaxed(&nr_taken, 1);
		}
		hammered->unlock(&c);
	}
	return NULL;
}

TEST_F(kind, every_task_is_taken_once_by_any_consumer)
{
	pthread_t threads[PRODUCERS + 2];

	hammered = self->k;
	per_producer = nap_test_count(300000);
	items = calloc(PRODUCERS * per_producer, sizeof(*items));
	ASSERT_NE(items, NULL);
	for (unsigned p = 0; p < PRODUCERS; p++)
		for (unsigned long i = 0; i < per_producer; i++)
			items[p * per_producer + i].producer = p;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[PRODUCERS + i], NULL, consume, NULL);
	for (unsigned p = 0; p < PRODUCERS; p++)
		pthread_create(&threads[p], NULL, produce, &items[p * per_producer]);
	for (int i = 0; i < PRODUCERS + 2; i++)
		pthread_join(threads[i], NULL);
	for (unsigned long i = 0; i < PRODUCERS * per_producer; i++)
		ASSERT_EQ(items[i].taken, 1);
	if (self->k->fifo)
		EXPECT_FALSE(out_of_order);
	EXPECT_TRUE(self->k->empty(&queue));
	free(items);
}

/* The first half of vyukov_push(): the producer is stopped between its exchange and its link. */
static struct nap_task *swap_half(struct nap_task *task)
{
	uintptr_t last;

	task->next = NULL;
	last = nap_xchg_acq_rel(&queue.push, (uintptr_t)task);
	return last ? (struct nap_task *)last : &queue.stub;
}

static void link_half(struct nap_task *prev, struct nap_task *task)
{
	nap_store_release(&prev->next, task);
}

TEST(vyukov_hides_what_is_not_linked_and_finds_it_afterwards)
{
	struct nap__consumer c;
	struct nap_task *prev;

	memset(&queue, 0, sizeof(queue));
	vyukov_push(&queue, &tasks[0], &tasks[0]);
	prev = swap_half(&tasks[1]);
	vyukov_push(&queue, &tasks[2], &tasks[2]);
	ASSERT_TRUE(vyukov_lock(&queue, &c));
	/* task 0 is in the queue, but its link to task 1 is still being written */
	EXPECT_EQ(vyukov_pop(&c), NULL);
	/* this notification would only come back to the calling thread */
	EXPECT_FALSE(vyukov_unlock(&c));
	EXPECT_FALSE(vyukov_empty(&queue));
	link_half(prev, &tasks[1]);
	ASSERT_TRUE(vyukov_lock(&queue, &c));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(vyukov_pop(&c), &tasks[i]);
	EXPECT_EQ(vyukov_pop(&c), NULL);
	EXPECT_FALSE(vyukov_unlock(&c));
	EXPECT_TRUE(vyukov_empty(&queue));
}

/*
 * The producer completes its link, and wakes a worker, between the holder's last check and its
 * unlock.
 */
TEST(vyukov_unlock_tells_when_somebody_was_turned_away)
{
	struct nap__consumer holder, woken;
	struct nap_task *prev;

	memset(&queue, 0, sizeof(queue));
	prev = swap_half(&tasks[0]);
	ASSERT_TRUE(vyukov_lock(&queue, &holder));
	EXPECT_EQ(vyukov_pop(&holder), NULL);
	link_half(prev, &tasks[0]);
	EXPECT_FALSE(vyukov_lock(&queue, &woken));
	EXPECT_TRUE(vyukov_unlock(&holder));
	ASSERT_TRUE(vyukov_lock(&queue, &woken));
	EXPECT_EQ(vyukov_pop(&woken), &tasks[0]);
	EXPECT_FALSE(vyukov_unlock(&woken));
}

TEST(vyukov_stub_may_stand_behind_a_gap)
{
	struct nap__consumer c;
	struct nap_task *prev;

	memset(&queue, 0, sizeof(queue));
	vyukov_push(&queue, &tasks[0], &tasks[0]);
	ASSERT_TRUE(vyukov_lock(&queue, &c));
	EXPECT_EQ(vyukov_pop(&c), &tasks[0]);
	vyukov_unlock(&c);
	/* The queue has the stub, a gap behind the stub, and more nodes. */
	prev = swap_half(&tasks[1]);
	EXPECT_EQ(prev, &queue.stub);
	vyukov_push(&queue, &tasks[2], &tasks[2]);
	ASSERT_TRUE(vyukov_lock(&queue, &c));
	EXPECT_EQ(vyukov_pop(&c), NULL);
	vyukov_unlock(&c);
	link_half(prev, &tasks[1]);
	ASSERT_TRUE(vyukov_lock(&queue, &c));
	EXPECT_EQ(vyukov_pop(&c), &tasks[1]);
	EXPECT_EQ(vyukov_pop(&c), &tasks[2]);
	EXPECT_EQ(vyukov_pop(&c), NULL);
	vyukov_unlock(&c);
}

TEST_HARNESS_MAIN
