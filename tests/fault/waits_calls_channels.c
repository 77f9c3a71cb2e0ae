/* SPDX-License-Identifier: MIT */
/* The rows of the table of waits: nap/channel.h. */
#include "fault/waits_calls.h"

#include <errno.h>

#define SENT 7

static bool get(struct nap_channel *channel, int value)
{
	int got = 0;

	return nap_channel_recv_for(channel, &got, 0) == 0 && got == value;
}

static void close_channel(struct cell *cell)
{
	nap_channel_close(&cell->channel);
}

static bool is_empty(struct nap_channel *channel)
{
	int got;

	return nap_channel_recv_for(channel, &got, 0) == (channel->closed ? -EPIPE : -ETIMEDOUT) &&
	       !channel->receivers.first &&
	       !channel->senders.first;
}

/* ---- sending to a full channel */

static void fill(struct cell *cell)
{
	int first = 1;

	nap_channel_init(&cell->channel, cell->buffer, sizeof(int), 1);
	WAITS_CHECK(cell, nap_channel_send_for(&cell->channel, &first, 0) == 0);
}

static void make_room(struct cell *cell)
{
	WAITS_CHECK(cell, get(&cell->channel, 1));
}

static long send(struct cell *cell)
{
	int value = SENT;

	return WAITS_CALL(cell, nap_channel_send, &cell->channel, &value);
}

static bool sent_is_left(struct cell *cell)
{
	if (!cell->given && !get(&cell->channel, 1))
		return false;
	return (!waits_took(cell) || get(&cell->channel, SENT)) && is_empty(&cell->channel);
}

const struct call waits_send = {
	.name = "send",
	.flags = OF_WORKER | TIMED | SUSPENDS,
	.init = fill,
	.possible = make_room,
	.close = close_channel,
	.call = send,
	.left = sent_is_left,
};

/* ---- receiving from an empty channel */

static void begin_empty(struct cell *cell)
{
	nap_channel_init(&cell->channel, cell->buffer, sizeof(int), 1);
	nap_channel_init(&cell->second, cell->buffer + 1, sizeof(int), 1);
}

static void put(struct cell *cell)
{
	int value = SENT;

	WAITS_CHECK(cell, nap_channel_send_for(&cell->channel, &value, 0) == 0);
}

static long receive(struct cell *cell)
{
	return WAITS_CALL(cell, nap_channel_recv, &cell->channel, &cell->value);
}

/* Whether the value is either with the caller or in the channel. */
static bool received_is_left(struct cell *cell)
{
	bool took = waits_took(cell);

	return cell->value == (took ? SENT : 0) &&
	       (took || !cell->given || get(&cell->channel, SENT)) && is_empty(&cell->channel) &&
	       is_empty(&cell->second);
}

const struct call waits_recv = {
	.name = "receive",
	.flags = OF_WORKER | TIMED | SUSPENDS,
	.init = begin_empty,
	.possible = put,
	.close = close_channel,
	.call = receive,
	.left = received_is_left,
};

/* ---- a select of two channels */

static long select_one(struct cell *cell)
{
	struct nap_select_case cases[2] = {
		{ .channel = &cell->second, .value = &cell->value },
		{ .channel = &cell->channel, .value = &cell->value },
	};
	long n = WAITS_CALL(cell, nap_select, cases, 2);

	return n < 0 ? n : n == 1 ? cases[1].result : -EINVAL;
}

const struct call waits_select = {
	.name = "select",
	.flags = OF_WORKER | TIMED | SUSPENDS,
	.init = begin_empty,
	.possible = put,
	.close = close_channel,
	.call = select_one,
	.left = received_is_left,
};
