/* SPDX-License-Identifier: MIT */
/*
 * Everything that nap's macros and inline functions put into a program. This file is compiled as
 * C99 to C23 and, unchanged, as C++14 to C++23, with warnings of what the standard lacks. It is not
 * run.
 */
#include <nap/nap.h>
#include <nap/here.h>
#include <nap/sort_define.h>

#if NAP_VERSION < NAP_VERSION_OF(1, 0, 0)
#error "headers of an older version"
#endif

struct job {
	struct nap_task task;
	int n;
};

static int by_number(const int *a, const int *b, void *arg)
{
	(void)arg;
	return *a < *b;
}

long fib(struct nap_worker *worker, struct nap_frame *top, long n);
NAP_JOB(fib, long, long)
void visit(struct nap_worker *worker, struct nap_frame *top, struct job *job);
NAP_JOB_VOID(visit, struct job *)
NAP_SORT_DEFINE(sort_numbers, int, by_number)

long fib(struct nap_worker *worker, struct nap_frame *top, long n)
{
	struct nap_frame *next;
	long one;

	if (n < 2)
		return n;
	next = fib_fork(worker, top, n - 1);
	one = fib(worker, next, n - 2);
	if (n % 2)
		return one + fib_join(worker, top, n - 1);
	if (nap_join(worker, top))
		return one + fib(worker, top, n - 1);
	return one + fib_result(top);
}

void visit(struct nap_worker *worker, struct nap_frame *top, struct job *job)
{
	struct nap_frame *next = visit_fork(worker, nap_top(worker), job);

	(void)top;
	(void)next;
	visit_join(worker, nap_top(worker), job);
}

static void run(struct nap_task *task)
{
	nap_container_of(task, struct job, task)->n++;
}

static int answer(struct nap_work *work)
{
	return work->fn == answer;
}

static void *make(struct nap_worker *worker, void *arg)
{
	(void)worker;
	return arg;
}

static void end(void *data, void *arg)
{
	(void)data;
	(void)arg;
}

static struct nap_pool pool = NAP_POOL_INIT(0);
#if !defined(__cplusplus) || __cplusplus >= 202002L
static struct nap_pool named = NAP_POOL_INIT(.max_workers = 2, .flags = NAP_NO_WORKERS);
#endif
static struct nap_group group = NAP_GROUP_INIT(&pool);
static struct nap_mutex mutex = NAP_MUTEX_INIT;
static struct nap_cond cond = NAP_COND_INIT;
static struct nap_sem sem = NAP_SEM_INIT(3);
static struct nap_event event = NAP_EVENT_INIT;
static struct nap_local local = NAP_LOCAL_INIT(make, end, NULL);
static char buffer[8];
static struct nap_channel channel = NAP_CHANNEL_INIT(buffer, 1, 8);
static struct nap_slot slots[2];
static struct nap_submitter submitter = NAP_SUBMIT_INIT(&pool, slots, 2);
static struct nap_work work = NAP_WORK_INIT(answer, NULL, NULL);
static struct job one = { NAP_TASK_INIT(run), 1 };
static uint64_t blocked = NAP_BLOCKED & ~NAP_SIGNAL(10);

int use(struct nap_cq *cq, int *numbers, size_t nr);
int use(struct nap_cq *cq, int *numbers, size_t nr)
{
	struct nap_batch batch = NAP_BATCH_INIT, more = NAP_BATCH_INIT;
	struct nap_end ended;

	nap_task_init(&one.task, run);
	nap_batch_push(&batch, &one.task);
	nap_batch_concat(&more, &batch);
	nap_work_init(&work, answer, NULL, cq);
	nap_end_init(&ended, run, cq);
	nap_mutex_lock(&mutex);
	nap_cond_signal(&cond);
	nap_sem_release(&sem, 1);
	nap_event_set(&event);
#if !defined(__cplusplus) || __cplusplus >= 202002L
	nap_schedule_batch(&named, &more);
#endif
	return nap_batch_pop(&more) && group.pool && local.arg && channel.capacity &&
	       submitter.slots && blocked && sort_numbers(&pool, numbers, nr, NULL) == 0 &&
	       nr < NAP_CLASS_DEQUEUES(8, 1, 1) && nr < NAP_FOREVER && NAP_VERSION_STRING[nr];
}
