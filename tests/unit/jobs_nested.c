/* SPDX-License-Identifier: MIT */
/*
 * Jobs and tasks that run inside a joiner, and that join jobs themselves. The nesting ends at half
 * of the stack. Tasks fork, jobs schedule, and both wait for groups, at any nesting.
 */
#include "fork/ask.h"
#include "jobs_fixture.h"
#include "sync/event.h"
#include "idle/idle.h"
#include "fork/jobs.h"
#include "worker/worker.h"

/* ThreadSanitizer keeps its data of a thread above the thread's stack, in the same memory. */
#ifdef NAP_TEST_TSAN
#define STACK	((size_t)4 << 20)
#else
#define STACK	((size_t)1 << 20)
#endif

static struct nap_pool pool;

/* ---- a joiner that always finds another job or task to help with */

/*
 * The pool has two workers. On the first worker a task forks a job, and the second worker steals
 * the job. The task joins the job, so the first worker helps: it runs the next of these tasks from
 * its own ring, nested in the join. This task forks a job, too, and the second worker steals the
 * new job inside the first one, nested as well; and so on. No job ends while the first worker still
 * takes tasks. So both stacks grow; in each step the first worker's grows by much more.
 */
#define TASKS	400
#define FRAME	(2 * STACK / TASKS)

static struct nap_task deep[TASKS];
static struct nap_worker *first;
static uint32_t nr_begun, nr_forked, nr_taken, nr_ended, over;
static unsigned long inside, deepest;

/* Whether the first worker is asleep, and cannot be notified of work. */
static bool is_deaf(void)
{
	return (nap_load_relaxed(&first->event) & EVENT_PARKED) && !nap__idle_count(&pool);
}

static bool is_over(void)
{
	return nap_load_relaxed(&over) || nap_load_relaxed(&nr_begun) == TASKS;
}

static void deep_job(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *job)
{
	(void)top;
	(void)job;
	nap_fetch_add_relaxed(&nr_taken, 1);
	for (int deaf = 0; deaf < 10 && !is_over(); deaf = is_deaf() ? deaf + 1 : 0) {
		if (nap_load_acquire(&nr_forked) == nap_load_relaxed(&nr_taken)) {
			usleep(100);
			continue;
		}
		/*
		 * Publishes the private jobs of this worker, as a worker does before it sleeps.
		 * Only public jobs can be stolen.
		 */
		nap__ask_for_jobs(worker);
		nap_pool_help(&pool, 1);
	}
	nap_store_relaxed(&over, 1);
}

static void deep_task(struct nap_task *task)
{
	struct nap_worker *worker = nap_worker_self();
	struct nap_frame *top = nap_top(worker);
	char frame[FRAME];
	uint32_t forked;

	(void)task;
	/* The asm keeps the frame on the stack. */
	__asm__ volatile("" : : "r"(frame) : "memory");
	nap_fetch_add_relaxed(&nr_begun, 1);
	if (worker == first && ++inside > deepest)
		deepest = inside;
	nap_fork(worker, top, deep_job);
	forked = nap_fetch_add_release(&nr_forked, 1) + 1;
	while (nap_load_relaxed(&nr_taken) < forked && !nap_load_relaxed(&over))
		sched_yield();
	if (nap_join(worker, top))
		nap_fetch_add_relaxed(&nr_taken, 1);
	if (worker == first)
		inside--;
	__asm__ volatile("" : : "r"(frame) : "memory");
	nap_fetch_add_relaxed(&nr_ended, 1);
}

/*
 * Runs on the first worker, so its own ring and overflow get the tasks. The second worker steals no
 * task, because it looks for a job to steal before it looks for a task.
 */
static void begin_deep(struct nap_worker *worker)
{
	first = worker;
	for (int i = 0; i < TASKS; i++) {
		nap_task_init(&deep[i], deep_task);
		if (nap_schedule(&pool, &deep[i]))
			abort();
	}
}

/* Keeps the second worker from the tasks until the first job is there. */
static void occupy_second(struct nap_task *task)
{
	while (!nap_load_acquire(&nr_forked))
		sched_yield();
	(void)task;
}

TEST(joiners_help_as_deep_as_half_of_the_stack)
{
	struct nap_task occupier = NAP_TASK_INIT(occupy_second);

	watchdog(&pool, 0);
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2, .stack_size = STACK });
	ASSERT_EQ(nap_schedule(&pool, &occupier), 0);
	EXPECT_EQ(run_on_worker(&pool, begin_deep), 0);
	EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	EXPECT_EQ(nr_begun, TASKS);
	EXPECT_EQ(nr_taken, TASKS);
	EXPECT_EQ(nr_ended, TASKS);
	/* The stack has room for about half of the tasks. */
	TH_LOG("%lu of %u deep", deepest, TASKS);
	EXPECT_GT(deepest, 8);
	EXPECT_LT(deepest * FRAME, STACK);
}

/* ---- tasks that fork, jobs that schedule, and waits in both */

#define WIDTH 4

struct mixed {
	struct nap_task task;
	struct nap_group *group;
	int depth;
	unsigned long count;
};

static void mixed_job(struct nap_worker *worker, struct nap_frame *top, struct mixed *m);
NAP_JOB_VOID(mixed_job, struct mixed *)

/* Forks the task's children and joins them. */
static void mixed_task(struct nap_task *task)
{
	struct mixed *m = nap_container_of(task, struct mixed, task), children[WIDTH];
	struct nap_worker *worker = nap_worker_self();
	struct nap_frame *tops[WIDTH + 1] = { nap_top(worker) };

	m->count = 1;
	for (int i = 0; m->depth && i < WIDTH; i++) {
		children[i] = (struct mixed){ .depth = m->depth - 1 };
		tops[i + 1] = mixed_job_fork(worker, tops[i], &children[i]);
	}
	for (int i = WIDTH; m->depth && i--;) {
		mixed_job_join(worker, tops[i], &children[i]);
		m->count += children[i].count;
	}
	nap_group_done(m->group);
}

/* Schedules the job's children and waits for them, with a job forked and not joined yet. */
static void mixed_job(struct nap_worker *worker, struct nap_frame *top, struct mixed *m)
{
	struct mixed children[WIDTH], other = { .depth = 0 };
	struct nap_group group = NAP_GROUP_INIT(&pool);

	m->count = 1;
	if (!m->depth)
		return;
	mixed_job_fork(worker, top, &other);
	nap_group_add(&group, WIDTH);
	for (int i = 0; i < WIDTH; i++) {
		children[i] = (struct mixed){ .task = NAP_TASK_INIT(mixed_task), .group = &group,
					      .depth = m->depth - 1 };
		if (nap_schedule(&pool, &children[i].task))
			abort();
	}
	if (nap_group_wait(&group))
		abort();
	for (int i = 0; i < WIDTH; i++)
		m->count += children[i].count;
	mixed_job_join(worker, top, &other);
	m->count += other.count;
}

/*
 * Returns how many runs a tree has: one run of the root, and the runs of its WIDTH children. The
 * children of a task are jobs, and the children of a job are tasks. A job that has children also
 * forks one job more, which has no children.
 */
static unsigned long mixed_count(int depth, bool is_job)
{
	return depth ? 1 + is_job + WIDTH * mixed_count(depth - 1, !is_job) : 1;
}

TEST(tasks_fork_and_jobs_schedule)
{
	unsigned long rounds = nap_test_count(20);

	watchdog(&pool, 0);
	for (uint32_t workers = 1; workers <= 4; workers++) {
		nap_pool_init(&pool, &(struct nap_config){ .max_workers = workers });
		for (unsigned long i = 0; nap_test_again(i, rounds); i++) {
			struct nap_group group = NAP_GROUP_INIT(&pool);
			struct mixed root = { .task = NAP_TASK_INIT(mixed_task), .group = &group,
					      .depth = 5 };

			nap_group_add(&group, 1);
			ASSERT_EQ(nap_schedule(&pool, &root.task), 0);
			ASSERT_EQ(nap_group_wait(&group), 0);
			ASSERT_EQ(root.count, mixed_count(5, false));
		}
		EXPECT_EQ(nap_pool_join(&pool, NULL), 0);
	}
}

TEST_HARNESS_MAIN
