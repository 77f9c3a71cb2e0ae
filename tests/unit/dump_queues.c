/* SPDX-License-Identifier: MIT */
/*
 * src/dump/queues.c: what a dump says of a worker's queues and of an injection queue, step by step.
 * No worker runs: the test fills the queues of a record, and changes them in the middle of a dump.
 */
#include "dump_steps.h"
#include "queue/kind.h"
#include "worker/worker.h"

#define TEXT_OF(a)	#a
#define NAME_OF(a)	TEXT_OF(a)

/* One worker, a queue as the pool's injected one, and more tasks than a dump shows. */
static struct nap_worker worker;
static struct nap__queue injected;
static struct nap_task tasks[DUMP_MOST + 4];
static struct nap_frame frames[NAP_DEQUE_SIZE + 2];

/* Dumps the queues of the worker. The copy number @failing fails; 0: none. */
static void dump_worker(int failing)
{
	text_begin(failing);
	nap__dump_worker_queues(&dump, &worker);
	nap__dump_flush(&dump);
}

static void dump_injected(void)
{
	text_begin(0);
	nap__dump_queue(&dump, "injected", &injected, false);
	nap__dump_flush(&dump);
}

/* How often the dump has task @i, with its function. */
static int said_task(uint32_t i)
{
	char line[64];

	snprintf(line, sizeof(line), "\t\ttask 0x%lx 0x10%02x\n", (unsigned long)&tasks[i], i % 16);
	return said(line);
}

static void set_up(void)
{
	for (uint32_t i = 0; i < DUMP_MOST + 4; i++)
		tasks[i].run = (nap_task_fn)(uintptr_t)(0x1000 + i % 16);
	ring_init(&worker.ring);
	deque_init(&worker.deque, frames, NAP_DEQUE_SIZE);
}

/* ---- the ring */

/* A dump reads the head, and then the tail. */
TEST(a_ring_that_was_emptied_and_filled_between_two_loads)
{
	uint32_t head;

	set_up();
	head = worker.ring.head;
	dump_worker(0);
	EXPECT_STREQ(text, "");
	for (uint32_t i = 0; i < NAP_RING_SIZE; i++)
		*ring_slot(&worker.ring, head + i) = &tasks[i % DUMP_MOST];
	worker.ring.tail = head + NAP_RING_SIZE + 2;
	dump_worker(0);
	EXPECT_EQ(said("\t\ttask 0x"), NAP_RING_SIZE);
	EXPECT_EQ(said("taken"), 0);
	worker.ring.tail = head + 2;
	dump_worker(0);
	EXPECT_EQ(said("\tring: 2\n"), 1);
	EXPECT_EQ(said("\t\ttask 0x"), 2);
	EXPECT_EQ(said_task(0) + said_task(1), 2);
	dump_worker(1);
	EXPECT_EQ(said_task(1), 1);
	EXPECT_EQ(said("\t\t1 taken during the dump\n"), 1);
}

/* ---- lists */

static void push(uint32_t from, uint32_t n)
{
	for (uint32_t i = from; i < from + n; i++)
		overflow_push(&worker.overflow, &tasks[i], &tasks[i]);
}

TEST(so_many_tasks_of_an_overflow_are_shown)
{
	set_up();
	push(0, DUMP_MOST);
	dump_worker(0);
	EXPECT_EQ(said("\toverflow:\n"), 1);
	EXPECT_EQ(said("\t\ttask 0x"), (int)DUMP_MOST);
	EXPECT_EQ(said_task(0) + said_task(DUMP_MOST - 1), 2);
	EXPECT_EQ(said("and more"), 0);
	push(DUMP_MOST, 1);
	dump_worker(0);
	EXPECT_EQ(said("\t\ttask 0x"), (int)DUMP_MOST);
	EXPECT_EQ(said("\t\tand more\n"), 1);
}

/* Makes all tasks of the overflow, except one, those that its last consumer has left. */
static void take_one(void)
{
	struct nap__consumer consumer;

	if (!overflow_lock(&worker.overflow, &consumer) || !overflow_pop(&consumer))
		abort();
	overflow_unlock(&consumer);
}

TEST(what_a_consumer_has_left_and_what_has_come_since)
{
	set_up();
	push(0, 4);
	take_one();
	push(4, 2);
	dump_worker(0);
	EXPECT_EQ(said("\t\ttask 0x"), 5);
	EXPECT_EQ(said_task(1) + said_task(2), 2);
	EXPECT_EQ(said_task(4) + said_task(5), 2);
	push(6, DUMP_MOST - 5);
	dump_worker(0);
	EXPECT_EQ(said("\t\ttask 0x"), (int)DUMP_MOST);
	EXPECT_EQ(said("and more"), 0);
	push(DUMP_MOST + 1, 1);
	dump_worker(0);
	EXPECT_EQ(said("\t\ttask 0x"), (int)DUMP_MOST);
	EXPECT_EQ(said("\t\tand more\n"), 1);
}

TEST(a_list_that_cannot_be_read_any_longer)
{
	set_up();
	push(0, 4);
	dump_worker(3);
	EXPECT_EQ(said("\t\ttask 0x"), strncmp(NAME_OF(NAP_OVERFLOW), "treiber", 7) ? 1 : 2);
	EXPECT_EQ(said("\t\tchanged during the dump\n"), 1);
}

/* Only a Treiber stack has two lists. */
TEST(the_first_of_two_lists_is_too_long_or_cannot_be_read)
{
	if (strncmp(NAME_OF(NAP_OVERFLOW), "treiber", 7))
		return;
	set_up();
	push(0, DUMP_MOST + 2);
	take_one();
	push(DUMP_MOST + 2, 1);
	dump_worker(0);
	EXPECT_EQ(said("\t\ttask 0x"), (int)DUMP_MOST);
	EXPECT_EQ(said_task(DUMP_MOST + 2), 0);
	dump_worker(3);	/* The first copy is that of the first list's address. */
	EXPECT_EQ(said("\t\ttask 0x"), 1);
	EXPECT_EQ(said("\t\tchanged during the dump\n"), 1);
	dump_worker(1);
	EXPECT_EQ(said("\t\ttask 0x"), 1);
	EXPECT_EQ(said_task(DUMP_MOST + 2), 1);
}

TEST(a_queue_that_is_being_emptied)
{
	struct nap__consumer consumer;

	set_up();
	push(0, 1);
	ASSERT_TRUE(overflow_lock(&worker.overflow, &consumer));
	dump_worker(0);
	EXPECT_EQ(said("\t\tsome are being taken\n"), 1);
	EXPECT_EQ(said("\t\ttask 0x"), 0);
	inject_push(&injected, &tasks[0], &tasks[0]);
	dump_injected();
	EXPECT_EQ(said("\tinjected:\n"), 1);
	EXPECT_EQ(said_task(0), 1);
	ASSERT_TRUE(inject_lock(&injected, &consumer));
	dump_injected();
	EXPECT_EQ(said("\t\tsome are being taken\n"), 1);
	EXPECT_EQ(said("\t\ttask 0x"), 0);
}

TEST(tasks_are_taken_from_a_list_during_the_dump)
{
	set_up();
	dump_injected();
	EXPECT_STREQ(text, "");
	for (uint32_t i = 0; i < DUMP_MOST + 1; i++)
		inject_push(&injected, &tasks[i], &tasks[i]);
	injected.taken = 1;
	dump_injected();
	EXPECT_EQ(said("\t\ttask 0x"), (int)DUMP_MOST);
	EXPECT_EQ(said("\t\tand more\n"), 1);
	EXPECT_EQ(said("taken"), 0);
	taken_from = &injected;
	dump_injected();
	EXPECT_EQ(said("\t\t3 or more taken during the dump\n"), 1);
}

/* ---- forks */

/* As if @n jobs were forked, of which others have the @stolen oldest ones. */
static void fork_jobs(uint32_t n, uint32_t stolen)
{
	for (uint32_t i = 0; i < n; i++)
		frames[i].run = (nap_job_fn)(uintptr_t)(0x2000 + i % 16);
	worker.deque.forks.bottom = frames + n;
	worker.deque.open = deque__open(stolen, n, 0);
}

TEST(jobs_that_are_forked_and_jobs_that_are_stolen)
{
	set_up();
	fork_jobs(3, 2);
	frames[0].thief = 8;
	frames[2].thief = 5;	/* of an earlier job */
	dump_worker(0);
	EXPECT_STREQ(text, "\tforked and not joined: 3\n\t\tjob 0x2000, stolen by worker 7\n"
			   "\t\tjob 0x2001, stolen\n\t\tjob 0x2002\n");
	dump_worker(2);
	EXPECT_EQ(said("\t\tjob 0x"), 1);
}

TEST(so_many_jobs_are_shown)
{
	set_up();
	fork_jobs(NAP_DEQUE_SIZE + 1, 0);
	dump_worker(0);
	EXPECT_EQ(said("\tforked and not joined: "), 1);
	EXPECT_EQ(said("\t\tjob 0x"), NAP_DEQUE_SIZE < DUMP_MOST ? NAP_DEQUE_SIZE + 1 :
								    (int)DUMP_MOST);
	/* more than there can be: the words changed between two loads */
	fork_jobs(NAP_DEQUE_SIZE + 2, 0);
	dump_worker(0);
	EXPECT_STREQ(text, "");
	worker.deque.forks.frames = NULL;
	worker.deque.forks.bottom = (struct nap_frame *)sizeof(struct nap_frame);
	dump_worker(0);
	EXPECT_STREQ(text, "");
}

TEST_HARNESS_MAIN
