/* SPDX-License-Identifier: MIT */
/*
 * F0 waits to send, to receive, or for one of two channels, while several threads end its wait
 * (ended_setup.h; src/async/fiber/channel.c, select.c). Each channel has a buffer of one value, so
 * the giver does not wait. No waiter withdraws, because each wait begins under the locks. Scenarios
 * that cancel a wait at a channel without a buffer are in channel.c.
 */
#include "ended_setup.h"

#include <nap/channel.h>

#define MINE	3	/* the value that F0 sends */
#define OTHERS	4	/* the value that another thread sends */

static struct nap_channel a, b;
static int place_a, place_b, got, given;	/* got: what F0 or the giver has received */

static CHECK_OUTSIDE void begin(void)
{
	ended_begin();
	nap_channel_init(&a, &place_a, sizeof(int), 1);
	nap_channel_init(&b, &place_b, sizeof(int), 1);
	check_name(&a.lock, sizeof(a.lock), "a.lock");
	check_name(&b.lock, sizeof(b.lock), "b.lock");
	got = given = 0;
}

static CHECK_OUTSIDE void nobody_is_listed(void)
{
	CHECK(!a.senders.first && !a.receivers.first && !b.senders.first && !b.receivers.first);
}

/* ---- F0 waits to send */

static CHECK_OUTSIDE void full(void)
{
	begin();
	place_a = OTHERS;
	a.count = 1;
}

static void send(void *deadline)
{
	int value = MINE;

	call_over(nap_channel_send_until(&a, &value, deadline_in(deadline)));
}

static void make_room(void *unused)
{
	(void)unused;
	CHECK(nap_channel_recv_until(&a, &got, 0) == 0);
}

ENDED_GIVES(make_room, make_room)

/* The older value is received first; the value that F0 sent is in the buffer. */
static CHECK_OUTSIDE void sent_or_not(void)
{
	CHECK(got == OTHERS && a.count == (result == 0));
	CHECK(result || place_a == MINE);
	nobody_is_listed();
}

ENDED_FINALLY(sent, sent_or_not)

CHECK_SCENARIO(ended_send_and_canceled,
	.about = "there is room and then the fiber that begins to wait for it is canceled",
	.setup = full, .finally = sent_or_canceled,
	.threads = WITHDRAWN(send, make_room_and_cancel));

CHECK_SCENARIO(ended_send_canceled, .about = "there is room as who waits for it is canceled",
	.random = 20000,
	.setup = full, .finally = sent_or_canceled,
	.threads = CANCELED(send, make_room));

CHECK_SCENARIO(ended_send_timed, .about = "there is room as a wait for it is too late",
	.random = 20000,
	.setup = full, .finally = sent_or_late,
	.threads = TIMED(send, make_room));

CHECK_SCENARIO(ended_send_stopped,
	.about = "there is room as the pool of who waits for it is stopped",
	.setup = full, .finally = sent_or_canceled,
	.threads = STOPPED(send, make_room));

/* ---- F0 waits to receive */

static void recv(void *deadline)
{
	int value = 0, err = nap_channel_recv_until(&a, &value, deadline_in(deadline));

	got = value;
	CHECK(err || given == 1);
	call_over(err);
}

static void send_one(void *unused)
{
	int value = MINE;

	(void)unused;
	given = 1;
	CHECK(nap_channel_send_until(&a, &value, 0) == 0);
}

ENDED_GIVES(send, send_one)

static CHECK_OUTSIDE void received_or_not(void)
{
	CHECK(got == (result ? 0 : MINE) && a.count == (result != 0));
	CHECK(!result || place_a == MINE);
	nobody_is_listed();
}

ENDED_FINALLY(received, received_or_not)

CHECK_SCENARIO(ended_recv_and_canceled,
	.about = "a value comes and then the fiber that begins to wait for it is canceled",
	.setup = begin, .finally = received_or_canceled,
	.threads = WITHDRAWN(recv, send_and_cancel));

CHECK_SCENARIO(ended_recv_canceled, .about = "a value comes as who waits for it is canceled",
	.random = 20000,
	.setup = begin, .finally = received_or_canceled,
	.threads = CANCELED(recv, send_one));

CHECK_SCENARIO(ended_recv_timed, .about = "a value comes as a wait for it is too late",
	.random = 20000,
	.setup = begin, .finally = received_or_late,
	.threads = TIMED(recv, send_one));

CHECK_SCENARIO(ended_recv_stopped,
	.about = "a value comes as the pool of who waits for it is stopped",
	.setup = begin, .finally = received_or_canceled,
	.threads = STOPPED(recv, send_one));

/* ---- F0 waits for one of two channels */

static void select_recv(void *deadline)
{
	int from_a = 0, from_b = 0, chosen;
	struct nap_select_case cases[] = {
		{ .channel = &b, .value = &from_b },
		{ .channel = &a, .value = &from_a },
	};

	chosen = nap_select_until(cases, 2, deadline_in(deadline));
	CHECK(chosen < 0 || (chosen == 1 && cases[1].result == 0 && given == 1));
	CHECK(from_b == 0);
	got = from_a;
	call_over(chosen < 0 ? chosen : 0);
}

CHECK_SCENARIO(ended_select_canceled, .about = "a value comes as who selects is canceled",
	.random = 20000,
	.setup = begin, .finally = received_or_canceled,
	.threads = CANCELED(select_recv, send_one));

CHECK_SCENARIO(ended_select_timed, .about = "a value comes as a select is too late",
	.random = 20000,
	.setup = begin, .finally = received_or_late,
	.threads = TIMED(select_recv, send_one));

CHECK_SCENARIO(ended_select_stopped, .about = "a value comes as the pool of who selects is stopped",
	.setup = begin, .finally = received_or_canceled,
	.threads = STOPPED(select_recv, send_one));
