/* SPDX-License-Identifier: MIT */
/*
 * The orders that race detectors are told of what threads and fibers wait on: the second thread
 * comes later, or waits first.
 */
#include "async/fiber/fiber.h"
#include "async/fiber/foreign.h"
#include "sync/lock_word.h"
#include "given.h"
#include "orders.h"
#include "wrap.h"

WRAP(int, nap__futex_wait, (uint32_t *word, uint32_t expected, uint64_t deadline))
{
	if (is_second)
		nap_store_release(&second_sleeps, 1);
	return __real_nap__futex_wait(word, expected, deadline);
}

static bool in_turn(void)
{
	pthread_t thread;

	begin();
	if (pthread_create(&thread, NULL, be_first, NULL) || pthread_join(thread, NULL) ||
	    pthread_create(&thread, NULL, be_second, NULL) || pthread_join(thread, NULL))
		abort();
	return is_right();
}

static bool second_waits(void)
{
	pthread_t first, second;

	begin();
	if (pthread_create(&second, NULL, be_second, NULL))
		abort();
	while (!nap_load_acquire(&second_sleeps))
		usleep(100);
	if (pthread_create(&first, NULL, be_first, NULL) || pthread_join(first, NULL) ||
	    pthread_join(second, NULL))
		abort();
	return is_right();
}

/* ---- what threads and fibers wait on */

static struct nap_mutex mutex;
static struct nap_sem sem;
static struct nap_event event;
static struct nap_cond cond;
static struct nap_group group;
static struct nap_channel channel;
static int slots[2], value, got;

static void lock_it(void)
{
	nap_mutex_init(&mutex);
	check(nap_mutex_lock(&mutex));
}

static void unlock_it(void)
{
	nap_mutex_unlock(&mutex);
}

static void unlock_in_vain(void)
{
	nap_mutex_unlock(&mutex);
	mutex.state = LOCK_STATE;	/* as if an unknown thread had locked it */
}

static int lock_too(void)
{
	return nap_mutex_lock(&mutex);
}

static int try_lock(void)
{
	return nap_mutex_trylock(&mutex) ? 0 : 1;
}

static int lock_for_now(void)
{
	return nap_mutex_lock_for(&mutex, 0) ? 1 : 2;
}

static void no_units(void)
{
	nap_sem_init(&sem, 0);
}

static void release(void)
{
	nap_sem_release(&sem, 1);
}

static void release_and_forget(void)
{
	nap_sem_release(&sem, 1);
	nap_sem_init(&sem, 0);
}

static int acquire(void)
{
	return nap_sem_acquire(&sem);
}

static int try_acquire(void)
{
	return nap_sem_try(&sem) ? 0 : 1;
}

static int acquire_for_now(void)
{
	return nap_sem_acquire_for(&sem, 0) ? 1 : 2;
}

static void no_event(void)
{
	event = (struct nap_event)NAP_EVENT_INIT;
}

static void set(void)
{
	nap_event_set(&event);
}

static void set_and_reset(void)
{
	nap_event_set(&event);
	nap_event_reset(&event);
}

static int wait_for_event(void)
{
	return nap_event_wait(&event);
}

static int is_set(void)
{
	return nap_event_is_set(&event) ? 0 : 1;
}

static int wait_for_now(void)
{
	return nap_event_wait_for(&event, 0) ? 1 : 2;
}

/* The lock of this condition orders nothing. */
static void do_nothing(void *unused)
{
	(void)unused;
}

static void no_cond(void)
{
	cond = (struct nap_cond)NAP_COND_INIT;
}

static void signal_it(void)
{
	nap_cond_signal(&cond);
}

static void broadcast_it(void)
{
	nap_cond_broadcast(&cond);
}

static int wait_for_signal(void)
{
	static const struct nap_lock_ops no_lock = { .unlock = do_nothing, .lock = do_nothing };

	return nap_cond_wait_with(&cond, NULL, &no_lock, NAP_FOREVER);
}

static void one_is_missing(void)
{
	nap_group_init(&group, NULL);
	nap_group_add(&group, 1);
}

static void two_are_missing(void)
{
	one_is_missing();
	nap_group_add(&group, 1);
}

static void say_done(void)
{
	nap_group_done(&group);
}

static int wait_for_group(void)
{
	return nap_group_wait(&group);
}

static int wait_for_group_now(void)
{
	return nap_group_wait_for(&group, 0) ? 1 : 2;
}

static void a_slot(void)
{
	nap_channel_init(&channel, slots, sizeof(*slots), 1);
}

static void two_slots(void)
{
	nap_channel_init(&channel, slots, sizeof(*slots), 2);
}

static void no_slot(void)
{
	nap_channel_init(&channel, NULL, sizeof(*slots), 0);
}

static void send(void)
{
	value = 7;
	check(nap_channel_send(&channel, &value));
}

static void two_values(void)
{
	two_slots();
	send();
	send();
}

static void send_and_take_back(void)
{
	send();
	check(nap_channel_recv(&channel, &value));
}

static void close_it(void)
{
	nap_channel_close(&channel);
}

static int receive(void)
{
	int err = nap_channel_recv(&channel, &got);

	return err || got == 7 ? err : 2;
}

static void receive_one(void)
{
	check(nap_channel_recv(&channel, &got));
}

/* A sender sees nothing of other senders. */
static int send_too(void)
{
	return nap_channel_send(&channel, &value) ? 2 : 1;
}

static int send_to_a_receiver(void)
{
	return nap_channel_send(&channel, &value);
}

/* The first thread has sent nothing. */
static int receive_of_neither(void)
{
	return receive() ? 2 : 1;
}

static int receive_the_end(void)
{
	return nap_channel_recv(&channel, &value) == -EPIPE ? 0 : 2;
}

static int receive_now(void)
{
	return nap_channel_recv_for(&channel, &value, 0) == -ETIMEDOUT ? 1 : 2;
}

static void select_send(void)
{
	struct nap_select_case cases[] = {
		{ .channel = &channel, .value = &value, .sends = true } };

	check(nap_select(cases, 1) != 0);
}

static int select_receive(void)
{
	struct nap_channel other = NAP_CHANNEL_INIT(NULL, sizeof(*slots), 0);
	struct nap_select_case cases[] = { { .channel = &other, .value = &got },
					   { .channel = &channel, .value = &got } };

	return nap_select(cases, 2) != 1 || cases[1].result || got != 7 ? 2 : 0;
}

static int select_of_one(bool sends)
{
	struct nap_select_case one = { .channel = &channel, .value = sends ? &value : &got,
				       .sends = sends };

	return nap_select(&one, 1) || one.result ? 2 : 0;
}

static int select_to_receive(void)
{
	return select_of_one(false);
}

static int select_to_send(void)
{
	return select_of_one(true);
}

static int select_to_send_too(void)
{
	return select_of_one(true) ? 2 : 1;
}

static void select_a_value(void)
{
	check(select_of_one(false));
}

/* The case of the channel is beyond the select's. */
static void select_another(void)
{
	struct nap_channel other = NAP_CHANNEL_INIT(NULL, sizeof(*slots), 0);
	struct nap_select_case cases[] = {
		{ .channel = &other, .value = &value },
		{ .channel = &channel, .value = &value, .sends = true } };

	nap_channel_close(&other);
	check(nap_select(cases, 1));
}

/* The second one is a fiber. */
static intptr_t be_second_in_fiber(void *unused)
{
	(void)unused;
	result = order->second();
	has_seen = sees();
	return 0;
}

static bool in_turn_by_fiber(void)
{
	struct nap_fiber *second;
	pthread_t first;

	begin();
	check(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }));
	if (pthread_create(&first, NULL, be_first, NULL) || pthread_join(first, NULL))
		abort();
	check(nap_spawn(&pool, &second, be_second_in_fiber, NULL) || nap_await(second, NULL) ||
	      nap_pool_join(&pool, NULL));
	return is_right();
}

/* A task behind the fiber, on the only worker, runs when the fiber waits. */
static struct nap_task behind;
static uint32_t fiber_waits;

static void say_waits(struct nap_task *unused)
{
	(void)unused;
	nap_store_release(&fiber_waits, 1);
}

static bool fiber_waits_first(void)
{
	struct nap_fiber *second;
	pthread_t first;

	begin();
	fiber_waits = 0;
	nap_task_init(&behind, say_waits);
	check(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }) ||
	      nap_spawn(&pool, &second, be_second_in_fiber, NULL) || nap_schedule(&pool, &behind));
	flag_wait(&fiber_waits);
	if (pthread_create(&first, NULL, be_first, NULL) || pthread_join(first, NULL))
		abort();
	check(nap_await(second, NULL) || nap_pool_join(&pool, NULL));
	return is_right();
}

#define ORDERS_WITHOUT_A_WAIT								\
	{ "nap_mutex_lock", lock_it, unlock_it, lock_too },				\
	{ "nap_mutex_trylock", lock_it, unlock_it, try_lock },				\
	{ "nap_sem_acquire", no_units, release, acquire },				\
	{ "nap_sem_try", no_units, release, try_acquire },				\
	{ "nap_event_wait", no_event, set, wait_for_event },				\
	{ "nap_event_is_set", no_event, set, is_set },					\
	{ "nap_group_wait", one_is_missing, say_done, wait_for_group },			\
	{ "nap_channel_recv", a_slot, send, receive },					\
	{ "nap_channel_close", a_slot, close_it, receive_the_end },			\
	{ "nap_select", a_slot, send, select_receive },					\
	{ "nap_select, of one case", a_slot, send, select_to_receive },			\
	{ "nap_select, of both", a_slot, select_send, select_receive }

#define ORDERS_WITH_A_WAIT								\
	{ "nap_mutex_lock", lock_it, unlock_it, lock_too },				\
	{ "nap_sem_acquire", no_units, release, acquire },				\
	{ "nap_event_wait", no_event, set, wait_for_event },				\
	{ "nap_cond_signal", no_cond, signal_it, wait_for_signal },			\
	{ "nap_cond_broadcast", no_cond, broadcast_it, wait_for_signal },		\
	{ "nap_group_wait", one_is_missing, say_done, wait_for_group },			\
	{ "nap_channel_recv", a_slot, send, receive },					\
	{ "nap_channel_recv, without a slot", no_slot, send, receive },			\
	{ "nap_channel_close", a_slot, close_it, receive_the_end },			\
	{ "nap_select", a_slot, send, select_receive },					\
	{ "nap_select, without a slot", no_slot, send, select_receive },		\
	{ "nap_channel_send, without a slot", no_slot, receive_one, send_to_a_receiver }, \
	{ "nap_select to send", no_slot, receive_one, select_to_send }

TEST(what_need_not_wait_sees)
{
	EXPECT_ORDERS(in_turn, ORDERS_WITHOUT_A_WAIT);
	EXPECT_ORDERS(in_turn_by_fiber, ORDERS_WITHOUT_A_WAIT);
}

TEST(who_waits_sees)
{
	EXPECT_ORDERS(second_waits, ORDERS_WITH_A_WAIT);
	EXPECT_ORDERS(fiber_waits_first, ORDERS_WITH_A_WAIT);
}

TEST(who_has_not_got_it_sees_nothing)
{
	EXPECT_ORDERS(in_turn,
		{ "nap_mutex_trylock", lock_it, unlock_in_vain, try_lock },
		{ "nap_mutex_lock_for", lock_it, unlock_in_vain, lock_for_now },
		{ "nap_sem_try", no_units, release_and_forget, try_acquire },
		{ "nap_sem_acquire_for", no_units, release_and_forget, acquire_for_now },
		{ "nap_event_is_set", no_event, set_and_reset, is_set },
		{ "nap_event_wait_for", no_event, set_and_reset, wait_for_now },
		{ "nap_group_wait_for", two_are_missing, say_done, wait_for_group_now },
		{ "nap_channel_recv_for", a_slot, send_and_take_back, receive_now },
		{ "nap_channel_recv", two_values, receive_one, receive_of_neither },
		{ "nap_channel_send", two_slots, send, send_too },
		{ "nap_select to send", two_slots, send, select_to_send_too },
		{ "nap_select to receive", two_values, select_a_value, receive_of_neither },
		{ "nap_select of another", two_values, select_another, receive_of_neither });
}

/* ---- the memory of a wait is the program's again */

static struct nap_pool awaiters = NAP_POOL_INIT(.max_workers = 1);
static uint32_t nr_sleepers, nr_joiners, nr_foreign;

_Static_assert(sizeof(struct nap__sleeper) != sizeof(struct nap__joiner) &&
	       sizeof(struct nap__joiner) != sizeof(struct nap__foreign) &&
	       sizeof(struct nap__foreign) != sizeof(struct nap__sleeper), "told by their sizes");

static intptr_t waits_for_units(void *unused)
{
	(void)unused;
	return nap_sem_acquire(&sem);
}

static struct nap_fiber *of_pool;

/* Counts only what this fiber tells when its wait is over. */
static intptr_t awaits_of_pool(void *unused)
{
	intptr_t err;

	(void)unused;
	err = nap_await(of_pool, NULL);
	nr_sleepers = count_given(NULL, sizeof(struct nap__sleeper));
	nr_joiners = count_given(NULL, sizeof(struct nap__joiner));
	nr_foreign = count_given(NULL, sizeof(struct nap__foreign));
	return err;
}

TEST(the_memory_of_a_wait_is_given_back)
{
	struct nap_fiber *awaiter;
	intptr_t err = 1;

	no_units();
	check(nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }) ||
	      nap_spawn(&pool, &of_pool, waits_for_units, NULL) ||
	      nap_spawn(&awaiters, &awaiter, awaits_of_pool, NULL));
	while (nap_load_relaxed(&of_pool->joiner) == JOINER_NONE ||
	       !(nap_load_relaxed(&awaiter->wait.state) & WAIT_OFF))
		usleep(100);
	forget_given();
	check(nap_fiber_cancel(awaiter) || nap_await(awaiter, &err));
	EXPECT_EQ(err, -ECANCELED);
	EXPECT_GE(nr_sleepers, 1);
	EXPECT_GE(nr_joiners, 1);
	EXPECT_EQ(nr_foreign, 1);
	nap_sem_release(&sem, 1);
	check(nap_await(of_pool, NULL) || nap_pool_join(&pool, NULL) ||
	      nap_pool_join(&awaiters, NULL));
}

TEST_HARNESS_MAIN
