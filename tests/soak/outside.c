/* SPDX-License-Identifier: MIT */
/* Shapes in which several threads from outside schedule at the same time. */
#include <pthread.h>
#include <time.h>

#include "soak.h"

/* How many tasks of a producer may be scheduled and not have run yet. */
#define WINDOW	1024
#define BATCH_MAX 64

static struct item windows[SOAK_PRODUCERS][WINDOW];

struct producer {
	pthread_t thread;
	void (*produce)(unsigned int producer, unsigned int shape, unsigned long tasks);
	unsigned int producer, shape;
	unsigned long tasks;
};

static void *producer_main(void *arg)
{
	struct producer *p = arg;

	tally_take();
	p->produce(p->producer, p->shape, p->tasks);
	tally_give_back();
	return NULL;
}

void soak_produce(void (*produce)(unsigned int producer, unsigned int shape, unsigned long tasks),
		  unsigned int shape, unsigned long tasks)
{
	struct producer producers[SOAK_PRODUCERS];

	for (unsigned int i = 0; i < SOAK_PRODUCERS; i++) {
		producers[i] = (struct producer){ 0, produce, i, shape,
						  tasks / SOAK_PRODUCERS + 1 };
		while (pthread_create(&producers[i].thread, NULL, producer_main, &producers[i]))
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	for (unsigned int i = 0; i < SOAK_PRODUCERS; i++)
		pthread_join(producers[i].thread, NULL);
}

static struct item *window_init(unsigned int producer, unsigned int shape)
{
	for (int i = 0; i < WINDOW; i++)
		item_init(&windows[producer][i], shape, item_only, &soak_a);
	return windows[producer];
}

static void window_end(struct item *window)
{
	for (int i = 0; i < WINDOW; i++)
		item_await(&window[i]);
	items_check(window, WINDOW);
}

static void produce_one(unsigned int producer, unsigned int shape, unsigned long tasks)
{
	struct item *window = window_init(producer, shape);

	for (unsigned long i = 0; i < tasks && !soak_interrupted(); i++) {
		item_await(&window[i % WINDOW]);
		item_schedule(&window[i % WINDOW]);
	}
	window_end(window);
}

static void produce_batch(unsigned int producer, unsigned int shape, unsigned long tasks)
{
	struct item *window = window_init(producer, shape);
	unsigned long i = 0;

	for (unsigned long n = producer; i < tasks && !soak_interrupted(); n++) {
		struct nap_batch batch = NAP_BATCH_INIT;

		for (unsigned long size = 1 + n % BATCH_MAX; size; size--, i++) {
			item_await(&window[i % WINDOW]);
			item_add(&batch, &window[i % WINDOW]);
		}
		item_schedule_batch(&batch, &soak_a);
	}
	window_end(window);
}

/* Schedules from a producer that also helps: it runs its own tasks and those of other producers. */
static void produce_and_help(unsigned int producer, unsigned int shape, unsigned long tasks)
{
	struct item *window = window_init(producer, shape);

	for (unsigned long i = 0; i < tasks && !soak_interrupted(); i++) {
		long ran;

		item_await(&window[i % WINDOW]);
		item_schedule(&window[i % WINDOW]);
		if (i % 32)
			continue;
		ran = nap_pool_help(&soak_a, 20);
		if (ran < 0 || ran > 20)
			soak_fault("nap_pool_help(pool, 20) returned", ran);
	}
	window_end(window);
}

/* Schedules a few tasks at a time. In the pauses between, the workers park. */
static void produce_bursts(unsigned int producer, unsigned int shape, unsigned long tasks)
{
	struct item *window = window_init(producer, shape);
	unsigned long i = 0;

	for (unsigned long n = producer; i < tasks && !soak_interrupted(); n++) {
		unsigned long size = 1 + n % 8;

		for (unsigned long k = 0; k < size; k++)
			item_schedule(&window[k]);
		for (unsigned long k = 0; k < size; k++)
			item_await(&window[k]);
		nanosleep(&(struct timespec){ .tv_nsec = (long)(n % 5 * 20000) }, NULL);
		i += size;
	}
	window_end(window);
}

void soak_outside_one(unsigned int shape, unsigned long tasks)
{
	soak_produce(produce_one, shape, tasks);
}

void soak_outside_batch(unsigned int shape, unsigned long tasks)
{
	soak_produce(produce_batch, shape, tasks);
}

void soak_help(unsigned int shape, unsigned long tasks)
{
	soak_produce(produce_and_help, shape, tasks);
}

void soak_burst(unsigned int shape, unsigned long tasks)
{
	soak_produce(produce_bursts, shape, tasks);
}
