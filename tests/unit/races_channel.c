/* SPDX-License-Identifier: MIT */
/*
 * Channels and selects: which locks are held, and which cases are listed. src/ is compiled into the
 * test, which has one thread (tests/race_waits.h).
 */
#include "../src/async/fiber/channel.c"
#include "../src/async/fiber/select.c"

#include "harness.h"
#include "race_detected.h"
#include "race_waits.h"

enum { MOST = 6, CHANNELS = 4 };

static struct nap_channel channels[CHANNELS], beside;
static int values[MOST + 1];

/* The last case is none of the select's. */
static struct nap_select_case cases[MOST + 1], none_of_it;

static uint32_t nr_of_arrangements(uint32_t n)
{
	return n ? (CHANNELS + 1) * nr_of_arrangements(n - 1) : 1;
}

/*
 * Gives each of @n cases one of the channels or none, and every second one sends. The cases' memory
 * has been used before.
 */
static void arrange(struct selecting *s, uint32_t n, uint32_t nth_way)
{
	memset(cases, 0x5a, sizeof(cases));
	for (uint32_t i = 0; i <= MOST; i++, nth_way /= CHANNELS + 1) {
		uint32_t which = nth_way % (CHANNELS + 1);

		cases[i].channel = i == n ? &beside : which ? &channels[which - 1] : NULL;
		cases[i].value = &values[i];
		cases[i].sends = i % 2 || i == n;
	}
	for (int i = 0; i < CHANNELS; i++)
		nap_channel_init(&channels[i], NULL, sizeof(int), 0);
	nap_channel_init(&beside, NULL, sizeof(int), 0);
	none_of_it = cases[n];
	*s = (struct selecting){ .cases = cases, .n = n, .in_order = true, .nr_order = 77 };
}

static bool is_used(struct selecting *s, struct nap_channel *channel)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (cases[i].channel == channel)
			return true;
	return false;
}

/* Each case with a channel is in the order once, the channel with the lowest address first. */
static bool is_sorted(struct selecting *s)
{
	uint32_t seen = 0, nr = 0;

	for (uint32_t i = 0; i < s->n; i++)
		nr += cases[i].channel != NULL;
	if (s->nr_order != nr)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t at = *order(s, i);

		if (at >= s->n || seen & 1u << at || !cases[at].channel ||
		    (i && is_above(s, i - 1, i)))
			return false;
		seen |= 1u << at;
	}
	return true;
}

/* If @locked, the lock of each channel of the select is held; all others are free. */
static bool are_locked(struct selecting *s, bool locked)
{
	for (int i = 0; i < CHANNELS; i++)
		if (channels[i].lock != (locked && is_used(s, &channels[i])))
			return false;
	return beside.lock == LOCK_FREE;
}

/* Each case is listed with its channel, those of one channel in the order of the cases. */
static bool are_listed(struct selecting *s)
{
	for (int i = 0; i < CHANNELS; i++) {
		struct nap__fiber_waiter *next[] = { channels[i].receivers.first,
						     channels[i].senders.first };
		uint32_t nr = 0;

		for (uint32_t c = 0; c < s->n; c++)
			nr += cases[c].channel == &channels[i];
		for (uint32_t c = 0; c < s->n; c++) {
			struct nap__fiber_waiter *w = &own_of(s, c)->waiter;

			if (cases[c].channel != &channels[i])
				continue;
			if (next[cases[c].sends] != w || w->winner != c || w->what != &values[c] ||
			    w->has_twin != (nr > 1))
				return false;
			next[cases[c].sends] = w->next;
		}
		if (next[0] || next[1])
			return false;
	}
	return true;
}

static bool is_none_listed(const struct nap_channel *but)
{
	for (int i = 0; i < CHANNELS; i++)
		if (&channels[i] != but &&
		    (channels[i].senders.first || channels[i].receivers.first))
			return false;
	return !beside.senders.first && !beside.receivers.first;
}

static bool leaves_all_but(struct selecting *s, struct nap_channel *done)
{
	struct nap__waiters senders, receivers;
	bool left;

	list_all(s, &sleeper);
	/* The channel that is done must not be touched, not even by taking its lock. */
	if (done) {
		senders = done->senders;
		receivers = done->receivers;
		memset(done, 0xff, sizeof(*done));
	}
	select_leave_all(s, done);
	left = is_none_listed(done);
	if (done) {
		nap_channel_init(done, NULL, sizeof(int), 0);
		done->senders = senders;
		done->receivers = receivers;
		select_leave_all(s, NULL);
	}
	return left && is_none_listed(NULL) && are_locked(s, false);
}

static bool goes_right(struct selecting *s)
{
	bool right;

	select_sort(s);
	right = is_sorted(s);
	lock_all(s);
	right = right && are_locked(s, true);
	list_all(s, &sleeper);
	right = right && are_listed(s);
	unlock_all(s);
	right = right && are_locked(s, false);
	select_leave_all(s, NULL);
	right = right && is_none_listed(NULL);
	for (int i = 0; i < CHANNELS; i++)
		right = right && leaves_all_but(s, &channels[i]);
	return right && !memcmp(&cases[s->n], &none_of_it, sizeof(none_of_it));
}

TEST(a_select_locks_and_lists_its_cases_and_no_others)
{
	struct selecting s;

	ASSERT_EQ(nap__sleeper_begin(&sleeper, NULL), 0);
	for (uint32_t n = 0; n <= MOST; n++) {
		for (uint32_t way = 0; way < nr_of_arrangements(n); way++) {
			arrange(&s, n, way);
			ASSERT_TRUE(goes_right(&s)) {
				TH_LOG("%u cases, arrangement %u", n, way);
			}
		}
	}
}

/* Of several cases that can be done at once, the first one is. */
TEST(a_select_in_order_does_the_first_that_can_be_done)
{
	struct selecting s;

	for (uint32_t n = 0; n <= 4; n++) {
		for (uint32_t way = 0; way < nr_of_arrangements(n); way++) {
			uint32_t first = 0;

			arrange(&s, n, way);
			for (int i = 0; i < CHANNELS; i++)
				nap_channel_close(&channels[i]);
			while (first < n && !cases[first].channel)
				first++;
			ASSERT_EQ(nap_select_in_order(cases, n, 0),
				  first < n ? (int)first : -ETIMEDOUT);
			ASSERT_TRUE(first == n || cases[first].result == -EPIPE);
		}
	}
}

/* ---- a select whose memory has been used by another one */

static struct nap_channel *const channel = &channels[0];
static int other_value;

static void close_it(void)
{
	nap_channel_close(channel);
}

static void send_7(void)
{
	other_value = 7;
	result = nap_channel_send_for(channel, &other_value, 0);
}

static void receive_it(void)
{
	result = nap_channel_recv_for(channel, &other_value, 0);
}

TEST(a_case_has_the_result_of_its_own_select)
{
	struct nap_select_case one = { .channel = channel, .value = &values[0] };

	for (int sends = 0; sends < 2; sends++) {
		one.sends = sends;
		nap_channel_init(channel, NULL, sizeof(int), 0);
		last_step = close_it;
		EXPECT_EQ(nap_select(&one, 1), 0);
		EXPECT_EQ(one.result, -EPIPE);
		nap_channel_init(channel, NULL, sizeof(int), 0);
		last_step = sends ? receive_it : send_7;
		EXPECT_EQ(nap_select(&one, 1), 0);
		EXPECT_EQ(one.result, 0);
		EXPECT_EQ(result, 0);
		EXPECT_EQ(values[0], 7);
		EXPECT_EQ(other_value, 7);
	}
}

#ifndef NAP_NO_DETECTOR
static void send_to_first(void)
{
	claimed = channel->receivers.first;
	send_7();
}

TEST(a_select_comes_after_the_thread_that_claims_its_case)
{
	struct nap_select_case one = { .channel = channel, .value = &values[0] };

	nap_channel_init(channel, NULL, sizeof(int), 0);
	nap__detected = true;
	last_step = send_to_first;
	EXPECT_EQ(nap_select(&one, 1), 0);
	nap__detected = false;
	EXPECT_TRUE(told_before && told_after);
}
#endif

/*
 * The caller begins with the case of its number, and goes on with the first one; the case beside
 * the last is closed, too.
 */
TEST(a_select_tries_no_case_of_another)
{
	struct selecting none;

	arrange(&none, 0, 0);
	nap_channel_close(&beside);
	EXPECT_EQ(nap_select_for(cases, 0, 0), -ETIMEDOUT);
	for (uint32_t n = 1; n <= MOST; n++) {
		for (uint32_t which = 0; which < n; which++) {
			struct selecting s;

			for (uint32_t round = 0; round < 2 * MOST; round++) {
				arrange(&s, n, 0);
				nap_channel_close(&beside);
				cases[which].channel = channel;
				nap_channel_close(channel);
				ASSERT_EQ(nap_select_for(cases, n, 0), (int)which);
			}
		}
	}
}

/* A peer that is not there is not resumed. */
TEST(an_operation_without_a_peer_says_so)
{
	struct nap__fiber_waiter *other;
	int value = 1;

	for (int sends = 0; sends < 2; sends++) {
		nap_channel_init(channel, &other_value, sizeof(int), 1);
		other = &waiter;
		EXPECT_EQ(nap__channel_try(channel, &value, true, &other), 0);
		EXPECT_EQ(other, NULL);
		other = &waiter;
		EXPECT_EQ(nap__channel_try(channel, &value, true, &other), -EAGAIN);
		EXPECT_EQ(other, NULL);
		other = &waiter;
		EXPECT_EQ(nap__channel_try(channel, &value, false, &other), 0);
		EXPECT_EQ(other, NULL);
		other = &waiter;
		EXPECT_EQ(nap__channel_try(channel, &value, false, &other), -EAGAIN);
		EXPECT_EQ(other, NULL);
		nap_channel_close(channel);
		other = &waiter;
		EXPECT_EQ(nap__channel_try(channel, &value, sends, &other), -EPIPE);
		EXPECT_EQ(other, NULL);
	}
}

/* ---- locks that another thread holds */

static void begin_channel(bool sends, bool is_awaited)
{
	nap_channel_init(channel, NULL, sizeof(int), 0);
	if (is_awaited)
		begin_to_wait(channel_waiters(channel, sends));
	waiter.what = &values[1];
	hold(channel_waiters(channel, sends), &channel->lock);
}

static void send_held(void)
{
	begin_channel(false, true);
	result = nap_channel_send(channel, &values[0]);
}

static void receive_held(void)
{
	begin_channel(true, true);
	result = nap_channel_recv(channel, &values[0]);
}

static void wait_to_receive_held(void)
{
	begin_channel(false, false);
	last_step = send_7;
	result = nap_channel_recv(channel, &values[0]);
}

static void close_held(void)
{
	begin_channel(false, true);
	nap_channel_close(channel);
}

static void close_for_sender_held(void)
{
	begin_channel(true, true);
	nap_channel_close(channel);
}

static void select_held(void)
{
	struct nap_select_case one = { .channel = channel, .value = &values[0] };

	begin_channel(true, true);
	result = nap_select(&one, 1);
}

/* The list is held when the time of the wait is over, and the waiter leaves. */
static void hold_at_deadline(void)
{
	at_deadline = NULL;
	hold(&channel->receivers, &channel->lock);
}

static void receive_too_long_held(void)
{
	nap_channel_init(channel, NULL, sizeof(int), 0);
	at_deadline = hold_at_deadline;
	result = nap_channel_recv_for(channel, &values[0], TIMEOUT) == -ETIMEDOUT ? 0 : 1;
}

static void select_too_long_held(void)
{
	struct nap_select_case one = { .channel = channel, .value = &values[0] };

	nap_channel_init(channel, NULL, sizeof(int), 0);
	at_deadline = hold_at_deadline;
	result = nap_select_for(&one, 1, TIMEOUT) == -ETIMEDOUT ? 0 : 1;
}

TEST(a_channel_that_another_thread_holds_stays_as_it_is)
{
	static void (*const calls[])(void) = {
		send_held, receive_held, wait_to_receive_held, close_held, close_for_sender_held,
		select_held, receive_too_long_held, select_too_long_held
	};

	expect_held(_metadata, calls, sizeof(calls) / sizeof(*calls));
}

/* ---- timeouts */

static int send_for(uint64_t timeout)
{
	return nap_channel_send_for(channel, &values[0], timeout);
}

static int send_until(uint64_t deadline)
{
	return nap_channel_send_until(channel, &values[0], deadline);
}

static int recv_for(uint64_t timeout)
{
	return nap_channel_recv_for(channel, &values[0], timeout);
}

static int recv_until(uint64_t deadline)
{
	return nap_channel_recv_until(channel, &values[0], deadline);
}

static int select_for(uint64_t timeout)
{
	struct nap_select_case one = { .channel = channel, .value = &values[0] };

	return nap_select_for(&one, 1, timeout);
}

static int select_until(uint64_t deadline)
{
	struct nap_select_case one = { .channel = channel, .value = &values[0] };

	return nap_select_until(&one, 1, deadline);
}

static int select_in_order_until(uint64_t deadline)
{
	struct nap_select_case one = { .channel = channel, .value = &values[0] };

	return nap_select_in_order(&one, 1, deadline);
}

TEST(a_timeout_is_counted_from_the_call_on)
{
	static const struct timed calls[] = {
		{ send_for, send_until, NAP_TRACE_ON_CHANNEL, &channels[0] },
		{ recv_for, recv_until, NAP_TRACE_ON_CHANNEL, &channels[0] },
		{ select_for, select_until, NAP_TRACE_ON_SELECT, &channels[0] },
		{ select_for, select_in_order_until, NAP_TRACE_ON_SELECT, &channels[0] },
	};

	nap_channel_init(channel, NULL, sizeof(int), 0);
	expect_timed(_metadata, calls, sizeof(calls) / sizeof(*calls));
	EXPECT_TRUE(is_none_listed(NULL));
}

TEST_HARNESS_MAIN
