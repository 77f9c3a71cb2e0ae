/* SPDX-License-Identifier: MIT */
/*
 * Channels, and a wait for one of several channels (src/async/fiber/channel.c, select.c). Fibers
 * F0, F1 and F2 send, receive or select, while another thread cancels a fiber or closes the
 * channel. Invariant: a value whose send succeeds is received once or stays in the buffer; a
 * value whose send fails is never received.
 */
#include <errno.h>

#include "fiber_setup.h"

#include <nap/channel.h>

#define NR 3

static struct nap_channel a, b;
static int place_a, place_b;	/* the channels' buffers, of one value each */
static int sent[NR], received[NR], values[NR], chosen[NR];

static void begin(uint32_t capacity)
{
	pool_new(1, CHECK_THREADS);
	for (unsigned i = 0; i < NR; i++) {
		fiber_is(i);
		sent[i] = received[i] = 1;	/* the value has not been sent or received */
		chosen[i] = values[i] = -1;
	}
	nap_channel_init(&a, &place_a, sizeof(int), capacity);
	nap_channel_init(&b, &place_b, sizeof(int), capacity);
	check_name(&a.lock, sizeof(a.lock), "a.lock");
	check_name(&b.lock, sizeof(b.lock), "b.lock");
}

static void unbuffered(void)
{
	begin(0);
}

static void buffered(void)
{
	begin(1);
}

/* Sends the number of its thread. */
static void send(void *channel)
{
	int me = (int)check_self();

	sent[me] = nap_channel_send(channel, &me);
}

static void recv(void *channel)
{
	received[check_self()] = nap_channel_recv(channel, &values[check_self()]);
}

static void cancel(void *number)
{
	CHECK(nap_fiber_cancel(&fibers[(uintptr_t)number].fiber) == 0);
}

static void close_it(void *channel)
{
	nap_channel_close(channel);
}

/* ---- one value */

static void got_0(void)
{
	CHECK(sent[0] == 0 && received[1] == 0 && values[1] == 0);
}

CHECK_SCENARIO(channel_unbuffered, .about = "a value goes from one to another",
	.setup = unbuffered, .finally = got_0,
	.threads = { { send, &a, "F0" }, { recv, &a, "F1" } });

CHECK_SCENARIO(channel_buffered, .about = "a value goes through a buffer of one",
	.setup = buffered, .finally = got_0,
	.threads = { { send, &a, "F0" }, { recv, &a, "F1" } });

/* Receives both values. The second sender waits for room, or comes when there is room. */
static void recv_twice(void *channel)
{
	int first;

	CHECK(nap_channel_recv(channel, &first) == 0);
	recv(channel);
	CHECK(first + values[check_self()] == 0 + 1);
}

static void got_both(void)
{
	CHECK(!sent[0] && !sent[1] && !received[2]);
}

CHECK_SCENARIO(channel_full, .about = "two send through a buffer of one",
	.random = 20000,
	.setup = buffered, .finally = got_both,
	.threads = { { send, &a, "F0" }, { send, &a, "F1" }, { recv_twice, &a, "F2" } });

/* ---- a sender is canceled, or finds the channel closed */

static void sent_and_received(void)
{
	CHECK(sent[0] == 0 || sent[0] == -ECANCELED);
	CHECK(!sent[0] == !received[1]);
	CHECK(received[1] || values[1] == 0);
}

CHECK_SCENARIO(channel_canceled, .about = "who sends is canceled as somebody receives",
	.random = 20000,
	.setup = unbuffered, .finally = sent_and_received, .may_block = true,
	.threads = { { send, &a, "F0" }, { recv, &a, "F1" }, { cancel, (void *)0, "canceler" } });

static void sent_or_closed(void)
{
	CHECK(sent[0] == 0 || sent[0] == -EPIPE);
	CHECK(received[1] == sent[0]);
	CHECK(received[1] || values[1] == 0);
}

CHECK_SCENARIO(channel_closed,
	.about = "a channel is closed as somebody sends and somebody receives",
	.random = 20000,
	.setup = unbuffered, .finally = sent_or_closed,
	.threads = { { send, &a, "F0" }, { recv, &a, "F1" }, { close_it, &a, "closer" } });

static void send_was_refused(void)
{
	CHECK(sent[0] == -EPIPE);
}

CHECK_SCENARIO(channel_closed_alone,
	.about = "a channel is closed as somebody comes to send, and nobody receives",
	.setup = unbuffered, .finally = send_was_refused,
	.threads = { { send, &a, "F0" }, [2] = { close_it, &a, "closer" } });

/* A value that was sent before the close is received after the close. */
CHECK_SCENARIO(channel_closed_buffered, .about = "the same through a buffer",
	.random = 20000,
	.setup = buffered, .finally = sent_or_closed,
	.threads = { { send, &a, "F0" }, { recv, &a, "F1" }, { close_it, &a, "closer" } });

/* ---- a select among several channels */

static void select_recv(void *unused)
{
	int me = (int)check_self(), from_a = -1, from_b = -1;
	struct nap_select_case cases[] = {
		{ .channel = &a, .value = &from_a },
		{ .channel = &b, .value = &from_b },
	};

	(void)unused;
	chosen[me] = nap_select(cases, 2);
	received[me] = chosen[me] < 0 ? chosen[me] : cases[chosen[me]].result;
	values[me] = chosen[me] == 0 ? from_a : from_b;
	CHECK((chosen[me] == 0) == (from_a >= 0) && (chosen[me] == 1) == (from_b >= 0));
}

/* The value that was not selected stays in its buffer. */
static void got_one(void)
{
	CHECK(!sent[0] && !sent[1] && !received[2]);
	CHECK(chosen[2] == 0 || chosen[2] == 1);
	CHECK(values[2] == chosen[2]);
	CHECK(a.count == (chosen[2] != 0) && b.count == (chosen[2] != 1));
}

CHECK_SCENARIO(select_one_of_two, .about = "two send to two channels, of which one is selected",
	.setup = buffered, .finally = got_one,
	.threads = { { send, &a, "F0" }, { send, &b, "F1" }, { select_recv, NULL, "F2" } });

/*
 * Selects among three cases of one channel. The thread that completes one case unlists the
 * others.
 */
static void select_twins(void *unused)
{
	int me = (int)check_self(), got = -1;
	struct nap_select_case cases[] = {
		{ .channel = &a, .value = &got },
		{ .channel = &a, .value = &got },
		{ .channel = &a, .value = &me, .sends = true },
	};

	(void)unused;
	chosen[me] = nap_select(cases, 3);
	values[me] = got;
}

static void no_twin_is_left(void)
{
	CHECK(sent[0] == 0 && (chosen[1] == 0 || chosen[1] == 1) && values[1] == 0);
	CHECK(!a.senders.first && !a.receivers.first);
}

CHECK_SCENARIO(select_twins,
	.about = "one sends to a channel of which another selects several cases",
	.setup = unbuffered, .finally = no_twin_is_left,
	.threads = { { send, &a, "F0" }, { select_twins, NULL, "F1" } });

static void one_or_canceled(void)
{
	CHECK(received[0] == 0 || received[0] == -ECANCELED);
	CHECK(!sent[1] == !received[0]);
}

CHECK_SCENARIO(select_canceled, .about = "who selects is canceled as somebody sends",
	.random = 20000,
	.setup = unbuffered, .finally = one_or_canceled, .may_block = true,
	.threads = { { select_recv, NULL, "F0" }, { send, &b, "F1" },
		     { cancel, (void *)0, "canceler" } });

/*
 * Sends to one channel, or receives from the other. Two threads list both cases of both channels;
 * one sends what the other receives.
 */
static void select_both(void *sends)
{
	struct nap_channel *to = sends, *from = to == &a ? &b : &a;
	int me = (int)check_self(), got = -1;
	struct nap_select_case cases[] = {
		{ .channel = to, .value = &me, .sends = true },
		{ .channel = from, .value = &got },
	};

	chosen[me] = nap_select(cases, 2);
	values[me] = got;
}

static void one_has_sent(void)
{
	CHECK(chosen[0] == !chosen[1] && chosen[0] + chosen[1] == 1);
	for (int i = 0; i < 2; i++)
		CHECK(values[i] == (chosen[i] ? !i : -1));
}

CHECK_SCENARIO(select_each_other,
	.about = "two select, each to send to the other or to receive from it",
	.random = 20000,
	.setup = unbuffered, .finally = one_has_sent,
	.threads = { { select_both, &a, "F0" }, { select_both, &b, "F1" } });
