/* SPDX-License-Identifier: MIT */
/*
 * Locks of libraries: a word that is 0 while nobody holds the lock. Each thread also knows which
 * locks it holds. Outside of threads nothing is locked.
 */
#ifndef NAP_CHECK_LOCKS_H
#define NAP_CHECK_LOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* LOCK_ROBUST is added to one of the others: the next thread is told that the owner has ended. */
enum lock_kind { LOCK_NORMAL, LOCK_RECURSIVE, LOCK_ERRORCHECK, LOCK_ROBUST = 4 };

void locks_begin(void);		/* when an execution begins */
/* When the running thread ends: it holds its robust locks no longer. */
void locks_left(void);

/*
 * Returns 0, EDEADLK or, if a deadline may come (@timed), ETIMEDOUT. For a robust lock also
 * EOWNERDEAD, and the lock is taken then, or ENOTRECOVERABLE. @what: "the mutex" or such.
 */
int lock_take(uint32_t *word, enum lock_kind kind, bool timed, const char *what, uintptr_t pc);
int lock_try(uint32_t *word, enum lock_kind kind, uintptr_t pc);	/* returns 0 or EBUSY */
/* Returns 0 or EINVAL: it was not taken with EOWNERDEAD. */
int lock_consistent(const uint32_t *word);
int lock_release(uint32_t *word, enum lock_kind kind, const char *what, uintptr_t pc);

/* Readers share the lock, a writer does not. */
int share_take(uint32_t *word, bool write, bool try, uintptr_t pc);
int share_release(uint32_t *word, uintptr_t pc);

/*
 * Waits until *@word is not 0, and subtracts 1. With @try returns EAGAIN instead of a wait; with
 * @timed may return ETIMEDOUT.
 */
int count_take(uint32_t *word, bool try, bool timed, uintptr_t pc);
void count_give(uint32_t *word, uintptr_t pc);

/* Waits until @total threads have come to the barrier. Returns whether this thread was the last. */
bool meet(uint32_t *arrived, uint32_t total, uint32_t barrier, uintptr_t pc);
uint32_t barrier_number(void);	/* a number for a new barrier, the same in every execution */

/* Runs @run in the first thread that comes, before any of the threads continues. */
void do_once(uint32_t *word, void (*run)(void), uintptr_t pc);

/*
 * Waits on the condition variable at @queue. @word is unlocked while the thread sleeps. Returns 0,
 * ETIMEDOUT, or what lock_take() says of a robust lock. A sleep outside of threads is a fault.
 */
int condition_wait(const void *queue, uint32_t *word, enum lock_kind kind, bool timed,
		   uintptr_t pc);
void condition_wake(const void *queue, bool all, uintptr_t pc);

/* ---- objects.c */

#define DESTROYED 0xdeaddeadu	/* first word of a destroyed object, not of a lock or count */

/*
 * Initialises an object of @size bytes. The object begins with @first, a lock or a count; @second,
 * the value that it was initialised with, comes next.
 */
void object_make(void *object, size_t size, uint32_t first, uint32_t second, uintptr_t pc);
void object_unmake(void *object, size_t size, uintptr_t pc);

/*
 * Notes an initialisation. Reports a fault if the object was initialised before, and not destroyed
 * since.
 */
void object_is_new(const void *object, uintptr_t pc);
void objects_gone(uintptr_t begin, uintptr_t end);	/* the memory was freed */
extern unsigned nr_made;	/* objects, in this execution */

/* As object_unmake(), for a lock; @what: "a mutex". Reports a fault if any thread holds it. */
void lock_unmake(void *lock, size_t size, const char *what, uintptr_t pc);

/* Reports a fault if the object was destroyed. Its first word is @first. */
void object_is_there(const void *object, uint32_t first, uintptr_t pc);

/*
 * As object_is_there(), for an object without an atomic word, such as a condition variable. The
 * access counts as one by the library that the object belongs to, not as one by the program.
 */
void object_use(const void *object, uintptr_t pc);

#endif /* NAP_CHECK_LOCKS_H */
