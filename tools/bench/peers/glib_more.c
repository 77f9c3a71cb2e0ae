/* SPDX-License-Identifier: MIT */
/* GLib's timeouts, on the main context, at whole milliseconds; its mutexes and conditions. */
#include <glib.h>
#include <stdint.h>

#include "peers/glib_more.h"

static guint *timers;
static gboolean fired_all;

static gboolean fires(gpointer unused);

static void timers_init(uint64_t n)
{
	timers = g_new0(guint, n);
}

static inline void timer_arm(uint64_t i, uint64_t ns)
{
	timers[i] = g_timeout_add((guint)((ns + 999999) / 1000000), fires, NULL);
}

static inline void timer_cancel(uint64_t i)
{
	g_source_remove(timers[i]);
}

static void timers_wait(void)
{
	while (!fired_all)
		g_main_context_iteration(NULL, TRUE);
	fired_all = FALSE;
}

#include "common/timers.h"

static gboolean fires(gpointer unused)
{
	(void)unused;
	fired_all = timer_fired();
	return G_SOURCE_REMOVE;
}

static GMutex lock;
static GCond conds[2];

static inline void lock_take(void)
{
	g_mutex_lock(&lock);
}

static inline void lock_give(void)
{
	g_mutex_unlock(&lock);
}

static inline void cond_sleep(unsigned i)
{
	g_cond_wait(&conds[i], &lock);
}

static inline void cond_wake(unsigned i)
{
	g_cond_signal(&conds[i]);
}

#include "common/locks.h"

const struct row more_rows[] = {
	TIMER_ROWS(timers_run),
	LOCK_ROWS,
	ROWS_END,
};
