/* SPDX-License-Identifier: MIT */
/*
 * When to yield, in builds with YIELDS=1 (arch/yield/atomic.h). Each thread has a generator of
 * random numbers, and draws from it how many accesses come before the next yield, and whether this
 * yield is one sched_yield() or a pause of many. A pause does not sleep, because tests ask the
 * kernel which threads sleep, and take a sleeping thread for one that waits in nap.
 * NAP_YIELDS_SEED=n in the environment seeds all generators; the same seed gives the same draws, if
 * not the same schedule.
 *
 * A program prints its seed when it starts. At its end the program prints how often it has yielded,
 * how many places of the code (calls of nap__yield()) it has reached, and at how many of these it
 * has yielded. The counts are in shared memory, and so include the program's children. Two places
 * may have the same bit of struct places, and then count as one.
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ALONE_MAX	128	/* most accesses from one yield to the next */
#define PAUSE_ONE_IN	8	/* one yield in this many is a pause */
#define PAUSE_NS_MAX	100000
#define PLACES		65536

void nap__yield(void);

struct places {
	uint64_t word[PLACES / 64];
};

static struct {
	uint64_t seed, threads, yields, pauses;
	struct places passed, yielded;
} *shared;
static pid_t program;

static __thread struct {
	uint64_t random;
	uint32_t alone;		/* accesses before the next yield */
} own;

static void count(uint64_t *counter, uint64_t n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

/* Sets the place's bit. Most calls find the bit set, and write nothing. */
static void mark(struct places *places, uintptr_t place)
{
	uint64_t hash = place * 0x9e3779b97f4a7c15u >> 48;
	uint64_t *word = &places->word[hash / 64], bit = (uint64_t)1 << hash % 64;

	if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

static unsigned long marked(const struct places *places)
{
	unsigned long n = 0;

	for (int i = 0; i < PLACES / 64; i++)
		n += (unsigned long)__builtin_popcountll(places->word[i]);
	return n;
}

static uint64_t draw(void)
{
	if (!own.random)
		own.random = (shared->seed +
			      __atomic_fetch_add(&shared->threads, 1, __ATOMIC_RELAXED)) *
			     0x9e3779b97f4a7c15u | 1;
	/* the generator xorshift64* */
	own.random ^= own.random >> 12;
	own.random ^= own.random << 25;
	own.random ^= own.random >> 27;
	return own.random * 0x2545f4914f6cdd1du >> 32;
}

static void begin_again(void)
{
	own.alone = (uint32_t)(draw() % ALONE_MAX);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	/* The system call, because some tests replace the libc's function. */
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void pause_for(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	do
		sched_yield();
	while (now_ns() < end);
}

static void give_way(uintptr_t place)
{
	uint64_t random = draw();

	count(&shared->yields, 1);
	mark(&shared->yielded, place);
	if (random % PAUSE_ONE_IN) {
		sched_yield();
	} else {
		count(&shared->pauses, 1);
		pause_for(random / PAUSE_ONE_IN % PAUSE_NS_MAX);
	}
}

void nap__yield(void)
{
	uintptr_t place = (uintptr_t)__builtin_return_address(0);
	int err;

	if (!shared)
		return;		/* called before the constructor */
	mark(&shared->passed, place);
	if (own.alone) {
		own.alone--;
		return;
	}
	err = errno;
	/* a new thread's first access does not yield, but only draws a number */
	if (own.random)
		give_way(place);
	begin_again();
	errno = err;
}

__attribute__((constructor)) static void start(void)
{
	const char *seed = getenv("NAP_YIELDS_SEED");
	struct timespec now;
	void *mem = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		abort();
	shared = mem;
	program = getpid();
	clock_gettime(CLOCK_REALTIME, &now);
	shared->seed = seed ? strtoull(seed, NULL, 0) : (uint64_t)now.tv_nsec;
	dprintf(STDOUT_FILENO, "# NAP_YIELDS_SEED=%lu\n", (unsigned long)shared->seed);
}

__attribute__((destructor)) static void finish(void)
{
	if (getpid() != program)
		return;
	/*
	 * musl calls this destructor before it flushes stdout, whose buffer may end within a line.
	 */
	fflush(stdout);
	dprintf(STDOUT_FILENO,
		"# YIELDS %lu, %lu of them pauses, at %lu of %lu places, %lu threads\n",
		(unsigned long)shared->yields, (unsigned long)shared->pauses,
		marked(&shared->yielded), marked(&shared->passed), (unsigned long)shared->threads);
}
