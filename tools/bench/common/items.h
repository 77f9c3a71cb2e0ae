/* SPDX-License-Identifier: MIT */
/*
 * Empty tasks, for every pool in C or C++ that is given them one by one: from outside, from a
 * worker, and a task that schedules itself again. Included behind common/count.h and common/row.h
 * by the thread that defines
 *
 *	struct item			a task that does what item_init() was told
 *	item_init(item, run), item_push(item)
 *	item_push_inside		a macro: what tasks push with, if that is something else
 *	peer_start(size), peer_end()	the workers are there when the first returns
 *
 * as static inline functions, so that no call lies in between.
 */
#ifndef NAP_BENCH_ITEMS_H
#define NAP_BENCH_ITEMS_H

#include <stdlib.h>

#ifndef item_push_inside
#define item_push_inside item_push
#endif

static struct item *items;
static struct count count;

static void items_init(const struct size *size, void (*run)(struct item *item))
{
	items = (struct item *)calloc(size->n, sizeof(*items));
	if (!items)
		row_die("no memory");
	for (uint64_t i = 0; i < size->n; i++)
		item_init(&items[i], run);
}

static void items_free(void)
{
	free(items);
	items = NULL;
}

static void nothing(struct item *unused)
{
	(void)unused;
	count_done(&count);
}

static void items_push_all(const struct size *size)
{
	count_set(&count, size->n);
	for (uint64_t i = 0; i < size->n; i++)
		item_push(&items[i]);
	count_wait(&count);
}

/* Each row's begin and end. */
static void items_begin(const struct size *size)
{
	items_init(size, nothing);
	peer_start(size);
}

static void items_end(void)
{
	peer_end();
	items_free();
}

/* ---- one by one from a worker */

static struct item begin_item;
static uint64_t begin_n;

static void push_from_worker(struct item *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < begin_n; i++)
		item_push_inside(&items[i]);
	count_done(&count);
}

static void begin_on_worker(const struct size *size)
{
	begin_n = size->n;
	count_set(&count, size->n + 1);
	item_push(&begin_item);
	count_wait(&count);
}

static void worker_begin(const struct size *size)
{
	item_init(&begin_item, push_from_worker);
	items_begin(size);
}

/* ---- itself again */

static void again(struct item *self)
{
	if (count_down(&count))
		count_end(&count);
	else
		item_push_inside(self);
}

static void hop(const struct size *size)
{
	count_set(&count, size->n);
	item_push(&begin_item);
	count_wait(&count);
}

static void again_begin(const struct size *size)
{
	item_init(&begin_item, again);
	peer_start(size);
}

#endif /* NAP_BENCH_ITEMS_H */
