/* SPDX-License-Identifier: MIT */
/*
 * Calls on channels. Each value is sent at most once. A ledger says what has become of each value.
 */
#include <string.h>

#include "mixed.h"

enum fate { UNUSED, OFFERED, WITHDRAWN, ARRIVED };

static struct nap_channel channels[CHANNELS];
static uint32_t buffers[CHANNELS][CHANNELS];
static uint32_t fates[VALUES], accepted[VALUES];	/* atomic */
static uint32_t next_value;				/* atomic */

void values_begin(void)
{
	memset(fates, 0, sizeof(fates));
	memset(accepted, 0, sizeof(accepted));
	next_value = 0;
	for (uint32_t i = 0; i < CHANNELS; i++)
		nap_channel_init(&channels[i], buffers[i], sizeof(uint32_t), i);
}

/* Returns a new value; VALUES: no value is left. */
static uint32_t offer(void)
{
	uint32_t value = nap_fetch_add_relaxed(&next_value, 1);

	if (value >= VALUES)
		return VALUES;
	nap_store_relaxed(&fates[value], OFFERED);
	return value;
}

static void accept(uint32_t value)
{
	nap_store_relaxed(&accepted[value], 1);
}

static void withdraw(uint32_t value)
{
	uint32_t fate = nap_xchg_relaxed(&fates[value], WITHDRAWN);

	CHECK(fate == OFFERED, fate);
}

static void arrive(uint32_t value)
{
	uint32_t fate;

	CHECK(value < VALUES, value);
	fate = nap_xchg_relaxed(&fates[value], ARRIVED);
	CHECK(fate == OFFERED, fate);
}

static void send(struct nap_channel *channel, const struct call *call)
{
	uint32_t value = offer();
	int err;

	if (value == VALUES)
		return;
	err = nap_channel_send_for(channel, &value, time_of(call));
	CHECK(!err || err == -EPIPE || is_no_wait(err), err);
	if (err)
		withdraw(value);
	else
		accept(value);
}

void call_transfer(const struct call *call)
{
	struct nap_channel *channel = &channels[(call->how >> 3) % CHANNELS];
	uint32_t value;
	int err;

	if (call->how & 4) {
		send(channel, call);
		return;
	}
	err = nap_channel_recv_for(channel, &value, time_of(call));
	CHECK(!err || err == -EPIPE || is_no_wait(err), err);
	if (!err)
		arrive(value);
}

static void end_case(struct nap_select_case *c, uint32_t value, bool chosen)
{
	if (chosen && !c->result)
		c->sends ? accept(value) : arrive(value);
	else if (c->sends)
		withdraw(value);
}

void call_select(const struct call *call)
{
	struct nap_select_case cases[CHANNELS];
	uint32_t values[CHANNELS];
	int chosen;

	for (uint32_t i = 0; i < CHANNELS; i++) {
		bool sends = call->how >> (2 + i) & 1;

		values[i] = sends ? offer() : 0;
		if (values[i] == VALUES)
			values[i] = sends = false;
		cases[i] = (struct nap_select_case){ .channel = &channels[i], .value = &values[i],
					     .sends = sends };
	}
	chosen = nap_select_for(cases, CHANNELS, time_of(call));
	CHECK(chosen >= 0 || is_no_wait(chosen), chosen);
	CHECK(chosen < (int)CHANNELS, chosen);
	if (chosen >= 0)
		CHECK(!cases[chosen].result || cases[chosen].result == -EPIPE,
		      cases[chosen].result);
	for (int i = 0; i < (int)CHANNELS; i++)
		end_case(&cases[i], values[i], i == chosen);
}

void values_let_go(void)
{
	for (uint32_t i = 0; i < CHANNELS; i++)
		nap_channel_close(&channels[i]);
}

void values_check(void)
{
	uint32_t value;

	for (uint32_t i = 0; i < CHANNELS; i++) {
		while (!nap_channel_recv_for(&channels[i], &value, 0))
			arrive(value);
		CHECK(nap_channel_recv_for(&channels[i], &value, 0) == -EPIPE, i);
	}
	for (uint32_t i = 0; i < VALUES && i < next_value; i++)
		CHECK(fates[i] == (accepted[i] ? ARRIVED : WITHDRAWN), i);
}
