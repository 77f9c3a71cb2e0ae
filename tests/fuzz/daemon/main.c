/* SPDX-License-Identifier: MIT */
/*
 * The driver: every byte string is a program of calls. The model that checks the calls is in
 * daemon.h.
 */
#include <sched.h>
#include <string.h>

#include "daemon.h"
#include "watchdog_print.h"

#define CALLS_MAX	300

struct bytes {
	const uint8_t *data;
	size_t size;
};

void fuzz_print(void)
{
	for (uint32_t p = 0; p < POOLS; p++)
		if (pools[p].pool)
			watch_pool(pools[p].pool);
	print_watched();
}

/* Returns the next byte; zeros after the end of the string. */
static uint32_t next(struct bytes *bytes)
{
	if (!bytes->size)
		return 0;
	bytes->size--;
	return *bytes->data++;
}

static void pause_for(uint32_t turns)
{
	while (turns--)
		sched_yield();
}

enum call {
	WORK, BATCH, AFTER, CANCEL_ONE, BUSY, RECLAIM,
	OPEN, CLOSE, POP, POP_ALL, RUN, NOTE,
	SERIAL_TASK, SERIAL_WORK, SERIAL_END,
	SUBMIT_ONE, WAIT_FOR_SLOT,
	INIT, QUIESCE, HELP, SHUTDOWN, JOIN, LIMIT, LOOK,
	FAIL_STARTS, FAIL_MAPS, FAIL_EVENTS, SPURIOUS, DOOR, PAUSE, NR_CALLS
};

/* Makes a call on a pool; the lowest bit of @b says which pool. */
static void pool_call(enum call call, uint32_t b, struct bytes *bytes)
{
	uint32_t p = b % POOLS, rest = b / POOLS;

	switch (call) {
	case WORK:
		call_work(p, rest, next(bytes));
		break;
	case BATCH:
		call_batch(p, rest % 12, next(bytes));
		break;
	case AFTER:
		call_after(p, rest % 6, next(bytes));
		break;
	case SERIAL_TASK:
		call_serial(p, rest % SERIALS, rest / SERIALS);
		break;
	case SERIAL_WORK:
		call_serial_work(p, rest % SERIALS, rest / SERIALS, next(bytes));
		break;
	case SERIAL_END:
		call_serial_end(p, rest % SERIALS, rest & 2);
		break;
	case SUBMIT_ONE:
		call_submit(p, rest);
		break;
	case WAIT_FOR_SLOT:
		call_submit_wait(p, rest, timeout_of(rest));
		break;
	case INIT:
		call_init(p, rest);
		break;
	case QUIESCE:
		call_quiesce(p, timeout_of(rest));
		break;
	case HELP:
		helping_begin();
		nap_pool_help(pools[p].pool, rest);
		helping_end();
		break;
	case SHUTDOWN:
		call_shutdown(p, rest % 2 ? NAP_STOP : NAP_DRAIN);
		break;
	case LIMIT:
		call_limit(p, rest % 8);
		break;
	case LOOK:
		call_look(p, rest % 2);
		break;
	default:
		call_join(p);
		break;
	}
}

static void queue_call(enum call call, uint32_t b)
{
	uint32_t q = b % QUEUES, rest = b / QUEUES;

	switch (call) {
	case OPEN:
		call_open(q, rest % 2);
		break;
	case CLOSE:
		call_close(q);
		break;
	case POP:
		call_pop(q);
		break;
	case POP_ALL:
		call_pop_all(q);
		break;
	case RUN:
		call_run(q, rest % 8);
		break;
	default:
		push_note(q, rest);
		break;
	}
}

static void one_call(struct bytes *bytes)
{
	enum call call = (enum call)(next(bytes) % NR_CALLS);
	uint32_t b = next(bytes), all = b == 0xff ? UINT32_MAX : b % 8;

	switch (call) {
	case CANCEL_ONE:
		call_cancel(b);
		break;
	case BUSY:
		call_busy(b);
		break;
	case RECLAIM:
		call_reclaim();
		break;
	case OPEN: case CLOSE: case POP: case POP_ALL: case RUN: case NOTE:
		queue_call(call, b);
		break;
	case FAIL_STARTS:
		nap_store_relaxed(&fail_starts, all);
		break;
	case FAIL_MAPS:
		nap_store_relaxed(&fail_maps, all);
		break;
	case FAIL_EVENTS:
		nap_store_relaxed(&fail_events, all);
		break;
	case SPURIOUS:
		/*
		 * @spurious is never 1, so some sleeps are real. Otherwise no time limit of a wait
		 * would ever be reached.
		 */
		nap_store_relaxed(&spurious, b % 8 ? 1 + b % 8 : 0);
		break;
	case DOOR:
		nap_store_release(&door_closed, b % 2);
		break;
	case PAUSE:
		pause_for(b % 128);
		break;
	default:
		pool_call(call, b, bytes);
		break;
	}
}

/* Ends everything. Works end on a loop, and may schedule more works there. */
static void end(void)
{
	nap_store_relaxed(&fail_events, 0);
	for (int turn = 0; turn < 8; turn++) {
		for (uint32_t p = 0; p < POOLS; p++)
			call_quiesce(p, NAP_FOREVER);
		for (uint32_t q = 0; q < QUEUES; q++)
			call_run(q, 0);
	}
	for (uint32_t p = 0; p < POOLS; p++)
		call_join(p);
	for (uint32_t q = 0; q < QUEUES; q++)
		call_run(q, 0);
	for (uint32_t q = 0; q < QUEUES; q++)
		while (queues[q].open)
			call_close(q);
	call_reclaim();
	for (uint32_t p = 0; p < POOLS; p++)
		free_pool(p);
	for (int i = 0; i < PLACES; i++)
		CHECK(!nap_load_acquire(&places[i].live), i);
	CHECK(graphs == graph_ends, graphs - graph_ends);
	free_queues();
	seam_end();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, size };

	seam_begin();
	is_driver = true;
	door_closed = graphs = graph_ends = 0;
	memset(places, 0, sizeof(places));
	for (uint32_t p = 0; p < POOLS; p++)
		call_init(p, p);
	for (uint32_t q = 0; q < QUEUES; q++)
		call_open(q, true);
	for (int i = 0; i < CALLS_MAX && bytes.size; i++)
		one_call(&bytes);
	end();
	return 0;
}
