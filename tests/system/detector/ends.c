/* SPDX-License-Identifier: MIT */
/* The end of a pool, and the tasks that a join returns. */
#include "program.h"

/*
 * A helper runs every task, beside a worker that is kept busy. A waiter for the pool reads the
 * results.
 */
static struct {
	struct nap_task hold;
	struct nap_pool *pool;
	struct work *work;
} beside;
static int held FLAG, let_go FLAG, nr_helped FLAG;

static void begin_anew(void)
{
	memset(&beside, 0, sizeof(beside));
	flag_down(&held);
	flag_down(&let_go);
	flag_down(&nr_helped);
}

static void hold(struct nap_task *task)
{
	(void)task;
	flag_up(&held);
	await(&let_go, 1);
}

static void *help(void *unused)
{
	while (flag_is(&nr_helped) < NR) {
		long n = nap_pool_help(beside.pool, 0);

		want(n >= 0, "help");
		flag_add(&nr_helped, (int)n);
	}
	return unused;
}

static void *schedule_beside(void *unused)
{
	beside.work = schedule(beside.pool, NULL, false);
	flag_up(&nr_helped);
	return unused;
}

static struct nap_pool *begin_beside(void *(*other)(void *), pthread_t *thread)
{
	struct nap_pool *p = aligned_alloc(64, sizeof(*p));

	nap_pool_init(p, &(struct nap_config){ .max_workers = 1 });
	begin_anew();
	nap_task_init(&beside.hold, hold);
	beside.pool = p;
	want(!nap_schedule(p, &beside.hold), "schedule");
	await(&held, 1);
	if (other == help)
		beside.work = schedule(p, NULL, false);
	pthread_create(thread, NULL, other, NULL);
	await(&nr_helped, other == help ? NR : 1);
	return p;
}

void helped(bool by_join)
{
	pthread_t thread;
	struct nap_pool *p = begin_beside(help, &thread);
	struct work *work = beside.work;

	flag_up(&let_go);
	want(!(by_join ? nap_pool_join(p, NULL) : nap_pool_quiesce(p)), "the end");
	check_squares(work);
	pthread_join(thread, NULL);
	nap_pool_join(p, NULL);
	free(work);
	free(p);
}

/* Tasks that another thread has scheduled, and that were never run, go to the joiner. */
void returned(void)
{
	pthread_t thread;
	struct nap_pool *p = begin_beside(schedule_beside, &thread);
	struct nap_batch left;
	struct nap_task *task;
	int sum = 0;

	want(!nap_pool_shutdown(p, NAP_STOP), "stop");
	flag_up(&let_go);
	want(!nap_pool_join(p, &left) && left.count == NR, "join");
	for (task = left.head; left.count--; task = task->next)
		sum += nap_container_of(task, struct work, task)->in;
	want(sum == NR * (NR - 1) / 2, "what came back");
	pthread_join(thread, NULL);
	free(beside.work);
	free(p);
}

/* A task that schedules itself until it is refused, and then belongs to the joiner. */
static struct hop {
	struct nap_task task;
	struct nap_pool *pool;
	int hops;
} hop;
static int hopping FLAG;

static void hop_on(struct nap_task *task)
{
	hop.hops++;
	flag_up(&hopping);
	nap_schedule(hop.pool, task);
}

void stopped_while_hopping(void)
{
	struct nap_pool *p = aligned_alloc(64, sizeof(*p));

	nap_pool_init(p, &(struct nap_config){ .max_workers = 1 });
	flag_down(&hopping);
	hop.pool = p;
	nap_task_init(&hop.task, hop_on);
	want(!nap_schedule(p, &hop.task), "schedule");
	await(&hopping, 1);
	want(!nap_pool_shutdown(p, NAP_STOP) && !nap_pool_join(p, NULL), "stop");
	want(hop.hops == flag_is(&hopping), "hops");
	free(p);
}

static int started FLAG, stopped FLAG;

static void start(struct nap_worker *worker, void *arg)
{
	(void)worker;
	want(*(int *)arg == 42, "arg");
	flag_up(&started);
}

static void stop(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	flag_up(&stopped);
}

void check_callbacks(void)
{
	want(started == stopped, "callbacks");
}

/* The joiner reads what workers have written, and the tasks that the join returns. */
void ends(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct nap_pool *p = aligned_alloc(64, sizeof(*p));
		int *arg = malloc(sizeof(*arg));
		struct nap_batch left;
		struct work *work;

		*arg = 42;
		nap_pool_init(p, &(struct nap_config){ .max_workers = 2, .worker_start = start,
						       .worker_stop = stop, .arg = arg });
		work = schedule(p, NULL, i % 2);
		if (i % 3 == 0)
			nap_pool_shutdown(p, NAP_STOP);
		want(!nap_pool_join(p, &left), "join");
		free(p);
		*arg = 0;
		free(arg);
		for (struct nap_task *task = left.head, *next; left.count--; task = next) {
			next = task->next;
			square(task);
		}
		check_squares(work);
		free(work);
	}
}

/* Two joiners: the second one reads what the workers wrote, and the returned tasks. */
static int written;

static void write_it(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	written++;
}

enum { ENDS = 1000000000 };

static void *join_first(void *arg)
{
	struct nap_pool *p = arg;

	/* The time is too short at first; the second call finds the end. */
	while (nap_pool_join_for(p, NULL, 1000) == -ETIMEDOUT)
		;
	return NULL;
}

static void *schedule_first(void *arg)
{
	beside.work = schedule(arg, NULL, true);
	want(!nap_pool_shutdown(arg, NAP_STOP), "stop");
	want(!nap_pool_join(arg, NULL), "join");
	flag_up(&nr_helped);
	return NULL;
}

void joiners(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct nap_pool *p = aligned_alloc(64, sizeof(*p));
		struct nap_task *task;
		struct nap_batch left;
		pthread_t thread;
		int sum = 0;

		written = 0;
		begin_anew();
		nap_pool_init(p, &(struct nap_config){ .max_workers = 1, .worker_stop = write_it });
		want(!nap_pool_prewarm(p, 1), "prewarm");
		if (i % 2) {
			pthread_create(&thread, NULL, join_first, p);
			while (nap_pool_join_for(p, NULL, ENDS) == -ETIMEDOUT)
				;
			want(written == 1, "worker_stop");
		} else {
			nap_task_init(&beside.hold, hold);
			want(!nap_schedule(p, &beside.hold), "schedule");
			await(&held, 1);
			flag_up(&let_go);
			pthread_create(&thread, NULL, schedule_first, p);
			await(&nr_helped, 1);
			want(nap_pool_join(p, &left) == -EALREADY, "a second join");
			for (task = left.head; left.count--; task = task->next)
				sum += nap_container_of(task, struct work, task)->in;
			want(written == 1 && sum >= 0, "what came back");
		}
		pthread_join(thread, NULL);
		free(beside.work);
		free(p);
	}
}

/* A thread of the program that begins after a worker ended, perhaps with the same handle. */
static int counted;

static void *count(void *unused)
{
	counted++;
	return unused;
}

void join_and_go_on(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct nap_pool *p = aligned_alloc(64, sizeof(*p));
		pthread_t thread;

		nap_pool_init(p, &(struct nap_config){ .max_workers = 1 });
		want(!nap_pool_prewarm(p, 1) && !nap_pool_join_for(p, NULL, 10ull * ENDS), "join");
		pthread_create(&thread, NULL, count, NULL);
		pthread_join(thread, NULL);
		counted++;
		free(p);
	}
}

/*
 * The first joiner has joined one of two threads when its time is over; the second joiner joins the
 * other thread.
 */
static int may_stop FLAG, gave_up FLAG, over FLAG;
static int by_worker[2];

static void stop_slowly(struct nap_worker *worker, void *arg)
{
	unsigned index = nap_worker_index(worker);

	(void)arg;
	by_worker[index] = 1;
	if (index == 0)
		await(&may_stop, 1);
}

static void *give_up(void *arg)
{
	want(nap_pool_join_for(arg, NULL, 200000000) == -ETIMEDOUT, "a join without time");
	flag_up(&gave_up);
	await(&over, 1);
	return NULL;
}

void half_joined(void)
{
	struct nap_pool *p = aligned_alloc(64, sizeof(*p));
	pthread_t thread;

	nap_pool_init(p, &(struct nap_config){ .max_workers = 2, .worker_stop = stop_slowly });
	want(!nap_pool_prewarm(p, 2), "prewarm");
	pthread_create(&thread, NULL, give_up, p);
	await(&gave_up, 1);
	flag_up(&may_stop);
	want(!nap_pool_join(p, NULL) && by_worker[0] + by_worker[1] == 2, "the other half");
	flag_up(&over);
	pthread_join(thread, NULL);
	free(p);
}
