/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_for - loops on all workers of a pool
 *
 * Loops whose iterations do not depend on each other run on all of a pool's workers and the caller.
 *
 *	static int brighten(size_t begin, size_t end, void *pixels)
 *	{
 *		for (size_t i = begin; i < end; i++)
 *			((unsigned char *)pixels)[i] |= 0x80;
 *		return 0;
 *	}
 *
 *	nap_for(&pool, 0, width * height, brighten, pixels);
 *
 * The caller may be any thread, a worker in the middle of a task or of another loop included. The
 * caller takes part, and returns when everything has run. What the caller wrote before is visible
 * to every range, and what the ranges wrote is visible to the caller afterwards. Nothing is
 * allocated. In other respects the call is as nap_call() (nap/call.h): while NAP_GUESTS other
 * threads from outside are inside, the caller waits. A caller from outside runs ranges, too, so a
 * pool for such loops needs one worker less than there are CPUs.
 *
 * Which thread runs which range is up to the pool. No worker is woken for a loop that takes no
 * longer than a wake-up. The pool finds out how long a loop takes by running it: the caller begins
 * alone, with few indices, and reads the clock; then it splits the remaining indices in two, and in
 * two again, and an idle worker takes the largest remaining part. Ranges become longer until one
 * takes some microseconds. A loop that took long when the same thread ran it last, with the same
 * function, is split at once. A program that knows better says so in struct nap_loop.
 *
 * A function that is given to one of these calls may call all of them. Such a function is left by
 * return only, as a job is: not by longjmp(), an exception (nap/nap.hpp has templates that bring
 * one to the caller), or pthread_exit(). tools/example/ has whole programs.
 */
#ifndef NAP_FOR_H
#define NAP_FOR_H

#include <stddef.h>
#include <stdint.h>

#include "pool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * typedef nap_range_fn - a range of a loop
 * @begin: the first index
 * @end:   the index after the last; above @begin
 * @arg:   as given to nap_for()
 *
 * Several ranges run at the same time, in any order. Returns 0; or another number, which ends the
 * loop: no further range begins, and the loop returns that number when all ranges that have begun
 * have returned.
 */
typedef int (*nap_range_fn)(size_t begin, size_t end, void *arg);

/**
 * typedef nap_progress_fn - called with the progress of a loop
 * @done:  how many indices have been run
 * @total: how many indices there are
 * @arg:   the loop's @progress_arg
 *
 * Called by any of the threads that take part, one at a time, in the middle of the loop; the last
 * ranges may pass without a call. Returns 0, or a negative number to end the loop, which returns
 * that number (-ECANCELED for a number above 0).
 */
typedef int (*nap_progress_fn)(size_t done, size_t total, void *arg);

/* struct nap_loop, flags */

/**
 * NAP_LOOP_FIRST - the lowest index decides
 *
 * If several ranges do not return 0, the loop returns the value of the lowest of these ranges; of
 * several matches a search finds the lowest, as a sequential loop does. For this purpose the ranges
 * below the first failure or match are still run. (The value is the one of a sequential loop if
 * each range returns at its own first failure.)
 */
#define NAP_LOOP_FIRST 1u

/**
 * NAP_LOOP_FIXED - ranges depend on nothing but begin, end and grain
 *
 * So the same values are merged at every run, with any number of workers: sums of floating-point
 * numbers have the same bits (nap/reduce.h). Without a grain a range is a 256th or a 512th of the
 * indices; in a loop with @owners, and in a scan, a 64th. No clock is read (except for @timeout_ns
 * and @progress), so even a short loop wakes other workers, unless it is serial (nap_loop.serial).
 */
#define NAP_LOOP_FIXED 2u

/** NAP_OWNED_PARTS - the most parts of a loop with owners */
#define NAP_OWNED_PARTS 64

/**
 * struct nap_owners - which worker ran which part of a loop the last time
 *
 * The program sets the struct to zero; from then on only nap writes it. The struct serves loops
 * over the same indices with the same grain, one at a time. (Two loops at a time, or loops with
 * different grains, are correct, too, but gain nothing from the notes.)
 */
struct nap_owners {
	uint32_t worker[NAP_OWNED_PARTS];
};

/**
 * struct nap_loop - how a loop is run
 * @flags:       NAP_LOOP_*; other bits are -EINVAL
 * @grain:       a range has at most this many indices, and, except the last range, at least half as
 *               many; 0: as many as take some microseconds. With a grain no clock is read (except
 *               for @timeout_ns and @progress), and ranges are offered to other workers at once
 * @serial:      a loop of at most this many indices is one range, run by the caller at once: no
 *               clock is read, no worker is woken, neither the pool nor the fields below are read.
 *               (With @serial 0 nap finds short loops by itself, unless there is a @grain)
 * @stop:        NULL, or a word that is 0. The loop ends with -ECANCELED when the program has set
 *               the word to another value, by an atomic store, from any thread or signal handler
 * @timeout_ns:  the loop ends with -ETIMEDOUT this many nanoseconds after the call, also if the
 *               caller still waits for one of the NAP_GUESTS places (@stop does not end this wait);
 *               0: no limit
 * @progress:    NULL, or called with @progress_arg, about every @progress_ns nanoseconds.
 *               @progress_ns 0: after each range; NAP_FOREVER: never
 * @owners:      NULL, or notes of an earlier loop: each worker begins with the parts that it ran in
 *               that loop, which are in its caches, and takes other workers' parts only after them.
 *               This is for loops that are run again and again over arrays that fit into the
 *               caches. Other workers are notified at once, as with a @grain. @progress counts
 *               parts. Without a @grain and with NAP_LOOP_FIXED each part is one range; without
 *               NAP_LOOP_FIXED, too, if there is neither a @stop nor a @timeout_ns. Only
 *               nap_for_as() and nap_for_2d() use @owners, and only without NAP_LOOP_FIRST
 *
 * A struct that is all zero is the same as nap_for(). @stop, @timeout_ns and @progress are checked
 * between two ranges. One struct may be used by many loops at a time.
 */
struct nap_loop {
	uint32_t flags;
	uint32_t reserved;
	size_t grain;
	size_t serial;
	const uint32_t *stop;
	uint64_t timeout_ns;
	nap_progress_fn progress;
	uint64_t progress_ns;
	struct nap_owners *owners;
	void *progress_arg;
	uint64_t reserved_too;
};

/**
 * nap_for() - run @body for all indices from @begin to @end - 1, in ranges
 * @pool: the pool whose workers take part
 * @body: called with ranges that together cover all indices, each once
 * @arg:  passed to @body
 *
 * Any thread. A loop that has begun also continues when the pool is shut down. If a range calls
 * fork(2), and returns in the child (nap/child.h), the child runs the ranges again that other
 * threads had taken.
 *
 * Returns 0 when all indices have been run, at once if @end is @begin. If ranges returned other
 * values than 0, returns one of these values, when all ranges that had begun are over; -EINVAL when
 * @end is below @begin, or @pool or @body is NULL; -ESHUTDOWN when the pool was shut down before,
 * and then nothing has run. (One of the pool's own workers, in a task that had begun, still runs
 * the loop.)
 */
int nap_for(struct nap_pool *pool, size_t begin, size_t end, nap_range_fn body, void *arg);

/**
 * nap_for_as() - nap_for() as @how says
 * @how: read during the call; NULL is all zero
 *
 * Returns as nap_for(); -ECANCELED by @how->stop and -ETIMEDOUT by @how->timeout_ns, if not all
 * indices have been run; -EINVAL also when @how has an unknown flag, or a reserved field that is
 * not 0.
 */
int nap_for_as(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	       nap_range_fn body, void *arg);

/**
 * struct nap_tile - a rectangle of indices
 * @row, @row_end:       the first row, and the row after the last
 * @column, @column_end: the first column, and the column after the last
 */
struct nap_tile {
	size_t row, row_end;
	size_t column, column_end;
};

/** typedef nap_tile_fn - a tile of a loop; as nap_range_fn */
typedef int (*nap_tile_fn)(const struct nap_tile *tile, void *arg);

/**
 * nap_for_2d() - run @body for all of @area, in tiles
 * @how:  as for nap_for_as(); here @grain, @serial and progress are in tiles
 * @area: the indices to run
 * @tile_rows, @tile_columns: the size of a tile, except at the ends of the area; 0: 64
 * @body: called with tiles that together cover @area, each index once
 *
 * The lowest tile is the one with the lowest row, and in a row of tiles the leftmost. Returns as
 * nap_for_as(); -EOVERFLOW when there would be more tiles than a size_t counts.
 */
int nap_for_2d(struct nap_pool *pool, const struct nap_loop *how, const struct nap_tile *area,
	       size_t tile_rows, size_t tile_columns, nap_tile_fn body, void *arg);

/**
 * typedef nap_chunk_fn - a part of memory that was cut after separators
 * @chunk: its first byte, which is the first byte of the memory or comes after a separator
 * @size:  bytes, above 0. The chunk's last byte is a separator, or the memory's last byte
 *
 * As nap_range_fn.
 */
typedef int (*nap_chunk_fn)(const void *chunk, size_t size, void *arg);

/**
 * nap_for_chunks() - run @body for all of @memory, cut into lines or the like
 * @how:       as for nap_for_as(), where indices are bytes. A chunk may be longer than @grain,
 *             because it ends with a whole line
 * @memory:    @size bytes, read only
 * @separator: the byte that ends a line; it belongs to the line
 * @body:      called with chunks that together cover @memory, each one or more whole lines
 *
 * Separators are searched for only where ranges begin. Returns as nap_for_as().
 */
int nap_for_chunks(struct nap_pool *pool, const struct nap_loop *how, const void *memory,
		   size_t size, unsigned char separator, nap_chunk_fn body, void *arg);

/**
 * DOC: nap_find - search for an index on all workers of a pool
 *
 *	static size_t negative(size_t i, size_t end, void *numbers)
 *	{
 *		while (i < end && ((const int *)numbers)[i] >= 0)
 *			i++;
 *		return i;
 *	}
 *
 *	if (nap_any(&pool, NULL, 0, n, negative, numbers) == 1)
 *		puts("there is a negative one");
 */

/**
 * typedef nap_find_fn - search for a match in a range
 *
 * Returns the index of the first match in the range, or @end when there is none. As nap_range_fn
 * otherwise.
 */
typedef size_t (*nap_find_fn)(size_t begin, size_t end, void *arg);

/**
 * nap_find() - find an index for which a condition holds
 * @how:   as for nap_for_as(); NAP_LOOP_FIRST: find the lowest index
 * @match: searches ranges, until one has a match
 * @index: set to the index that was found; left alone otherwise
 *
 * Without a grain, and without NAP_LOOP_FIXED, the caller begins alone, and finds a match near
 * @begin before other threads are notified. A search that is canceled or times out still returns 0
 * if it has found a match before, except with NAP_LOOP_FIRST.
 *
 * Returns 0 when there is a match; -ENOENT when there is none; -EINVAL also when @index is NULL; or
 * as nap_for_as().
 */
int nap_find(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	     nap_find_fn match, void *arg, size_t *index);

/**
 * nap_any() - whether there is a match
 *
 * Returns 1 when there is one, 0 when there is none, or an error of nap_find().
 */
int nap_any(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	    nap_find_fn match, void *arg);

/**
 * nap_all() - whether a condition holds for all indices
 * @differs: searches for an index for which the condition does not hold, as a match of nap_find()
 *
 * Returns 1 when @differs finds none, 0 when it finds one, or an error of nap_find().
 */
int nap_all(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	    nap_find_fn differs, void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_FOR_H */
