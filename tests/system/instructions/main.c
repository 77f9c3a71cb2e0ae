/* SPDX-License-Identifier: MIT */
/*
 * The shortest paths of nap, for a tool that counts instructions. "main WORK N [measure]" does the
 * work on one worker, and writes how often it did the work: this number depends on N alone. With
 * "measure" the pool has histograms. "main each 'WORK N [measure]'..." does each work in a child of
 * its own, one after another, because tools take longer to start than to count.
 * tests/system/instructions.sh and cost.sh (here) take the difference between two N, which leaves
 * out the costs of beginning and ending. With -DTIMED main also writes how many nanoseconds the
 * whole took. A comment like T4 is the name of the work's row in cost.sh.
 */
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <nap/async.h>
#include <nap/nap.h>

#define BURST 200
/* how many objects are prepared, whatever N is, so that this cost cancels out, too */
#define MOST 60000

#ifndef TIMED
/*
 * Replaces the libc's clock: 3 us pass between two reads. By the libc's clock tasks are long under
 * a tool that counts, and a worker checks more often for timers and files that are due. Then the
 * counts would depend on the machine.
 */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	static uint64_t passed = 1000000000;
	uint64_t ns = __atomic_add_fetch(&passed, 3000, __ATOMIC_RELAXED);

	(void)clock;
	*now = (struct timespec){ .tv_sec = (time_t)(ns / 1000000000),
				  .tv_nsec = (long)(ns % 1000000000) };
	return 0;
}
#endif

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_task *tasks;
static long left;
static sem_t inside, go_on, done;

static void nothing(struct nap_task *task)
{
	(void)task;
}

/* T4 */
static void again(struct nap_task *task)
{
	if (--left > 0)
		nap_schedule(&pool, task);
	else
		sem_post(&done);
}

/* T3 */
static void one_by_one(struct nap_task *task)
{
	for (long i = 0; i < BURST; i++)
		nap_schedule(&pool, &tasks[i]);
	left -= BURST - 1;
	again(task);
}

/* T2 */
static void as_a_batch(struct nap_task *task)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (long i = 0; i < BURST; i++)
		nap_batch_push(&batch, &tasks[i]);
	nap_schedule_batch(&pool, &batch);
	left -= BURST - 1;
	again(task);
}

static void block(struct nap_task *task)
{
	(void)task;
	sem_post(&inside);
	sem_wait(&go_on);
}

/* Fills the queue while the worker is inside a task, so that neither thread waits for the other. */
static void from_outside(long n, void (*fill)(long n))
{
	struct nap_task first = NAP_TASK_INIT(block);

	nap_schedule(&pool, &first);
	sem_wait(&inside);
	fill(n);
	sem_post(&go_on);
	nap_pool_join(&pool, NULL);
}

/* T1 */
static void fill_one_by_one(long n)
{
	for (long i = 0; i < n; i++)
		nap_schedule(&pool, &tasks[i]);
}

/* T2 */
static void fill_as_a_batch(long n)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (long i = 0; i < n; i++)
		nap_batch_push(&batch, &tasks[i]);
	nap_schedule_batch(&pool, &batch);
}

/* F1 */
static inline long fib(struct nap_worker *worker, struct nap_frame *top, long n);
NAP_JOB(fib, long, long)

static __attribute__((noinline)) long node(struct nap_worker *worker, struct nap_frame *top,
					   long n)
{
	struct nap_frame *next = fib_fork(worker, top, n - 1);
	long result = fib(worker, next, n - 2);

	return result + fib_join(worker, top, n - 1);
}

/* node() is called only for an n that forks. */
static inline long fib(struct nap_worker *worker, struct nap_frame *top, long n)
{
	return n < 2 ? n : node(worker, top, n);
}

static void fork_and_join(struct nap_task *task)
{
	(void)task;
	left = fib(nap_worker_self(), nap_top(nap_worker_self()), left);
	sem_post(&done);
}

static void on_the_worker(nap_task_fn run)
{
	struct nap_task task = NAP_TASK_INIT(run);

	nap_schedule(&pool, &task);
	sem_wait(&done);
	nap_pool_join(&pool, NULL);
}

static struct nap_timer timer;

static void arm_again(struct nap_task *task)
{
	(void)task;
	if (--left > 0)
		nap_schedule_after(&pool, &timer, 0);
	else
		sem_post(&done);
}

static void on_a_timer(void)
{
	nap_timer_init(&timer, arm_again);
	nap_schedule_after(&pool, &timer, 0);
	sem_wait(&done);
	nap_pool_join(&pool, NULL);
}

/*
 * The functions of fibers that use a channel, a semaphore or a mutex alone. Such a fiber yields
 * every NAP_FIBER_BUDGET calls.
 */
static intptr_t send_and_receive(void *arg)
{
	char buffer[8][8], value[8] = "";
	struct nap_channel channel = NAP_CHANNEL_INIT(buffer, 8, 8);

	(void)arg;
	for (; left > 0; left--) {
		nap_channel_send(&channel, value);
		nap_channel_recv(&channel, value);
	}
	return 0;
}

static intptr_t acquire_and_release(void *arg)
{
	struct nap_sem sem = NAP_SEM_INIT(1);

	(void)arg;
	for (; left > 0; left--) {
		nap_sem_acquire(&sem);
		nap_sem_release(&sem, 1);
	}
	return 0;
}

static intptr_t lock_and_unlock(void *arg)
{
	struct nap_mutex mutex = NAP_MUTEX_INIT;

	(void)arg;
	for (; left > 0; left--) {
		nap_mutex_lock(&mutex);
		nap_mutex_unlock(&mutex);
	}
	return 0;
}

/*
 * Two fibers want a mutex, and the owner yields while it holds the mutex. So each fiber locks the
 * mutex twice in a row: in between the other fiber is notified, comes too late, and waits again.
 */
static struct nap_mutex wanted = NAP_MUTEX_INIT;

static intptr_t lock_and_yield(void *arg)
{
	long n = *(long *)arg;

	for (; n > 0; n--) {
		nap_mutex_lock(&wanted);
		nap_yield();
		nap_mutex_unlock(&wanted);
	}
	return 0;
}

static intptr_t lock_by_two(void *arg)
{
	long half = left / 2;
	struct nap_fiber *fiber;

	(void)arg;
	if (nap_spawn(&pool, &fiber, lock_and_yield, &half))
		return 1;
	lock_and_yield(&half);
	return nap_await(fiber, NULL);
}

/* Two fibers that give way to each other: the row Y1 of cost.sh. */
static intptr_t give_way(void *arg)
{
	for (long n = *(long *)arg; n > 0; n--)
		nap_yield();
	return 0;
}

static intptr_t give_way_by_two(void *arg)
{
	long half = left / 2;
	struct nap_fiber *fiber;

	(void)arg;
	if (nap_spawn(&pool, &fiber, give_way, &half))
		return 1;
	give_way(&half);
	return nap_await(fiber, NULL);
}

/* Two fibers that wait for each other at a channel without a buffer. */
static struct nap_channel direct = NAP_CHANNEL_INIT(NULL, 8, 0);
static long more;

static intptr_t receive_all(void *arg)
{
	char value[8];

	(void)arg;
	for (; more > 0; more--)
		nap_channel_recv(&direct, value);
	return 0;
}

static intptr_t send_all(void *arg)
{
	struct nap_fiber *fiber;
	char value[8] = "";

	(void)arg;
	more = left;
	if (nap_spawn(&pool, &fiber, receive_all, NULL))
		return 1;
	for (; left > 0; left--)
		nap_channel_send(&direct, value);
	return nap_await(fiber, NULL);
}

/* Fibers that do nothing: awaited at once, awaited later in bursts of BURST, or never. */
static struct nap_fiber *spawned[BURST];
static long ended;

static intptr_t end_at_once(void *arg)
{
	(void)arg;
	ended++;
	return 0;
}

static intptr_t spawn_and_await(void *arg)
{
	struct nap_fiber *fiber;

	(void)arg;
	for (; left > 0; left--)
		if (nap_spawn(&pool, &fiber, end_at_once, NULL) || nap_await(fiber, NULL))
			return 1;
	return 0;
}

static intptr_t spawn_then_await(void *arg)
{
	(void)arg;
	for (; left > 0; left -= BURST) {
		for (long i = 0; i < BURST; i++)
			if (nap_spawn(&pool, &spawned[i], end_at_once, NULL))
				return 1;
		for (long i = 0; i < BURST; i++)
			nap_await(spawned[i], NULL);
	}
	return 0;
}

static intptr_t spawn_detached(void *arg)
{
	(void)arg;
	for (; left > 0; left -= BURST) {
		for (long i = 0; i < BURST; i++)
			if (nap_spawn(&pool, NULL, end_at_once, NULL))
				return 1;
		while (ended < BURST)
			nap_yield();
		ended = 0;
	}
	return 0;
}

static void in_a_fiber(nap_fiber_fn fn)
{
	static struct nap_fibers_config config;
	struct nap_fiber *fiber;
	intptr_t failed = 1;

	if (nap_fibers_init(&pool, &config) || nap_spawn(&pool, &fiber, fn, NULL) ||
	    nap_await(fiber, &failed) || failed)
		exit(1);
	nap_pool_join(&pool, NULL);
}

/* A worker waits for a task that only it can run. */
static struct nap_group group = NAP_GROUP_INIT(&pool);

static void group_member(struct nap_task *task)
{
	(void)task;
	nap_group_done(&group);
}

static void wait_for_each(struct nap_task *task)
{
	(void)task;
	for (long i = 0; i < left; i++) {
		tasks[i].run = group_member;
		nap_group_add(&group, 1);
		nap_schedule(&pool, &tasks[i]);
		nap_group_wait(&group);
	}
	sem_post(&done);
}

/* Calls from outside, with a free guest record. */
static void called(struct nap_worker *worker, void *count)
{
	(void)worker;
	(*(long *)count)++;
}

static long calls(long n)
{
	long did = 0;

	for (long i = 0; i < n; i++)
		nap_call(&pool, called, &did);
	nap_pool_join(&pool, NULL);
	return did;
}

/* The unit c of cost.sh: a locked compare-exchange by the only thread that uses the word. */
static void compare_exchange(long n)
{
	uint64_t word = 0;

	for (uint64_t i = 0; i < (uint64_t)n; i++)
		__atomic_compare_exchange_n(&word, &(uint64_t){ i }, i + 1, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
}

static long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns the number of forks, that is of calls with n >= 2: one less than fib(n + 1). */
static long forks(long n)
{
	long a = 0, b = 1, next;

	for (; n > 0; n--) {
		next = a + b;
		a = b;
		b = next;
	}
	return b - 1;
}

/* Returns the exit status. */
static int run(const char *work, long n, const char *how)
{
	long did = n, began;

	pool.config.measure = !strcmp(how, "measure") ? NAP_MEASURE : 0;
	if (n <= 0 || n > MOST)
		return 2;
	left = n;
	tasks = calloc(MOST + BURST, sizeof(*tasks));
	if (!tasks || sem_init(&inside, 0, 0) || sem_init(&go_on, 0, 0) || sem_init(&done, 0, 0))
		return 1;
	for (long i = 0; i < MOST + BURST; i++)
		tasks[i].run = nothing;
	began = now_ns();
	if (!strcmp(work, "again"))
		on_the_worker(again);
	else if (!strcmp(work, "one-by-one"))
		on_the_worker(one_by_one);
	else if (!strcmp(work, "batch"))
		on_the_worker(as_a_batch);
	else if (!strcmp(work, "outside"))
		from_outside(n, fill_one_by_one);
	else if (!strcmp(work, "outside-batch"))
		from_outside(n, fill_as_a_batch);
	else if (!strcmp(work, "fork"))
		on_the_worker(fork_and_join);
	else if (!strcmp(work, "channel"))
		in_a_fiber(send_and_receive);
	else if (!strcmp(work, "direct"))
		in_a_fiber(send_all);
	else if (!strcmp(work, "semaphore"))
		in_a_fiber(acquire_and_release);
	else if (!strcmp(work, "mutex"))
		in_a_fiber(lock_and_unlock);
	else if (!strcmp(work, "mutex-of-two"))
		in_a_fiber(lock_by_two);
	else if (!strcmp(work, "yield"))
		in_a_fiber(give_way_by_two);
	else if (!strcmp(work, "await"))
		in_a_fiber(spawn_and_await);
	else if (!strcmp(work, "await-later"))
		in_a_fiber(spawn_then_await);
	else if (!strcmp(work, "detached"))
		in_a_fiber(spawn_detached);
	else if (!strcmp(work, "timer"))
		on_a_timer();
	else if (!strcmp(work, "wait"))
		on_the_worker(wait_for_each);
	else if (!strcmp(work, "call"))
		did = calls(n);
	else if (!strcmp(work, "c"))
		compare_exchange(n);
	else
		return 2;
	began = now_ns() - began;
	printf("%ld\n", strcmp(work, "fork") ? did : forks(n));
#ifdef TIMED
	printf("%ld\n", began);
#endif
	free(tasks);
	return 0;
}

/* @works ends with NULL. */
static int run_each(char **works)
{
	char work[32], how[32] = "";
	int status;
	long n;
	pid_t pid;

	for (; *works; works++) {
		pid = fork();
		if (!pid)
			exit(sscanf(*works, "%31s %ld %31s", work, &n, how) < 2 ?
			     2 : run(work, n, how));
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "each"))
		return run_each(argv + 2);
	return argc > 2 ? run(argv[1], atol(argv[2]), argc > 3 ? argv[3] : "") : 2;
}
