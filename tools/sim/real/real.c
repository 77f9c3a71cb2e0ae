/* SPDX-License-Identifier: MIT */
/*
 * The works of nap-sim on this machine itself, with the library as it is. This file does by the
 * system's own calls what program/sim.h promises. Prints how long a work takes, the least of
 * several runs, each in a process of its own.
 *
 *	nap-sim-real WORK POOL WORKERS [TASKS] [GRAIN]
 */
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program/work.h"

#define RUNS	15

struct sim_pool *sim_pools;
struct sim_work *sim_works;
struct run sim_run;
struct result sim_result;

static uint64_t began;
static uint64_t *took;		/* ns; shared with the children */
static struct started {
	pthread_t thread;
	void (*run)(void *arg);
	void *arg;
} started[MAX_THREADS];
static uint32_t nr_started;

static struct timespec time_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
}

uint64_t sim_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Ends when the clock says so: the last reading of the clock is a part of the work. */
void sim_work(uint64_t ns)
{
	uint64_t end = sim_now() + ns;

	while (sim_now() < end)
		;
}

void sim_queued(uint64_t n)
{
	(void)n;
}

void sim_begins(void)
{
}

void sim_ends(void)
{
}

void sim_measure_begins(void)
{
	began = sim_now();
}

void sim_measure_ends(void)
{
	*took = sim_now() - began;
}

void sim_sleep_until(uint64_t ns)
{
	struct timespec t = time_of(ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

void *sim_alloc(size_t size, const char *type)
{
	void *mem = aligned_alloc(64, (size + 63) & ~(size_t)63);

	if (!mem)
		sim_fail("there is no memory for %zu bytes of %s", size, type);
	return memset(mem, 0, size);
}

void sim_name(const void *base, size_t size, const char *type)
{
	(void)base;
	(void)size;
	(void)type;
}

static void *run_started(void *arg)
{
	struct started *s = arg;

	s->run(s->arg);
	return NULL;
}

uint32_t sim_thread_start(void (*start)(void *arg), void *arg, bool worker)
{
	struct started *s = &started[nr_started];

	(void)worker;
	s->run = start;
	s->arg = arg;
	if (nr_started == MAX_THREADS || pthread_create(&s->thread, NULL, run_started, s))
		sim_fail("a thread cannot be started");
	return nr_started++;
}

void sim_thread_join(uint32_t number)
{
	pthread_join(started[number].thread, NULL);
}

int sim_futex_wait(uint32_t *word, uint32_t expected, uint64_t deadline)
{
	struct timespec t = time_of(deadline);

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected,
		deadline == UINT64_MAX ? NULL : &t, NULL, FUTEX_BITSET_MATCH_ANY);
	return 0;
}

void sim_futex_wake(uint32_t *word, uint32_t n)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n > INT32_MAX ? INT32_MAX : n, NULL, NULL, 0);
}

void sim_counts(uint64_t n)
{
	(void)n;
}

void sim_fd_wait(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	while (poll(&poll_fd, 1, -1) < 1)
		;
}

void sim_relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

_Noreturn void sim_fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "nap-sim-real: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	_exit(1);
}

static bool choose(int argc, char **argv)
{
	const struct sim_work *work = sim_works;
	const struct sim_pool *pool = sim_pools;

	if (argc < 4 || argc > 6)
		return false;
	while (work && strcmp(work->name, argv[1]))
		work = work->next;
	while (pool && strcmp(pool->name, argv[2]))
		pool = pool->next;
	if (!work || !pool || (work->nap_only && !pool->is_nap))
		return false;
	sim_run.work = work;
	sim_run.pool = pool;
	sim_run.workers = (unsigned)atoi(argv[3]);
	sim_run.producers = sim_run.loops = 1;
	random_seed(0);
	sim_run.tasks = argc > 4 ? (uint64_t)atoll(argv[4]) :
			work->each ? work->each * sim_run.workers : work->tasks;
	sim_run.grain_ns = argc > 5 ? (uint64_t)atoll(argv[5]) : work->grain_ns;
	return sim_run.workers && sim_run.workers <= MAX_CPUS && sim_run.tasks;
}

/* The work's time in ns; 0: it has failed. */
static uint64_t one_run(void)
{
	int status;
	pid_t child = fork();

	*took = 0;
	if (!child) {
		sim_run.work->run();
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status ? *took : 0;
}

int main(int argc, char **argv)
{
	uint64_t least = UINT64_MAX;

	took = mmap(NULL, sizeof(*took), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (took == MAP_FAILED || !choose(argc, argv)) {
		fprintf(stderr, "usage: nap-sim-real WORK POOL WORKERS [TASKS] [GRAIN]	(nap-sim "
				"--list has them)\n");
		return 2;
	}
	for (unsigned i = 0; i < RUNS; i++) {
		uint64_t ns = one_run();

		if (!ns)
			sim_fail("%s on %s has failed", argv[1], argv[2]);
		least = ns < least ? ns : least;
	}
	printf("%s %s %u %.1f\n", argv[1], argv[2], sim_run.workers, (double)least / 1e3);
	return 0;
}
