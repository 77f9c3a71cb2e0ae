/* SPDX-License-Identifier: MIT */
/*
 * nap/sync.h: the thread that gets the last permit, message or lock may free the object at once,
 * though the giver's call has not returned. In each round a waiter has timed out on the object
 * before, so the giver takes the slow path. The getter overwrites the object; the giver's call,
 * which may still run, must not change it. AddressSanitizer checks a second version, which frees
 * the memory.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "harness.h"

#define WORDS 8
#define PATTERN 0x5a5a5a5au

/* All words are atomic, so that a fault is counted, and is no data race. */
union object {
	uint32_t words[WORDS];
	struct nap_sem sem;
	struct nap_mutex mutex;
	struct nap_event event;
};
_Static_assert(sizeof(union object) == sizeof(uint32_t) * WORDS, "the words are all of it");

struct kind {
	void (*begin)(union object *object);	/* lets a waiter time out on the object */
	void (*give)(union object *object);
	/* true: the caller owns the object, and may free it */
	bool (*get)(union object *object);
};

static const struct kind *kind;
static union object *given;	/* atomic: the object that the giver has to give */
static uint32_t returned, stop;	/* atomic: how often the giver has given */

static void *gives(void *arg)
{
	(void)arg;
	while (!nap_load_acquire(&stop)) {
		union object *object = nap_load_acquire(&given);

		if (!object) {
			sched_yield();
			continue;
		}
		nap_store_relaxed(&given, NULL);
		kind->give(object);
		nap_store_release(&returned, nap_load_relaxed(&returned) + 1);
	}
	return NULL;
}

/* Tries again and again, and yields in between, because the giver may need this CPU. */
static void get_it(union object *object)
{
	for (unsigned int looks = 0; !kind->get(object); looks++)
		looks < 1000 ? nap_cpu_relax() : (void)sched_yield();
}

/* Plays a round; returns how many words the giver has written after the get. */
static uint32_t round_of(union object *object)
{
	uint32_t before = nap_load_relaxed(&returned), written = 0;

	kind->begin(object);
	nap_store_release(&given, object);
	get_it(object);
	for (int i = 0; i < WORDS; i++)
		nap_store_relaxed(&object->words[i], PATTERN);
	while (nap_load_acquire(&returned) == before)
		sched_yield();
	for (int i = 0; i < WORDS; i++)
		written += nap_load_relaxed(&object->words[i]) != PATTERN;
	return written;
}

/* Plays a round and frees the object, for AddressSanitizer. */
static void free_in_round(void)
{
	uint32_t before = nap_load_relaxed(&returned);
	union object *object = calloc(1, sizeof(*object));

	kind->begin(object);
	nap_store_release(&given, object);
	get_it(object);
	free(object);
	while (nap_load_acquire(&returned) == before)
		sched_yield();
}

static void many_rounds(struct __test_metadata *_metadata, const struct kind *of)
{
	static union object object;
	uint32_t written = 0;
	pthread_t thread;

	kind = of;
	ASSERT_EQ(pthread_create(&thread, NULL, gives, NULL), 0);
	for (unsigned long i = nap_test_count(2000); i; i--) {
		written += round_of(&object);
		free_in_round();
	}
	nap_store_release(&stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(written, 0);
}

static void sem_begin(union object *object)
{
	nap_sem_init(&object->sem, 0);
	nap_sem_acquire_for(&object->sem, 1);
}

static void sem_give(union object *object)
{
	nap_sem_release(&object->sem, 1);
}

static bool sem_get(union object *object)
{
	return nap_sem_try(&object->sem);
}

TEST(a_semaphore_is_whose_it_was_released_to)
{
	many_rounds(_metadata, &(struct kind){ sem_begin, sem_give, sem_get });
}

static void mutex_begin(union object *object)
{
	nap_mutex_init(&object->mutex);
	nap_mutex_lock(&object->mutex);
	nap_mutex_lock_for(&object->mutex, 1);
}

static void mutex_give(union object *object)
{
	nap_mutex_unlock(&object->mutex);
}

static bool mutex_get(union object *object)
{
	return nap_mutex_trylock(&object->mutex);
}

TEST(a_mutex_is_its_next_owners)
{
	many_rounds(_metadata, &(struct kind){ mutex_begin, mutex_give, mutex_get });
}

static void event_begin(union object *object)
{
	object->event = (struct nap_event)NAP_EVENT_INIT;
	nap_event_wait_for(&object->event, 1);
}

static void event_give(union object *object)
{
	nap_event_set(&object->event);
}

static bool event_get(union object *object)
{
	return nap_event_is_set(&object->event);
}

TEST(an_event_is_whose_who_sees_it)
{
	many_rounds(_metadata, &(struct kind){ event_begin, event_give, event_get });
}

TEST_HARNESS_MAIN
