/* SPDX-License-Identifier: MIT */
/*
 * A benchmark's program is a table of rows, each a piece of work whose size the command line says:
 *
 *	PROGRAM ROW WORKERS N ROUNDS [HOW]
 *
 * and prints one line a sample, with tabs between them:
 *
 *	ROW  PEER  wall ns  CPU ns of the process, or -  how often the work was done
 *
 * What is no time (bytes, system calls) stands in the place of the wall time. C, and C++.
 */
#ifndef NAP_BENCH_ROW_H
#define NAP_BENCH_ROW_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * @apart: the thread that begins it all is on CPU 0, all others on CPU 1; or, where main does not
 * take part, worker i is on CPU i
 */
struct size {
	const char *row;
	unsigned workers;
	uint64_t n;
	unsigned rounds;
	const char *how;	/* "" if nothing was said */
	bool apart;		/* how is "apart" */
};

typedef void row_fn(const struct size *size);
typedef void row_time_fn(const struct size *size, row_fn *once);
typedef void threads_fn(unsigned thread, uint64_t n);	/* n: this thread's share of the row's */

/* What measures by itself; or rounds between a begin and an end; or threads by themselves. */
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

/* The program's: its name, and what it can do, in tables that end with a row without a name. */
extern const char row_peer[];
extern const struct row *const row_tables[];

void row_begin(struct span *span);
void row_end(const struct size *size, const struct span *span, uint64_t n);
void row_print(const struct size *size, uint64_t value, uint64_t n);
void row_die(const char *why);

/* Before threads are started, which inherit it, and after they have been; nothing unless apart. */
void row_start_apart(const struct size *size);
void row_go_apart(const struct size *size);
void row_pin(unsigned cpu);

/* @once to warm up, then as many rounds as there are to be, measured as one sample. */
void row_time(const struct size *size, row_fn *once);

/* The same where a round is @each of what is counted; how "cold": nothing to warm up. */
void row_time_n(const struct size *size, uint64_t each, row_fn *once);

/* The same where n says how large the work is, and each round is one. */
static inline void row_time_whole(const struct size *size, row_fn *once)
{
	row_time_n(size, 1, once);
}

/*
 * Each round is a sample, with a pause before it: long enough that every peer's workers sleep. Main
 * stays busy, so that what is measured is one sleeping CPU and not two.
 */
#define ROW_REST_NS 300000u
void row_time_each(const struct size *size, uint64_t rest_ns, row_fn *once);
static inline void row_time_rested(const struct size *size, row_fn *once)
{
	row_time_each(size, ROW_REST_NS, once);
}

/* For rounds that measure themselves: @once returns the sample. */
typedef uint64_t row_sample_fn(const struct size *size);
void row_take_each(const struct size *size, uint64_t rest_ns, row_sample_fn *once);

void row_sleep(uint64_t ns);
void row_busy(uint64_t ns);
uint64_t row_now(void);

/* Work that takes this long, as measured when the program began. */
void row_work(uint64_t ns);

#ifdef __cplusplus
}
#endif

#endif /* NAP_BENCH_ROW_H */
