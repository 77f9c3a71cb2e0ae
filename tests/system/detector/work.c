/* SPDX-License-Identifier: MIT */
/* Tasks, jobs and calls. */
#include "program.h"

void tasks(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct nap_group group = NAP_GROUP_INIT(&pool);
		struct work *work = schedule(&pool, &group, i % 2);

		if (i % 3 == 1)
			while (nap_group_wait_for(&group, 1000000))
				;
		else
			want(!nap_group_wait(&group), "wait");
		check_squares(work);
		free(work);
		work = schedule(&pool, NULL, i % 2);
		want(!nap_pool_quiesce(&pool), "quiesce");
		check_squares(work);
		free(work);
	}
}

static void run_nothing(struct nap_task *task)
{
	(void)task;
}

/* A mutex may lie where a task lay. */
void reused(void)
{
	static union {
		struct nap_task task;
		pthread_mutex_t mutex;
	} place;

	for (int i = 0; i < ROUNDS; i++) {
		nap_task_init(&place.task, run_nothing);
		want(!nap_schedule(&pool, &place.task), "schedule");
		want(!nap_pool_quiesce(&pool), "quiesce");
		want(!pthread_mutex_init(&place.mutex, NULL), "make a mutex");
		want(!pthread_mutex_lock(&place.mutex), "lock");
		want(!pthread_mutex_unlock(&place.mutex), "unlock");
		want(!pthread_mutex_destroy(&place.mutex), "end a mutex");
	}
}

/* A task that adds to what the task before it wrote, and schedules the next task. */
struct chain {
	struct nap_task task;
	struct nap_group *group;
	int *sum, left;
};

static void run_chain(struct nap_task *task)
{
	struct chain *chain = nap_container_of(task, struct chain, task), *next;

	++*chain->sum;
	if (!chain->left) {
		nap_group_done(chain->group);
		free(chain);
		return;
	}
	next = malloc(sizeof(*next));
	*next = *chain;
	next->left--;
	nap_task_init(&next->task, run_chain);
	free(chain);
	want(!nap_schedule(&pool, &next->task), "schedule");
}

void chains(void)
{
	struct nap_group group = NAP_GROUP_INIT(&pool);
	struct chain *chain = malloc(sizeof(*chain));
	int sum = 0;

	*chain = (struct chain){ NAP_TASK_INIT(run_chain), &group, &sum, 1000 };
	nap_group_add(&group, 1);
	want(!nap_schedule(&pool, &chain->task), "schedule");
	want(!nap_group_wait(&group), "wait");
	want(sum == 1001, "sum");
}

/* Fork and join, from a call and from a task. */
static long fib(struct nap_worker *worker, struct nap_frame *top, int n);
NAP_JOB(fib, long, int)

static long fib(struct nap_worker *worker, struct nap_frame *top, int n)
{
	struct nap_frame *next;
	long other;

	if (n < 2)
		return n;
	next = fib_fork(worker, top, n - 1);
	other = fib(worker, next, n - 2);
	return other + fib_join(worker, top, n - 1);
}

static void call_fib(struct nap_worker *worker, void *result)
{
	*(long *)result = fib(worker, nap_top(worker), 16);
}

struct fib_task {
	struct nap_task task;
	struct nap_group *group;
	long result;
};

static void run_fib_task(struct nap_task *task)
{
	struct fib_task *work = nap_container_of(task, struct fib_task, task);

	call_fib(nap_worker_self(), &work->result);
	nap_group_done(work->group);
}

void forks(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct nap_group group = NAP_GROUP_INIT(&pool);
		struct fib_task work = { NAP_TASK_INIT(run_fib_task), &group, 0 };
		long result = 0;

		nap_group_add(&group, 1);
		want(!nap_schedule(&pool, &work.task), "schedule");
		want(!nap_call(&pool, call_fib, &result) && result == 987, "call");
		want(!nap_group_wait(&group) && work.result == 987, "a task that forks");
	}
}

/* Calls from more threads than there are guest records; the threads help, too. */
static void *call_and_help(void *unused)
{
	long *result = malloc(sizeof(*result));

	(void)unused;
	*result = 0;
	want(!nap_call(&pool, call_fib, result) && *result == 987, "call");
	free(result);
	want(nap_pool_help(&pool, 3) >= 0, "help");
	return NULL;
}

void callers(void)
{
	struct work *work = schedule(&pool, NULL, false);
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, call_and_help, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	want(!nap_pool_quiesce(&pool), "quiesce");
	check_squares(work);
	free(work);
}

/* A call without a guest record, which a worker runs. */
static int inside FLAG, go_on FLAG;

static void stay_inside(struct nap_worker *worker, void *unused)
{
	(void)worker;
	(void)unused;
	flag_up(&inside);
	await(&go_on, 1);
}

static void *take_place(void *unused)
{
	want(!nap_call(&pool, stay_inside, NULL), "call");
	return unused;
}

void left_to_workers(void)
{
	pthread_t threads[NAP_GUESTS];
	long *result = malloc(sizeof(*result));

	for (unsigned i = 0; i < NAP_GUESTS; i++)
		pthread_create(&threads[i], NULL, take_place, NULL);
	await(&inside, NAP_GUESTS);
	for (int i = 0; i < ROUNDS; i++) {
		*result = 0;
		want(!nap_call(&pool, call_fib, result) && *result == 987, "call");
	}
	free(result);
	flag_up(&go_on);
	for (unsigned i = 0; i < NAP_GUESTS; i++)
		pthread_join(threads[i], NULL);
}

/* The queue by which a worker hands works to a loop. */
static struct nap_cq done;

static void hand_back(struct nap_task *task)
{
	square(task);
	nap_task_init(task, hand_back);
	want(!nap_cq_push(&done, task), "push");
}

static int free_square(struct nap_task *task)
{
	struct work *work = nap_container_of(task, struct work, task);

	want(work->out == work->in * work->in, "what was handed back");
	free(work);
	return 1;
}

void handed_back(void)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct nap_task *task;
	int n = 0;

	want(!nap_cq_init(&done), "init");
	for (int i = 0; i < NR; i++) {
		struct work *work = calloc(1, sizeof(*work));

		*work = (struct work){ NAP_TASK_INIT(hand_back), NULL, i, 0 };
		want(!nap_schedule(&pool, &work->task), "schedule");
	}
	while (n < NR / 2) {
		poll(&(struct pollfd){ .fd = nap_cq_fd(&done), .events = POLLIN }, 1, -1);
		while (n < NR / 2 && (task = nap_cq_pop(&done)))
			n += free_square(task);
	}
	want(!nap_pool_quiesce(&pool), "quiesce");
	want(!nap_cq_close(&done, &left), "close");
	while ((task = nap_batch_pop(&left)))
		n += free_square(task);
	want(n == NR, "all were handed back");
}

/*
 * A work whose end comes to the loop, as a task comes by hand_back(). The loop writes @why before
 * it cancels a work; the thread that runs the end of the work reads @why.
 */
struct request {
	struct nap_work work;
	int in, out, why;
};

static int nr_answered;

static int square_request(struct nap_work *work)
{
	struct request *r = nap_container_of(work, struct request, work);

	r->out = r->in * r->in;
	return 0;
}

static void answer(struct nap_work *work, int result)
{
	struct request *r = nap_container_of(work, struct request, work);

	want(result ? result == -ECANCELED && r->why == 1 : r->out == r->in * r->in, "an answer");
	free(r);
	nr_answered++;
}

void answered(void)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct request *requests[NR];

	want(!nap_cq_init(&done), "init");
	for (int i = 0; i < NR; i++) {
		requests[i] = calloc(1, sizeof(struct request));
		nap_work_init(&requests[i]->work, square_request, answer, &done);
		requests[i]->in = i;
		want(!nap_work_schedule(&pool, &requests[i]->work), "schedule");
	}
	for (int i = 0; i < NR; i += 3) {
		requests[i]->why = 1;
		nap_cancel(&requests[i]->work);
	}
	while (nr_answered < NR) {
		poll(&(struct pollfd){ .fd = nap_cq_fd(&done), .events = POLLIN }, 1, -1);
		nap_cq_run(&done, 0);
	}
	want(!nap_cq_close(&done, &left) && !left.head, "close");
}
