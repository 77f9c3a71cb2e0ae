/* SPDX-License-Identifier: MIT */
/* Completion queues. The driver is the loop of all of them. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "daemon.h"

struct fuzz_queue queues[QUEUES];

/* A note is a task that is pushed, and that is no work. */
struct note {
	struct nap_task task;
	uint32_t queue, how, by, nr;
	bool taken;		/* was taken out of the queue, and checked */
	uint32_t in_run;	/* the number of the nap_cq_run() in which it was pushed; 0: none */
};

static uint32_t pushers;	/* atomic: threads that have ever pushed */
static __thread uint32_t me;
static __thread uint32_t pushed[QUEUES];

static uint32_t who_pushes(void)
{
	if (!me)
		me = 1 + nap_fetch_add_relaxed(&pushers, 1);
	return me;
}

/* ---- notes */

/*
 * Checks that notes of one thread come out in order. If more threads push than @last has entries,
 * the other threads' notes are not checked.
 */
static void check_note(struct note *note)
{
	struct fuzz_queue *queue = &queues[note->queue];

	if (note->taken)
		return;
	note->taken = true;
	CHECK(is_driver, note->queue);
	CHECK(nap_fetch_sub_relaxed(&queue->notes, 1) > 0, note->queue);
	if (note->by >= sizeof(queue->last) / sizeof(queue->last[0]))
		return;
	CHECK(note->nr > queue->last[note->by], note->nr);
	queue->last[note->by] = note->nr;
}

/*
 * Whether the loop is surely notified. If three writes have failed, perhaps the loop is not
 * notified, and nap_cq_run() runs everything.
 */
static bool is_told(void)
{
	return nap_load_relaxed(&events_failed) < 3;
}

static void run_note(struct nap_task *task)
{
	struct note *note = nap_container_of(task, struct note, task);
	uint32_t q = note->queue, how = note->how;

	check_note(note);
	/* A task that is pushed in one nap_cq_run() runs in the next one. */
	CHECK(!note->in_run || note->in_run != queues[q].running || !is_told(), q);
	free(note);
	if (how & 1)
		push_note(q, how >> 4);
	/* Inside a nap_cq_run() the driver does not pop, because the model does not cover this. */
	if (how & 2 && !queues[q].running)
		call_pop(q);
	if ((how & 0xc) == 0xc)
		call_close(q);
}

void push_note(uint32_t q, uint32_t how)
{
	struct fuzz_queue *queue = &queues[q];
	struct note *note = malloc(sizeof(*note));
	uint32_t opening = nap_load_acquire(&queue->opening);
	int err;

	if (!note)
		abort();
	*note = (struct note){ NAP_TASK_INIT(run_note), q, how, who_pushes(), ++pushed[q],
			       false, is_driver ? queue->running : 0 };
	nap_fetch_add_relaxed(&queue->notes, 1);
	err = nap_cq_push(queue->cq, &note->task);
	if (is_driver)
		CHECK(!err == queue->open, err);
	if (!err)
		return;
	CHECK(err == -ESHUTDOWN, err);
	CHECK(opening % 2 == 0 || nap_load_acquire(&queue->opening) != opening, opening);
	nap_fetch_sub_relaxed(&queue->notes, 1);
	free(note);
}

/* ---- the fd */

static bool is_readable(const struct fuzz_queue *queue)
{
	struct pollfd fd = { .fd = nap_cq_fd(queue->cq), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

/* Notes that a call has said that the queue is empty. */
static void told_empty(struct fuzz_queue *queue)
{
	queue->told_empty = true;
	queue->failed = nap_load_relaxed(&failed);
}

void check_queues(void)
{
	for (uint32_t q = 0; q < QUEUES; q++) {
		struct fuzz_queue *queue = &queues[q];

		if (!queue->open || nap_load_relaxed(&queue->notes) == 0)
			continue;
		if (nap_load_relaxed(&failed) == queue->failed)
			CHECK(is_readable(queue), q);
	}
}

/* ---- calls */

static void begin(struct fuzz_queue *queue, int err)
{
	if (err) {
		CHECK(err == -EMFILE, err);
		return;
	}
	queue->open = true;
	nap_fetch_add_release(&queue->opening, 1);
	told_empty(queue);
	CHECK(nap_cq_fd(queue->cq) >= 0 && !is_readable(queue), 0);
}

/* Whether every push has returned. */
static bool nobody_pushes(void)
{
	bool joined = true;

	for (uint32_t p = 0; p < POOLS; p++)
		joined &= pools[p].joined;
	return joined;
}

/*
 * Opens the queue: in new memory, if no thread uses the old queue; or in its old memory, if no
 * thread pushes.
 */
void call_open(uint32_t q, bool anew)
{
	struct fuzz_queue *queue = &queues[q];

	if (queue->open || queue->running)
		return;
	if (anew && !nap_load_acquire(&queue->users)) {
		free(queue->cq);
		queue->cq = malloc(sizeof(*queue->cq));
		if (!queue->cq)
			abort();
		*queue->cq = (struct nap_cq){ 0 };
	} else if (!queue->cq || !nobody_pushes()) {
		return;
	}
	begin(queue, nap_cq_init(queue->cq));
}

/*
 * Closes the queue. Checks that the notes come back in order. Calls the @done of the works that
 * come back.
 */
void call_close(uint32_t q)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct fuzz_queue *queue = &queues[q];
	struct nap_task *task;

	if (nap_load_acquire(&queue->held) || !queue->cq)
		return;
	if (queue->open)
		nap_fetch_add_release(&queue->opening, 1);
	CHECK(nap_cq_close(queue->cq, &left) == (queue->open ? 0 : -EALREADY), q);
	queue->open = false;
	CHECK(nap_cq_fd(queue->cq) == -EBADF, q);
	while ((task = nap_batch_pop(&left))) {
		if (task->run != run_note) {
			task->run(task);
			continue;
		}
		check_note(nap_container_of(task, struct note, task));
		free(nap_container_of(task, struct note, task));
	}
	CHECK(!nap_cq_pop(queue->cq), q);
	CHECK(nap_cq_run(queue->cq, 0) == 0, q);
}

static void run_taken(uint32_t q, struct nap_task *task)
{
	uint32_t was_running = queues[q].running;

	/* This task was taken out, so it runs outside nap_cq_run(). */
	queues[q].running = 0;
	task->run(task);
	queues[q].running = was_running;
}

void call_pop(uint32_t q)
{
	struct fuzz_queue *queue = &queues[q];
	struct nap_task *task;

	if (nap_load_acquire(&queue->held) || !queue->cq)
		return;
	task = nap_cq_pop(queue->cq);
	if (task)
		run_taken(q, task);
	else if (queue->open)
		told_empty(queue);
}

void call_pop_all(uint32_t q)
{
	struct nap_batch batch = NAP_BATCH_INIT;
	struct fuzz_queue *queue = &queues[q];
	struct nap_task *task;
	size_t n;

	if (nap_load_acquire(&queue->held) || !queue->cq)
		return;
	n = nap_cq_pop_all(queue->cq, &batch);
	CHECK(n == batch.count, n);
	/* Checks all notes first, because the first one that runs may take out other notes. */
	for (task = batch.head; task; task = task->next)
		if (task->run == run_note)
			check_note(nap_container_of(task, struct note, task));
	while ((task = nap_batch_pop(&batch)))
		run_taken(q, task);
}

void call_run(uint32_t q, uint32_t max)
{
	static uint32_t runs;
	struct fuzz_queue *queue = &queues[q];
	size_t n;

	if (nap_load_acquire(&queue->held) || !queue->cq)
		return;
	queue->running = ++runs;
	n = nap_cq_run(queue->cq, max);
	queue->running = 0;
	CHECK(!max || n <= max || !is_told(), n);
}

void free_queues(void)
{
	for (uint32_t q = 0; q < QUEUES; q++) {
		CHECK(!queues[q].notes && !queues[q].users && !queues[q].held, q);
		free(queues[q].cq);
		queues[q] = (struct fuzz_queue){ 0 };
	}
}
