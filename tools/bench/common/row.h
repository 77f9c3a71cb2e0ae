/* SPDX-License-Identifier: MIT */
/*
 * A benchmark's program is a table of rows, each a piece of work of the size on the command line:
 *
 *	PROGRAM ROW WORKERS N ROUNDS [HOW]
 *
 * The program prints one line a sample, with tabs between them:
 *
 *	ROW  PEER  wall ns  CPU ns of the process, or -  how often the work was done
 *
 * A value that is no time (bytes, system calls) takes the place of the wall time. For C and C++.
 */
#ifndef NAP_BENCH_ROW_H
#define NAP_BENCH_ROW_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * @apart: the thread that begins the row is on CPU 0, all others are on CPU 1. Where main does
 * not take part, worker i is on CPU i.
 */
struct size {
	const char *row;
	unsigned workers;
	uint64_t n;
	unsigned rounds;
	const char *how;	/* "" if the command line has none */
	bool apart;		/* HOW is "apart" */
};

typedef void row_fn(const struct size *size);
typedef void row_time_fn(const struct size *size, row_fn *once);
typedef void threads_fn(unsigned thread, uint64_t n);	/* n is the thread's share of the row's n */

/* A row either measures itself (run), or is rounds between begin and end, or is run by threads. */
struct row {
	const char *name;
	row_fn *run;
	row_time_fn *time;
	row_fn *once;
	row_fn *begin;
	void (*end)(void);
	threads_fn *alone;
};

#define ROW(name, run)				ROW_WITHIN(name, run, 0, 0)
#define ROW_WITHIN(name, run, begin, end)	{ name, run, 0, 0, begin, end, 0 }
#define ROW_OF(name, time, once, begin, end)	{ name, 0, time, once, begin, end, 0 }
#define ROW_TIME(name, time, once)		ROW_OF(name, time, once, 0, 0)
#define ROW_ALONE(name, begin, alone)		{ name, 0, 0, 0, begin, 0, alone }
#define ROWS_END				{ 0, 0, 0, 0, 0, 0, 0 }

struct span {
	uint64_t wall, cpu;
};

/* The program's name, and its tables, which end with a row without a name. */
extern const char row_peer[];
extern const struct row *const row_tables[];

void row_begin(struct span *span);
void row_end(const struct size *size, const struct span *span, uint64_t n);
void row_print(const struct size *size, uint64_t value, uint64_t n);
void row_die(const char *why);

/*
 * row_start_apart() is called before threads are started, because threads inherit the CPU of the
 * calling thread. row_go_apart() is called afterwards. The two do nothing unless @apart.
 */
void row_start_apart(const struct size *size);
void row_go_apart(const struct size *size);
void row_pin(unsigned cpu);

/* Calls @once to warm up, then once for each round. All rounds are one sample. */
void row_time(const struct size *size, row_fn *once);

/*
 * As row_time(), but a round counts as @each pieces of work, and a row whose HOW is "cold" has no
 * warm-up.
 */
void row_time_n(const struct size *size, uint64_t each, row_fn *once);

/* As row_time(), but n is the size of the work, and each round counts as one. */
static inline void row_time_whole(const struct size *size, row_fn *once)
{
	row_time_n(size, 1, once);
}

/*
 * Makes each round a sample, after a pause so long that every peer's workers sleep. Main stays
 * busy in the pause, so that one sleeping CPU is measured and not two.
 */
#define ROW_REST_NS 300000u
void row_time_each(const struct size *size, uint64_t rest_ns, row_fn *once);
static inline void row_time_rested(const struct size *size, row_fn *once)
{
	row_time_each(size, ROW_REST_NS, once);
}

/* For rounds that measure themselves: the sample is what @once returns. */
typedef uint64_t row_sample_fn(const struct size *size);
void row_take_each(const struct size *size, uint64_t rest_ns, row_sample_fn *once);

void row_sleep(uint64_t ns);
void row_busy(uint64_t ns);
uint64_t row_now(void);

/* Works for @ns. When the program begins, row_calibrate() measures how much work that is. */
void row_work(uint64_t ns);
void row_calibrate(void);

#ifdef __cplusplus
}
#endif

#endif /* NAP_BENCH_ROW_H */
