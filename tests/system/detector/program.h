/* SPDX-License-Identifier: MIT */
/*
 * A user's program that relies on every promise of order in the headers: on both sides of each
 * promise it accesses data that is not atomic.
 */
#ifndef DETECTOR_PROGRAM_H
#define DETECTOR_PROGRAM_H

#include <errno.h>
#include <nap/nap.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NR = 64, ROUNDS = 20, THREADS = 2 * NAP_GUESTS };

extern struct nap_pool pool;

static inline void want(bool ok, const char *what)
{
	if (ok)
		return;
	puts(what);
	exit(1);
}

/*
 * Flags, whose accesses are relaxed and order nothing: so only nap orders the accesses to data.
 * valgrind's tools are asked to ignore flags.
 */
#define FLAG __attribute__((section("flags")))

static inline int flag_is(int *flag)
{
	return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

static inline void flag_add(int *flag, int n)
{
	__atomic_add_fetch(flag, n, __ATOMIC_RELAXED);
}

static inline void flag_up(int *flag)
{
	flag_add(flag, 1);
}

static inline void flag_down(int *flag)
{
	__atomic_store_n(flag, 0, __ATOMIC_RELAXED);
}

static inline void await(int *flag, int n)
{
	while (flag_is(flag) < n)
		usleep(100);
}

struct work {
	struct nap_task task;
	struct nap_group *group;
	int in, out;
};

void square(struct nap_task *task);
void check_squares(struct work *work);

/* Schedules NR works, one by one or as a batch. The caller waits by group, quiesce or join. */
struct work *schedule(struct nap_pool *p, struct nap_group *group, bool as_batch);

/* work.c */
void tasks(void);
void reused(void);
void chains(void);
void forks(void);
void callers(void);
void handed_back(void);
void answered(void);
void left_to_workers(void);

/* ends.c */
void helped(bool by_join);
void returned(void);
void stopped_while_hopping(void);
void joiners(void);
void join_and_go_on(void);
void half_joined(void);
void ends(void);
void check_callbacks(void);

/* kit.c */
void kit(void);

/* looks.c, with -DLOOKS: between the two calls a thread looks at the pool again and again. */
#ifdef LOOKS
#define IS_LOOKED_AT true
#define LOOKED_AT .measure = NAP_MEASURE
void looks_begin(void);
void looks_end(void);
#else
#define IS_LOOKED_AT false
#define LOOKED_AT .measure = 0
static inline void looks_begin(void) { }
static inline void looks_end(void) { }
#endif

#endif /* DETECTOR_PROGRAM_H */
