#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A user's program under ThreadSanitizer, linked with the library as it is installed, which is not
# built for it: of a correct program nothing is reported, of one with a race that race. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"

echo "TAP version 13"
echo "1..10"

# What every promise of the headers orders is read or written on its other side, as plain data.
cat >"$tmp/program.c" <<'END'
#include <errno.h>
#include <nap/nap.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NR = 64, ROUNDS = 20, THREADS = 2 * NAP_GUESTS };

static struct nap_pool pool;

static void want(bool ok, const char *what)
{
	if (ok)
		return;
	puts(what);
	exit(1);
}

struct work {
	struct nap_task task;
	struct nap_group *group;
	int in, out;
};

static void square(struct nap_task *task)
{
	struct work *work = nap_container_of(task, struct work, task);

	work->out = work->in * work->in;
	if (work->group)
		nap_group_done(work->group);
}

static void check_squares(struct work *work)
{
	for (int i = 0; i < NR; i++)
		want(work[i].out == i * i, "a task did not do its work");
}

/* One by one or as a batch; awaited as a group, or by quiesce or join. */
static struct work *schedule(struct nap_pool *p, struct nap_group *group, bool as_batch)
{
	struct work *work = calloc(NR, sizeof(*work));
	struct nap_batch batch = NAP_BATCH_INIT;

	if (group)
		nap_group_add(group, NR);
	for (int i = 0; i < NR; i++) {
		work[i] = (struct work){ NAP_TASK_INIT(square), group, i, 0 };
		if (as_batch)
			nap_batch_push(&batch, &work[i].task);
		else
			want(!nap_schedule(p, &work[i].task), "schedule");
	}
	want(!nap_schedule_batch(p, &batch), "schedule a batch");
	return work;
}

static void tasks(void)
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

/* A task that schedules the next one, and writes what the first did. */
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

static void chains(void)
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
struct fib {
	struct nap_job job;
	int n;
	long result;
};

static long fib(struct nap_worker *worker, int n);

static void run_fib(struct nap_worker *worker, struct nap_job *job)
{
	struct fib *fork = nap_container_of(job, struct fib, job);

	fork->result = fib(worker, fork->n);
}

static long fib(struct nap_worker *worker, int n)
{
	struct fib fork = { NAP_JOB_INIT(run_fib), n - 1, 0 };
	long other;

	if (n < 2)
		return n;
	nap_fork(worker, &fork.job);
	other = fib(worker, n - 2);
	if (nap_join(worker, &fork.job))
		fork.result = fib(worker, n - 1);
	return fork.result + other;
}

static void call_fib(struct nap_worker *worker, void *result)
{
	*(long *)result = fib(worker, 16);
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

static void forks(void)
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

/* More callers than there are places, and threads that help. */
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

static void callers(void)
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

/* Relaxed accesses, which order nothing: only nap does in what follows. */
static int flag_is(int *flag)
{
	return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

static void flag_up(int *flag)
{
	__atomic_add_fetch(flag, 1, __ATOMIC_RELAXED);
}

static void await(int *flag, int n)
{
	while (flag_is(flag) < n)
		usleep(100);
}

/* A call for which there is no place, and that a worker runs. */
static int inside, go_on;

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

static void left_to_workers(void)
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

/* A helper runs everything, beside a worker that is held; who waits for the pool comes after it. */
static struct {
	struct nap_task hold;
	struct nap_pool *pool;
	struct work *work;
	int held, release, helped;
} beside;

static void hold(struct nap_task *task)
{
	(void)task;
	flag_up(&beside.held);
	await(&beside.release, 1);
}

static void *help(void *unused)
{
	while (flag_is(&beside.helped) < NR) {
		long n = nap_pool_help(beside.pool, 0);

		want(n >= 0, "help");
		__atomic_add_fetch(&beside.helped, (int)n, __ATOMIC_RELAXED);
	}
	return unused;
}

static void *schedule_beside(void *unused)
{
	beside.work = schedule(beside.pool, NULL, false);
	flag_up(&beside.helped);
	return unused;
}

static struct nap_pool *begin_beside(void *(*other)(void *), pthread_t *thread)
{
	struct nap_pool *p = aligned_alloc(64, sizeof(*p));

	nap_pool_init(p, &(struct nap_config){ .max_workers = 1 });
	memset(&beside, 0, sizeof(beside));
	nap_task_init(&beside.hold, hold);
	beside.pool = p;
	want(!nap_schedule(p, &beside.hold), "schedule");
	await(&beside.held, 1);
	if (other == help)
		beside.work = schedule(p, NULL, false);
	pthread_create(thread, NULL, other, NULL);
	await(&beside.helped, other == help ? NR : 1);
	return p;
}

static void helped(bool by_join)
{
	pthread_t thread;
	struct nap_pool *p = begin_beside(help, &thread);
	struct work *work = beside.work;

	flag_up(&beside.release);
	want(!(by_join ? nap_pool_join(p, NULL) : nap_pool_quiesce(p)), "the end");
	check_squares(work);
	pthread_join(thread, NULL);
	nap_pool_join(p, NULL);
	free(work);
	free(p);
}

/* What another thread has scheduled, and nobody has run, is the joiner's. */
static void returned(void)
{
	pthread_t thread;
	struct nap_pool *p = begin_beside(schedule_beside, &thread);
	struct nap_batch left;
	struct nap_task *task;
	int sum = 0;

	want(!nap_pool_shutdown(p, NAP_STOP), "stop");
	flag_up(&beside.release);
	want(!nap_pool_join(p, &left) && left.count == NR, "join");
	for (task = left.head; left.count--; task = task->next)
		sum += nap_container_of(task, struct work, task)->in;
	want(sum == NR * (NR - 1) / 2, "what came back");
	pthread_join(thread, NULL);
	free(beside.work);
	free(p);
}

static int started, stopped;

static void start(struct nap_worker *worker, void *arg)
{
	(void)worker;
	want(*(int *)arg == 42, "arg");
	__atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
}

static void stop(struct nap_worker *worker, void *arg)
{
	(void)worker;
	(void)arg;
	__atomic_add_fetch(&stopped, 1, __ATOMIC_RELAXED);
}

/* What was run by workers and what comes back are the joiner's. */
static void ends(void)
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

/* One joiner after the other: what the workers did, and what came back, is the last one's, too. */
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

	/* Too short a time, and then enough of it: whoever is second finds the end. */
	while (nap_pool_join_for(p, NULL, 1000) == -ETIMEDOUT)
		;
	return NULL;
}

static void *schedule_first(void *arg)
{
	beside.work = schedule(arg, NULL, true);
	want(!nap_pool_shutdown(arg, NAP_STOP), "stop");
	want(!nap_pool_join(arg, NULL), "join");
	flag_up(&beside.helped);
	return NULL;
}

static void joiners(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct nap_pool *p = aligned_alloc(64, sizeof(*p));
		struct nap_task *task;
		struct nap_batch left;
		pthread_t thread;
		int sum = 0;

		written = 0;
		memset(&beside, 0, sizeof(beside));
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
			await(&beside.held, 1);
			flag_up(&beside.release);
			pthread_create(&thread, NULL, schedule_first, p);
			await(&beside.helped, 1);
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

/* The first joiner has joined one of two threads when its time is over; the second joins the other. */
static int may_stop, gave_up, over, by_worker[2];

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

static void half_joined(void)
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

/* Before main(), and perhaps before the library's own constructor. */
static struct work early = { .task = NAP_TASK_INIT(square) };
static struct nap_pool early_pool = NAP_POOL_INIT(.max_workers = 1);
static int worker_is_there;

static void say_so(struct nap_task *task)
{
	(void)task;
	flag_up(&worker_is_there);
}

static __attribute__((constructor)) void begin_early(void)
{
	static struct nap_task first = NAP_TASK_INIT(say_so);

	want(!nap_schedule(&early_pool, &first), "schedule");
	await(&worker_is_there, 1);
	early.in = 7;
	want(!nap_schedule(&early_pool, &early.task), "schedule");
}

#ifdef RACE
static int raced, there;

/* On two workers at once. */
static void race(struct nap_task *task)
{
	(void)task;
	flag_up(&there);
	await(&there, 2);
	raced++;
}

/* Two tasks that nothing orders, but that each of them was scheduled. */
static void races(void)
{
	static struct nap_task two[2] = { NAP_TASK_INIT(race), NAP_TASK_INIT(race) };

	for (int i = 0; i < 2; i++)
		nap_schedule(&pool, &two[i]);
	nap_pool_quiesce(&pool);
}
#else
#define races() ((void)0)
#endif

int main(void)
{
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = 2 });
	races();
	tasks();
	chains();
	forks();
	callers();
	left_to_workers();
	helped(false);
	helped(true);
	returned();
	joiners();
	half_joined();
	want(!nap_pool_join(&early_pool, NULL) && early.out == 49, "an early task");
	ends();
	want(!nap_pool_join(&pool, NULL), "join");
	want(started == stopped, "callbacks");
	puts("done");
	return 0;
}
END

# ThreadSanitizer knows fixed address ranges only, which a new kernel's randomisation leaves.
fixed=
setarch -R true 2>/dev/null && fixed='setarch -R'

# run PROGRAM: silent, and it came to its end
run()
{
	LD_LIBRARY_PATH=$build $fixed "$1" >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ] && grep -qx done "$tmp/out"
}

# finds PROGRAM: the race, and nothing else
finds()
{
	LD_LIBRARY_PATH=$build $fixed "$1" >"$tmp/out" 2>"$tmp/err"
	[ "$(grep -c 'WARNING: ThreadSanitizer' "$tmp/err")" = 1 ] &&
		grep -Eq 'SUMMARY: ThreadSanitizer: data race .* in race$' "$tmp/err"
}

for cc in gcc clang; do
	compile="$cc -std=gnu11 -Wall -Wextra -Werror -Wno-missing-field-initializers -O1 -g -fsanitize=thread -Iinclude $tmp/program.c"
	{ $compile -o "$tmp/shared" -L"$build" -lnap -pthread && $compile -o "$tmp/static" "$build/libnap.a" -pthread &&
		$compile -DRACE -o "$tmp/race" -L"$build" -lnap -pthread &&
		$compile -DRACE -o "$tmp/race-static" "$build/libnap.a" -pthread; } >"$tmp/out" 2>&1
	check "$cc: the program compiles"
	run "$tmp/shared"
	check "$cc: nothing is reported with the shared library"
	run "$tmp/static"
	check "$cc: nor with the static one"
	finds "$tmp/race"
	check "$cc: what nothing orders is reported, shared"
	finds "$tmp/race-static"
	check "$cc: and static"
done
