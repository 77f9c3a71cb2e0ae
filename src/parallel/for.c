/* SPDX-License-Identifier: MIT */
/*
 * nap_for(), nap_for_2d(): loops of src/parallel/ranges.h without values. Typically a short loop
 * runs on the caller.
 */
#include <errno.h>

#include <nap/nap.h>

#include "parallel/ranges.h"
#include "sync/debug.h"

/* ---- loops over indices */

struct body {
	struct nap__ranges ranges;
	nap_range_fn run;
};

static int run_body(struct nap__ranges *ranges, size_t begin, size_t end, void *unused)
{
	(void)unused;
	return nap_container_of(ranges, struct body, ranges)->run(begin, end, ranges->arg);
}

/* Out of line, so that a short loop does not set up this frame. */
static __attribute__((noinline)) int for_split(struct nap_pool *pool, const struct nap_loop *how,
					       size_t begin, size_t end, nap_range_fn run,
					       void *arg)
{
	struct body body = { ranges_of(pool, how, run_body, arg), run };

	body.ranges.body = (const void *)run;
	return nap__ranges_run(&body.ranges, begin, end, NULL);
}

int nap_for_as(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
	       nap_range_fn body, void *arg)
{
	if (!ranges_valid(pool, how, begin, end) || !body)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	if (begin == end)
		return 0;
	if (how && end - begin <= how->serial)
		return body(begin, end, arg);
	if (how && how->owners && !(how->flags & NAP_LOOP_FIRST))
		return nap__for_owned(pool, how, begin, end, body, arg);
	return for_split(pool, how, begin, end, body, arg);
}

int nap_for(struct nap_pool *pool, size_t begin, size_t end, nap_range_fn body, void *arg)
{
	return nap_for_as(pool, NULL, begin, end, body, arg);
}

/* ---- loops over tiles, row by row; an index is the number of a tile */

#define TILE 64u

struct tiles {
	const struct nap_tile *area;
	size_t rows, columns;	/* of a tile */
	size_t in_row;		/* tiles in a row of the area */
	nap_tile_fn run;
	void *arg;
};

static size_t at_most(size_t from, size_t n, size_t end)
{
	return n < end - from ? from + n : end;
}

static int run_tiles(size_t begin, size_t end, void *arg)
{
	const struct tiles *tiles = arg;
	const struct nap_tile *area = tiles->area;
	int err = 0;

	for (size_t i = begin; i < end && !err; i++) {
		size_t row = area->row + i / tiles->in_row * tiles->rows;
		size_t column = area->column + i % tiles->in_row * tiles->columns;
		size_t row_end = at_most(row, tiles->rows, area->row_end);
		size_t column_end = at_most(column, tiles->columns, area->column_end);

		err = tiles->run(&(struct nap_tile){ row, row_end, column, column_end },
				 tiles->arg);
	}
	return err;
}

static size_t divide_up(size_t n, size_t by)
{
	return n / by + (n % by != 0);
}

int nap_for_2d(struct nap_pool *pool, const struct nap_loop *how, const struct nap_tile *area,
	       size_t tile_rows, size_t tile_columns, nap_tile_fn body, void *arg)
{
	struct tiles tiles = { .area = area, .run = body, .arg = arg };
	size_t all;

	debug_aligned(pool, __func__, __builtin_return_address(0));
	if (!area || !body || area->row > area->row_end || area->column > area->column_end)
		return -EINVAL;
	tiles.rows = tile_rows ? tile_rows : TILE;
	tiles.columns = tile_columns ? tile_columns : TILE;
	tiles.in_row = divide_up(area->column_end - area->column, tiles.columns);
	if (__builtin_mul_overflow(tiles.in_row, divide_up(area->row_end - area->row, tiles.rows),
				   &all))
		return -EOVERFLOW;
	return nap_for_as(pool, how, 0, all, run_tiles, &tiles);
}
