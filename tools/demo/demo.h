/* SPDX-License-Identifier: MIT */
/* The common part of nap-demo's commands: the options, a timed run on a pool, output. */
#ifndef DEMO_H
#define DEMO_H

#include <nap/nap.h>

#include <stdbool.h>
#include <stdint.h>

enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_SIGNAL = 128,	/* 128 plus the number of the signal */
};

struct options {
	unsigned workers;
	size_t stack;
	enum nap_idle idle;
	bool verbose;
};

/* A pool, the work on it, and its cost. The command fills in the members before the pool. */
struct run {
	/* Called on a worker. Returns 0, or the positive errno if there is no result. */
	int (*work)(struct run *run, struct nap_worker *worker);
	bool (*right)(const struct run *run);	/* NULL, or checks whether the result is right */
	void (*tick)(struct run *run);		/* NULL, or is called ten times a second */
	struct nap_local *local;		/* NULL, or the part of each worker */

	struct nap_pool pool;
	struct nap_group group;	/* the task that begins the work; the work may add other tasks */
	struct nap_task task;
	unsigned workers;
	int error;
	uint64_t wall, cpu;
	struct nap_pool_stats stats;
	struct nap_worker_stats *each;
	unsigned nr_each;
};

/* run.c */
extern uint32_t run_stop;	/* atomic: the signal that asks for the end, or 0 */
void run_catch_signals(void);
void run_ends_by_itself(void);
int run_on(struct run *run, const struct options *options, unsigned workers);
int run_checked(struct run *run, const struct options *options, unsigned workers,
		const char *what);
int run_twice(struct run *many, struct run *one, const struct options *options, const char *what);
void run_free(struct run *run);
uint64_t run_clock(void);

/* report.c */
const char *digits(uint64_t n, char buf[static 32]);
void report_times(const struct run *many, const struct run *one);
void report_runs(const struct options *options, const struct run *many, const struct run *one);
void report_progress(const char *line);
void report_line(const char *line, size_t len);
int report_error(int error);
int report_stopped(const char *format, ...) __attribute__((format(printf, 1, 2)));
int report_flush(int status);

/* words.c, sort.c, fib.c, nqueens.c, uts.c */
int cmd_words(const struct options *options, int argc, char **argv);
int cmd_sort(const struct options *options, uint64_t n);
int cmd_fib(const struct options *options, uint64_t n);
int cmd_nqueens(const struct options *options, uint64_t n);
int cmd_uts(const struct options *options, uint64_t tree);

#endif /* DEMO_H */
