/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_config - how a pool is set up
 *
 * struct nap_config configures a pool; all zero is a good start. Documentation/daemons.rst says
 * which attributes workers get, and why. A pool on one node of memory, and on the CPUs of that
 * node:
 *
 *	static const unsigned long node = 1ul << 1;
 *	static const struct nap_memory there = {
 *		.mode = MPOL_BIND, .nodes = &node, .nodes_size = sizeof(node),
 *	};
 *	static cpu_set_t cpus;			those of the node
 *
 *	struct nap_config config = {
 *		.affinity = (const unsigned long *)&cpus, .affinity_size = sizeof(cpus),
 *		.memory = &there, .flags = NAP_ONE_CPU_EACH, .guard_size = 1 << 20,
 *	};
 */
#ifndef NAP_CONFIG_H
#define NAP_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* C++ warns of fields that an initialiser leaves out, unless the fields have default values. */
#if defined(__cplusplus) && __cplusplus >= 201402L
#define nap__zero = {}
#else
#define nap__zero
#endif

struct nap_pool;
struct nap_worker;
struct nap_classes;

/**
 * NAP_GUESTS - how many threads from outside can be workers of a pool at once: in nap_call(), or
 * running tasks that they wait for. (More threads can run tasks, as workers without a number:
 * nap_worker_index(). No thread steals from such a worker, so it runs the jobs that it forks)
 */
#define NAP_GUESTS 16u

/**
 * NAP_MAX_WORKERS - the most workers that a pool can have; 14 bits count workers and guests
 * together
 */
#define NAP_MAX_WORKERS (16383u - NAP_GUESTS)

/**
 * enum nap_idle - how a pool's workers are woken and go to sleep: Documentation/idle.rst
 * @NAP_IDLE_SYNC: at most one worker at a time is being woken (Zap); the default, which adapts: a
 *                 worker searches on for a while before it sleeps, as long as that pays (@spin_us
 *                 below)
 * @NAP_IDLE_GO:   no worker is woken while another searches (Go's scheduler)
 * @NAP_IDLE_JEC:  as many workers are woken as there are jobs, and workers yield before they sleep
 *                 (Rayon)
 */
enum nap_idle {
	NAP_IDLE_SYNC,
	NAP_IDLE_GO,
	NAP_IDLE_JEC,
	NAP__IDLE_PROTOCOLS	/* the number of protocols */
};

/**
 * struct nap_sched - how the kernel schedules a thread: sched(7)
 * @policy:   SCHED_OTHER (0), SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_IDLE, or a policy without
 *            parameters, like SCHED_EXT. With SCHED_RESET_ON_FORK, what a task starts has
 *            SCHED_OTHER if the policy is real-time, and a nice value of 0 if @nice is below 0
 * @priority: 1 to 99 with SCHED_FIFO and SCHED_RR, 0 with the others
 * @nice:     -20 to 19; without effect while the policy is SCHED_FIFO or SCHED_RR
 */
struct nap_sched {
	int policy nap__zero;
	int priority nap__zero;
	int nice nap__zero;
};

/**
 * struct nap_memory - the nodes for the memory that a thread touches first: set_mempolicy(2)
 * @mode:       MPOL_DEFAULT (0), MPOL_PREFERRED, MPOL_BIND, MPOL_INTERLEAVE, MPOL_LOCAL or another
 *              that the kernel has, with its MPOL_F_ flags: linux/mempolicy.h
 * @nodes:      a mask: node n is bit n % (bits of a long) of word n / (bits of a long). NULL for
 *              modes that take none
 * @nodes_size: bytes of @nodes, a multiple of sizeof(long); 0 with NULL. (set_mempolicy(2) takes a
 *              number of bits that is one too large; this field does not.)
 */
struct nap_memory {
	int mode nap__zero;
	const unsigned long *nodes nap__zero;
	size_t nodes_size nap__zero;
};

/**
 * struct nap_config - how a pool is set up; all zero is a good start
 *
 * Given to nap_pool_init(), or field by field to NAP_POOL_INIT(). The structure is copied. Data
 * that its pointers point to is not copied, unless a field says so: it stays the caller's, does not
 * change, and outlives the pool.
 *
 * Each field has its unit in parentheses, then its meaning, what 0 or NULL stands for, and which
 * values are wrong. Letters say what happens to a wrong value:
 *
 * - E: nap_pool_init() refuses the value, -EINVAL. A static initialiser cannot refuse: the pool
 *   uses what follows the letter instead
 * - R: the kernel refuses the value. The worker runs without it, and is counted in
 *   nap_pool_stats.refused
 * - F: a failed start, counted in nap_pool_stats.spawn_failures
 *
 * @max_workers: (threads) the most workers to start; nap_pool_set_limit() changes it later. 0: as
 *	many as the CPUs that the pool may use when it is first used, at least 1: those of
 *	@affinity, or else of the main thread's affinity mask, limited by the main thread's cgroup
 *	CPU quotas. Wrong: over NAP_MAX_WORKERS (E, cut)
 * @idle: (enum nap_idle) how workers are woken and go to sleep. 0: NAP_IDLE_SYNC. Wrong: no such
 *	number (E, NAP_IDLE_SYNC)
 * @name: (string) the workers' threads are called name/0, name/1, ... Each has its name before
 *	@worker_start, which may give it another. NULL: nap. Wrong: longer than 15 bytes with the
 *	number (cut). Not copied
 * @stack_size: (bytes) stack of each worker. 0: the system's default, but at least 1 MiB, and 1 MiB
 *	without a libc, because a wait on a worker runs other tasks. Wrong: under 16 KiB (E,
 *	raised), too much (F)
 * @worker_start: (function) called on each worker before its first task; may do what a task may.
 *	While it runs, other workers are woken or started for the work that waits, one a
 *	millisecond, up to the limit. NULL: none
 * @worker_stop: (function) called on each worker after its last task, also when the worker retires;
 *	may do what a task may, but when the pool ends every schedule is refused (-ESHUTDOWN). The
 *	thread no longer counts as a worker: a wait in @worker_stop only sleeps, and other workers
 *	run what @worker_stop schedules. NULL: none
 * @spawn_failed: (function) called when a worker could not be started, with the positive errno, on
 *	the thread that tried to start it: in a schedule, a prewarm, a wait or nap_pool_set_limit(),
 *	or on a worker, also between two tasks. Must not call into the pool. Is left by return only,
 *	as are @worker_start and @worker_stop. NULL: none
 * @arg: (address) passed to the three functions. NULL: they get NULL
 * @yields: (times) NAP_IDLE_JEC: how often a worker that finds nothing yields and searches again
 *	before it sleeps. 0: 32. NAP_NO_YIELDS: the worker does not yield
 * @yield_us: (us) NAP_IDLE_JEC: how long these yields and searches last at most. 0: 200
 * @blocked: (signals) the signals that workers block: bit n - 1 for signal n, as NAP_SIGNAL(n) has
 *	it. The libc's own signals are not blocked. Programs that a task starts inherit the mask:
 *	nap_signals_unblock(). NULL: NAP_BLOCKED. Wrong: signals that cannot be blocked (ignored).
 *	Not copied
 * @affinity: (CPUs) the CPUs that workers may run on, a mask as sched_setaffinity(2) takes it: CPU
 *	n is bit n % (bits of a long) of word n / (bits of a long). CPUs that do not exist do not
 *	count. NULL: the main thread's mask when the worker starts. Wrong: no CPU at all (E, R), no
 *	CPU that exists (R); after R the worker has the main thread's mask. Not copied
 * @affinity_size: (bytes) size of @affinity, sizeof(cpu_set_t) for a cpu_set_t. 0: right with
 *	NULL only. Wrong: no byte of an @affinity (E, R), no multiple of sizeof(long) (E, as the
 *	kernel takes it)
 * @sched: (struct) the policy, priority and nice value of workers. NULL: what a new thread of the
 *	main thread would have when the worker starts. Wrong: out of the ranges, or SCHED_DEADLINE
 *	(E, R; a nice value is cut), not permitted (R). Not copied
 * @flags: (bits) any of NAP_NAME_EXACT, NAP_START_ANYWHERE, NAP_ONE_CPU_EACH, NAP_NO_WORKERS. 0:
 *	none. Wrong: other bits (E, ignored)
 * @spin_us: (us) NAP_IDLE_SYNC: how long a thread spins, that is, goes on searching, before it
 *	sleeps. 0: twice the measured time of the shortest sleep. NAP_NO_SPIN: threads do not spin.
 *	(Measured on two CPUs of a virtual machine, against NAP_NO_SPIN. Regions of 16 tasks of 0.4
 *	us, back to back, for which a thread outside waits: 6 to 8 us each instead of 24. One empty
 *	task with such a wait: 0.4 to 3 us instead of 4 to 50. A task of 100 us every ms: the same
 *	CPU time.)
 * @memory: (struct) the memory policy of workers; each worker sets it before anything else. So the
 *	policy decides on which nodes a worker's memory lies: its stack, and what its tasks allocate
 *	and touch first. It does not apply to memory that another thread touched first: the top of
 *	the stack, the queues that the worker's starter sets up, a stack that the libc has used
 *	before. NULL: the starter's policy. Wrong: a negative mode, a size without nodes or no
 *	multiple of sizeof(long) (E, as the kernel takes it), what the kernel refuses, as a kernel
 *	without NUMA does (R; the worker has the starter's policy). Not copied
 * @guard_size: (bytes) the guard below each worker's stack, which no thread may touch; rounded up
 *	to the page (64 KiB without a libc). These bytes are address space only, and not part of
 *	@stack_size. A stack that overflows hits the guard, but a function with a larger frame may
 *	step over it. 0: the system's default, a page or two (64 KiB without a libc). NAP_NO_GUARD:
 *	none. Wrong: more than can be mapped (F)
 * @most_workers: (threads) the most that nap_pool_set_limit() and nap_pool_reread() can set. Each
 *	possible worker takes some 70 KB of address space for its record, and memory once it is
 *	started. 0: @max_workers; or if @max_workers is 0, too, as many as CPUs are online when the
 *	pool is first used. The pool begins with no more than @most_workers. Wrong: under a
 *	@max_workers that is not 0 (E, @max_workers), or over NAP_MAX_WORKERS (E, cut)
 * @most_blocked: (threads) how many additional workers may replace blocked ones at once
 *	(nap/blocking.h). 0: none. Wrong: together with @most_workers over
 *	NAP_MAX_WORKERS (E, cut)
 * @min_workers: (threads) how many workers stay although they are idle for @idle_timeout_ns. No
 *	worker is started to reach this number. 0: none stays
 * @idle_timeout_ns: (ns) a worker that has slept for this long retires, if there are more than
 *	@min_workers. One worker at a time retires: it calls @worker_stop, and its thread ends. The
 *	thread's stack is released when the next worker has retired, or the pool ends. When there is
 *	work for one more worker, a worker is started again. The retired worker's data of
 *	nap/local.h are kept for its successor. Whatever wakes an idle worker, work that another
 *	worker takes first or a broadcast, begins the worker's idle time anew. 0: workers stay until
 *	the pool ends. nap_pool_set_idle() changes @min_workers and this time
 * @classes: (struct) kinds of tasks with weights and limits (nap/class.h). The struct holds their
 *	queues, which nap_pool_init() empties, and is this pool's alone until nap_pool_join() has
 *	returned; for a static initialiser it is all zero. NULL: none, every task is alike. Wrong:
 *	not aligned to 64 bytes, a count or a weight that is too large (E, the largest). Not copied
 * @measure: (tasks) measure the pool (nap/histogram.h), with room for the times of about this many
 *	tasks that wait at once; NAP_MEASURE is a good number. Each task takes 32 to 64 bytes of
 *	address space. Each worker that runs tasks takes some 20 KB, with classes up to 76 KB. Only
 *	what is touched is memory. If there is no address space for it, the pool is not measured. 0:
 *	not measured. Wrong: over NAP_MEASURE_MAX (E, cut)
 * @reserved: (words) room for the fields of later versions (Documentation/abi.rst). 0: as in
 *	a program that does not know those fields. Wrong: another value (E, ignored)
 *
 * What a worker is given of @affinity, @sched and @memory does not depend on which thread happened
 * to start it. If the kernel refuses an attribute, the worker has the main thread's; if the kernel
 * refuses this, too, the worker has the starter's. (An unprivileged thread can neither lower its
 * nice value nor leave SCHED_IDLE; a cpuset may have none of the CPUs.) Everything else that a
 * Linux thread inherits comes from the starter: the cgroup, if threads are in different ones,
 * capabilities and filters, timer slack, and without @memory the memory policy.
 */
struct nap_config {
	uint32_t max_workers nap__zero;
	uint32_t idle nap__zero;
	const char *name nap__zero;
	size_t stack_size nap__zero;
	void (*worker_start)(struct nap_worker *worker, void *arg) nap__zero;
	void (*worker_stop)(struct nap_worker *worker, void *arg) nap__zero;
	void (*spawn_failed)(struct nap_pool *pool, int err, void *arg) nap__zero;
	void *arg nap__zero;
	uint32_t yields nap__zero;
	uint32_t yield_us nap__zero;
	const uint64_t *blocked nap__zero;
	const unsigned long *affinity nap__zero;
	size_t affinity_size nap__zero;
	const struct nap_sched *sched nap__zero;
	uint32_t flags nap__zero;
	uint32_t spin_us nap__zero;
	const struct nap_memory *memory nap__zero;
	size_t guard_size nap__zero;
	uint32_t most_workers nap__zero;
	uint32_t most_blocked nap__zero;
	uint32_t min_workers nap__zero;
	uint64_t idle_timeout_ns nap__zero;
	struct nap_classes *classes nap__zero;
	uint32_t measure nap__zero;
	uint32_t reserved[5] nap__zero;
};

/** NAP_MEASURE - nap_config.measure: how many tasks may wait at once, and be measured */
#define NAP_MEASURE 16384u

/** NAP_MEASURE_MAX - the largest nap_config.measure */
#define NAP_MEASURE_MAX (1u << 24)

/** NAP_NAME_EXACT - nap_config.flags: @name is every worker's name, without /0, /1, ... */
#define NAP_NAME_EXACT 1u

/**
 * NAP_START_ANYWHERE - nap_config.flags: a worker begins where the kernel puts it
 *
 * Without this flag the thread that starts a worker takes its own CPU out of the new thread's mask,
 * if the mask has another CPU; the worker gets its whole mask back before it does anything. Without
 * the reduced mask kernels have been seen to leave a new thread on its creator's CPU for 4 to 14
 * ms, beside an idle CPU. The price: to the kernel, the mask that the worker sets is a request of
 * the program's. So CPUs that come later, by hot-plug or in a cpuset that grows, are used only
 * by workers that are started later. With this flag nap does not call getcpu(2), and does not
 * change the mask. The flag is meant for such a cpuset, and for a sandbox that kills the callers of
 * getcpu(2) and sched_setaffinity(2).
 */
#define NAP_START_ANYWHERE 2u

/**
 * NAP_ONE_CPU_EACH - nap_config.flags: each worker has one CPU, and stays on it
 *
 * The CPUs of @affinity, or else of the main thread's mask, are numbered from 0, without CPUs that
 * do not exist or are not in the cpuset. With more workers than CPUs the numbers go round again. A
 * worker that is started gets the lowest number that no other worker has. So the first workers have
 * the first CPUs, and a worker that is started after others have retired gets a CPU of theirs. If
 * the kernel refuses to bind a worker, the worker may use all of the CPUs, and is counted in
 * nap_pool_stats.refused. Processes and threads that a task starts inherit the one CPU of the
 * task's worker. If a task forks, this one CPU is the mask of the child's main thread. When workers
 * have retired the others keep their CPUs, until nap_pool_reread() gives each remaining worker one
 * of its own.
 */
#define NAP_ONE_CPU_EACH 4u

/**
 * NAP_NO_WORKERS - nap_config.flags: no thread is ever started
 *
 * Tasks run on threads that wait for them or help: in nap_run(), nap_call(), nap_pool_help(),
 * nap_pool_quiesce(), nap_pool_join(), and in every wait for a group or a fiber of the pool. This
 * is not counted as a failed start: nap_pool_stats.spawn_failures stays 0, and @spawn_failed is not
 * called. nap_pool_prewarm() is -ENOSYS, and @max_workers means nothing. A program waits for ever
 * if it waits by other means than nap's and none of its threads helps.
 */
#define NAP_NO_WORKERS 8u

/** NAP_SIGNAL() - the bit of signal @n, 1 to 64, in nap_config.blocked */
#define NAP_SIGNAL(n) ((uint64_t)1 << ((n) - 1))

/**
 * NAP_BLOCKED - what workers block by default: every signal except SIGPROF and those that a thread
 * brings upon itself (SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS)
 *
 * So crash handlers and profilers see workers, and no other handler runs on a worker. The signal
 * numbers are Linux's on all machines that nap supports.
 */
#define NAP_BLOCKED (~(NAP_SIGNAL(4) | NAP_SIGNAL(5) | NAP_SIGNAL(7) | NAP_SIGNAL(8) | \
		       NAP_SIGNAL(11) | NAP_SIGNAL(31) | NAP_SIGNAL(27)))

/** NAP_NO_YIELDS - nap_config.yields of a pool whose workers never yield */
#define NAP_NO_YIELDS UINT32_MAX

/** NAP_NO_GUARD - nap_config.guard_size for no guards: each worker has one mapping fewer */
#define NAP_NO_GUARD SIZE_MAX

/** NAP_NO_SPIN - nap_config.spin_us of a pool whose threads never spin */
#define NAP_NO_SPIN UINT32_MAX

/** DOC: nap_signals_unblock - let a program that a task starts have every signal */

/**
 * nap_signals_unblock() - let the calling thread have every signal again
 *
 * A task that forks to start another program needs this call: a program begins with the signal mask
 * of the thread that started it, and a worker blocks almost all signals. Without the call the new
 * program would ignore SIGTERM. The child calls this between fork or vfork and exec. The call is
 * async-signal-safe, and changes nothing but the mask of the calling thread. For posix_spawn(3),
 * POSIX_SPAWN_SETSIGMASK with an empty mask does the same. For system(3) and popen(3), which have
 * no point between fork and exec, a task empties its own mask and restores it afterwards
 * (pthread_sigmask(3)); handlers may run on the worker in between.
 */
void nap_signals_unblock(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_CONFIG_H */
