/* SPDX-License-Identifier: MIT */
/*
 * The calls that daemons make, driven by a byte string, against a model of what they promise:
 * works, completion queues, submitters, serial queues, dependencies, classes.
 *
 *	main.c		the driver: every byte string is a program of calls; tidies up at the end
 *	pools.c		pools: quiesce, shutdown, join, and what a join hands back
 *	works.c		works: schedule, batches, cancel; places.c: what the model knows of each
 *	turns.c		the functions of works, and what must hold when works end
 *	queues.c	completion queues, whose loop the driver is
 *	serials.c	serial queues
 *	submits.c	slots
 *
 * The model, by what the headers promise:
 *
 *	works	an accepted work ends once: it has run, or was canceled, or was late, or its pool
 *		was stopped. Its result says which. If its queue was always open, the loop gets the
 *		end. The work's memory is freed at its end.
 *	queues	the tasks that one thread pushes come out once, in order, or a close hands them
 *		back. If a queue is not empty, and no write has failed, its fd is readable.
 *	serial	one task at a time, in order. Each task sees the writes of the task before. The last
 *		task frees the queue.
 *	slots	no more slots are taken than the count allows. The high mark and the low mark are
 *		passed in turn.
 *	after	a work that waits for other works sees the writes of all of them. One call of
 *		nap_after_done() says that it was the last.
 *	limit	a limit that was set is in force. There are no more workers than the highest limit
 *		and the number of blocked workers add up to.
 *	system	the same as in tests/fuzz/fuzz.h; and every descriptor is closed.
 *
 * The driver is the loop of every queue. So it may cancel every work whose end comes to an open
 * queue. While a work cancels another work, that other work's queue stays open. Works make calls on
 * their own pool only. A pool is empty when it is initialised again.
 */
#ifndef NAP_TESTS_FUZZ_DAEMON_H
#define NAP_TESTS_FUZZ_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "fuzz/seam.h"

#define POOLS		2
#define QUEUES		2
#define SERIALS		2	/* for each pool */
/* for works; some are reserved for works that other works schedule */
#define PLACES		40
#define NONE		0xffu

enum kind {
	PLAIN,
	SELF,		/* cancels itself, which has no effect */
	WATCH,		/* runs until it is asked to end, or for a bounded time */
	BLOCK,		/* stands at the door */
	PUSH,		/* pushes notes to its queue */
	CHILD,		/* schedules another work */
	SUBMIT,		/* submits to its pool's slots */
	SUBMIT_WAIT,	/* waits for a slot, for a short time */
	SERIAL,		/* schedules on a serial queue of its pool */
	CANCEL,		/* cancels another work */
	SECTION,	/* waits at the door in a blocking section */
	NR_KINDS
};

/* ---- pools.c */

struct fuzz_pool {
	struct nap_pool *pool;
	struct nap_classes *classes;	/* or NULL */
	uint32_t limit;
	uint32_t configured, most, most_blocked;
	uint32_t stuck;			/* workers that the last check found stuck */
	uint32_t closing, closed;	/* atomic: whether a shutdown or join has begun; is over */
	uint32_t stopping, stopped;	/* atomic: whether a stop has begun; is over */
	bool joined;
	uint32_t nr;		/* each initialisation has another number */
};

extern struct fuzz_pool pools[POOLS];
extern uint32_t door_closed;	/* atomic: works that block wait until it is 0 */
extern __thread bool is_driver;

/* The pool that a function runs on: between frame_begin() and frame_end() the thread is inside. */
struct frame {
	uint32_t pool;
	struct frame *outer;
};
void frame_begin(struct frame *frame, uint32_t p);
void frame_end(struct frame *frame);
/* helping_begin() and helping_end() enclose a call of the driver that may run tasks. */
void helping_begin(void);
void helping_end(void);

/* A call that a shutdown may refuse. */
struct attempt {
	uint32_t pool;
	bool inside, unsure, over;
};
struct attempt attempt_begin(uint32_t p);
/* Checks the call's result; returns whether the call was accepted. */
bool attempt_end(const struct attempt *attempt, int err);

void stand_at_door(void);
void call_init(uint32_t p, uint32_t config);
void call_quiesce(uint32_t p, uint64_t timeout);
void call_shutdown(uint32_t p, uint32_t mode);
void call_join(uint32_t p);
void call_limit(uint32_t p, uint32_t limit);
void call_look(uint32_t p, bool compensate);
void free_pool(uint32_t p);

/* ---- places.c */

struct graph;

/* The model of one work. The work's own memory is freed when the work has ended. */
struct place {
	uint32_t live;		/* atomic: whether the place is taken */
	struct unit *unit;
	enum kind kind;
	uint32_t pool, pool_nr, queue, arg, opening;
	bool has_done;
	bool late;		/* the deadline had passed before the work was scheduled */
	uint32_t again;		/* how often @done schedules the work again */
	int answer;		/* what the work's function returns */
	/* CANCEL: the work to cancel; otherwise the work that waits for this work */
	struct place *target;
	uint32_t cancelers;	/* atomic: works that may cancel this work */
	/* how many works this work waits for; and, atomic, how many of those are done */
	uint32_t waits_for, told;
	/* its serial queue or NONE; its number among the driver's works there */
	uint32_t serial, nr;
	uint32_t ran, canceled;	/* atomic: counts since the place was taken */
};

extern struct place places[PLACES];

struct unit {
	struct nap_work work;
	struct nap_after after;
	struct place *place;
	uint32_t written;	/* counts runs: the function writes, @done reads */
};

/* Takes a free place, from any thread; NULL: none is free. Some places are the driver's alone. */
struct place *place_take(uint32_t p, uint32_t queue, enum kind kind, uint32_t how);
void place_free(struct place *place);
/* Returns a work that the driver may cancel, or NULL. */
struct place *place_to_cancel(uint32_t nr);

/* ---- works.c, turns.c */

void call_work(uint32_t p, uint32_t kind, uint32_t how);
void call_batch(uint32_t p, uint32_t n, uint32_t kinds);
void call_after(uint32_t p, uint32_t n, uint32_t how);
void call_cancel(uint32_t nr);
void call_busy(uint32_t nr);
void call_reclaim(void);
bool schedule_work(struct place *place);
/* Returns a work that is not scheduled yet, or NULL. A refused work goes to drop_work(). */
struct place *prepare_work(uint32_t p, uint32_t kind, uint32_t how);
void drop_work(struct place *place);
int work_turn(struct nap_work *work);
void work_done(struct nap_work *work, int result);
/* Checks the result of a work that has ended without @done. */
void check_end(struct place *place, int result);
void cancel_ended(struct place *canceler);
extern uint32_t graphs, graph_ends;	/* atomic */

/* ---- queues.c */

struct fuzz_queue {
	struct nap_cq *cq;	/* constant while @users is not 0 */
	uint32_t opening;	/* atomic: counts openings and closings; odd while open */
	uint32_t users;		/* atomic: works whose end is delivered here */
	uint32_t held;		/* atomic: works that cancel a work whose end is delivered here */
	uint32_t notes;		/* atomic: notes in the queue */
	bool open;
	uint32_t running;	/* number of the nap_cq_run() that runs; 0: none */
	bool told_empty;	/* the queue said that it is empty */
	uint32_t failed;	/* value of the global @failed at that time */
	uint32_t last[256];	/* number of the last note of each thread */
};

extern struct fuzz_queue queues[QUEUES];

void call_open(uint32_t q, bool anew);
void call_close(uint32_t q);
void call_pop(uint32_t q);
void call_pop_all(uint32_t q);
void call_run(uint32_t q, uint32_t max);
void push_note(uint32_t q, uint32_t how);
/* Called while nothing runs: checks that the fd of each queue with content is readable. */
void check_queues(void);
void free_queues(void);

/* ---- serials.c */

void serials_begin(uint32_t p);
void serials_end(uint32_t p);
void call_serial(uint32_t p, uint32_t s, uint32_t how);
void call_serial_work(uint32_t p, uint32_t s, uint32_t kind, uint32_t how);
void call_serial_end(uint32_t p, uint32_t s, bool frees);
/* Lets works schedule on the serial queue from now on; false: the queue may be freed. */
bool serial_share(uint32_t p, uint32_t s);
/* serial_turn_begin() and serial_turn_end() enclose the run of a work on a serial queue. */
void serial_turn_begin(struct place *place);
void serial_turn_end(struct place *place);
/* Ends @task, which a join has left; false: @task is no serial queue. */
bool serial_left(struct nap_task *task);

/* ---- submits.c */

void submits_begin(uint32_t p, uint32_t config);
void submits_left(uint32_t p, struct nap_batch *left);
void submits_end(uint32_t p);
void check_submits(uint32_t p);
void call_submit(uint32_t p, uint32_t how);
void call_submit_wait(uint32_t p, uint32_t how, uint64_t timeout);

#endif /* NAP_TESTS_FUZZ_DAEMON_H */
