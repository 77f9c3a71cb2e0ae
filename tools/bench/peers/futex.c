/* SPDX-License-Identifier: MIT */
/* One thread on one futex: the least that a wake-up can cost. */
#include "common/beside.h"
#include "common/count.h"
#include "common/row.h"

#include <pthread.h>
#include <stddef.h>

const char row_peer[] = "futex";

/* The number of items pushed, or UINT32_MAX for the end. */
static uint32_t word count_line;
struct item {
	char unused;
};

static void (*work_fn)(struct item *item);
static pthread_t thread;

static void *serve(void *unused)
{
	for (uint32_t did = 0;;) {
		uint32_t now = nap_load_acquire(&word);

		if (now == UINT32_MAX)
			return unused;
		if (now == did)
			count_futex(&word, FUTEX_WAIT, now);
		else
			for (; did != now; did++)
				work_fn(NULL);
	}
}

static inline void item_init(struct item *unused, void (*run)(struct item *item))
{
	(void)unused;
	work_fn = run;
}

static inline void item_push(struct item *unused)
{
	(void)unused;
	nap_fetch_add_release(&word, 1);
	count_futex(&word, FUTEX_WAKE, 1);
}

static void peer_start(const struct size *size)
{
	row_start_apart(size);
	if (pthread_create(&thread, NULL, serve, NULL))
		row_die("no thread");
}

static void peer_end(void)
{
	nap_store_release(&word, UINT32_MAX);
	count_futex(&word, FUTEX_WAKE, 1);
	pthread_join(thread, NULL);
}

#include "common/idle.h"
#include "common/items_wake.h"

/* Returns how late a thread's own sleep ends. */
static uint64_t late(const struct size *unused)
{
	static uint32_t state = 1;
	uint64_t length = beside_pause(&state), until = row_now() + length;

	(void)unused;
	row_sleep(length);
	return row_now() - until;
}

static void sleep_idle_row(const struct size *size)
{
	row_take_each(size, 0, late);
}

/* The rows of one thread. */
static const struct row rows[] = {
	ROW("first", first_row),
	ROW("sleep-idle", sleep_idle_row),
	ROW_OF("trip", row_time_rested, items_push_all, items_begin, items_end),
	ROW_OF("trickle", row_time, push_at_times, trickle_begin, items_end),
	ROWS_END,
};

const struct row *const row_tables[] = { rows, NULL };
