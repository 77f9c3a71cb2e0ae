/* SPDX-License-Identifier: MIT */
/* What earlier executions have taught of loops that wait: awaits.c. */
#include "explore/saving.h"
#include "graph/mix.h"
#include "program/awaits.h"

bool awaits_known;
struct await_table await_table;

/* ---- futures */

static uint64_t key_of(const struct await_mark *mark)
{
	return mix(mark->history, mark->since);
}

static struct await_future *future_of(uint64_t key)
{
	return &await_table.future[key / (UINT64_MAX / AWAIT_FUTURES + 1)];
}

void await_note(const struct await_mark *mark, uint64_t state, uint64_t writes)
{
	*future_of(key_of(mark)) = (struct await_future){ key_of(mark), state, writes };
}

enum await_found await_look_up(const struct await_mark *mark, uint64_t state, uint64_t writes)
{
	const struct await_future *future = future_of(key_of(mark));

	if (future->history != key_of(mark) || future->writes != writes)
		return UNKNOWN;
	return future->state == state ? IS_SAME : DIFFERS;
}

/* ---- loops */

bool await_is_loop(uintptr_t pc)
{
	for (unsigned i = 0; i < await_table.nr_loops; i++)
		if (await_table.loop[i] == pc)
			return true;
	return false;
}

void await_loop_at(uintptr_t pc)
{
	if (await_is_loop(pc) || await_table.nr_loops == AWAIT_LOOPS)
		return;
	await_table.loop[await_table.nr_loops++] = pc;
	awaits_known = true;
	if (search.saving)
		search.saving->resumed = NULL;	/* what was saved is of other executions */
	if (search.strategy->reduces)
		must_restart();
}
