/* SPDX-License-Identifier: MIT */
/*
 * Fibers: what one fiber hands to another, what a fiber finds on its own stack after a wait, and
 * what the awaiting thread finds. Only nap orders these accesses.
 */
#include "program.h"

#include <nap/async.h>

struct nap_pool pool;

enum { WORKERS = 3, LINKS = 16 };

/* ---- a stack that moves from worker to worker */

static intptr_t count_on_the_stack(void *turns)
{
	volatile int here[32];

	for (int i = 0; i < 32; i++)
		here[i] = i;
	for (int turn = 0; turn < (int)(intptr_t)turns; turn++) {
		nap_yield();
		for (int i = 0; i < 32; i++)
			want(here[i]++ == i + turn, "the stack behind a yield");
	}
	return here[31];
}

/* ---- awaiters */

static int written[LINKS];

static intptr_t write_one(void *which)
{
	int *mine = which;

	*mine = 1 + (int)(mine - written);
	nap_yield();
	(*mine)++;
	return *mine;
}

static intptr_t await_all(void *unused)
{
	struct nap_fiber *fibers[LINKS];
	intptr_t result;

	(void)unused;
	for (int i = 0; i < LINKS; i++)
		want(!nap_spawn(&pool, &fibers[i], write_one, &written[i]), "spawn");
	for (int i = 0; i < LINKS; i++) {
		want(!nap_await(fibers[i], &result), "await");
		want(result == i + 2 && written[i] == i + 2, "what it wrote");
	}
	return 0;
}

/* ---- a mutex, a semaphore, a condition */

static struct nap_mutex mutex;
static struct nap_cond changed;
static struct nap_sem sem;
static int guarded, turn;

static intptr_t take_turns(void *which)
{
	int mine = (int)(intptr_t)which;

	for (int i = 0; i < ROUNDS; i++) {
		want(!nap_mutex_lock(&mutex), "lock");
		while (turn % 2 != mine)
			want(!nap_cond_wait(&changed, &mutex), "condition");
		turn++;
		guarded += i;
		nap_cond_broadcast(&changed);
		nap_mutex_unlock(&mutex);
	}
	nap_sem_release(&sem, 1);
	return 0;
}

static intptr_t two_take_turns(void *unused)
{
	(void)unused;
	nap_mutex_init(&mutex);
	nap_sem_init(&sem, 0);
	for (intptr_t i = 0; i < 2; i++)
		want(!nap_spawn(&pool, NULL, take_turns, (void *)i), "spawn");
	for (int i = 0; i < 2; i++)
		want(!nap_sem_acquire(&sem), "acquire");
	want(turn == 2 * ROUNDS && guarded == ROUNDS * (ROUNDS - 1), "what the mutex guards");
	return 0;
}

/* ---- a channel, with pointers to data that is not atomic */

static struct nap_channel channel;
static void *slots[2];
static struct { int number; } messages[NR];

static intptr_t send_all(void *unused)
{
	(void)unused;
	for (int i = 0; i < NR; i++) {
		void *message = &messages[i];

		messages[i].number = i;
		want(!nap_channel_send(&channel, &message), "send");
	}
	nap_channel_close(&channel);
	return 0;
}

static intptr_t receive_all(void *unused)
{
	void *message;
	int n = 0;

	(void)unused;
	nap_channel_init(&channel, slots, sizeof(*slots), 2);
	want(!nap_spawn(&pool, NULL, send_all, NULL), "spawn");
	while (!nap_channel_recv(&channel, &message))
		want(((__typeof__(&messages[0]))message)->number == n++, "what was sent");
	return n;
}

/* ---- a constant that two fibers send and a third reads: the senders may still read it */

static const int constant = 42;
static int one_slot;
static struct nap_channel constants = NAP_CHANNEL_INIT(&one_slot, sizeof(int), 1);

static intptr_t send_constant(void *unused)
{
	(void)unused;
	for (int i = 0; i < NR; i++)
		want(!nap_channel_send(&constants, &constant) && constant == 42, "send");
	return 0;
}

static intptr_t receive_constant(void *unused)
{
	int value;

	(void)unused;
	for (int i = 0; i < 2; i++)
		want(!nap_spawn(&pool, NULL, send_constant, NULL), "spawn");
	for (int i = 0; i < 2 * NR; i++)
		want(!nap_channel_recv(&constants, &value) && value == constant, "receive");
	return value;
}

/* ---- an event, a sleep, and a thread that waits for fibers */

static struct nap_event event;
static int before_event;

static intptr_t set_late(void *unused)
{
	(void)unused;
	nap_sleep(1000000);
	before_event = 7;
	nap_event_set(&event);
	return 0;
}

static intptr_t wait_for_event(void *unused)
{
	(void)unused;
	want(!nap_event_wait(&event) && before_event == 7, "the event");
	return before_event;
}

/* ---- two fibers on two workers at once, whose accesses nothing orders */

#ifdef RACE
static int there FLAG, raced;

static __attribute__((noinline)) void race(void)
{
	raced++;
}

static intptr_t race_the_other(void *unused)
{
	(void)unused;
	flag_add(&there, 1);
	await(&there, 2);
	race();
	/* The fibers end together: ThreadSanitizer may forget the accesses of an ended fiber. */
	flag_add(&there, 1);
	await(&there, 4);
	return 0;
}
#endif

static void run(nap_fiber_fn fn, void *arg, intptr_t expected)
{
	struct nap_fiber *fiber;
	intptr_t result;

	want(!nap_spawn(&pool, &fiber, fn, arg), "spawn");
	want(!nap_await(fiber, &result) && result == expected, "the result");
}

int main(void)
{
	nap_pool_init(&pool, &(struct nap_config){ .max_workers = WORKERS });
	for (int i = 0; i < 8; i++)
		want(!nap_spawn(&pool, NULL, count_on_the_stack, (void *)(intptr_t)ROUNDS),
		     "spawn");
	run(count_on_the_stack, (void *)(intptr_t)ROUNDS, 31 + ROUNDS);
	run(await_all, NULL, 0);
	run(two_take_turns, NULL, 0);
	run(receive_all, NULL, NR);
	run(receive_constant, NULL, constant);
	want(!nap_spawn(&pool, NULL, set_late, NULL), "spawn");
	run(wait_for_event, NULL, 7);
#ifdef RACE
	for (int i = 0; i < 2; i++)
		want(!nap_spawn(&pool, NULL, race_the_other, NULL), "spawn");
#endif
	want(!nap_pool_join(&pool, NULL), "join");
	puts("done");
	return 0;
}
