/* SPDX-License-Identifier: MIT */
/*
 * libdill's coroutines, on one thread. A channel has no room for a message, so a sender waits for
 * the receiver.
 */
#include "common/row.h"

#define DILL_DISABLE_RAW_NAMES
#include <libdill.h>

const char row_peer[] = "dill";

static dill_coroutine void gives_way(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (dill_yield())
			row_die("a coroutine does not give way");
}

static void turns(const struct size *size)
{
	int other = dill_go(gives_way(size->n / 2));

	if (other < 0)
		row_die("a coroutine does not run");
	gives_way(size->n / 2);
	if (dill_bundle_wait(other, -1) || dill_hclose(other))
		row_die("a coroutine does not end");
}

static dill_coroutine void nothing(void)
{
}

/* A new coroutine runs at once, before dill_go() returns. */
static void spawn_await(const struct size *size)
{
	for (uint64_t i = 0; i < size->n; i++) {
		int one = dill_go(nothing());

		if (one < 0 || dill_bundle_wait(one, -1) || dill_hclose(one))
			row_die("a coroutine does not run");
	}
}

static dill_coroutine void answers(int channel, uint64_t n)
{
	uint64_t value;

	for (uint64_t i = 0; i < n; i++)
		if (dill_chrecv(channel, &value, sizeof(value), -1) ||
		    dill_chsend(channel, &value, sizeof(value), -1))
			row_die("a channel does not work");
}

/* A channel has two directions. */
static void channel(const struct size *size)
{
	int ends[2], other;
	uint64_t value;

	if (dill_chmake(ends))
		row_die("no channel");
	other = dill_go(answers(ends[1], size->n));
	for (uint64_t i = 0; i < size->n; i++)
		if (dill_chsend(ends[0], &i, sizeof(i), -1) ||
		    dill_chrecv(ends[0], &value, sizeof(value), -1) || value != i)
			row_die("a channel does not work");
	if (dill_bundle_wait(other, -1) || dill_hclose(other) || dill_hclose(ends[0]) ||
	    dill_hclose(ends[1]))
		row_die("a coroutine does not end");
}

static const struct row rows[] = {
	ROW_TIME("turns", row_time, turns),
	ROW_TIME("spawn-await", row_time, spawn_await),
	ROW_TIME("channel", row_time, channel),
	ROWS_END,
};

const struct row *const row_tables[] = { rows, NULL };
