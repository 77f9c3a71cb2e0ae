/* SPDX-License-Identifier: MIT */
/*
 * What the kernel does for a program: threads, futexes, membarrier.
 *
 * The waiters of a futex word are the value of a hidden location (graph/values.h). Enqueueing,
 * leaving and waking are read-modify-writes of this location, as the kernel does them one after
 * the other under its lock. A woken thread finds a store to a hidden location of its own. The
 * kernel's lock orders nothing for the program, with the exceptions in coherence.c.
 */
#include <errno.h>

#include "explore/replay.h"
#include "explore/saving.h"
#include "explore/strategy.h"
#include "graph/values.h"
#include "program/caller.h"
#include "program/fault.h"
#include "program/locations.h"
#include "program/stop.h"

static unsigned wake_location(unsigned entry)
{
	return location_hidden(HIDDEN_WAKE, entry);
}

/* Whether the deadline, or an interruption, comes before a wake. */
static bool gives_up_waiting(bool timed, int *err, uintptr_t pc)
{
	if (timed && op_choose(2, 0, pc)) {
		*err = -ETIMEDOUT;
		return true;
	}
	if (search.spurious && op_choose(2, F_SPURIOUS, pc)) {
		*err = -EINTR;
		return true;
	}
	return false;
}

unsigned queue_enter(const void *queue, enum rmw how, uintptr_t pc)
{
	unsigned entry;
	uint64_t old;

	if (threads[self].waits == MAX_WAITS)
		give_up("the bound on waits of a thread");
	entry = wait_entry(self, threads[self].waits++);
	old = hidden_rmw(location_hidden(HIDDEN_FUTEX, (uintptr_t)queue), how, entry, 0, pc);
	if (futex_wakes(old, MAX_WAITERS) == MAX_WAITERS)
		give_up("the bound on waiters of one word");
	return entry;
}

int queue_sleep(const void *queue, unsigned entry, bool timed, uintptr_t pc)
{
	int err = 0;

	if (gives_up_waiting(timed, &err, pc)) {
		uint64_t old = hidden_rmw(location_hidden(HIDDEN_FUTEX, (uintptr_t)queue),
					  RMW_CANCEL, entry, 0, pc);

		return futex_without(old, entry) != old ? err : 0;
	}
	threads[self].waits_on = (uintptr_t)queue;
	hidden_await(wake_location(entry), O_RELAXED, F_KERNEL, timed, pc);
	return 0;
}

unsigned queue_wake(const void *queue, uint64_t n, uintptr_t pc)
{
	uint64_t old = hidden_rmw(location_hidden(HIDDEN_FUTEX, (uintptr_t)queue), RMW_WAKE, n, 0,
				  pc);
	unsigned woken = futex_wakes(old, n);

	for (n = woken; n; n--, old >>= 8)
		hidden_store(wake_location(old & 0xff), O_RELAXED, F_KERNEL, pc);
	return woken;
}

/*
 * Which waiter of @location a signal wakes is chosen before the number of waiters is known. So the
 * search learns how many waiters a signal has met at most.
 */
static unsigned choose_waiter(unsigned location, uintptr_t pc)
{
	if (search.strategy == &strategy_replay)
		return replay_chooses(self) ? op_choose(MAX_WAITERS, 0, pc) : 0;
	return op_choose(locations[location].waiters, 0, pc);
}

static void meet_waiters(unsigned location, unsigned nr)
{
	if (nr <= locations[location].waiters || search.strategy == &strategy_replay)
		return;
	locations[location].waiters = (uint8_t)nr;
	if (nr == 1)
		return;
	if (search.saving)
		search.saving->resumed = NULL;	/* what was saved is of other executions */
	must_restart();
}

void queue_signal(const void *queue, uintptr_t pc)
{
	unsigned location = location_hidden(HIDDEN_FUTEX, (uintptr_t)queue);
	unsigned which = choose_waiter(location, pc);
	uint64_t old = hidden_rmw(location, RMW_SIGNAL, which, 0, pc);
	uint64_t entry = futex_entry(old, which);

	meet_waiters(location, futex_wakes(old, MAX_WAITERS));
	if (entry)
		hidden_store(wake_location((unsigned)entry), O_RELAXED, F_KERNEL, pc);
	else if (which)
		thread_stops(T_PRUNED);	/* no such waiter: another choice stands for this one */
}

int futex_wait(const uint32_t *word, uint32_t expected, bool timed, uintptr_t pc)
{
	if (self == MAX_THREADS)
		fault_at(pc, 0, "a futex wait outside of threads");
	next_operation(pc);
	if (kernel_load(word, pc) != expected)
		return -EAGAIN;
	return queue_sleep(word, queue_enter(word, RMW_WAIT, pc), timed, pc);
}

unsigned futex_wake(const uint32_t *word, uint32_t n, uintptr_t pc)
{
	if (self == MAX_THREADS)
		return 0;
	next_operation(pc);
	return queue_wake(word, n, pc);
}

int check_futex_wait(uint32_t *word, uint32_t expected, bool timed)
{
	return futex_wait(word, expected, timed, PC);
}

void check_futex_wake(uint32_t *word, uint32_t n)
{
	futex_wake(word, n, PC);
}

/* ---- threads */

int thread_create(unsigned number, void (*run)(void *arg), void *arg, const char *name,
		  uintptr_t pc)
{
	next_operation(pc);
	if (scenario->spawn_failures && op_choose(2, F_FAILURE, pc))
		return -EAGAIN;
	if (threads[number].state != T_ABSENT)
		fault_at(pc, 0, "check_spawn() of %s, which is there already", thread_name(number));
	create_event(number, pc);
	thread_start(number, run, arg, name);
	return 0;
}

int check_spawn(unsigned number, void (*run)(void *arg), void *arg, const char *name)
{
	if (self == MAX_THREADS || number >= MAX_THREADS)
		fault_at(PC, 0, self == MAX_THREADS ? "check_spawn() outside of threads" :
			 "check_spawn() of thread %u: there are %u", number, MAX_THREADS);
	return thread_create(number, run, arg, name, PC);
}

static unsigned end_location(unsigned number)
{
	return location_hidden(HIDDEN_END, number);
}

void thread_ended(void)
{
	hidden_store(end_location(self), O_RELEASE, 0, 0);
}

void thread_join(unsigned number, uintptr_t pc)
{
	next_operation(pc);
	hidden_await(end_location(number), O_ACQUIRE, 0, false, pc);
}

void check_join(unsigned number)
{
	if (self == MAX_THREADS || number >= MAX_THREADS)
		fault_at(PC, 0, self == MAX_THREADS ? "check_join() outside of threads" :
			 "check_join() of thread %u: there are %u", number, MAX_THREADS);
	thread_join(number, PC);
}

/* ---- membarrier */

bool heavy_fences;		/* the program uses membarrier */

void light_fence(uintptr_t pc)
{
	if (heavy_fences)
		op_fence(O_SC, F_LIGHT, pc);
}

void check_membarrier(void)
{
	if (self == MAX_THREADS)
		return;
	if (!heavy_fences) {
		heavy_fences = true;
		must_restart();
	}
	op_fence(O_SEQ_CST, F_HEAVY, PC);
}
