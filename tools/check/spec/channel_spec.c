/* SPDX-License-Identifier: MIT */
/*
 * nap/channel.h. A channel is a queue of at most @capacity values: what is sent first is received
 * first, by any receiver. A lock keeps its users apart, so each sees what the users before it did.
 */
#include "spec.h"

#include <string.h>

static void lock(struct nap_channel *channel)
{
	while (!cas_acquire(&channel->lock, 0, 1))
		;
}

static void unlock(struct nap_channel *channel)
{
	store_release(&channel->lock, 0);
}

void nap_channel_init(struct nap_channel *channel, void *buffer, size_t size, uint32_t capacity)
{
	*channel = (struct nap_channel)NAP_CHANNEL_INIT(buffer, size, capacity);
}

static char *place(struct nap_channel *channel, uint32_t nth)
{
	return channel->buffer + (channel->first + nth) % channel->capacity * channel->size;
}

/* Returns 0, -EPIPE, or -EAGAIN when the channel is full. */
static int try_send(struct nap_channel *channel, const void *value)
{
	uint32_t count;
	int err = 0;

	lock(channel);
	count = relaxed(&channel->count);
	if (relaxed(&channel->closed)) {
		err = -EPIPE;
	} else if (count == channel->capacity) {
		err = -EAGAIN;
	} else {
		memcpy(place(channel, count), value, channel->size);
		store_relaxed(&channel->count, count + 1);
	}
	unlock(channel);
	return err;
}

/* Returns 0, -EPIPE, or -EAGAIN when the channel is empty, and not closed. */
static int try_recv(struct nap_channel *channel, void *value)
{
	uint32_t count;
	int err = 0;

	lock(channel);
	count = relaxed(&channel->count);
	if (count) {
		memcpy(value, place(channel, 0), channel->size);
		channel->first = (channel->first + 1) % channel->capacity;
		store_relaxed(&channel->count, count - 1);
	} else {
		err = relaxed(&channel->closed) ? -EPIPE : -EAGAIN;
	}
	unlock(channel);
	return err;
}

/* Whether a send, or a receive, seems possible without a wait. The try under the lock decides. */
static bool may_send(struct nap_channel *channel)
{
	return relaxed(&channel->count) < channel->capacity || relaxed(&channel->closed);
}

static bool may_recv(struct nap_channel *channel)
{
	return relaxed(&channel->count) || relaxed(&channel->closed);
}

int spec_channel_try(struct nap_channel *channel, void *value, bool sends)
{
	return sends ? try_send(channel, value) : try_recv(channel, value);
}

bool spec_channel_may(struct nap_channel *channel, bool sends)
{
	return sends ? may_send(channel) : may_recv(channel);
}

void spec_channel_has_buffer(const struct nap_channel *channel)
{
	if (!channel->capacity)
		check_fail("the specification has no channel without a buffer");
}

int nap_channel_send_until(struct nap_channel *channel, const void *value, uint64_t deadline)
{
	int err;

	spec_channel_has_buffer(channel);
	do {
		err = WAIT("room in the channel", channel, may_send(channel), deadline);
		if (err)
			return err;
		err = try_send(channel, value);
	} while (err == -EAGAIN);
	return err;
}

int nap_channel_recv_until(struct nap_channel *channel, void *value, uint64_t deadline)
{
	int err;

	spec_channel_has_buffer(channel);
	do {
		err = WAIT("a value from the channel", channel, may_recv(channel), deadline);
		if (err)
			return err;
		err = try_recv(channel, value);
	} while (err == -EAGAIN);
	return err;
}

void nap_channel_close(struct nap_channel *channel)
{
	lock(channel);
	store_relaxed(&channel->closed, 1);
	unlock(channel);
}

int nap_channel_send(struct nap_channel *channel, const void *value)
{
	return nap_channel_send_until(channel, value, NAP_FOREVER);
}

int nap_channel_send_for(struct nap_channel *channel, const void *value, uint64_t timeout_ns)
{
	return nap_channel_send_until(channel, value, timeout_ns);
}

int nap_channel_recv(struct nap_channel *channel, void *value)
{
	return nap_channel_recv_until(channel, value, NAP_FOREVER);
}

int nap_channel_recv_for(struct nap_channel *channel, void *value, uint64_t timeout_ns)
{
	return nap_channel_recv_until(channel, value, timeout_ns);
}
