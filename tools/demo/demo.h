/* SPDX-License-Identifier: MIT */
/* What the commands of nap-demo share: the options, a timed run on a pool, signals, output. */
#ifndef DEMO_H
#define DEMO_H

#include <nap/nap.h>

#include <stdbool.h>
#include <stdint.h>

/* Exit statuses. */
enum {
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_SIGNAL = 128,	/* plus the number of the signal */
};

struct options {
	unsigned workers;
	size_t stack;
	enum nap_idle idle;
	bool verbose;
};

/* A pool, the group that counts its tasks, and what they cost. */
struct run {
	struct nap_pool pool;
	struct nap_group group;
	unsigned workers;
	bool running;
	int error;	/* A: positive errno of the first task that failed */
	int stop;	/* A: tasks that have begun shall break off */
	uint64_t wall;
	uint64_t cpu;
	uint64_t wall_start;
	uint64_t cpu_start;
	struct nap_pool_stats stats;
	struct nap_worker_stats *each;
	unsigned nr_each;
};

typedef void (*run_tick_fn)(void *arg);

/* run.c */
int run_begin(struct run *run, const struct options *options, unsigned workers);
uint64_t run_clock(void);
void run_start_clock(struct run *run);
int run_wait(struct run *run, run_tick_fn tick, void *arg);
void run_stop_clock(struct run *run);
void run_end(struct run *run, struct nap_batch *left);
void run_free(struct run *run);
void run_fail(struct run *run, int error);
static inline bool run_stopped(struct run *run)
{
	return __atomic_load_n(&run->stop, __ATOMIC_RELAXED);
}

/* signals.c */
void signals_catch(void);
int signals_caught(void);
int signals_status(void);
const char *signals_name(void);

/* report.c */
const char *digits(uint64_t n, char buf[static 32]);
void report_times(const struct run *many, const struct run *one);
void report_runs(const struct options *options, const struct run *many, const struct run *one);
void report_error(int error);
int report_flush(int status);

/* progress.c */
void progress_open(void);
void progress_show(const char *line);
void progress_erase(void);
void progress_message(const char *message, size_t len);

/* words.c, sort.c, fib.c, nqueens.c, uts.c */
int cmd_words(const struct options *options, int argc, char **argv);
int cmd_sort(const struct options *options, uint32_t n);
int cmd_fib(const struct options *options, unsigned n);
int cmd_nqueens(const struct options *options, unsigned n);
int cmd_uts(const struct options *options);

#endif /* DEMO_H */
