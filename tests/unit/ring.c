/* SPDX-License-Identifier: MIT */
/*
 * The ring, with one thread and with thieves. A second build of this test has 4 slots, and indices
 * that wrap.
 */
#include "queue/ring.h"

#include <pthread.h>

#include "harness.h"

#define SIZE NAP_RING_SIZE

static struct nap__ring ring, thief;
static struct nap_task tasks[4 * SIZE];

static void setup(void)
{
	ring_init(&ring);
	ring_init(&thief);
	for (int i = 0; i < 4 * SIZE; i++)
		nap_task_init(&tasks[i], NULL);
}

/* Pushes tasks[from .. from + n) as one list; returns how many of them the ring has taken. */
static uint32_t push(struct nap__ring *to, int from, int n)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct nap_task *head;

	for (int i = 0; i < n; i++)
		nap_batch_push(&batch, &tasks[from + i]);
	head = batch.head;
	return ring_push(to, &head, batch.tail);
}

static int index_of(struct nap_task *task)
{
	return task ? (int)(task - tasks) : -1;
}

TEST(pop_is_fifo_and_ends)
{
	setup();
	EXPECT_EQ(ring_pop(&ring), NULL);
	EXPECT_EQ(push(&ring, 0, SIZE), SIZE);
	EXPECT_EQ(ring_count(&ring), SIZE);
	for (int i = 0; i < SIZE; i++)
		ASSERT_EQ(index_of(ring_pop(&ring)), i);
	EXPECT_EQ(ring_pop(&ring), NULL);
	EXPECT_EQ(ring_count(&ring), 0);
}

TEST(push_stops_when_full_and_says_where)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct nap_task *head;

	setup();
	for (int i = 0; i < SIZE + 3; i++)
		nap_batch_push(&batch, &tasks[i]);
	head = batch.head;
	EXPECT_EQ(ring_push(&ring, &head, batch.tail), SIZE);
	EXPECT_EQ(index_of(head), SIZE);
	EXPECT_EQ(ring_push(&ring, &head, batch.tail), 0);
	EXPECT_EQ(index_of(head), SIZE);
	ring_pop(&ring);
	EXPECT_EQ(ring_push(&ring, &head, batch.tail), 1);
	EXPECT_EQ(index_of(head), SIZE + 1);
	for (int i = 1; i <= SIZE; i++)
		ASSERT_EQ(index_of(ring_pop(&ring)), i);
}

TEST(push_stops_at_the_lists_tail_not_at_null)
{
	struct nap_task *head = &tasks[0];

	setup();
	tasks[0].next = &tasks[1];
	tasks[1].next = &tasks[2];
	EXPECT_EQ(ring_push(&ring, &head, &tasks[1]), 2);
	EXPECT_EQ(head, NULL);
	EXPECT_EQ(ring_count(&ring), 2);
}

TEST(steal_takes_the_older_half_oldest_first)
{
	uint32_t moved;

	setup();
	EXPECT_EQ(ring_steal(&ring, &thief, &moved), NULL);
	EXPECT_EQ(moved, 0);
	for (int n = 1; n <= SIZE; n++) {
		int stolen = n - n / 2;

		setup();
		push(&ring, 0, n);
		ASSERT_EQ(index_of(ring_steal(&ring, &thief, &moved)), 0);
		ASSERT_EQ(moved, stolen - 1);
		ASSERT_EQ(ring_count(&thief), stolen - 1);
		for (int i = 1; i < stolen; i++)
			ASSERT_EQ(index_of(ring_pop(&thief)), i);
		for (int i = stolen; i < n; i++)
			ASSERT_EQ(index_of(ring_pop(&ring)), i);
	}
}

TEST(steal_into_a_ring_that_is_not_empty_takes_nothing)
{
	uint32_t moved;

	setup();
	push(&ring, 0, 2);
	push(&thief, 2, 1);
	EXPECT_EQ(ring_steal(&ring, &thief, &moved), NULL);
	EXPECT_EQ(ring_count(&ring), 2);
	EXPECT_EQ(ring_count(&thief), 1);
}

TEST(steal_one_takes_the_oldest)
{
	setup();
	EXPECT_EQ(ring_steal_one(&ring), NULL);
	push(&ring, 0, 2);
	EXPECT_EQ(index_of(ring_steal_one(&ring)), 0);
	EXPECT_EQ(index_of(ring_steal_one(&ring)), 1);
	EXPECT_EQ(ring_steal_one(&ring), NULL);
}

TEST(migrate_links_the_older_half)
{
	struct nap_task *first, *last = NULL;

	setup();
	EXPECT_EQ(ring_migrate(&ring, &first, &last), 0);
	push(&ring, 0, SIZE);
	ASSERT_EQ(ring_migrate(&ring, &first, &last), SIZE / 2);
	for (int i = 0; i < SIZE / 2; i++, first = first->next)
		ASSERT_EQ(index_of(first), i);
	EXPECT_EQ(first, NULL);
	EXPECT_EQ(index_of(last), SIZE / 2 - 1);
	EXPECT_EQ(index_of(ring_pop(&ring)), SIZE / 2);
}

TEST(indices_wrap)
{
	uint32_t moved;

	setup();
	ring.head = ring.tail = UINT32_MAX - 1;
	thief.head = thief.tail = UINT32_MAX;
	EXPECT_EQ(push(&ring, 0, SIZE), SIZE);
	EXPECT_EQ(ring_count(&ring), SIZE);
	EXPECT_EQ(ring_room(&ring), 0);
	EXPECT_EQ(index_of(ring_steal(&ring, &thief, &moved)), 0);
	for (int i = 1; i < SIZE - SIZE / 2; i++)
		ASSERT_EQ(index_of(ring_pop(&thief)), i);
	for (int i = SIZE - SIZE / 2; i < SIZE; i++)
		ASSERT_EQ(index_of(ring_pop(&ring)), i);
}

/*
 * The owner pushes, pops and migrates; one thief steals half of the ring at once, and one steals
 * single tasks. Every task has a counter that is not atomic: a task that is taken twice, or before
 * it was written, shows there and in ThreadSanitizer.
 */
struct item {
	struct nap_task task;
	unsigned long taken;
};

static struct item *items;
static unsigned long nr_items, nr_taken;

static void take(struct nap_task *task)
{
	nap_container_of(task, struct item, task)->taken++;
	nap_fetch_add_relaxed(&nr_taken, 1);
}

static void *steal_halves(void *arg)
{
	struct nap__ring *mine = arg;
	struct nap_task *task;
	uint32_t moved;

	while (nap_load_relaxed(&nr_taken) < nr_items) {
		task = ring_pop(mine);
		if (!task)
			task = ring_steal(&ring, mine, &moved);
		if (task)
			take(task);
		else
			sched_yield();
	}
	return NULL;
}

static void *steal_ones(void *arg)
{
	(void)arg;
	while (nap_load_relaxed(&nr_taken) < nr_items) {
		struct nap_task *task = ring_steal_one(&ring);

		if (task)
			take(task);
		else
			sched_yield();
	}
	return NULL;
}

TEST(every_task_is_taken_once_under_thieves)
{
	pthread_t threads[2];

	setup();
	nr_items = nap_test_count(1000000);
	items = calloc(nr_items, sizeof(*items));
	ASSERT_NE(items, NULL);
	pthread_create(&threads[0], NULL, steal_halves, &thief);
	pthread_create(&threads[1], NULL, steal_ones, NULL);
	for (unsigned long i = 0; i < nr_items; i++) {
		struct nap_task *head = &items[i].task, *first, *last;

		head->next = NULL;
		while (!ring_push(&ring, &head, &items[i].task)) {
			if (!ring_migrate(&ring, &first, &last))
				continue;
			for (struct nap_task *next; first; first = next) {
				next = first == last ? NULL : first->next;
				take(first);
			}
		}
		if (i % 3 == 0) {
			struct nap_task *task = ring_pop(&ring);

			if (task)
				take(task);
		}
	}
	for (struct nap_task *task; (task = ring_pop(&ring)); )
		take(task);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	for (unsigned long i = 0; i < nr_items; i++)
		ASSERT_EQ(items[i].taken, 1);
	EXPECT_EQ(nr_taken, nr_items);
	free(items);
}

TEST_HARNESS_MAIN
