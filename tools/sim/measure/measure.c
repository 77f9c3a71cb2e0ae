/* SPDX-License-Identifier: MIT */
/*
 * Measures the values of a topology file on this machine, with one and with two running threads,
 * and prints the file's lines. Each value is the least of many, because other programs can make a
 * measurement only longer.
 *
 *	nap-sim-measure [CPU CPU]	which two CPUs; the first two that are allowed
 */
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TURNS	200u		/* how many turns count */
#define ROUNDS	1000u		/* repetitions in a turn */
#define MOST_NS	1000000000u	/* the time for all turns */

static int cpus[2] = { -1, -1 };
static uint32_t word __attribute__((aligned(64)));
static uint32_t other __attribute__((aligned(64)));
static uint32_t ends __attribute__((aligned(64)));
static uint64_t woken_at;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void fail(const char *what, int err)
{
	fprintf(stderr, "nap-sim-measure: %s: %s\n", what, strerror(err));
	exit(1);
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity", errno);
}

static long futex(uint32_t *at, int op, uint32_t value)
{
	return syscall(SYS_futex, at, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static inline void pause_cpu(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

/* ---- alone: each function does something ROUNDS times */

static void loads(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		__atomic_load_n(&word, __ATOMIC_RELAXED);
}

static void locked(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		__atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
}

static void pauses(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		pause_cpu();
}

static void clocks(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		now();
}

static void system_calls(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		futex(&word, FUTEX_WAKE, 1);
}

static void yields(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		sched_yield();
}

static void membarriers(void)
{
	for (unsigned i = 0; i < ROUNDS / 10; i++)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/*
 * The other thread's steps. A measurement with too few steps does not count, because the other
 * thread did not run.
 */
static uint64_t progress __attribute__((aligned(64)));

static double least_if(void (*body)(void), unsigned rounds, uint64_t least_progress)
{
	uint64_t start = now();
	double best = NAN;

	for (unsigned count = 0; count < TURNS && now() - start < MOST_NS; ) {
		uint64_t before = __atomic_load_n(&progress, __ATOMIC_RELAXED), begin = now();
		double took;

		body();
		took = (double)(now() - begin) / rounds;
		if (__atomic_load_n(&progress, __ATOMIC_RELAXED) - before < least_progress)
			continue;
		count++;
		if (!(best <= took))
			best = took;
	}
	return best;
}

static double least(void (*body)(void), unsigned rounds)
{
	return least_if(body, rounds, 0);
}

/* ---- with another thread, on the other CPU */

static void *follow(void *arg)
{
	(void)arg;
	run_on(cpus[1]);
	for (uint32_t turn = 1; !__atomic_load_n(&ends, __ATOMIC_RELAXED); ) {
		if (__atomic_load_n(&word, __ATOMIC_ACQUIRE) != turn)
			continue;
		__atomic_store_n(&word, turn + 1, __ATOMIC_RELEASE);
		turn += 2;
	}
	return NULL;
}

static uint32_t turn_now;

/* One line goes there and back. */
static void exchange(void)
{
	for (unsigned i = 0; i < ROUNDS / 50; i++) {
		__atomic_store_n(&word, turn_now + 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) != turn_now + 2)
			;
		turn_now += 2;
	}
}

static void *contend(void *arg)
{
	(void)arg;
	run_on(cpus[1]);
	for (uint64_t n = 1; !__atomic_load_n(&ends, __ATOMIC_RELAXED); n++) {
		__atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&progress, n, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *spin(void *arg)
{
	(void)arg;
	run_on(cpus[1]);
	for (uint64_t n = 1; !__atomic_load_n(&ends, __ATOMIC_RELAXED); n++) {
		pause_cpu();
		__atomic_store_n(&progress, n, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *sleeper(void *arg)
{
	(void)arg;
	run_on(cpus[1]);
	while (!__atomic_load_n(&ends, __ATOMIC_ACQUIRE)) {
		uint32_t seen = __atomic_load_n(&word, __ATOMIC_ACQUIRE);

		__atomic_store_n(&other, seen, __ATOMIC_RELEASE);
		futex(&word, FUTEX_WAIT, seen);
		__atomic_store_n(&woken_at, now(), __ATOMIC_RELEASE);
	}
	return NULL;
}

/*
 * Measures @body beside @partner on the other CPU. @progress_wanted: how many steps the partner has
 * to take for a turn to count.
 */
static double beside(void *(*partner)(void *), void (*body)(void), unsigned rounds,
		     uint64_t progress_wanted)
{
	pthread_t thread;
	double ns;
	int err;

	word = ends = turn_now = 0;
	err = pthread_create(&thread, NULL, partner, NULL);
	if (err)
		fail("pthread_create", err);
	usleep(20000);
	ns = least_if(body, rounds, progress_wanted);
	__atomic_store_n(&ends, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	return ns;
}

/*
 * Fills in how long it takes to wake a sleeping thread, for the caller, and until that thread runs.
 */
static void wakes(double *call, double *until)
{
	uint64_t first = now();
	pthread_t thread;
	int err;

	*call = *until = 1e18;
	word = ends = 0;
	other = UINT32_MAX;	/* the thread has not begun */
	err = pthread_create(&thread, NULL, sleeper, NULL);
	if (err)
		fail("pthread_create", err);
	for (unsigned i = 1; i <= 10 * TURNS && now() - first < MOST_NS; i++) {
		uint64_t begin, called;

		while (__atomic_load_n(&other, __ATOMIC_ACQUIRE) != i - 1)
			;
		usleep(100);	/* until the thread sleeps */
		__atomic_store_n(&woken_at, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&word, i, __ATOMIC_RELEASE);
		begin = now();
		futex(&word, FUTEX_WAKE, 1);
		called = now() - begin;
		while (!__atomic_load_n(&woken_at, __ATOMIC_ACQUIRE))
			;
		*call = (double)called < *call ? (double)called : *call;
		if ((double)(woken_at - begin) < *until)
			*until = (double)(woken_at - begin);
	}
	__atomic_store_n(&ends, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&word, 0, __ATOMIC_RELEASE);
	futex(&word, FUTEX_WAKE, 1);
	pthread_join(thread, NULL);
}

static void *started(void *arg)
{
	__atomic_store_n(&woken_at, now(), __ATOMIC_RELEASE);
	return arg;
}

/* Fills in how long it takes to start a thread, on any CPU, and until that thread runs. */
static void starts(double *call, double *until)
{
	uint64_t first = now();

	*call = *until = 1e18;
	for (unsigned i = 0; i < TURNS && now() - first < MOST_NS; i++) {
		uint64_t begin = now(), called;
		pthread_t thread;
		int err = pthread_create(&thread, NULL, started, NULL);

		if (err)
			fail("pthread_create", err);
		called = now() - begin;
		pthread_join(thread, NULL);
		*call = (double)called < *call ? (double)called : *call;
		if ((double)(woken_at - begin) < *until)
			*until = (double)(woken_at - begin);
	}
}

/* A value that could not be measured in time is not printed. */
static void say(const char *key, double ns, const char *about)
{
	if (!(ns >= 0 && ns < 1e9)) {
		printf("# %s: not measured: the other CPU was busy with something else\n", key);
		return;
	}
	printf("%-16s%.1f ns%s%s\n", key, ns, *about ? "\t\t# " : "", about);
}

static void choose_cpus(int argc, char **argv)
{
	cpu_set_t set;
	int n = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		fail("sched_getaffinity", errno);
	for (int cpu = 0; argc == 1 && cpu < CPU_SETSIZE && n < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[n++] = cpu;
	for (; argc == 3 && n < 2; n++)
		cpus[n] = atoi(argv[n + 1]);
	if (n < 2 || cpus[0] == cpus[1]) {
		fprintf(stderr, "usage: nap-sim-measure [CPU CPU]	(two are wanted)\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	double call, until, alone, two;

	choose_cpus(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	run_on(cpus[0]);
	printf("# measured on CPUs %d and %d\n", cpus[0], cpus[1]);
	say("op", least(loads, ROUNDS), "a load that hits, with its loop");
	say("locked", least(locked, ROUNDS), "");
	say("relax", least(pauses, ROUNDS), "");
	say("in_cluster", beside(follow, exchange, ROUNDS / 50, 0) / 4,
	    "a round trip is four lines: two writes, two reads");
	say("# contended", beside(contend, locked, ROUNDS, ROUNDS / 2),
	    "a fetch-add while the other CPU does the same");
	say("clock", least(clocks, ROUNDS), "");
	say("syscall", least(system_calls, ROUNDS), "a futex wake of nobody");
	say("yield", least(yields, ROUNDS), "");
	wakes(&call, &until);
	say("wake", call, "the waker's call");
	say("wakeup", until, "from the call until the woken thread runs");
	starts(&call, &until);
	say("clone", call, "pthread_create(), with its stack");
	say("start", until, "");
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	alone = least(membarriers, ROUNDS / 10);
	two = beside(spin, membarriers, ROUNDS / 10, ROUNDS / 2);
	say("# alone", alone, "a membarrier that interrupts nobody");
	say("membarrier", two - alone, "what it takes longer beside a thread that runs");
	return 0;
}
