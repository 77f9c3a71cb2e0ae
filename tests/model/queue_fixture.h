/* SPDX-License-Identifier: MIT */
/*
 * The jobs that the scenarios of the queues share, a record of which thread has taken which job,
 * and the judgement that each job was taken once.
 *
 * A job's fields are not atomic, its link included. They are written before the push, and read
 * and written after the take, as a task's callback does that frees its task or schedules it
 * again. So a queue that orders too little is caught as a data race.
 *
 * A file that defines NAP_OVERFLOW and includes queue/kind.h first gets clients of that kind of
 * unbounded queue, too.
 */
#ifndef MODEL_QUEUE_FIXTURE_H
#define MODEL_QUEUE_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/check.h>
#include <nap/pool.h>

#define JOBS	8u
#define PAYLOAD	40u
#define THREAD(n) ((void *)(uintptr_t)(n))	/* a number as a thread's argument */

struct job {
	struct nap_task task;
	uint32_t payload;
};

static struct job jobs[JOBS];

/*
 * The jobs that each thread has taken, in order. The last entry is the thread by which .finally
 * drains.
 */
static struct taken {
	uint32_t nr;
	uint32_t job[JOBS];
} taken[CHECK_THREADS + 1];

/* Makes a job, as its producer does. */
static inline struct nap_task *job_make(uint32_t number)
{
	jobs[number].payload = PAYLOAD + number;
	return &jobs[number].task;
}

static inline struct nap_batch job_batch(uint32_t first, uint32_t n)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (uint32_t i = first; i < first + n; i++)
		nap_batch_push(&batch, job_make(i));
	batch.tail->next = batch.head;	/* the link of the last job is not used */
	return batch;
}

static inline uint32_t job_number(const struct nap_task *task)
{
	uint32_t number = (uint32_t)((const struct job *)task - jobs);

	if (number < JOBS)
		return number;
	check_fail("what came out is no task");
	return 0;
}

/* Runs @task as its callback would; NULL is no task. Returns whether there was a task. */
static inline bool job_run(struct nap_task *task)
{
	struct taken *mine = &taken[check_self()];
	uint32_t number;

	if (!task)
		return false;
	number = job_number(task);
	if (jobs[number].payload != PAYLOAD + number)
		check_fail("task %u is not as it was pushed, or runs twice", number);
	jobs[number].payload = 0;
	task->next = NULL;
	if (mine->nr == JOBS) {
		check_fail("more tasks come out than there are");
		return false;
	}
	mine->job[mine->nr++] = number;
	return true;
}

/* .finally: checks that each of the jobs 0 .. @nr - 1 was taken once. */
CHECK_OUTSIDE static inline void jobs_judge(uint32_t nr)
{
	uint32_t count[JOBS] = { 0 };

	for (uint32_t t = 0; t <= CHECK_THREADS; t++)
		for (uint32_t i = 0; i < taken[t].nr; i++)
			count[taken[t].job[i]]++;
	for (uint32_t i = 0; i < nr; i++) {
		if (count[i] == 0)
			check_fail("task %u is lost", i);
		if (count[i] > 1)
			check_fail("task %u runs twice", i);
	}
}

/* .finally: checks that each thread has taken its jobs in the order in which they were pushed. */
CHECK_OUTSIDE static inline void jobs_judge_order(void)
{
	for (uint32_t t = 0; t <= CHECK_THREADS; t++)
		for (uint32_t i = 1; i < taken[t].nr; i++)
			if (taken[t].job[i] < taken[t].job[i - 1])
				check_fail("task %u overtakes task %u", taken[t].job[i - 1],
					   taken[t].job[i]);
}

#ifdef NAP_QUEUE_RING_H

/* Owner: pushes jobs @first .. @first + @n - 1 as one list; there is room for all. */
static inline void ring_push_jobs(struct nap__ring *ring, uint32_t first, uint32_t n)
{
	struct nap_batch batch = job_batch(first, n);

	CHECK(ring_push(ring, &batch.head, batch.tail) == n);
	CHECK(batch.head == NULL);
}

static inline void ring_drain(struct nap__ring *ring)
{
	while (job_run(ring_pop(ring)))
		;
}

/*
 * Thief with a ring of its own: steals half, runs the oldest job, and then the other jobs it has
 * stolen.
 */
static inline void ring_steal_and_run(struct nap__ring *from, struct nap__ring *into)
{
	uint32_t tail = into->tail, moved;
	struct nap_task *oldest = ring_steal(from, into, &moved);

	CHECK(into->tail - tail == moved);
	if (job_run(oldest))
		ring_drain(into);
}

#endif /* NAP_QUEUE_RING_H */

#ifdef NAP_QUEUE_KIND_H

/* The name of the kind, and its scenarios; the argument is expanded before it is pasted. */
#define KIND__NAME(kind) #kind
#define KIND_NAME(kind) KIND__NAME(kind)
#define KIND KIND_NAME(NAP_OVERFLOW)
#define KIND_SCENARIO(...) CHECK_SCENARIO(__VA_ARGS__)

static struct nap__queue queue;

/*
 * For FIFO: of jobs 2k and 2k + 1 the first is gone before the second goes, whichever thread
 * takes them. Only lock holders touch gone[].
 */
static bool gone[JOBS];

static inline void queue_name(void)
{
	check_name(&queue.push, sizeof(queue.push), "queue.push");
	check_name(&queue.pop, sizeof(queue.pop), "queue.pop");
	check_name(&queue.stub, sizeof(queue.stub), "queue.stub");
	check_name(jobs, sizeof(jobs), "jobs");
}

static inline void queue_push_job(uint32_t number)
{
	struct nap_task *task = job_make(number);

	overflow_push(&queue, task, task);
}

/* .setup: one job, or two, are in the queue. */
static inline void begin_with_one(void)
{
	queue_name();
	queue_push_job(0);
}

static inline void begin_with_two(void)
{
	begin_with_one();
	queue_push_job(1);
}

static inline void queue_push_batch(uint32_t first, uint32_t n)
{
	struct nap_batch batch = job_batch(first, n);

	overflow_push(&queue, batch.head, batch.tail);
}

__attribute__((used)) static bool told[CHECK_THREADS + 1];

/*
 * Lock holder: unlocks. The result is stored, because compilers turn an exchange whose result is
 * unused into a store, which is not what is shipped.
 */
static inline void queue_unlock(struct nap__consumer *c)
{
	told[check_self()] = overflow_unlock(c);
}

/* Lock holder: runs at most @n jobs. Returns how many. */
static inline uint32_t queue_run(struct nap__consumer *c, uint32_t n)
{
	uint32_t ran = 0;

	while (ran < n && job_run(overflow_pop(c)))
		ran++;
	return ran;
}

/* As queue_run(), and checks the order in each pair of jobs. */
static inline void queue_run_fifo(struct nap__consumer *c, uint32_t n)
{
	struct nap_task *task;

	while (n-- && (task = overflow_pop(c))) {
		uint32_t number = job_number(task);

		if ((number & 1) && !gone[number - 1])
			check_fail("task %u overtakes task %u", number, number - 1);
		gone[number] = true;
		job_run(task);
	}
}

/* .finally: runs what is left. Returns how many jobs that was. */
static inline uint32_t queue_drain(void)
{
	struct nap__consumer c;
	uint32_t n;

	if (!overflow_lock(&queue, &c))
		return 0;
	n = queue_run(&c, JOBS);
	queue_unlock(&c);
	return n;
}

/* ---- threads; the argument is a number */

/*
 * Producers: push one job; two jobs, one after the other; two as a list. @number, or @first, is
 * the first job's.
 */
static inline void push_one(void *number)
{
	queue_push_job((uint32_t)(uintptr_t)number);
}

static inline void push_two(void *first)
{
	push_one(first);
	queue_push_job((uint32_t)(uintptr_t)first + 1);
}

static inline void push_batch(void *first)
{
	queue_push_batch((uint32_t)(uintptr_t)first, 2);
}

/* Consumers: take the lock, if possible, and run at most @n jobs. */
static inline void consume(void *n)
{
	struct nap__consumer c;

	if (!overflow_lock(&queue, &c))
		return;
	queue_run(&c, (uint32_t)(uintptr_t)n);
	queue_unlock(&c);
}

static inline void consume_fifo(void *n)
{
	struct nap__consumer c;

	if (!overflow_lock(&queue, &c))
		return;
	queue_run_fifo(&c, (uint32_t)(uintptr_t)n);
	queue_unlock(&c);
}

/* .finally: runs what is left, in order; @nr jobs were pushed. */
static inline void judge_rest_fifo(uint32_t nr)
{
	consume_fifo(THREAD(JOBS));
	CHECK(overflow_empty(&queue));
	jobs_judge(nr);
}

/*
 * Takes tasks as a notified worker does, which tries again as often as unlock says that tasks are
 * left. If @fenced, each search begins with the fence of a notification [S1].
 */
static bool fenced;
static inline void come(void *arg)
{
	bool more;

	(void)arg;
	do {
		more = false;
		if (fenced)
			nap_fence_seq_cst();
		job_run(overflow_take(&queue, &more));
	} while (more);
}

/* Pushes a job, and then takes as come() does. */
static inline void work(void *number)
{
	push_one(number);
	come(NULL);
}

/* .finally: checks that the workers have left no task. */
static inline void judge_stranded(uint32_t nr)
{
	if (queue_drain() > 0)
		check_fail("a task is stranded: everybody has left");
	jobs_judge(nr);
}

#endif /* NAP_QUEUE_KIND_H */

#endif /* MODEL_QUEUE_FIXTURE_H */
