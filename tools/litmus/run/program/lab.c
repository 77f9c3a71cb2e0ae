/* SPDX-License-Identifier: MIT */
/*
 * The program that runs a litmus test. test.h beside it is the test, written by nap-litmus, which
 * contains the text of this program and not its code.
 *
 *	lab RUNS SECONDS PATIENCE	RUNS, SECONDS: bounds, 0 for none; PATIENCE: seconds
 *					after which the program kills itself
 *
 * The test's threads are shared among workers, one for each CPU, or one for each thread if threads
 * are fewer or wait in loops. A batch is an array of instances of the locations, each location on a
 * cache line of its own. The workers go through the batch in one order. Before each instance, or
 * every few, they wait for each other, so that they run it together, and then each starts some
 * random steps late. A worker with several threads runs one after the other, with a fence between,
 * as a kernel that schedules them on one CPU. After the batch the workers count its results.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "test.h"	/* ROLES, LOCATIONS, VALUES, SLOTS, STRIDE, LOOPS, place[], role[], ... */
#include "table.h"

#define BATCH	1024u	/* a power of 2: any odd step leads through all of it */

struct batch {
	unsigned nr, start, step;
	unsigned late;		/* a mask: the greatest number of random steps */
	unsigned apart;		/* a mask: workers meet where its bits of the index are 0 */
	bool over;
	unsigned role[ROLES];	/* worker w runs w, w + nr_workers and so on of these */
};

struct worker {
	_Alignas(256) unsigned round;	/* written only by this worker */
	_Alignas(256) unsigned number;
	int cpu;
	uint64_t random;
	struct table *table;
};

static struct worker worker[ROLES];
static unsigned nr_workers, nr_cpus, patience;
static int cpus[CPU_SETSIZE];
static char *instances;
static uint64_t out[ROLES][BATCH][SLOTS];
static struct batch next;
static uint64_t goal, done;
static double seconds, began, ended;

/* Returns a register's or a location's value as the test has it: an address may be in it. */
static inline uint64_t shown(const char *lab, uint64_t value)
{
	if (value < 1 << 16)
		return value;
	for (unsigned i = 0; i < LOCATIONS; i++)
		if (value - (uint64_t)(uintptr_t)(lab + place[i]) < 8)
			return address[i] + value - (uint64_t)(uintptr_t)(lab + place[i]);
	return value;
}

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static uint64_t draw(struct worker *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random * 0x9e3779b97f4a7c15ull >> 16;
}

static inline void pause_cpu(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#else
	__asm__ volatile("" ::: "memory");
#endif
}

/* Waits until all workers have come here. */
static void meet(struct worker *w)
{
	unsigned round = w->round + 1, tries = 0;

	__atomic_store_n(&w->round, round, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < nr_workers; i++)
		while ((int)(__atomic_load_n(&worker[i].round, __ATOMIC_ACQUIRE) - round) < 0) {
			if (++tries % patience)
				pause_cpu();
			else
				sched_yield();
		}
}

static inline void be_late(unsigned steps)
{
	while (steps--)
		__asm__ volatile("");
}

static inline char *instance(const struct batch *batch, unsigned i, unsigned *index)
{
	*index = (batch->start + i * batch->step) & (BATCH - 1);
	return instances + (size_t)*index * STRIDE;
}

/* Loads or writes a line of the instance early, so that it comes to this CPU. */
static inline void fetch(char *lab, uint64_t random)
{
	const char *at = lab + place[(random >> 8) % LOCATIONS];

	if (!(random & 1))
		return;
	if (random & 2)
		__builtin_prefetch(at, 1);
	else
		__builtin_prefetch(at, 0);
}

static void run_batch(struct worker *w, const struct batch *batch)
{
	unsigned mine[ROLES], nr = 0, index, first;

	for (unsigned i = w->number; i < ROLES; i += nr_workers)
		mine[nr++] = batch->role[i];
	for (unsigned i = 0; i < batch->nr; i++) {
		char *lab = instance(batch, i, &index);
		uint64_t random = draw(w);

		fetch(lab, random);
		first = nr > 1 ? (unsigned)(random >> 16) % nr : 0;
		if (!(i & batch->apart))
			meet(w);
		be_late((unsigned)(random >> 24) & batch->late);
		role[mine[first]](lab, out[mine[first]][index]);
		for (unsigned k = 1; k < nr; k++) {
			unsigned r = mine[(first + k) % nr];

			__atomic_thread_fence(__ATOMIC_SEQ_CST);
			be_late((unsigned)(random >> (24 + k)) & batch->late);
			role[r](lab, out[r][index]);
		}
	}
}

/* Counts this worker's share of the batch's results, and makes these instances new again. */
static void count_share(struct worker *w, const struct batch *batch)
{
	for (unsigned i = w->number; i < batch->nr; i += nr_workers) {
		uint64_t value[VALUES], *slots[ROLES];
		unsigned index;
		char *lab = instance(batch, i, &index);

		for (unsigned r = 0; r < ROLES; r++)
			slots[r] = out[r][index];
		observe(lab, slots, value);
		add(w->table, value, 1);
		prepare(lab);
	}
}

static void shuffle(struct worker *w, unsigned *number, unsigned nr)
{
	for (unsigned i = nr; i > 1; i--) {
		unsigned other = (unsigned)(draw(w) % i), kept = number[i - 1];

		number[i - 1] = number[other];
		number[other] = kept;
	}
}

static void plan(struct worker *w)
{
	static const unsigned late[] = { 0, 0, 1, 3, 7, 15, 63, 255 };
	static const unsigned apart[] = { 0, 1, 3, 7, 31, 31, BATCH - 1, BATCH - 1 };
	uint64_t random = draw(w), left = goal - done;

	done += next.nr;
	ended = now();
	left = goal - done;
	next.over = !left || (seconds > 0 && ended - began >= seconds);
	next.nr = left < BATCH ? (unsigned)left : BATCH;
	next.start = (unsigned)(random >> 8);
	next.step = (unsigned)(random >> 20) | 1;
	next.late = late[random & 7];
	next.apart = apart[random >> 3 & 7];
	shuffle(w, next.role, ROLES);
}

static void *work(void *argument)
{
	struct worker *w = argument;
	struct batch batch;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(w->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (;;) {
		if (!w->number)
			plan(w);
		meet(w);
		batch = next;
		if (batch.over)
			return NULL;
		run_batch(w, &batch);
		meet(w);
		count_share(w, &batch);
	}
}

static void find_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set)) {
		perror("sched_getaffinity");
		exit(1);
	}
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[nr_cpus++] = cpu;
}

/* A thread that waits in a loop for another has a worker of its own: the kernel schedules both. */
static void make_workers(void)
{
	nr_workers = LOOPS || ROLES <= nr_cpus ? ROLES : nr_cpus;
	patience = nr_workers > nr_cpus ? 50 : 5000;
	instances = aligned_alloc(4096, (size_t)BATCH * STRIDE);
	for (unsigned i = 0; i < BATCH && instances; i++)
		prepare(instances + (size_t)i * STRIDE);
	for (unsigned i = 0; i < ROLES; i++)
		next.role[i] = i;
	for (unsigned i = 0; i < nr_workers; i++) {
		worker[i].number = i;
		worker[i].cpu = cpus[i % nr_cpus];
		worker[i].random = ((uint64_t)getpid() << 32 ^ (uint64_t)time(NULL)) * (2 * i + 3) |
			1;
		worker[i].table = calloc(1, sizeof(*worker[i].table));
		if (!worker[i].table || !instances) {
			fputs("no memory\n", stderr);
			exit(1);
		}
	}
}

static void print(void)
{
	struct table *all = worker[0].table;

	for (unsigned i = 1; i < nr_workers; i++)
		add_all(all, worker[i].table);
	printf("cpus %u\nworkers %u\nruns %" PRIu64 "\nseconds %.6f\ncpu %.6f\n", nr_cpus,
	       nr_workers, done, ended - began, (double)clock() / CLOCKS_PER_SEC);
	print_table(all);
	puts("end");
}

int main(int argc, char **argv)
{
	pthread_t thread[ROLES];

	if (argc != 4)
		return 2;
	alarm((unsigned)atoi(argv[3]));
	goal = strtoull(argv[1], NULL, 10);
	goal = goal ? goal : UINT64_MAX;
	seconds = strtod(argv[2], NULL);
	find_cpus();
	make_workers();
	began = now();
	for (unsigned i = 1; i < nr_workers; i++)
		if (pthread_create(&thread[i], NULL, work, &worker[i])) {
			fputs("no thread\n", stderr);
			return 1;
		}
	work(&worker[0]);
	for (unsigned i = 1; i < nr_workers; i++)
		pthread_join(thread[i], NULL);
	print();
	return 0;
}
