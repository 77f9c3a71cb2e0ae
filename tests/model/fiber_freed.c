/* SPDX-License-Identifier: MIT */
/*
 * The thread that needs an object last frees the object as soon as this thread's wait has ended
 * (nap/sync.h). The object is a semaphore, a mutex, an event, a condition or a channel. Invariant:
 * the thread that ended the wait, the giver, does not touch the object after that. In each scenario
 * the giver takes the lock of the object's list, because a fiber is listed, or because a fiber was
 * listed and has left.
 */
#include <errno.h>

#include "fiber_setup.h"

#include <nap/channel.h>
#include <nap/sync.h>

#include "sync/lock_word.h"

/* bits of src/async/fiber/sem.c and mutex.c: a fiber was listed, and has left */
#define SEM_AWAITED	LOCK_STATE
#define MUTEX_AWAITED	(2 * LOCK_STATE)

static struct nap_sem *sem;
static struct nap_event *event;
static struct nap_channel *channel, *other;
static int place;
static struct object {
	struct nap_mutex mutex;
	int refs;
} *object;

static void begin(void)
{
	pool_new(1, CHECK_THREADS);
	for (unsigned i = 0; i < 2; i++)
		fiber_is(i);
}

/* ---- a semaphore */

static void sem_new(void)
{
	begin();
	sem = check_alloc(sizeof(*sem));
	nap_sem_init(sem, 0);
	check_name(&sem->state, sizeof(sem->state), "sem");
}

static void sem_was_awaited(void)
{
	sem_new();
	sem->state |= SEM_AWAITED;
}

static void release(void *unused)
{
	(void)unused;
	nap_sem_release(sem, 1);
}

static void acquire_and_free(void *unused)
{
	(void)unused;
	CHECK(nap_sem_acquire(sem) == 0);
	check_free(sem);
}

static void try_and_free(void *unused)
{
	(void)unused;
	check_assume(nap_sem_try(sem));
	check_free(sem);
}

CHECK_SCENARIO(freed_sem, .about = "who waits for a semaphore frees it",
	.setup = sem_new,
	.threads = { { acquire_and_free, NULL, "F0" }, [2] = { release, NULL, "releaser" } });

CHECK_SCENARIO(freed_sem_tried,
	.about = "who finds a semaphore released frees it, which another had waited for",
	.setup = sem_was_awaited,
	.threads = { { try_and_free, NULL, "F0" }, [2] = { release, NULL, "releaser" } });

/* ---- a mutex in an object with references; the thread that drops the last one frees the object */

static void object_new(void)
{
	begin();
	object = check_alloc(sizeof(*object));
	nap_mutex_init(&object->mutex);
	check_name(&object->mutex.state, sizeof(object->mutex.state), "mutex");
	object->refs = 2;
}

static void object_was_awaited(void)
{
	object_new();
	CHECK(nap_mutex_trylock(&object->mutex));
	object->mutex.state |= MUTEX_AWAITED;
}

static void unref_and_unlock(void)
{
	bool last = --object->refs == 0;

	nap_mutex_unlock(&object->mutex);
	if (last)
		check_free(object);
}

static void put(void *unused)
{
	(void)unused;
	CHECK(nap_mutex_lock(&object->mutex) == 0);
	unref_and_unlock();
}

static void put_owned(void *unused)
{
	(void)unused;
	unref_and_unlock();
}

static void put_tried(void *unused)
{
	(void)unused;
	check_assume(nap_mutex_trylock(&object->mutex));
	unref_and_unlock();
}

CHECK_SCENARIO(freed_mutex, .about = "of two that lock a mutex the last one frees it",
	.setup = object_new,
	.threads = { { put, NULL, "F0" }, { put, NULL, "F1" } });

CHECK_SCENARIO(freed_mutex_tried,
	.about = "who finds a mutex unlocked frees it, which another had waited for",
	.setup = object_was_awaited,
	.threads = { { put_tried, NULL, "F0" }, [2] = { put_owned, NULL, "owner" } });

static void object_of_three(void)
{
	object_new();
	CHECK(nap_mutex_trylock(&object->mutex));
	object->refs = 3;
}

CHECK_SCENARIO(freed_mutex_3,
	.about = "of an owner and two that wait for a mutex the last one frees it",
	.random = 20000,
	.setup = object_of_three,
	.threads = { { put, NULL, "F0" }, { put, NULL, "F1" }, { put_owned, NULL, "owner" } });

/* ---- an event */

static void event_new(void)
{
	begin();
	event = check_alloc(sizeof(*event));
	check_name(&event->state, sizeof(event->state), "event");
}

static void set_event(void *unused)
{
	(void)unused;
	nap_event_set(event);
}

static void await_and_free(void *unused)
{
	(void)unused;
	CHECK(nap_event_wait(event) == 0);
	check_free(event);
}

CHECK_SCENARIO(freed_event, .about = "who waits for an event frees it",
	.setup = event_new,
	.threads = { { await_and_free, NULL, "F0" }, [2] = { set_event, NULL, "setter" } });

/*
 * ---- a condition; the fiber that frees the condition was notified, or has seen it true without
 * being notified. The mutex stays.
 */

static struct nap_mutex mutex;
static struct nap_cond *cond;
static bool ready;

static void cond_new(void)
{
	begin();
	nap_mutex_init(&mutex);
	cond = check_alloc(sizeof(*cond));
	ready = false;
}

static void wait_and_free(void *unused)
{
	(void)unused;
	CHECK(nap_mutex_lock(&mutex) == 0);
	while (!ready)
		CHECK(nap_cond_wait(cond, &mutex) == 0);
	nap_mutex_unlock(&mutex);
	check_free(cond);
}

/* Signals with the mutex held: once the mutex is unlocked the condition may be gone. */
static void signal_locked(void *unused)
{
	(void)unused;
	CHECK(nap_mutex_lock(&mutex) == 0);
	ready = true;
	nap_cond_signal(cond);
	nap_mutex_unlock(&mutex);
}

CHECK_SCENARIO(freed_cond, .about = "who waits for a condition frees it",
	.random = 20000,
	.setup = cond_new,
	.threads = { { wait_and_free, NULL, "F0" }, { signal_locked, NULL, "F1" } });

/* ---- a channel */

static void channel_new(void)
{
	begin();
	channel = check_alloc(sizeof(*channel));
	nap_channel_init(channel, &place, sizeof(int), 0);
	check_name(&channel->lock, sizeof(channel->lock), "channel.lock");
	other = check_alloc(sizeof(*other));
	nap_channel_init(other, &place, sizeof(int), 0);
	check_name(&other->lock, sizeof(other->lock), "other.lock");
}

static void send(void *unused)
{
	int value = 1;

	(void)unused;
	CHECK(nap_channel_send(channel, &value) == 0);
}

static void recv_and_free(void *unused)
{
	int value = 0;

	(void)unused;
	CHECK(nap_channel_recv(channel, &value) == 0 && value == 1);
	check_free(channel);
}

CHECK_SCENARIO(freed_channel, .about = "who receives frees the channel",
	.setup = channel_new,
	.threads = { { send, NULL, "F0" }, { recv_and_free, NULL, "F1" } });

static void send_and_free(void *unused)
{
	send(unused);
	check_free(channel);
}

static void select_one(void *unused)
{
	int value = 0;
	struct nap_select_case cases[] = {
		{ .channel = channel, .value = &value },
		{ .channel = other, .value = &value },
	};

	(void)unused;
	CHECK(nap_select(cases, 2) == 0 && value == 1);
}

/*
 * Selects with two cases of one channel: when one case is done, no thread touches the channel for
 * the sake of the other case.
 */
static void select_twice(void *unused)
{
	int value = 0;
	struct nap_select_case cases[] = {
		{ .channel = channel, .value = &value },
		{ .channel = channel, .value = &value },
	};

	(void)unused;
	CHECK(nap_select(cases, 2) >= 0 && value == 1);
}

CHECK_SCENARIO(freed_selected, .about = "who has sent to one that selects frees the channel",
	.setup = channel_new,
	.threads = { { send_and_free, NULL, "F0" }, { select_one, NULL, "F1" } });

CHECK_SCENARIO(freed_selected_twice,
	.about = "the same, where two of the cases are of that channel",
	.setup = channel_new,
	.threads = { { send_and_free, NULL, "F0" }, { select_twice, NULL, "F1" } });
