/* SPDX-License-Identifier: MIT */
/*
 * A plain pool as daemons have one, nginx for example: a list under a mutex, and a condition on
 * which the threads sleep. For works that end on a loop there are a second list and an eventfd.
 * Other rows measure the mutexes and conditions alone.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/count.h"
#include "common/row.h"
#include "common/trips.h"

const char row_peer[] = "pthread";

struct item {
	struct item *next;
	void (*run)(struct item *item);
};

struct list {
	pthread_mutex_t mutex;
	struct item *first, **last;
} __attribute__((aligned(64)));

#define LIST_INIT(list) { PTHREAD_MUTEX_INITIALIZER, NULL, &list.first }
#define THREADS_MOST 256u

static struct list queue = LIST_INIT(queue), done = LIST_INIT(done);
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_t pool_threads[THREADS_MOST];
static unsigned nr_pool_threads;
static bool ends;

/* Returns whether the list was empty. */
static bool append(struct list *list, struct item *item)
{
	bool was_empty = !list->first;

	item->next = NULL;
	*list->last = item;
	list->last = &item->next;
	return was_empty;
}

static void *serve(void *unused)
{
	struct item *item;

	for (;;) {
		pthread_mutex_lock(&queue.mutex);
		while (!(item = queue.first) && !ends)
			pthread_cond_wait(&not_empty, &queue.mutex);
		if (item && !(queue.first = item->next))
			queue.last = &queue.first;
		pthread_mutex_unlock(&queue.mutex);
		if (!item)
			return unused;
		item->run(item);
	}
}

static inline void item_init(struct item *item, void (*run)(struct item *item))
{
	item->run = run;
}

static inline void item_push(struct item *item)
{
	pthread_mutex_lock(&queue.mutex);
	append(&queue, item);
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&queue.mutex);
}

static void peer_start(const struct size *size)
{
	row_start_apart(size);
	nr_pool_threads = size->workers;
	if (nr_pool_threads > THREADS_MOST)
		row_die("too many threads");
	ends = false;
	for (unsigned i = 0; i < nr_pool_threads; i++)
		if (pthread_create(&pool_threads[i], NULL, serve, NULL))
			row_die("no thread");
}

static void peer_end(void)
{
	pthread_mutex_lock(&queue.mutex);
	ends = true;
	pthread_cond_broadcast(&not_empty);
	pthread_mutex_unlock(&queue.mutex);
	for (unsigned i = 0; i < nr_pool_threads; i++)
		pthread_join(pool_threads[i], NULL);
}

#include "common/idle.h"
#include "common/items_wake.h"

/* ---- works that end on an epoll loop, which begins them again */

static struct trips trips;
static struct item *trip_items;
static int loop, notified;

/* Only the item that is the first of an empty list notifies the loop. */
static void tell_loop(struct item *item)
{
	bool was_empty;

	pthread_mutex_lock(&done.mutex);
	was_empty = append(&done, item);
	pthread_mutex_unlock(&done.mutex);
	if (was_empty && eventfd_write(notified, 1))
		row_die("no eventfd");
}

static struct item *take_all_done(void)
{
	struct item *all;

	pthread_mutex_lock(&done.mutex);
	all = done.first;
	done.first = NULL;
	done.last = &done.first;
	pthread_mutex_unlock(&done.mutex);
	return all;
}

static void all_trips(const struct size *size)
{
	struct epoll_event event;
	struct item *item, *next;
	eventfd_t value;

	for (unsigned i = trips_begin(&trips, size); i--;)
		item_push(&trip_items[i]);
	while (trips.under_way) {
		if (epoll_wait(loop, &event, 1, -1) != 1 || eventfd_read(notified, &value))
			continue;
		for (item = take_all_done(); item; item = next) {
			next = item->next;
			if (trips_again(&trips))
				item_push(item);
		}
	}
}

static void trips_start(const struct size *size)
{
	struct epoll_event event = { .events = EPOLLIN };

	trip_items = calloc(TRIPS_MOST, sizeof(*trip_items));
	loop = epoll_create1(EPOLL_CLOEXEC);
	notified = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!trip_items || loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, notified, &event))
		row_die("no loop");
	for (unsigned i = 0; i < TRIPS_MOST; i++)
		item_init(&trip_items[i], tell_loop);
	peer_start(size);
}

/* ---- a mutex, two conditions */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conds[2] = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };

static inline void lock_take(void)
{
	pthread_mutex_lock(&lock);
}

static inline void lock_give(void)
{
	pthread_mutex_unlock(&lock);
}

static inline void cond_sleep(unsigned i)
{
	pthread_cond_wait(&conds[i], &lock);
}

static inline void cond_wake(unsigned i)
{
	pthread_cond_signal(&conds[i]);
}

#include "common/locks.h"

static const struct row rows[] = {
	ROW_OF("trips", row_time, all_trips, trips_start, peer_end),
	LOCK_ROWS,
	POOL_ROW,
	ROWS_END,
};

const struct row *const row_tables[] = { item_rows, idle_rows, rows, NULL };
