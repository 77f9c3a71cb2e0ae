/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_bare_init - what a program without a libc needs besides nap/nap.h
 *
 * The bare library (build/bare/libnap.a) is nap for programs without a libc. It has the calls of
 * nap/nap.h and nap/async.h, except those that say otherwise (nap_io_again(),
 * nap_fibers_report_overflow()), and those of this header. Documentation/freestanding.rst says how
 * to link the library, and what its threads may do.
 */
#ifndef NAP_BARE_H
#define NAP_BARE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * nap_bare_init() - make a process out of what the kernel has started
 *
 * The process's first thread makes this call, before any other call of nap's. Before that the
 * thread touches no thread-local variable and, in a position-independent program, no variable that
 * holds an address. The call relocates the program, and gives the thread its thread pointer. The
 * library's own `_start` makes this call, then calls main(); only a program with an entry point of
 * its own has to make the call itself. On an error the process ends with the exit code 127. The
 * errors are: no memory for the thread-local variables; packed relocations; relocations that are
 * not relative (RISC-V: a thread-local variable of another file, compiled without
 * -ftls-model=local-exec).
 *
 * Constructors (`.init_array`) are not run, those of C++ objects with static storage included.
 */
void nap_bare_init(void);

/**
 * nap_bare_forked() - say that this process is the child of a fork
 *
 * The child's only thread makes this call at once, before the child uses a pool: every pool that
 * was used before refuses calls afterwards (-ESHUTDOWN). Since Linux 4.14 the library notices a
 * fork by itself (MADV_WIPEONFORK). On older kernels, and in emulators that ignore MADV_WIPEONFORK
 * (qemu-user), the child has to make this call.
 */
void nap_bare_forked(void);

/**
 * NAP_BARE_IDLE_GO, NAP_BARE_IDLE_JEC - link an idle protocol
 *
 * The macro stands at file scope, with a semicolon, in any one file of a program with a pool that
 * asks for NAP_IDLE_GO or NAP_IDLE_JEC. Each protocol is 2 KiB, and is linked only if a file has
 * the protocol's macro. Without this macro nap_pool_init() refuses such a pool with -ENOSYS; a pool
 * of a static initialiser cannot be refused, and has NAP_IDLE_SYNC instead.
 */
#define NAP_BARE_IDLE_GO	nap__bare_link(nap__go_ops)
#define NAP_BARE_IDLE_JEC	nap__bare_link(nap__jec_ops)

/**
 * NAP_BARE_COUNT_CPUS - link the part that reads files when CPUs are counted
 *
 * The macro stands at file scope, with a semicolon, in any one file of a program that leaves
 * nap_config.max_workers 0 and runs where there are quotas: in a container, in a service of
 * systemd's. This part is 3 KiB, and reads the CPU quotas of the cgroups, and which CPUs are
 * online, below /proc and /sys. Without this part only the mask of sched_getaffinity(2) or
 * nap_config.affinity is counted, also by nap_cpu_count(), nap_pool_set_limit() with 0 and
 * nap_pool_reread().
 */
#define NAP_BARE_COUNT_CPUS								\
	nap__bare_link(nap__os_quota_cpus);						\
	nap__bare_link(nap__os_online_cpus)

#define nap__bare_link(name)	nap__bare_link_at(name, __LINE__)
#define nap__bare_link_at(name, line)	nap__bare_link_in(name, line)
#define nap__bare_link_in(name, line)							\
	extern const char name##_wanted[] __asm__(#name);				\
	static const char *const name##_linked_##line __attribute__((__used__)) = name##_wanted

/**
 * struct nap_bare_thread - a thread's handle; the library keeps it at the top of the thread's own
 * stack
 */
struct nap_bare_thread;

/**
 * nap_bare_thread_start() - start a thread that may use nap and thread-local variables
 * @thread:     set to the handle for nap_bare_thread_join() before the thread runs; to NULL on
 *              -ENOMEM and -EAGAIN
 * @stack_size: bytes, 0 for 1 MiB; at least 16 KiB, and rounded up to the page. Below the stack
 *              lies a guard of 64 KiB. A page takes memory only once it is touched
 * @run:        called with @arg; the thread ends when @run returns
 *
 * Any thread. The signal mask is inherited. Returns 0, or a negative errno (-ENOMEM: no memory for
 * the stack; -EAGAIN: the system has too many threads; -EINVAL: @thread or @run is NULL, or
 * @stack_size is not 0 and under 16 KiB, or over 1 TiB; then *@thread is left alone).
 */
int nap_bare_thread_start(struct nap_bare_thread **thread, size_t stack_size,
			  void (*run)(void *arg), void *arg);

/**
 * nap_bare_thread_join() - wait until @thread has ended, and release its stack
 *
 * Any other thread of the process that started @thread, once for each thread. The call does not
 * check @thread. @thread must be neither NULL nor the caller, which would wait for ever. In the
 * child of a fork it must not be a thread of the parent, because in the child's memory such a
 * thread never ends.
 */
void nap_bare_thread_join(struct nap_bare_thread *thread);

/** nap_bare_exit() - end the process with all of its threads; the kernel panics if /init does so */
void nap_bare_exit(int code) __attribute__((noreturn));

/**
 * nap_bare_reap() - take one child that has ended, if there is one
 * @status: set to the child's status as wait(2) defines it; or NULL
 *
 * Any thread; each child is returned by one call only. The call never sleeps. The program makes it
 * after SIGCHLD, or now and then. The process with the PID 1 inherits every process whose parent
 * has ended. Each child that has ended stays in the kernel's tables until it is taken. Threads that
 * nap has started are no children. Returns the child's PID; 0: no child has ended; -ECHILD: there
 * is no child.
 */
int nap_bare_reap(int *status);

/** enum nap_bare_reboot - what is to become of the machine */
enum nap_bare_reboot {
	/* where the kernel cannot switch the machine off, the machine is halted and stays on */
	NAP_BARE_POWER_OFF,
	NAP_BARE_RESTART
};

/**
 * nap_bare_reboot() - write what the kernel still holds to its files, and end the machine
 *
 * Any thread. No process gets a signal or is asked to end. So the program first closes the files
 * that are to be kept, and joins the pools that are to be drained. In a PID namespace other than
 * the system's first (a container) the kernel ends that namespace's first process by a signal
 * instead. Returns only with an error; -EPERM: the process lacks CAP_SYS_BOOT; -EINVAL: @how is no
 * enum nap_bare_reboot.
 */
int nap_bare_reboot(enum nap_bare_reboot how);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_BARE_H */
