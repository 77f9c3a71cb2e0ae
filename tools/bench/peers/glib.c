// SPDX-License-Identifier: MIT
/* GLib's GThreadPool, exclusive: its threads are there from the beginning and only its own. */
#include "common/count.h"
#include "common/row.h"

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

#include "common/items_wake.h"

const struct row *const row_tables[] = { item_rows, NULL };
