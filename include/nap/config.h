/* SPDX-License-Identifier: MIT */
/*
 * How a pool is set up: struct nap_config, of which all zero is a good start, and what its fields
 * are made of. Documentation/daemons.rst says what workers are given, and why.
 */
#ifndef NAP_CONFIG_H
#define NAP_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* C++ warns of fields that an initialiser leaves out, unless they say what they are then. */
#if defined(__cplusplus) && __cplusplus >= 201402L
#define nap__zero = {}
#else
#define nap__zero
#endif

struct nap_pool;
struct nap_worker;
struct nap_classes;

/**
 * NAP_GUESTS - how many threads from outside can be in a pool at once as workers: in nap_call(), or
 * running tasks that they wait for
 */
#define NAP_GUESTS 16u

/** NAP_MAX_WORKERS - the most workers that a pool can have; with its guests 14 bits count them */
#define NAP_MAX_WORKERS (16383u - NAP_GUESTS)

/**
 * enum nap_idle - how a pool's workers are woken and go to sleep: Documentation/idle.rst
 * @NAP_IDLE_SYNC: at most one worker at a time is being woken (Zap); the default, which adapts: it
 *                 looks for a while before it sleeps as long as that pays (@spin_us below)
 * @NAP_IDLE_GO:   nobody is woken while somebody searches (Go's scheduler)
 * @NAP_IDLE_JEC:  as many are woken as there are jobs, and they yield before they sleep (Rayon)
 */
enum nap_idle {
	NAP_IDLE_SYNC,
	NAP_IDLE_GO,
	NAP_IDLE_JEC,
	NAP__IDLE_PROTOCOLS	/* how many there are */
};

/**
 * struct nap_sched - how the kernel schedules a thread: sched(7)
 * @policy:   SCHED_OTHER (0), SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_IDLE, or one that needs no
 *            more than its number, like SCHED_EXT. With SCHED_RESET_ON_FORK what a task starts has
 *            SCHED_OTHER where this is real-time, and a nice value of 0 where it is lower
 * @priority: 1 to 99 with SCHED_FIFO and SCHED_RR, 0 with the others
 * @nice:     -20 to 19; without effect as long as the policy is SCHED_FIFO or SCHED_RR
 */
struct nap_sched {
	int policy nap__zero;
	int priority nap__zero;
	int nice nap__zero;
};

/**
 * struct nap_memory - on which nodes lies what a thread touches first: set_mempolicy(2)
 * @mode:       MPOL_DEFAULT (0), MPOL_PREFERRED, MPOL_BIND, MPOL_INTERLEAVE, MPOL_LOCAL or another
 *              that the kernel has, with its MPOL_F_ flags: linux/mempolicy.h
 * @nodes:      a mask: node n is bit n % (bits of a long) of word n / (bits of a long). NULL for
 *              modes that take none
 * @nodes_size: bytes of @nodes, a multiple of sizeof(long); 0 with NULL. The one bit more that
 *              set_mempolicy(2) wants to be told of is not counted here
 */
struct nap_memory {
	int mode nap__zero;
	const unsigned long *nodes nap__zero;
	size_t nodes_size nap__zero;
};

/**
 * struct nap_config - how a pool is set up; all zero is a good start
 *
 * nap_config(3) has the fields, their defaults and what becomes of wrong values in one table.
 *
 * What a worker is given of @affinity, @sched and @memory does not depend on which thread happened
 * to start it. What the kernel refuses it (an unprivileged thread can neither lower its nice value
 * nor leave SCHED_IDLE for it; a cpuset may have none of the CPUs) stays as the main thread has it,
 * or if that is refused, too, as the starter had it; the worker works all the same, and is counted
 * in nap_pool_stats.refused. nap_pool_init() refuses what is wrong on every system: an empty mask,
 * a @sched outside of the ranges, or of SCHED_DEADLINE, a @memory with a negative mode, with a size
 * that is no multiple of a long's, or with one and no nodes. A static initialiser cannot; there the
 * kernel does, except for a nice value, which it cuts.
 *
 * Everything else that Linux gives a thread from the one that starts it is the starter's: its
 * cgroup where threads are in different ones, capabilities and filters, timer slack, and without
 * @memory its memory policy.
 *
 * @max_workers:  the most workers to start; nap_pool_set_limit() changes it later. 0: as many as
 *                the CPUs that @affinity, or else the main thread's affinity mask, and the main
 *                thread's cgroup CPU quotas allow when the pool is first used, at least 1.
 *                Over NAP_MAX_WORKERS: nap_pool_init() refuses it, a static initialiser cannot and
 *                gets NAP_MAX_WORKERS
 * @idle:         enum nap_idle. Another number: nap_pool_init() refuses it, a static initialiser
 *                cannot and gets NAP_IDLE_SYNC
 * @name:         the workers' threads are called name/0, name/1, ... (cut to 15 bytes); NULL: nap.
 *                Each has its name before worker_start, which may give it another. Not copied: it
 *                stays the caller's and must outlive the pool
 * @stack_size:   bytes of stack per worker, raised to the system's minimum; 0 for its default,
 *                or 1 MiB where that is less: what waits on a worker runs other tasks
 * @worker_start: called on each worker before its first task, or NULL; may do what a task may.
 *                While it takes its time others are woken for the work that waits, or started, one
 *                in a millisecond, up to the limit
 * @worker_stop:  called on each worker after its last task, or NULL; may do what a task may, but
 *                when the pool ends every schedule is refused (-ESHUTDOWN). A worker that retires
 *                calls it, too. The thread no longer counts as a worker: a wait in it only sleeps,
 *                and what it schedules is for others
 * @spawn_failed: called on the thread whose schedule (or hand-over, or prewarm, or wait that tries
 *                again) wanted a worker that could not be started, with the positive errno; must
 *                not call into the pool, and is left by return only, as the other two
 * @arg:          passed to the callbacks
 * @yields:       NAP_IDLE_JEC: how often a worker that finds nothing yields and looks again before
 *                it goes to sleep. 0: 32
 * @yield_us:     NAP_IDLE_JEC: microseconds that this lasts at most. 0: 200
 * @blocked:      the signals that workers block: bit n - 1 for signal n, as NAP_SIGNAL(n) has it.
 *                NULL: NAP_BLOCKED. Those that cannot be blocked are not, and the libc's own stay
 *                open. Programs that a task starts inherit it: nap_signals_unblock(). Not copied,
 *                like @name
 * @affinity:     the CPUs that workers may run on, a mask as sched_setaffinity(2) takes it: CPU n
 *                is bit n % (bits of a long) of word n / (bits of a long); those that do not exist
 *                do not count. NULL: the main thread's when the worker starts. Not copied
 * @affinity_size: bytes of @affinity, a multiple of sizeof(long) (for a cpu_set_t its size)
 * @sched:        the policy, priority and nice value of workers; NULL: what a thread has that the
 *                main thread starts, when the worker starts. Not copied
 * @flags:        any of NAP_NAME_EXACT, NAP_START_ANYWHERE, NAP_ONE_CPU_EACH, NAP_NO_WORKERS, or 0.
 *                nap_pool_init() refuses others; in a static initialiser they mean nothing
 * @spin_us:      NAP_IDLE_SYNC: microseconds for which a thread at most looks again before it
 *                sleeps (NAP_NO_SPIN: not at all). 0: twice what the shortest sleep is measured to
 *                take. On two CPUs of a virtual machine, beside NAP_NO_SPIN: regions of 16 tasks of
 *                0.4 us back to back, waited for from outside, take 6 to 8 us each and not 24; one
 *                empty task, waited for, 0.4 to 3 us and not 4 to 50; a task of 100 us every ms as much
 *                CPU time
 * @memory:       the memory policy of workers; each has it before anything else. So it says where
 *                memory lies that a worker is the first to touch: its stack, and what its tasks
 *                allocate. It does not where another thread was the first: the top of the stack and
 *                what its starter sets up of its queues, a stack that the libc has had in use
 *                before. NULL: the starter's policy. So it is when the kernel refuses @memory, as
 *                one without NUMA does. Not copied
 * @guard_size:   bytes below each worker's stack that nobody may touch, rounded up to the page (64
 *                KiB without a libc). They are address space only, and not part of @stack_size. A
 *                stack that overflows hits them, but a function with a larger frame may step over
 *                them. 0: the system's default, a page or two (64 KiB without a libc).
 *                NAP_NO_GUARD: none. What cannot be had is a failed start
 * @most_workers: the most that nap_pool_set_limit() can set, and nap_pool_reread(). 0: @max_workers,
 *                or if that is 0, too, as many as CPUs are online when the pool is first used. With
 *                @max_workers 0 the pool has no more from the beginning. Each worker that there
 *                could be takes address space for its record, some 70 KB, and memory when it is
 *                there. Under a @max_workers that is not 0, or over NAP_MAX_WORKERS: nap_pool_init()
 *                refuses it, a static initialiser cannot and gets the nearest of them
 * @most_blocked: how many workers more there may be at once in place of those that are blocked:
 *                nap/blocking.h. With @most_workers no more than NAP_MAX_WORKERS: nap_pool_init()
 *                refuses it, a static initialiser cannot and gets what is left
 * @min_workers:  workers that @idle_timeout_ns leaves alone; those that were never started are not
 *                started for it
 * @idle_timeout_ns: a worker that has slept for this many nanoseconds retires, if there are more
 *                than @min_workers. It calls worker_stop, and its thread ends; one at a time. Its
 *                stack is released when the next one has retired, or the pool ends. When there is
 *                work for it one is started again. What it has of nap/local.h is kept for the next
 *                one in its place. A broadcast wakes it, and its time begins anew. 0: workers stay
 *                until the pool ends. nap_pool_set_idle() changes both
 * @classes:      kinds of tasks with weights and limits, as nap/class.h has them, or NULL. Not copied:
 *                it holds their queues, and is this pool's alone until nap_pool_join() has returned.
 *                nap_pool_init() refuses a @count or a weight that is too large, and memory that is
 *                not aligned to 64 bytes, and empties the queues; a static initialiser cannot, and
 *                gets the largest, and needs memory that is zero
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
};

/** NAP_NAME_EXACT - nap_config.flags: @name is every worker's name, without /0, /1, ... */
#define NAP_NAME_EXACT 1u

/**
 * NAP_START_ANYWHERE - nap_config.flags: a worker begins where the kernel puts it
 *
 * Otherwise its starter first takes the CPU that the starter is on out of the new thread's mask, if
 * there is another; the worker gets its whole mask back before it does anything. Kernels have been
 * seen to leave a new thread on the CPU of its creator for 4 to 14 ms, beside an idle CPU. The
 * kernel takes that mask for asked for: CPUs that come later, by hot-plug or in a cpuset that
 * grows, are used by workers that are started later only. With this flag neither getcpu(2) nor, for
 * that, sched_setaffinity(2) is called: for such a cpuset, and for a sandbox that ends the callers
 * of both.
 */
#define NAP_START_ANYWHERE 2u

/**
 * NAP_ONE_CPU_EACH - nap_config.flags: each worker has one CPU, and stays on it
 *
 * Turn n is that of the CPU that comes behind n others in @affinity, or else in the main thread's
 * mask; behind the last one the first has its turn again. A worker that is started has the lowest
 * turn that no other has. So the first ones have the first CPUs, and where some have retired those
 * that come have theirs. CPUs that are not there, or not in the cpuset, have none. A worker to whom
 * the kernel refuses it has all of them, and is counted in nap_pool_stats.refused. What a task
 * starts, processes and threads, begins with its worker's one CPU, as Linux has it; in the child of
 * a fork that a task makes that is the main thread's mask. When workers have retired the others keep the CPUs that they have, until
 * nap_pool_reread() gives each of those that are left one of its own.
 */
#define NAP_ONE_CPU_EACH 4u

/**
 * NAP_NO_WORKERS - nap_config.flags: no thread is ever started
 *
 * What is scheduled runs on the threads that wait for it or help: in nap_run(), nap_call(),
 * nap_pool_help(), nap_pool_quiesce(), nap_pool_join(), and in every wait for a group or a fiber of
 * the pool. That no thread starts is no failure: nap_pool_stats.spawn_failures stays 0, and
 * @spawn_failed is not called. nap_pool_prewarm() is -ENOSYS, and @max_workers means nothing. A
 * program waits for ever if it waits by other means than nap's and none of its threads helps.
 */
#define NAP_NO_WORKERS 8u

/** NAP_SIGNAL() - the bit of signal @n, 1 to 64, in nap_config.blocked */
#define NAP_SIGNAL(n) ((uint64_t)1 << ((n) - 1))

/**
 * NAP_BLOCKED - what workers block by default: every signal but those that a thread brings upon
 * itself, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV and SIGSYS, and SIGPROF
 *
 * So crash handlers and profilers see workers, and no other handler runs on one. Numbers as Linux
 * has them on all machines that nap knows.
 */
#define NAP_BLOCKED (~(NAP_SIGNAL(4) | NAP_SIGNAL(5) | NAP_SIGNAL(7) | NAP_SIGNAL(8) | \
		       NAP_SIGNAL(11) | NAP_SIGNAL(31) | NAP_SIGNAL(27)))

/** NAP_NO_YIELDS - nap_config.yields for none at all */
#define NAP_NO_YIELDS UINT32_MAX

/** NAP_NO_GUARD - nap_config.guard_size for none at all: a guard is one mapping more a worker */
#define NAP_NO_GUARD SIZE_MAX

/** NAP_NO_SPIN - nap_config.spin_us for not at all */
#define NAP_NO_SPIN UINT32_MAX

/**
 * nap_signals_unblock() - let the calling thread have every signal again
 *
 * For the child of a task that forks to start another program: a program begins with the signals
 * blocked that the thread had which started it, a worker's almost all, and then heeds no SIGTERM.
 * Between fork or vfork and exec: it is async-signal-safe, changes nothing but the mask, and the
 * parent's stays. With posix_spawn(3) POSIX_SPAWN_SETSIGMASK and an empty mask do the same. For
 * system(3) and popen(3), which have no such place, a task empties its own mask and sets it back
 * afterwards (pthread_sigmask(3)); until then handlers may run on the worker.
 */
void nap_signals_unblock(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_CONFIG_H */
