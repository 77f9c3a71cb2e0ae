/* SPDX-License-Identifier: MIT */
/**
 * DOC: CHECK_SCENARIO - scenarios for nap-check, the model checker
 *
 * A scenario is a small program. nap-check, the model checker, tries every execution of it that the
 * memory model allows.
 *
 *	static _Atomic int flag;
 *	static int data;
 *
 *	static void writer(void *arg)
 *	{
 *		data = 42;
 *		atomic_store_explicit(&flag, 1, memory_order_release);
 *	}
 *
 *	static void reader(void *arg)
 *	{
 *		if (atomic_load_explicit(&flag, memory_order_acquire))
 *			CHECK(data == 42);
 *	}
 *
 *	CHECK_SCENARIO(message, .about = "a flag publishes what was written before it",
 *		.threads = { { writer }, { reader } });
 *
 * Compile and run with `nap-check message.c`; see nap-check(1). The code under test is compiled as
 * it is: atomics of C11 or of the compiler's builtins, plain accesses (which are checked for data
 * races), malloc and free, the C library's locks. Shared data must be in static storage or from
 * malloc.
 *
 * A fault is a data race, a failed CHECK, a dead-lock (threads that wait for ever, unless the
 * scenario expects it), a live-lock (threads that spin for ever), or an access to memory that is
 * not mapped, is no longer allocated, is unknown to the checker, or has no value. nap-check(1)
 * lists all faults.
 */
#ifndef NAP_CHECK_H
#define NAP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * CHECK_THREADS - the most threads that a scenario can have, started or spawned
 *
 * The program and the checker that it is linked with are compiled for the same number; otherwise
 * the linker finds no check_register(). nap-check has a checker for 16 threads, and others for
 * fewer, whose executions take less time.
 */
#ifndef CHECK_THREADS
#define CHECK_THREADS 16
#endif

/**
 * CHECK_SC and others - memory models, as a mask in a scenario; nap-check(1) says what each allows.
 * nap is checked under CHECK_ALL, which has neither C11 as of 2011 nor the text of C20
 */
#define CHECK_SC	1u
#define CHECK_TSO	2u
#define CHECK_RC11	4u
#define CHECK_C11	8u
#define CHECK_C20	16u
#define CHECK_ALL	(CHECK_SC | CHECK_TSO | CHECK_RC11)

/**
 * struct check_thread - a thread that runs from the beginning; its number is its index in the array
 */
struct check_thread {
	void (*run)(void *arg);
	void *arg;
	const char *name;	/* in reports; NULL: T0, T1, ... */
};

/**
 * struct check_scenario - what is run, and which outcome is expected
 * @name:     given by CHECK_SCENARIO()
 * @file:     given by CHECK_SCENARIO()
 * @about:    one line: the claim
 * @setup:    run once, before all threads; every thread sees what @setup wrote. Or NULL
 * @finally:  run when no thread can go on; sees everything that the threads did, and may CHECK()
 *            it. @finally must not block. Or NULL
 * @exists:   run after @finally; returns whether this execution had the outcome in question (litmus
 *            tests). Or NULL
 * @threads:  the threads, up to the first without a function
 * @models:   the models that the scenario is meant for; 0: RC11
 * @finds:    text that the fault's first line has to contain. Under @finds_in this fault must be
 *            found; the scenario fails if it is not. NULL: no fault may be found
 * @finds_in: the models under which the fault is found; 0: all of @models. Under the other models
 *            of @models no fault may be found
 * @allowed:  with @exists: the models under which some execution has the outcome; under the other
 *            models of @models none may have it
 * @may_block:       threads that wait for ever are no fault: @finally judges by check_waits()
 * @spawn_failures:  up to this many calls of check_spawn() fail, any of them
 * @spurious:        up to this many waits of an execution, for futexes and conditions, return
 *                   although no thread woke them
 * @may_stop: a bit for each thread that may stop for ever, before any of its operations or its end
 *            (killed, or never given a CPU again). Any number of these threads may stop; the
 *            remaining threads have to end nevertheless
 * @random:   for a scenario that is too large to be explored: sample this many executions instead,
 *            and say so
 * @preemptions:  explore only schedules with at most this many preemptions, and say so; 0: all
 */
struct check_scenario {
	const char *name, *file, *about;
	void (*setup)(void);
	void (*finally)(void);
	bool (*exists)(void);
	struct check_thread threads[CHECK_THREADS];
	unsigned models;
	const char *finds;
	unsigned finds_in;
	unsigned allowed;
	bool may_block;
	unsigned spawn_failures;
	unsigned spurious;
	unsigned may_stop;
	unsigned long random;
	unsigned preemptions;
	struct check_scenario *next;	/* the next one in the checker's list */
};

/** CHECK_SCENARIO() - define the scenario @id; the rest are designated initialisers */
#define CHECK_SCENARIO(id, ...)								\
	static struct check_scenario check_scenario_##id = {				\
		.name = #id, .file = __FILE__, __VA_ARGS__				\
	};										\
	__attribute__((constructor)) static void check_register_##id(void)		\
	{										\
		check_register(&check_scenario_##id);					\
	}										\
	struct check_scenario

#define CHECK_NUMBER_(n) #n
#define CHECK_NUMBER(n) CHECK_NUMBER_(n)
void check_register(struct check_scenario *scenario)
	__asm__("check_register_" CHECK_NUMBER(CHECK_THREADS));

/** CHECK_OUTSIDE - before a function that only setup, finally or exists call: it runs faster */
#define CHECK_OUTSIDE __attribute__((no_sanitize("thread")))

/** CHECK() - fail this execution unless @condition holds; in any thread, and in @finally */
#define CHECK(condition)								\
	((condition) ? (void)0 : check_fail("%s:%d: %s", __FILE__, __LINE__, #condition))

/** check_fail() - fail this execution with a printf-like message; does not return in a thread */
void check_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** check_assume() - give up executions in which @condition does not hold */
void check_assume(bool condition);

/** check_choose() - return a number below @n, each in some execution; in threads only */
unsigned check_choose(unsigned n);

/**
 * check_yield() - mark a loop that spins; called in its body
 *
 * If an iteration reads the same values as the iteration before, and writes nothing, the checker
 * explores no more such iterations: the thread waits for a newer write to what it reads.
 * atomic_signal_fence(memory_order_seq_cst) and sched_yield() do the same. Code that nap-check has
 * compiled without -O needs none of these calls. In other code a loop without such a call runs into
 * the bound on a thread's length.
 */
void check_yield(void);

/** check_self() - the number of the calling thread; CHECK_THREADS in setup, finally, exists */
unsigned check_self(void);

/** check_waits() - in finally and exists: whether thread @number waits for ever */
bool check_waits(unsigned number);

/** check_stopped() - in finally and exists: whether thread @number has stopped (.may_stop) */
bool check_stopped(unsigned number);

/** check_ran() - in finally and exists: whether thread @number was started */
bool check_ran(unsigned number);

/**
 * check_spawn() - start a thread
 * @number: the thread's number: one that the scenario's threads do not use, the same in every
 *          execution
 *
 * Returns 0, or -EAGAIN when the scenario lets this spawn fail.
 */
int check_spawn(unsigned number, void (*run)(void *arg), void *arg, const char *name);

/** check_join() - wait until thread @number has ended, and see what it did */
void check_join(unsigned number);

/**
 * check_futex_wait() - sleep while *@word is @expected, as FUTEX_WAIT does
 * @timed: whether there is a deadline, which may come at any time
 *
 * Returns 0 (woken), -EAGAIN (*@word was not @expected), -ETIMEDOUT, or -EINTR when the scenario
 * has @spurious waits. The wait is ordered only with wakes of the same word.
 */
int check_futex_wait(uint32_t *word, uint32_t expected, bool timed);

/**
 * check_futex_wake() - wake at most @n threads that sleep on @word, in the order in which they came
 */
void check_futex_wake(uint32_t *word, uint32_t n);

/**
 * check_membarrier() - a full fence in the caller, and one in every other thread at its present
 * place
 *
 * Pairs with atomic_signal_fence(memory_order_seq_cst) in those threads, as
 * MEMBARRIER_CMD_PRIVATE_EXPEDITED does.
 */
void check_membarrier(void);

/**
 * check_alloc(), check_free() - memory that no execution reuses: an access after check_free(), or
 * one that is not ordered before check_free(), is a fault. Zeroed. malloc() and free() are the
 * same, except that a read of what no thread has written is a fault, too.
 */
void *check_alloc(size_t size);
void check_free(void *mem);

/** check_name() - what reports call @size bytes at @p; in setup or by their allocating thread */
void check_name(const void *p, size_t size, const char *name);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_CHECK_H */
