/* SPDX-License-Identifier: MIT */
/*
 * Empty tasks, one by one, for every pool in C or C++: from outside, from a worker, and a task that
 * schedules itself again. Included after common/count.h and common/row.h by the file that defines
 *
 *	struct item			a task that runs what item_init() got
 *	item_init(item, run), item_push(item)
 *	item_push_inside		a macro: how tasks push, if not with item_push()
 *	peer_start(size), peer_end()	the workers exist when peer_start() returns
 *
 * as static inline functions, so that a row adds no function call to those of the pool.
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

/* Called at the beginning and the end of each row. */
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

/* ---- a task that schedules itself again */

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
