/* SPDX-License-Identifier: MIT */
#include <glib.h>

static void runs(gpointer unused, gpointer unused_too)
{
	(void)unused;
	(void)unused_too;
}

int main(void)
{
	GThreadPool *pool = g_thread_pool_new(runs, NULL, 2, TRUE, NULL);

	g_thread_pool_push(pool, pool, NULL);
	g_thread_pool_free(pool, FALSE, TRUE);
	return 0;
}
