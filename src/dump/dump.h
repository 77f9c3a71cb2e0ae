/* SPDX-License-Identifier: MIT */
/*
 * The room dump/ (this header is its door).
 *
 * What a pool is doing, as text, in a signal handler too: nap/dump.h. whole.c has the order of the
 * parts; workers.c, queues.c, waits.c, fibers.c and classes.c have one part each; say.c writes;
 * all.c and hosted/on_signal.c dump all pools.
 *
 * Typically a dump enters the visits of the pool, so that records, fibers and classes stay. Then it
 * reads atomic words where they are, and has the kernel copy (nap__os_peek()) what may be gone or
 * is written without atomics: a task, a waiter on a stack, a mutex. A dump takes no lock, allocates
 * nothing, and walks no list farther than DUMP_MOST.
 *
 * queues.c and fibers.c recognise data that change during the copy: these files read a word before
 * and after it. All loads are relaxed, because the system call lies between them.
 *
 * From outside: the public calls of nap/dump.h.
 */
#ifndef NAP_DUMP_INTERNAL_H
#define NAP_DUMP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/dump.h>

#include "arch/atomic.h"
#include "os/os.h"

struct nap_fiber;
struct nap_worker;
struct nap__fiber_wait;
struct nap__fibers;
struct nap__queue;

/*
 * The most entries of a list that are shown, the most fibers that are read, and the names that are
 * kept.
 */
#define DUMP_MOST	256u
#define DUMP_FIBERS	16384u

#define DUMP_NAMES	12

/* A dump in progress, on the stack of its caller. */
struct nap__dump {
	struct nap_pool *pool;
	uint64_t now;		/* the time of the dump, ns */
	int fd;
	int err;		/* the error of the first failed write, after which none is tried */
	uint32_t len;
	uint32_t next_name;	/* the entry of names[] that is replaced next */
	struct nap__symbol names[DUMP_NAMES];
	char buf[512];
};

/*
 * Writes the text @form, in which each of these conversions takes the next of @values:
 *
 *	%u number  %p address  %s string  %n the program's string  %f function
 *	%t time in ns  %m in ms
 */
void nap__dump_say(struct nap__dump *dump, const char *form, const uint64_t *values);
#define say(dump, form, ...)	nap__dump_say((dump), (form), (const uint64_t[]){ __VA_ARGS__ })
#define say_only(dump, str)	nap__dump_say((dump), (str), NULL)

/* Writes what is in the buffer. */
void nap__dump_flush(struct nap__dump *dump);

/* Dumps @pool, which the caller keeps from being freed. Returns 0 or an error. */
int nap__dump_pool(struct nap_pool *pool, int fd);

/*
 * Writes one line about a pool of the parent's, without reading it, because the child may have
 * freed it. Returns 0 or an error. Does nothing if @pool is NULL.
 */
int nap__dump_parents(struct nap_pool *pool, int fd);

/* The parts of a dump. The caller is inside the visits. */
void nap__dump_workers(struct nap__dump *dump);
void nap__dump_queue(struct nap__dump *dump, const char *name, struct nap__queue *queue,
		     bool overflow);
void nap__dump_worker_queues(struct nap__dump *dump, struct nap_worker *worker);
void nap__dump_classes(struct nap__dump *dump);
void nap__dump_waiters(struct nap__dump *dump);
void nap__dump_fibers(struct nap__dump *dump);

/*
 * Writes the wait at @wait, on the stack of a thread that sleeps; false: there is no wait at this
 * address.
 */
bool nap__dump_wait(struct nap__dump *dump, const void *wait,
		    const struct nap__fiber_wait *sleeper);

/* Writes "a mutex 0x..., ..."; @on is the kind of the object, enum nap_trace_wait. */
void nap__dump_object(struct nap__dump *dump, uint32_t on, const void *object);

/* Writes "fiber 3 "name" FUNCTION", if @fiber is a fiber of the pool. */
bool nap__dump_fiber_name(struct nap__dump *dump, const struct nap_fiber *fiber);

/* Writes the number, the name and the function of the fiber whose record was copied to @copy. */
void nap__dump_say_fiber(struct nap__dump *dump, struct nap_fiber *copy);

/* Returns the mapping of the stacks of @fibers, or NULL if there is none yet. */
char *nap__dump_stacks(struct nap__fibers *fibers);

#endif /* NAP_DUMP_INTERNAL_H */
