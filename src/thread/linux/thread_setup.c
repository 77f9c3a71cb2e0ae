/* SPDX-License-Identifier: MIT */
/*
 * The attributes that a worker's thread sets for itself, so that it does not matter which thread
 * has started it. The worker does this before anything else, by system calls alone: so this works
 * in a sandbox that forbids files, and no other thread needs the new thread's number.
 */
#include <string.h>

#include "arch/syscall.h"
#include "os/linux/cpus.h"
#include "os/os.h"
#include "thread/linux/place.h"
#include "worker/worker.h"

/* as in linux/prctl.h, linux/resource.h, linux/sched.h */
#define PR_SET_NAME		15
#define PRIO_PROCESS		0
#define SCHED_FIFO		1
#define SCHED_RR		2
#define SCHED_DEADLINE		6
#define SCHED_RESET_ON_FORK	0x40000000
#define NAME_SIZE	16	/* the kernel's bound, with the final 0 */

/* Appends @tail to @name, whose length is @len, as far as there is room; returns the new length. */
static size_t append(char *name, size_t len, const char *tail)
{
	while (*tail && len < NAME_SIZE - 1)
		name[len++] = *tail++;
	return len;
}

static size_t append_number(char *name, size_t len, uint32_t n)
{
	char digits[11];
	size_t first = sizeof(digits) - 1;

	digits[first] = '\0';
	do {
		digits[--first] = (char)('0' + n % 10);
	} while (n /= 10);
	return append(name, len, digits + first);
}

static void take_name(const struct nap_config *config, uint32_t index)
{
	char name[NAME_SIZE] = "";
	size_t len = append(name, 0, config->name ? config->name : "nap");

	if (!(config->flags & NAP_NAME_EXACT))
		append_number(name, append(name, len, "/"), index);
	nap__syscall2(NAP__NR_prctl, PR_SET_NAME, (long)name);
}

static long main_thread(void)
{
	return nap__syscall0(NAP__NR_getpid);
}

/*
 * Called first, because @memory applies to memory that is touched from here on. One is added to the
 * number of bits, because the kernel subtracts one.
 */
static bool take_memory(const struct nap_memory *memory)
{
	return !memory || !nap__syscall3(NAP__NR_set_mempolicy, memory->mode, (long)memory->nodes,
					 (long)(8 * memory->nodes_size + 1));
}

/* ---- affinity */

/* Whether the masks are the same; words that one of them lacks count as zero. */
static bool same_words(const unsigned long *a, size_t nr_a, const unsigned long *b, size_t nr_b)
{
	for (size_t i = 0; i < nr_a || i < nr_b; i++)
		if ((i < nr_a ? a[i] : 0) != (i < nr_b ? b[i] : 0))
			return false;
	return true;
}

/*
 * Sets the affinity mask, unless the thread has it already, because a sandbox may forbid the call.
 * False: refused. The present mask is read into a buffer of half the size, because the caller has a
 * whole mask on its stack, and a second one would cost a page of every worker's stack. If the
 * present mask does not fit there, the new mask is set anyway.
 */
static bool take_mask(const unsigned long *mask, size_t size)
{
	unsigned long own[MAX_CPUS / LONG_BITS / 2];
	long got = nap__syscall3(NAP__NR_sched_getaffinity, 0, sizeof(own), (long)own);

	if (got > 0 && same_words(own, (size_t)got / sizeof(*mask), mask, size / sizeof(*mask)))
		return true;
	return !nap__syscall3(NAP__NR_sched_setaffinity, 0, (long)size, (long)mask);
}

static bool take_affinity(const struct nap_config *config)
{
	struct cpu_mask mask;
	long got;

	if (config->affinity && take_mask(config->affinity, config->affinity_size))
		return true;
	got = nap__os_affinity(main_thread(), &mask);
	return got > 0 && take_mask(mask.words, (size_t)got) && !config->affinity;
}

/*
 * Binds the worker to one of the CPUs that it has now. CPUs that do not exist, or are not in the
 * cpuset, have no rank, because the kernel has removed them from the mask.
 */
static bool take_one_cpu(uint32_t rank)
{
	struct cpu_mask mask;
	long size = nap__os_affinity(0, &mask);
	uint32_t cpus = size > 0 ? nap__os_cpus_allowed(mask.words, (size_t)size) : 0;
	size_t cpu;

	/* The system call failed, or the last CPU is just being removed. */
	if (!cpus)
		return false;
	cpu = nap__os_nth_cpu(mask.words, rank % cpus);
	memset(&mask, 0, (size_t)size);
	mask.words[cpu / LONG_BITS] = 1ul << cpu % LONG_BITS;
	return take_mask(mask.words, (size_t)size);
}

static bool take_cpus(const struct nap_config *config, uint32_t rank)
{
	return take_affinity(config) &&
	       (!(config->flags & NAP_ONE_CPU_EACH) || take_one_cpu(rank));
}

void nap__os_thread_take_cpus(struct nap_worker *worker, uint32_t rank)
{
	take_cpus(&worker->pool->config, rank);
}

/* ---- policy, priority, nice */

/*
 * Reads the attributes of the thread @tid, 0 for the calling one. False: a sandbox forbids the
 * system calls.
 */
static bool read_sched(long tid, struct nap_sched *sched)
{
	long policy = nap__syscall1(NAP__NR_sched_getscheduler, tid);
	long nice = nap__syscall2(NAP__NR_getpriority, PRIO_PROCESS, tid);

	if (policy < 0 || nice < 0 ||
	    nap__syscall2(NAP__NR_sched_getparam, tid, (long)&sched->priority))
		return false;
	sched->policy = (int)policy;
	sched->nice = 20 - (int)nice;	/* the kernel returns 20 - nice, which is never negative */
	return true;
}

/*
 * Changes @sched from the attributes of a thread to those of a thread that it starts: sched(7).
 * SCHED_DEADLINE is not inherited, because each such thread has to reserve its own time.
 */
static void started_by(struct nap_sched *sched)
{
	bool reset = sched->policy & SCHED_RESET_ON_FORK;

	sched->policy &= ~SCHED_RESET_ON_FORK;
	if (sched->policy == SCHED_DEADLINE ||
	    (reset && (sched->policy == SCHED_FIFO || sched->policy == SCHED_RR)))
		*sched = (struct nap_sched){ 0 };
	else if (reset && sched->nice < 0)
		sched->nice = 0;
}

static bool take_policy(const struct nap_sched *own, const struct nap_sched *sched)
{
	/* sched_setscheduler() does not touch the nice value. */
	return (own->policy == sched->policy && own->priority == sched->priority) ||
	       !nap__syscall3(NAP__NR_sched_setscheduler, 0, sched->policy, (long)&sched->priority);
}

static bool take_nice(const struct nap_sched *own, const struct nap_sched *sched)
{
	return own->nice == sched->nice ||
	       !nap__syscall3(NAP__NR_setpriority, PRIO_PROCESS, 0, sched->nice);
}

static bool take_sched(const struct nap_config *config)
{
	const struct nap_sched *asked = config->sched;
	struct nap_sched own, usual;
	bool policy, nice;

	/* If reading is forbidden, the right values are unknown. */
	if (!read_sched(0, &own) || !read_sched(main_thread(), &usual))
		return false;
	started_by(&usual);
	policy = take_policy(&own, asked ? asked : &usual);
	nice = take_nice(&own, asked ? asked : &usual);
	if (!policy)
		take_policy(&own, &usual);
	if (!nice)
		take_nice(&own, &usual);
	return policy && nice;
}

void nap__os_thread_setup(struct nap_worker *worker)
{
	const struct nap_config *config = &worker->pool->config;
	bool memory = take_memory(config->memory), affinity, sched;

	nap__place_await(worker);
	affinity = take_cpus(config, worker->cpu_rank);
	sched = take_sched(config);

	if (!memory || !affinity || !sched)
		nap_fetch_add_relaxed(&worker->pool->refused, 1);
	take_name(config, worker->index);
	/* This comes last, because handlers may run from here on. */
	nap__os_block_signals(config->blocked ? *config->blocked : NAP_BLOCKED);
}
