/* SPDX-License-Identifier: MIT */
/*
 * Thread-specific data. The number of a key depends only on the thread that made it, so it is the
 * same in every execution.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "program/caller.h"
#include "program/pthreads.h"
#include "program/shadow.h"

#define MAX_KEYS 32		/* of one thread */
#define NR_KEYS	((MAX_THREADS + 1) * MAX_KEYS)

static struct { void (*destroy)(void *value); bool used; } keys[MAX_THREADS + 1][MAX_KEYS];
/* The values, by thread, by the thread that made the key, and by key. */
static const void *specific[MAX_THREADS + 1][MAX_THREADS + 1][MAX_KEYS];

/* Whether the program has ever made a key. */
static bool keys_used;

void keys_begin(void)
{
	if (!keys_used)
		return;
	memset(keys, 0, sizeof(keys[0]) * MAX_THREADS);
	memset(specific, 0, sizeof(specific));
}

static const void **value_of_key(pthread_key_t key)
{
	return &specific[self][key / MAX_KEYS][key % MAX_KEYS];
}

/* Destroys the values of the running thread; false if it has none. */
static bool destroy_values(void)
{
	bool any = false;

	for (pthread_key_t key = 0; key < NR_KEYS; key++) {
		void (*destroy)(void *) = keys[key / MAX_KEYS][key % MAX_KEYS].destroy;
		const void *value = *value_of_key(key);

		if (!destroy || !value)
			continue;
		any = true;
		*value_of_key(key) = NULL;
		destroy((void *)value);
	}
	return any;
}

void keys_end(void)
{
	for (int i = 0; keys_used && i < PTHREAD_DESTRUCTOR_ITERATIONS; i++)
		if (!destroy_values())
			return;
}

void keys_of(unsigned thread, void (*visit)(uintptr_t begin, uintptr_t end))
{
	visit((uintptr_t)specific[thread], (uintptr_t)specific[thread + 1]);
}

static void forget_values(unsigned owner, unsigned nth)
{
	for (unsigned t = 0; t <= MAX_THREADS; t++)
		specific[t][owner][nth] = NULL;
}

int make_key(pthread_key_t *key, void (*destroy)(void *), uintptr_t pc)
{
	/* a library's keys are never deleted, because its memory is not restored */
	unsigned owner = memory_is_code(pc) ? self : MAX_THREADS;

	for (unsigned i = 0; i < MAX_KEYS; i++) {
		if (keys[owner][i].used)
			continue;
		forget_values(owner, i);
		keys_used = keys[owner][i].used = true;
		keys[owner][i].destroy = destroy;
		plain_access(key, sizeof(*key), true, pc);
		*key = owner * MAX_KEYS + i;
		return 0;
	}
	return EAGAIN;
}

#pragma GCC visibility push(default)

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
	return make_key(key, destroy, PC);
}

int pthread_key_delete(pthread_key_t key)
{
	unsigned owner = key / MAX_KEYS;

	if (key >= NR_KEYS)
		return EINVAL;
	keys[owner][key % MAX_KEYS].destroy = NULL;
	/*
	 * The number of another thread's key stays taken: if it became free, that thread's next key
	 * would depend on the order of the threads.
	 */
	if (owner == self)
		keys[owner][key % MAX_KEYS].used = false;
	return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
	return key < NR_KEYS ? (void *)*value_of_key(key) : NULL;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
	if (key >= NR_KEYS)
		return EINVAL;
	writes_elsewhere += *value_of_key(key) != value;
	*value_of_key(key) = value;
	return 0;
}
