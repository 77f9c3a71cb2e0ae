/* SPDX-License-Identifier: MIT */
/*
 * What the commands on fork and join share: a task begins the work on a worker, so that exactly the
 * pool's workers have part in it, and jobs split it up.
 */
#ifndef DEMO_FORKS_H
#define DEMO_FORKS_H

#include "demo.h"

struct forks;

/* On @worker, which has nothing forked yet. */
typedef void (*forks_fn)(struct forks *forks, struct nap_worker *worker);

/* Embedded by the command, beside what it works on and its result. */
struct forks {
	struct run run;
	struct nap_task task;
	forks_fn work;
	bool serial;	/* on a worker, but without forks */
	unsigned workers;
	bool by_main;	/* there is no worker */
};

/* forks.c */
int forks_run(struct forks *forks, const struct options *options, unsigned workers,
	      const char *what);
bool forks_signalled(struct forks *forks);

/* Whether the work is to break off; then what it returns is not looked at. */
static inline bool forks_stopped(struct forks *forks)
{
	if (run_stopped(&forks->run))
		return true;
	/* The main thread is at work itself, and looks for signals at no other time. */
	return forks->by_main && forks_signalled(forks);
}

#endif /* DEMO_FORKS_H */
