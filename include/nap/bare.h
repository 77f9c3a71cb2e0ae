/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_bare_init - what a program without a libc needs besides nap/nap.h
 *
 * The bare library (build/bare/libnap.a): nap for programs without a libc. The bare library has
 * everything of nap/nap.h; this header has what such a program needs besides.
 * Documentation/freestanding.rst says how to link it and what a thread of it may do.
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
 * The first thread, before anything else that is nap's, and before it touches a thread-local
 * variable or, in a position-independent program, one that holds an address. Relocates the program,
 * and gives this thread its thread pointer. The library's own `_start` calls it, then main(); only
 * a program with an entry point of its own has to call it. A process that cannot be made ends with
 * the exit code 127: no memory for the thread-local variables, packed relocations, or any but
 * relative ones (RISC-V: a thread-local variable of another file, compiled without
 * -ftls-model=local-exec).
 *
 * Constructors (`.init_array`) are not run, those of C++ objects with static storage included.
 */
void nap_bare_init(void);

/**
 * nap_bare_forked() - say that this process is the child of a fork
 *
 * The child's only thread, at once. Pools that were in use before refuse from then on (-ESHUTDOWN).
 * Since Linux 4.14 the library notices by itself (MADV_WIPEONFORK); on older ones, and in emulators
 * that overlook it (qemu-user), the child has to. The call comes before the child itself uses a
 * pool, because such a pool would refuse, too.
 */
void nap_bare_forked(void);

/**
 * NAP_BARE_IDLE_GO, NAP_BARE_IDLE_JEC - link an idle protocol
 *
 * At file scope, with a semicolon, in any one file of a program with a pool that asks for
 * NAP_IDLE_GO or NAP_IDLE_JEC: each protocol is 2 KiB, and otherwise left out. Without this macro
 * nap_pool_init() refuses such a pool with -ENOSYS; a static initialiser cannot, and gets
 * NAP_IDLE_SYNC.
 */
#define NAP_BARE_IDLE_GO	nap__bare_link(nap__go_ops)
#define NAP_BARE_IDLE_JEC	nap__bare_link(nap__jec_ops)

/**
 * NAP_BARE_COUNT_CPUS - link the part that reads files when CPUs are counted
 *
 * At file scope, with a semicolon, in any one file of a program that leaves nap_config.max_workers
 * 0 and runs where there are quotas: in a container, in a service of systemd's. This part is 3 KiB,
 * and reads the CPU quotas of the cgroups, and which CPUs are online, below /proc and /sys. Without
 * this part the CPUs count that sched_getaffinity(2) or nap_config.affinity name, also for
 * nap_cpu_count(), nap_pool_set_limit() with 0 and nap_pool_reread().
 */
#define NAP_BARE_COUNT_CPUS								\
	nap__bare_link(nap__os_quota_cpus);						\
	nap__bare_link(nap__os_online_cpus)

#define nap__bare_link(name)	nap__bare_link_at(name, __LINE__)
#define nap__bare_link_at(name, line)	nap__bare_link_in(name, line)
#define nap__bare_link_in(name, line)							\
	extern const char name##_wanted[] __asm__(#name);				\
	static const char *const name##_linked_##line __attribute__((__used__)) = name##_wanted

/** struct nap_bare_thread - a thread; the library's, at the top of that thread's own stack */
struct nap_bare_thread;

/**
 * nap_bare_thread_start() - start a thread that may use nap and thread-local variables
 * @thread:     gets the handle for nap_bare_thread_join(), before the thread runs; NULL when there
 *              is no memory or no thread
 * @stack_size: bytes, 0 for 1 MiB; at least 16 KiB, and rounded up to the page. Below it lies a
 *              guard of 64 KiB. Pages cost when they are touched
 * @run:        called with @arg; the thread ends when it returns
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
 * Any other thread of the process that started it, once for each thread. Not checked: @thread is
 * neither NULL nor the caller itself, which would wait for ever, nor, in the child of a fork, a
 * thread of the parent, which never ends in the child's copy of the memory.
 */
void nap_bare_thread_join(struct nap_bare_thread *thread);

/** nap_bare_exit() - end the process, all of its threads at once; the kernel panics if it is /init */
void nap_bare_exit(int code) __attribute__((noreturn));

/**
 * nap_bare_reap() - take one child that has ended, if there is one
 * @status: gets its status as wait(2) has it, unless NULL
 *
 * Any thread; a child is given to one of them. Never sleeps. The program calls it after SIGCHLD, or
 * now and then. The process with the PID 1 inherits every process whose parent has ended, and each
 * stays in the kernel's tables until it is taken. Threads that nap has started are no children.
 * Returns the child's PID; 0: none has ended; -ECHILD: there is none.
 */
int nap_bare_reap(int *status);

/** enum nap_bare_reboot - what is to become of the machine */
enum nap_bare_reboot {
	NAP_BARE_POWER_OFF,	/* where the kernel cannot switch it off, it is halted and stays on */
	NAP_BARE_RESTART
};

/**
 * nap_bare_reboot() - write what the kernel still holds to its files, and end the machine
 *
 * Any thread. No process is asked before, and none gets a signal: close the files that are to be
 * kept, and join the pools that are to be drained. In a PID namespace of its own (a container) the
 * kernel ends that namespace's first process by a signal instead. Returns only with an error;
 * -EPERM: the process lacks CAP_SYS_BOOT; -EINVAL: @how is none of the above.
 */
int nap_bare_reboot(enum nap_bare_reboot how);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_BARE_H */
