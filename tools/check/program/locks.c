/* SPDX-License-Identifier: MIT */
/*
 * A thread that waits for a held lock has no event until the lock is free (op_lock()). There are
 * two exceptions: no thread can go on; or the thread may give up its wait. Then the thread has read
 * that the lock is held, and waits like a loop that reads the word (spin.c): it does not continue
 * in this graph, and in another graph it reads what a later unlock has written.
 */
#include <errno.h>
#include <string.h>

#include "program/caller.h"
#include "program/fault.h"
#include "program/locks.h"
#include "program/names.h"
#include "program/shadow.h"
#include "program/stop.h"

#define MAX_HELD 32

/* Words of a robust lock: its owner has ended; nobody takes it again. */
#define OWNER_ENDED	0x40000000u
#define GIVEN_UP	0x60000000u

/* The locks that a thread holds; @again counts how many times the thread has locked it again. */
static struct held {
	uint32_t *word;
	unsigned again;
	bool shared, robust;
	bool inconsistent;		/* taken with EOWNERDEAD */
} held[MAX_THREADS][MAX_HELD];
static unsigned nr_held[MAX_THREADS];

void locks_begin(void)
{
	for (unsigned t = 0; t < MAX_THREADS; t++)
		nr_held[t] = 0;
	nr_made = 0;
}

static struct held *held_of(const uint32_t *word)
{
	if (OUTSIDE)
		return NULL;
	for (unsigned i = 0; i < nr_held[self]; i++)
		if (held[self][i].word == word)
			return &held[self][i];
	return NULL;
}

static struct held *hold(uint32_t *word, bool shared)
{
	if (nr_held[self] == MAX_HELD)
		give_up("the bound on locks that a thread holds");
	held[self][nr_held[self]] = (struct held){ .word = word, .shared = shared };
	return &held[self][nr_held[self]++];
}

static void let_go(struct held *one)
{
	*one = held[self][--nr_held[self]];
}

/* Takes the lock if its word is @free. Returns what the word was. */
static uint32_t take_if(uint32_t *word, uint32_t free, bool waits, uintptr_t pc)
{
	uint32_t old = (uint32_t)(waits ? op_lock(word, self + 1, pc) :
					  op_rmw(word, 4, RMW_CAS, self + 1, free, O_ACQUIRE,
						 O_RELAXED, pc));

	object_is_there(word, old, pc);
	return old;
}

static int take_robust(uint32_t *word, uintptr_t pc)
{
	uint32_t old = take_if(word, 0, false, pc);
	bool ended = old == OWNER_ENDED && take_if(word, OWNER_ENDED, false, pc) == OWNER_ENDED;
	struct held *mine;

	if (old && !ended)
		return old == GIVEN_UP ? ENOTRECOVERABLE : EBUSY;
	mine = hold(word, false);
	mine->robust = true;
	mine->inconsistent = ended;
	return ended ? EOWNERDEAD : 0;
}

static int take(uint32_t *word, enum lock_kind kind, bool waits, uintptr_t pc)
{
	struct held *mine = held_of(word);

	if (OUTSIDE)
		return 0;
	if (mine && (kind & LOCK_RECURSIVE))
		return mine->again++, 0;
	if (kind & LOCK_ROBUST)
		return take_robust(word, pc);
	if (take_if(word, 0, waits, pc))
		return EBUSY;
	hold(word, false);
	return 0;
}

int lock_try(uint32_t *word, enum lock_kind kind, uintptr_t pc)
{
	return take(word, kind, false, pc);
}

int lock_take(uint32_t *word, enum lock_kind kind, bool timed, const char *what, uintptr_t pc)
{
	struct held *mine = held_of(word);
	int err;

	if (mine && (kind & LOCK_ERRORCHECK))
		return EDEADLK;
	while ((err = take(word, kind, !timed, pc)) == EBUSY) {
		if (timed && op_choose(2, 0, pc))
			return ETIMEDOUT;
		wait_for_newer(what, word, timed, pc);
	}
	return err;
}

int lock_consistent(const uint32_t *word)
{
	struct held *mine = held_of(word);

	if (!mine || !mine->inconsistent)
		return EINVAL;
	mine->inconsistent = false;
	return 0;
}

void locks_left(void)
{
	for (unsigned i = 0; i < nr_held[self]; i++)
		if (held[self][i].robust)
			op_store(held[self][i].word, 4, OWNER_ENDED, O_RELEASE,
				 (uintptr_t)threads[self].run + 1);
	nr_held[self] = 0;
}

static _Noreturn void not_mine(const uint32_t *word, const char *what, uintptr_t pc)
{
	char name[128];

	describe_address((uintptr_t)word, name, sizeof(name));
	fault_at(pc, 0, "%s unlocks %s %s, which it does not hold", thread_name(self), what, name);
}

int lock_release(uint32_t *word, enum lock_kind kind, const char *what, uintptr_t pc)
{
	struct held *mine = held_of(word);
	uint32_t now;

	if (OUTSIDE)
		return 0;
	if (!mine && (kind & (LOCK_ERRORCHECK | LOCK_ROBUST)))
		return EPERM;
	if (!mine)
		not_mine(word, what, pc);
	if (mine->again)
		return mine->again--, 0;
	now = mine->inconsistent ? GIVEN_UP : 0;
	let_go(mine);
	op_store(word, 4, now, O_RELEASE, pc);
	return 0;
}

/* ---- shared locks: the number of readers; or WRITER */

#define WRITER 0xffffffffu

int share_take(uint32_t *word, bool write, bool try, uintptr_t pc)
{
	struct held *mine = held_of(word);

	if (OUTSIDE)
		return 0;
	/* Only a writer gets EDEADLK. A reader that wants to write waits for itself. */
	if (mine && !mine->shared)
		return try ? EBUSY : EDEADLK;
	for (;;) {
		uint32_t old = (uint32_t)op_load(word, 4, O_RELAXED, pc);

		object_is_there(word, old, pc);
		if (write ? old : old == WRITER) {
			if (try)
				return EBUSY;
			wait_for_newer("the rwlock", word, false, pc);
			continue;
		}
		if (op_rmw(word, 4, RMW_CAS, write ? WRITER : old + 1, old, O_ACQUIRE, O_RELAXED,
			   pc) == old)
			break;
	}
	hold(word, !write);
	return 0;
}

int share_release(uint32_t *word, uintptr_t pc)
{
	struct held *mine = held_of(word);
	bool shared;

	if (OUTSIDE)
		return 0;
	if (!mine)
		not_mine(word, "the rwlock", pc);
	shared = mine->shared;
	let_go(mine);
	if (shared)
		op_rmw(word, 4, RMW_SUB, 1, 0, O_RELEASE, O_RELAXED, pc);
	else
		op_store(word, 4, 0, O_RELEASE, pc);
	return 0;
}

/* ---- condition variables */

/* Reports a fault: the mutex was locked again, and a wait would unlock it only once. */
static _Noreturn void locked_again(const uint32_t *word, uintptr_t pc)
{
	char name[128];

	describe_address((uintptr_t)word, name, sizeof(name));
	fault_at(pc, 0,
		 "%s waits for a condition with the mutex %s, which it has locked more than once",
		 thread_name(self), name);
}

int condition_wait(const void *queue, uint32_t *word, enum lock_kind kind, bool timed, uintptr_t pc)
{
	struct held *mine = held_of(word);
	unsigned entry;
	int err, taken;

	if (OUTSIDE)
		fault_at(pc, 0, "a wait for a condition outside of threads");
	next_operation(pc);
	object_use(queue, pc);
	if (!mine)
		not_mine(word, "the mutex", pc);
	if (mine->again)
		locked_again(word, pc);
	/* The thread is enqueued before the lock is free: no signal is lost between the two. */
	entry = queue_enter(queue, RMW_QUEUE, pc);
	lock_release(word, kind, "the mutex", pc);
	err = queue_sleep(queue, entry, timed, pc);
	taken = lock_take(word, kind, false, "the mutex", pc);
	return taken ? taken : err == -ETIMEDOUT ? ETIMEDOUT : 0;
}

void condition_wake(const void *queue, bool all, uintptr_t pc)
{
	if (OUTSIDE)
		return;
	next_operation(pc);
	object_use(queue, pc);
	if (all)
		queue_wake(queue, MAX_THREADS, pc);
	else
		queue_signal(queue, pc);
}
