/* SPDX-License-Identifier: MIT */
/*
 * The promises of every queue, as tests that run on any queue.
 *
 * A program includes this file, writes one struct queue_ops for each structure and names it:
 *
 *	QUEUE(wfcqueue, .fifo = true, .enqueue = ..., .dequeue = ...);
 *
 * The contract: every element of any number of producers comes out exactly once, with its content,
 * at one of any number of consumers. In a FIFO queue each consumer sees the elements of each
 * producer in their order. A drained queue is empty and can be used further.
 */
#ifndef NAP_TESTS_CONTRACT_H
#define NAP_TESTS_CONTRACT_H

#include "harness.h"

#include <nap/task.h>

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#ifndef CONTRACT_NODE
#define CONTRACT_NODE struct nap_task
#endif

#define MAX_PRODUCERS 3
#define MAX_CONSUMERS 3

struct element {
	CONTRACT_NODE node;
	uint32_t producer;
	uint32_t nr;
	uint32_t check;	/* ~nr, written last */
};

/*
 * @fifo:         whether the elements of a producer come out in order
 * @producers:    how many there may be at a time (0: any number)
 * @init, @fini:  begin and end a queue; there is one at a time, in memory that the structure
 * chooses
 * @enqueue:      false: the queue is full
 * @enqueue_list: @n elements of an array at once, oldest first; NULL: the queue takes no lists
 * @dequeue:      by consumer number @who; NULL: empty, or another consumer was in the way
 */
struct queue_ops {
	bool fifo;
	unsigned int producers;
	void (*init)(void);
	void (*fini)(void);
	bool (*enqueue)(struct element *e);
	bool (*enqueue_list)(struct element *first, unsigned int n);
	struct element *(*dequeue)(unsigned int who);
};

FIXTURE(queue) {
	const struct queue_ops *ops;
};
FIXTURE_VARIANT(queue) {
	const struct queue_ops *ops;
};
FIXTURE_SETUP(queue)
{
	self->ops = variant->ops;
	self->ops->init();
}
FIXTURE_TEARDOWN(queue)
{
	self->ops->fini();
}

#define QUEUE(queue_name, ...)							\
	static const struct queue_ops queue_name##_ops = { __VA_ARGS__ };	\
	FIXTURE_VARIANT_ADD(queue, queue_name) { .ops = &queue_name##_ops }

static void element_fill(struct element *e, uint32_t producer, uint32_t nr)
{
	e->producer = producer;
	e->nr = nr;
	e->check = ~nr;
}

/*
 * In one thread all elements come out, in order if the queue is FIFO, and then none. This is
 * tried twice.
 */
TEST_F(queue, drained_is_empty)
{
	struct element e[100];

	EXPECT_EQ(NULL, self->ops->dequeue(0));
	for (int round = 0; round < 2; round++) {
		bool seen[100] = { false };
		uint32_t n = 0;

		while (n < ARRAY_SIZE(e)) {
			element_fill(&e[n], 0, n);
			if (!self->ops->enqueue(&e[n]))
				break;
			n++;
		}
		EXPECT_LE(2, n);
		for (uint32_t i = 0; i < n; i++) {
			struct element *got = self->ops->dequeue(0);

			ASSERT_NE(NULL, got);
			ASSERT_LT(got->nr, n);
			ASSERT_FALSE(seen[got->nr]);
			seen[got->nr] = true;
			if (self->ops->fifo) {
				EXPECT_EQ(i, got->nr);
			}
		}
		EXPECT_EQ(NULL, self->ops->dequeue(0));
		EXPECT_EQ(NULL, self->ops->dequeue(0));
	}
}

/* Elements come in and out one at a time, so that the queue is empty again and again. */
TEST_F(queue, empty_and_full_in_turn)
{
	struct element e[3];

	for (uint32_t i = 0; i < 5000; i++) {
		element_fill(&e[i % 3], 0, i);
		ASSERT_TRUE(self->ops->enqueue(&e[i % 3]));
		ASSERT_EQ(&e[i % 3], self->ops->dequeue(0));
		ASSERT_EQ(i, e[i % 3].nr);
		ASSERT_EQ(NULL, self->ops->dequeue(0));
	}
}

struct hammer {
	const struct queue_ops *ops;
	unsigned int producers, consumers;
	uint32_t each;		/* elements for each producer */
	struct element *elements;
	uint32_t *times;	/* how often each element came out */
	uint32_t taken;		/* elements taken by all consumers */
	uint32_t damaged, disorder;
};

struct hammer_thread {
	struct hammer *h;
	unsigned int who;
	pthread_t thread;
};

static void *produce(void *arg)
{
	struct hammer_thread *t = arg;
	struct hammer *h = t->h;
	struct element *e = h->elements + (size_t)t->who * h->each;
	uint32_t i = 0;

	while (i < h->each) {
		/* sometimes lists of 1 to 7, where the queue takes lists */
		uint32_t n = h->ops->enqueue_list && i % 5 == 0 ? 1 + i % 7 : 1;
		bool done;

		if (n > h->each - i)
			n = h->each - i;
		for (uint32_t k = 0; k < n; k++)
			element_fill(&e[i + k], t->who, i + k);
		done = n > 1 ? h->ops->enqueue_list(&e[i], n) : h->ops->enqueue(&e[i]);
		if (done)
			i += n;
		else
			sched_yield();
	}
	return NULL;
}

static void take(struct hammer *h, const struct element *e, uint32_t *next)
{
	if (e->producer >= h->producers || e->nr >= h->each || e->check != ~e->nr) {
		__atomic_fetch_add(&h->damaged, 1, __ATOMIC_RELAXED);
		return;
	}
	if (e->nr < next[e->producer])
		__atomic_fetch_add(&h->disorder, 1, __ATOMIC_RELAXED);
	next[e->producer] = e->nr + 1;
	__atomic_fetch_add(&h->times[(size_t)e->producer * h->each + e->nr], 1, __ATOMIC_RELAXED);
}

static void *consume(void *arg)
{
	struct hammer_thread *t = arg;
	struct hammer *h = t->h;
	uint32_t next[MAX_PRODUCERS] = { 0 };
	uint32_t all = h->producers * h->each;

	while (__atomic_load_n(&h->taken, __ATOMIC_RELAXED) < all) {
		struct element *e = h->ops->dequeue(t->who);

		if (!e) {
			sched_yield();
			continue;
		}
		take(h, e, next);
		__atomic_fetch_add(&h->taken, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static bool hammer_run(struct hammer *h)
{
	struct hammer_thread t[MAX_PRODUCERS + MAX_CONSUMERS];
	size_t all = (size_t)h->producers * h->each;
	unsigned int n = h->producers + h->consumers;

	h->elements = calloc(all, sizeof(*h->elements));
	h->times = calloc(all, sizeof(*h->times));
	if (!h->elements || !h->times)
		return false;
	for (unsigned int i = 0; i < n; i++) {
		bool producer = i < h->producers;

		t[i].h = h;
		t[i].who = producer ? i : i - h->producers;
		if (pthread_create(&t[i].thread, NULL, producer ? produce : consume, &t[i]))
			return false;
	}
	for (unsigned int i = 0; i < n; i++)
		pthread_join(t[i].thread, NULL);
	return true;
}

static void hammer_judge(struct __test_metadata *_metadata, const struct queue_ops *ops,
			 unsigned int producers, unsigned int consumers)
{
	struct hammer h = { .ops = ops, .producers = producers, .consumers = consumers };

	if (ops->producers && producers > ops->producers)
		h.producers = ops->producers;
	h.each = (uint32_t)nap_test_count(300000) + 100;
	ASSERT_TRUE(hammer_run(&h));
	EXPECT_EQ(0, h.damaged);
	if (ops->fifo) {
		EXPECT_EQ(0, h.disorder);
	}
	for (size_t i = 0; i < (size_t)h.producers * h.each; i++) {
		ASSERT_EQ(1, h.times[i])
			TH_LOG("producer %zu, element %zu", i / h.each, i % h.each);
	}
	for (unsigned int who = 0; who < consumers; who++)
		EXPECT_EQ(NULL, ops->dequeue(who));
	free(h.elements);
	free(h.times);
}

TEST_F(queue, two_producers_one_consumer)
{
	hammer_judge(_metadata, self->ops, 2, 1);
}

TEST_F(queue, one_producer_two_consumers)
{
	hammer_judge(_metadata, self->ops, 1, 2);
}

TEST_F(queue, three_producers_three_consumers)
{
	hammer_judge(_metadata, self->ops, 3, 3);
}

#endif /* NAP_TESTS_CONTRACT_H */
