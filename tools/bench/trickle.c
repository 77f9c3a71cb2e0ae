/* SPDX-License-Identifier: MIT */
/*
 * The cost of being woken for little: a task of 100 us every millisecond. Prints the CPU seconds of
 * the whole process under each idle protocol, divided by those of one plain thread that waits on a
 * raw futex. The contestants take turns, a second each, so that other load of the machine falls on
 * all. Then prints what the pools' workers did for each 1,000 tasks.
 */
#include <nap/nap.h>

#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "counts.h"

#define PERIOD_NS 1000000u
#define WORK_NS 100000u
#define PER_TURN 1000u

static uint64_t loops;

/* ---- one thread on a futex */

static uint32_t word, answered;

static void futex(int op, uint32_t value)
{
	syscall(SYS_futex, &word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void *plain_thread(void *unused)
{
	uint32_t done = 0;

	for (;;) {
		uint32_t now = __atomic_load_n(&word, __ATOMIC_ACQUIRE);

		if (now == UINT32_MAX)
			return unused;
		if (now == done) {
			futex(FUTEX_WAIT, now);
			continue;
		}
		work(loops);
		__atomic_store_n(&answered, ++done, __ATOMIC_RELEASE);
	}
}

static void plain_wait(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&answered, __ATOMIC_ACQUIRE) != word)
		usleep(100);
}

static void plain_push(void *unused, unsigned n)
{
	(void)unused;
	(void)n;
	__atomic_fetch_add(&word, 1, __ATOMIC_RELEASE);
	futex(FUTEX_WAKE, 1);
}

/* ---- a pool */

/* One task for every push of a turn: on a busy machine several may be waiting. */
static struct nap_task tasks[PER_TURN];

static void run(struct nap_task *unused)
{
	(void)unused;
	work(loops);
}

static void pool_push(void *pool, unsigned n)
{
	if (nap_schedule(pool, &tasks[n]))
		abort();
}

static void pool_wait(void *pool)
{
	nap_pool_quiesce(pool);
}

/* ---- turns */

struct contestant {
	const char *name;
	void (*push)(void *arg, unsigned n);
	void (*wait)(void *arg);
	void *arg;
	uint64_t cpu;
};

/* Sleeps until the time *@next, and then adds @ns to *@next. */
static void sleep_until(struct timespec *next, uint64_t ns)
{
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
	next->tv_nsec += (long)ns;
	if (next->tv_nsec >= 1000000000) {
		next->tv_nsec -= 1000000000;
		next->tv_sec++;
	}
}

static void turn(struct contestant *c)
{
	struct timespec next;
	uint64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (unsigned i = 0; i < PER_TURN; i++) {
		sleep_until(&next, PERIOD_NS);
		c->push(c->arg, i);
	}
	c->wait(c->arg);
	c->cpu += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "Sync", "Go", "JEC" };
	static struct nap_pool pools[3];
	struct nap_worker_stats from[3];
	struct contestant all[4] = { { "plain thread", plain_push, plain_wait, NULL, 0 } };
	char *end = "";
	unsigned long turns = argc > 1 ? strtoul(argv[1], &end, 10) : 5;
	pthread_t thread;

	if (argc > 2 || *end || turns < 1 || turns > 1000) {
		fprintf(stderr, "usage: %s [TURNS]\n"
			"a task of 100 us every ms, TURNS seconds (5) for each contestant\n",
			argv[0]);
		return 2;
	}
	for (unsigned i = 0; i < PER_TURN; i++)
		nap_task_init(&tasks[i], run);
	loops = loops_of(WORK_NS);
	if (pthread_create(&thread, NULL, plain_thread, NULL)) {
		perror("trickle: no thread");
		return 1;
	}
	for (uint32_t i = 0; i < 3; i++) {
		if (nap_pool_init(&pools[i], &(struct nap_config){ .idle = i }))
			abort();
		all[1 + i] = (struct contestant){ names[i], pool_push, pool_wait,
						     &pools[i], 0 };
	}
	for (unsigned long t = 0; t <= turns; t++) {
		for (int i = 0; i < 4; i++)
			turn(&all[i]);
		/* The first turn starts the workers, and does not count. */
		for (int i = 0; i < 4 && !t; i++)
			all[i].cpu = 0;
		for (int i = 0; i < 3 && !t; i++)
			from[i] = counts_of(&pools[i]);
	}
	printf("a task of 100 us every ms, %lu s each, %u CPUs\n", turns, nap_cpu_count());
	for (int i = 0; i < 4; i++)
		printf("%-14s %7.3f s of CPU  %5.2f\n", all[i].name, (double)all[i].cpu / 1e9,
		       (double)all[i].cpu / (double)all[0].cpu);
	for (int i = 0; i < 3; i++)
		counts_print(names[i], from[i], counts_of(&pools[i]));
	__atomic_store_n(&word, UINT32_MAX, __ATOMIC_RELEASE);
	futex(FUTEX_WAKE, 1);
	pthread_join(thread, NULL);
	for (int i = 0; i < 3; i++)
		nap_pool_join(&pools[i], NULL);
	return 0;
}
