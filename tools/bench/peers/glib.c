/* SPDX-License-Identifier: MIT */
/*
 * GLib's GThreadPool, exclusive: its threads exist from the beginning, and no other pool uses
 * them.
 */
#include "common/count.h"
#include "common/row.h"
#include "common/trips.h"
#include "peers/glib_more.h"

#include <glib.h>

const char row_peer[] = "glib";

struct item {
	void (*run)(struct item *item);
};

static GThreadPool *pool;

static void run_item(gpointer data, gpointer unused)
{
	struct item *item = data;

	(void)unused;
	item->run(item);
}

static inline void item_init(struct item *item, void (*run)(struct item *item))
{
	item->run = run;
}

static inline void item_push(struct item *item)
{
	if (!g_thread_pool_push(pool, item, NULL))
		row_die("g_thread_pool_push() refused");
}

static void peer_start(const struct size *size)
{
	row_start_apart(size);
	pool = g_thread_pool_new(run_item, NULL, (gint)size->workers, TRUE, NULL);
	if (!pool)
		row_die("the pool does not start");
}

static void peer_end(void)
{
	g_thread_pool_free(pool, FALSE, TRUE);
}

#include "common/idle.h"
#include "common/items_wake.h"

/* ---- works that end on the main context, whose loop begins them again */

static struct trips trips;
static struct item trip_items[TRIPS_MOST];

static gboolean ended(gpointer item)
{
	if (trips_again(&trips))
		item_push(item);
	return G_SOURCE_REMOVE;
}

static void tell_loop(struct item *item)
{
	g_main_context_invoke(NULL, ended, item);
}

static void all_trips(const struct size *size)
{
	for (unsigned i = trips_begin(&trips, size); i--;)
		item_push(&trip_items[i]);
	while (trips.under_way)
		g_main_context_iteration(NULL, TRUE);
}

static void trips_start(const struct size *size)
{
	for (unsigned i = 0; i < TRIPS_MOST; i++)
		item_init(&trip_items[i], tell_loop);
	/*
	 * Acquires the context, as g_main_loop_run() does. Without this a worker may run a work's
	 * end itself, between two iterations.
	 */
	if (!g_main_context_acquire(NULL))
		row_die("the main context is another's");
	peer_start(size);
}

static const struct row loop_rows[] = {
	ROW_OF("trips", row_time, all_trips, trips_start, peer_end),
	POOL_ROW,
	ROWS_END,
};

const struct row *const row_tables[] = { item_rows, idle_rows, loop_rows, more_rows, NULL };
