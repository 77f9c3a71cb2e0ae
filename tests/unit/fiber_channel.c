/* SPDX-License-Identifier: MIT */
/* nap/channel.h: values in order, bounds, closing, selects. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "sync/lock.h"
#include "fiber_fixture.h"
#include "harness.h"

#define NR 5000

static uint64_t buffer[8];
static struct nap_channel channel = NAP_CHANNEL_INIT(buffer, sizeof(*buffer), 8);
static struct nap_channel direct = NAP_CHANNEL_INIT(NULL, sizeof(uint64_t), 0);

/* Sends NR values into the channel @arg. Each sender has a range of values of its own. */
static intptr_t sends(void *arg)
{
	struct nap_channel *to = arg;
	static uint32_t senders;
	uint64_t which = nap_fetch_add_relaxed(&senders, 1) % 4;

	for (uint64_t i = 0; i < NR; i++) {
		uint64_t value = which << 32 | i;
		int err = nap_channel_send(to, &value);

		if (err)
			return err;
	}
	return 0;
}

static intptr_t received, disordered;

/* Receives until the close. A sender's values reach a receiver in order, and every value once. */
static intptr_t receives(void *arg)
{
	uint64_t next[4] = { 0 }, value;
	intptr_t n = 0;
	int err;

	while (!(err = nap_channel_recv(arg, &value))) {
		uint64_t which = value >> 32, i = value & UINT32_MAX;

		if (which > 3 || i < next[which])
			nap_fetch_add_relaxed(&disordered, 1);
		else
			next[which] = i + 1;
		n++;
	}
	nap_fetch_add_relaxed(&received, n);
	return err;
}

static void *receives_too(void *arg)
{
	return (void *)receives(arg);
}

static void many_to_many(struct __test_metadata *_metadata, struct nap_channel *through)
{
	struct nap_fiber *senders[4], *receivers[3];
	pthread_t thread;
	intptr_t result;
	void *of_thread;

	received = disordered = 0;
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(nap_spawn(&pool, &receivers[i], receives, through), 0);
	ASSERT_EQ(pthread_create(&thread, NULL, receives_too, through), 0);
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(nap_spawn(&pool, &senders[i], sends, through), 0);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(nap_await(senders[i], &result), 0);
		ASSERT_EQ(result, 0);
	}
	nap_channel_close(through);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(nap_await(receivers[i], &result), 0);
		ASSERT_EQ(result, -EPIPE);
	}
	pthread_join(thread, &of_thread);
	EXPECT_EQ((intptr_t)of_thread, -EPIPE);
	EXPECT_EQ(received, 4 * NR);
	EXPECT_EQ(disordered, 0);
	EXPECT_EQ(nap_channel_send(through, &(uint64_t){ 1 }), -EPIPE);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(all_that_is_sent_is_received_once)
{
	many_to_many(_metadata, &channel);
}

TEST(without_a_buffer_too)
{
	many_to_many(_metadata, &direct);
}

TEST(a_channel_is_bounded_and_drained)
{
	uint64_t value;

	for (uint64_t i = 0; i < 8; i++)
		ASSERT_EQ(nap_channel_send(&channel, &i), 0);
	value = 8;
	EXPECT_EQ(nap_channel_send_for(&channel, &value, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_channel_send_for(&channel, &value, MS), -ETIMEDOUT);
	nap_channel_close(&channel);
	nap_channel_close(&channel);
	for (uint64_t i = 0; i < 8; i++) {
		ASSERT_EQ(nap_channel_recv(&channel, &value), 0);
		EXPECT_EQ(value, i);
	}
	EXPECT_EQ(nap_channel_recv(&channel, &value), -EPIPE);
	nap_channel_init(&channel, buffer, sizeof(*buffer), 8);
	EXPECT_EQ(nap_channel_recv_for(&channel, &value, MS), -ETIMEDOUT);
}

/*
 * Fills the buffer from each slot on. A value has three bytes, which is not the size of any word.
 */
TEST(nothing_is_written_beside_the_buffer)
{
	for (uint32_t capacity = 1; capacity <= 5; capacity++) {
		char room[(5 + 2) * 3], value[3];
		uint8_t sent = 1, got = 1;
		struct nap_channel ring;

		memset(room, 0, sizeof(room));
		nap_channel_init(&ring, room + 3, 3, capacity);
		for (uint32_t round = 0; round < 4 * capacity; round++) {
			for (uint32_t i = 0; i <= round % capacity; i++, sent++) {
				memset(value, sent, 3);
				ASSERT_EQ(nap_channel_send_for(&ring, value, 0), 0);
			}
			for (; got != sent; got++) {
				ASSERT_EQ(nap_channel_recv_for(&ring, value, 0), 0);
				EXPECT_TRUE(value[0] == got && value[1] == got && value[2] == got);
			}
			for (uint32_t i = 0; i < sizeof(room); i++)
				EXPECT_TRUE((i >= 3 && i < 3 + capacity * 3) || room[i] == 0);
		}
	}
}

static struct nap_channel signals;

static intptr_t sends_signal(void *unused)
{
	(void)unused;
	return nap_channel_send(&signals, NULL);
}

static bool a_sender_waits(void)
{
	bool waits;

	lock_take(&signals.lock);
	waits = signals.senders.first;
	lock_give(&signals.lock);
	return waits;
}

static int receive_signal(bool selects)
{
	struct nap_select_case one = { .channel = &signals };

	return selects ? nap_select_for(&one, 1, 0) : nap_channel_recv_for(&signals, NULL, 0);
}

/* Values without bytes, of which one more is sent than there is room for. */
static void signals_are_counted(struct __test_metadata *_metadata, uint32_t capacity, bool selects)
{
	struct nap_fiber *sender;
	intptr_t err;

	nap_channel_init(&signals, buffer, 0, capacity);
	for (uint32_t i = 0; i < capacity; i++)
		ASSERT_EQ(nap_channel_send_for(&signals, NULL, 0), 0);
	ASSERT_EQ(nap_spawn(&pool, &sender, sends_signal, NULL), 0);
	while (!a_sender_waits())
		usleep(100);
	for (uint32_t i = 0; i <= capacity; i++)
		EXPECT_EQ(receive_signal(selects), 0);
	ASSERT_EQ(nap_await(sender, &err), 0);
	EXPECT_EQ(err, 0);
	EXPECT_EQ(receive_signal(selects), -ETIMEDOUT);
	for (uint32_t i = 0; i < capacity; i++)
		EXPECT_EQ(nap_channel_send_for(&signals, NULL, 0), 0);
	EXPECT_EQ(nap_channel_send_for(&signals, NULL, 0), -ETIMEDOUT);
}

TEST(values_without_bytes_are_counted)
{
	for (uint32_t capacity = 0; capacity <= 2; capacity++) {
		signals_are_counted(_metadata, capacity, false);
		signals_are_counted(_metadata, capacity, true);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

static intptr_t receives_one(void *arg)
{
	uint64_t value;
	int err = nap_channel_recv(arg, &value);

	return err ? err : (intptr_t)value;
}

/* A canceled receiver takes no value with it. */
TEST(a_canceled_receiver_got_nothing)
{
	for (uint64_t i = 0; i < 300; i++) {
		struct nap_fiber *first, *second;
		intptr_t got, other;

		ASSERT_EQ(nap_spawn(&pool, &first, receives_one, &direct), 0);
		ASSERT_EQ(nap_spawn(&pool, &second, receives_one, &direct), 0);
		usleep((unsigned int)i % 100);
		nap_fiber_cancel(first);
		ASSERT_EQ(nap_channel_send(&direct, &i), 0);
		ASSERT_EQ(nap_await(first, &got), 0);
		if (got == -ECANCELED) {
			ASSERT_EQ(nap_await(second, &other), 0);
			ASSERT_EQ(other, (intptr_t)i);
		} else {
			ASSERT_EQ(got, (intptr_t)i);
			nap_fiber_cancel(second);
			ASSERT_EQ(nap_await(second, &other), 0);
			ASSERT_EQ(other, -ECANCELED);
		}
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

/* ---- selects */

static struct nap_channel ping = NAP_CHANNEL_INIT(NULL, sizeof(uint64_t), 0);
static struct nap_channel pong = NAP_CHANNEL_INIT(NULL, sizeof(uint64_t), 0);

/*
 * Sends on one channel and receives on the other, whichever is possible first; another fiber does
 * the reverse.
 */
static intptr_t exchanges(void *arg)
{
	bool first = arg;
	uint64_t sent = 0, got = 0, value = 0, next = 1;
	struct nap_select_case cases[2] = {
		{ .channel = first ? &ping : &pong, .value = &next, .sends = true },
		{ .channel = first ? &pong : &ping, .value = &value },
	};

	while (sent < NR || got < NR) {
		int chosen;

		cases[0].channel = sent == NR ? NULL : first ? &ping : &pong;
		cases[1].channel = got == NR ? NULL : first ? &pong : &ping;
		chosen = nap_select(cases, 2);
		if (chosen < 0)
			return chosen;
		if (chosen == 0) {
			sent++;
			next++;
		} else if (value != ++got) {
			return -1000;
		}
	}
	return 0;
}

TEST(two_select_from_each_other)
{
	struct nap_fiber *a, *b;
	intptr_t result;

	ASSERT_EQ(nap_spawn(&pool, &a, exchanges, (void *)1), 0);
	ASSERT_EQ(nap_spawn(&pool, &b, exchanges, NULL), 0);
	ASSERT_EQ(nap_await(a, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_await(b, &result), 0);
	EXPECT_EQ(result, 0);
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST(a_select_chooses_fairly_and_sees_the_end)
{
	uint64_t others[8], value;
	struct nap_channel other;
	struct nap_select_case cases[3] = { { .channel = &channel, .value = &value },
				       { .channel = NULL },
				       { .channel = &other, .value = &value } };
	int chosen[3] = { 0 };

	nap_channel_init(&other, others, sizeof(*others), 8);
	nap_channel_init(&channel, buffer, sizeof(*buffer), 8);
	EXPECT_EQ(nap_select_for(cases, 3, 0), -ETIMEDOUT);
	EXPECT_EQ(nap_select_for(cases, 3, MS), -ETIMEDOUT);
	for (uint64_t i = 0; i < 8; i++) {
		ASSERT_EQ(nap_channel_send(&channel, &i), 0);
		ASSERT_EQ(nap_channel_send(&other, &i), 0);
	}
	for (int i = 0; i < 8; i++) {
		int which = nap_select(cases, 3);

		ASSERT_GE(which, 0);
		ASSERT_EQ(cases[which].result, 0);
		chosen[which]++;
	}
	EXPECT_GE(chosen[0], 1);	/* promised by NAP_FAIR_SELECTS */
	EXPECT_GE(chosen[2], 1);
	EXPECT_EQ(chosen[1], 0);
	nap_channel_close(&other);
	while (nap_select(cases + 2, 1) == 0 && cases[2].result == 0)
		;
	EXPECT_EQ(cases[2].result, -EPIPE);
}

static intptr_t selects(void *arg)
{
	uint64_t value = 0;
	struct nap_select_case cases[2] = { { .channel = &ping, .value = &value },
				       { .channel = &pong, .value = &value } };
	int chosen = nap_select_for(cases, 2, (uint64_t)(uintptr_t)arg);

	return chosen < 0 ? chosen : cases[chosen].result ? cases[chosen].result : (intptr_t)value;
}

/* A value races a deadline, and the close of another channel. */
TEST(a_select_ends_once)
{
	for (uint64_t i = 1; i < 300; i++) {
		struct nap_fiber *fiber;
		intptr_t result;
		int err;

		ASSERT_EQ(nap_spawn(&pool, &fiber, selects,
				    (void *)(uintptr_t)(60000 + i % 60 * 1000)), 0);
		usleep((unsigned int)i % 120);
		err = nap_channel_send_for(&ping, &i, 0);
		if (i % 3 == 0)
			nap_channel_close(&pong);
		ASSERT_EQ(nap_await(fiber, &result), 0);
		if (err == 0) {
			ASSERT_EQ(result, (intptr_t)i);
		} else {
			ASSERT_TRUE(result == -ETIMEDOUT || (i % 3 == 0 && result == -EPIPE));
		}
		if (i % 3 == 0)
			nap_channel_init(&pong, NULL, sizeof(uint64_t), 0);
	}
	ASSERT_EQ(nap_pool_join(&pool, NULL), 0);
}

TEST_HARNESS_MAIN
