/* SPDX-License-Identifier: MIT */
/*
 * Channels: values handed from fiber to fiber, in order, through a bounded buffer.
 *
 *	static int buffer[64];
 *	static struct nap_channel channel = NAP_CHANNEL_INIT(buffer, sizeof(*buffer), 64);
 *
 *	nap_channel_send(&channel, &value);
 *	...
 *	while (!nap_channel_recv(&channel, &value))
 *		use(value);
 *
 * Any thread may use one; who waits, and how, is as in nap/sync.h. Channel and buffer are the
 * caller's memory. With a capacity of 0 there is no buffer, and a send is a rendezvous: it waits for who
 * receives, and 0 says that one has the value, in the memory it has given, though it may not have gone on yet.
 * Whatever else it returns, nobody has it.
 */
#ifndef NAP_CHANNEL_H
#define NAP_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** struct nap_channel - by NAP_CHANNEL_INIT() or nap_channel_init() */
struct nap_channel {
	char *buffer;
	size_t size;
	uint32_t capacity;
	uint32_t first;
	uint32_t count;
	uint32_t closed;
	uint32_t lock;
	struct nap__waiters senders, receivers;
};

/* @buffer: @capacity values of @size bytes each. */
#define NAP_CHANNEL_INIT(buffer, size, capacity) \
	{ (char *)(buffer), (size), (capacity), 0, 0, 0, 0, { 0, 0 }, { 0, 0 } }

/** nap_channel_init() - @channel, which nobody uses, is empty, and open; the arguments as above */
void nap_channel_init(struct nap_channel *channel, void *buffer, size_t size, uint32_t capacity);

/**
 * nap_channel_send() - put a value in, or wait until there is room
 * @value: copied from there
 *
 * Returns 0; -EPIPE when the channel is closed, also meanwhile; -ECANCELED. Unless it is 0 the value was
 * not sent.
 */
int nap_channel_send(struct nap_channel *channel, const void *value);

/** nap_channel_send_for() - the same within @timeout_ns, or -ETIMEDOUT */
int nap_channel_send_for(struct nap_channel *channel, const void *value, uint64_t timeout_ns);

/** nap_channel_send_until() - the same until @deadline, ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER */
int nap_channel_send_until(struct nap_channel *channel, const void *value, uint64_t deadline);

/**
 * nap_channel_recv() - take the oldest value out, or wait for one
 * @value: copied to there
 *
 * What the sender did before is visible. Returns 0; -EPIPE when the channel is closed and empty;
 * -ECANCELED.
 */
int nap_channel_recv(struct nap_channel *channel, void *value);

/** nap_channel_recv_for() - the same within @timeout_ns, or -ETIMEDOUT */
int nap_channel_recv_for(struct nap_channel *channel, void *value, uint64_t timeout_ns);

/** nap_channel_recv_until() - the same until @deadline, ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER */
int nap_channel_recv_until(struct nap_channel *channel, void *value, uint64_t deadline);

/**
 * nap_channel_close() - no more is sent
 *
 * What is in the buffer can still be received. Who waits to send is told, and who waits to receive.
 * Any thread; closing again changes nothing.
 */
void nap_channel_close(struct nap_channel *channel);

/** NAP_SELECT_MOST - cases of one nap_select(): as many as its answer can name */
#define NAP_SELECT_MOST ((uint32_t)INT32_MAX)

/**
 * struct nap_select_case - a case: to send something, or to receive
 * @channel: NULL: the case is none
 * @value:   from where, or to where, as above
 * @sends:   true: send; false: receive
 * @result:  of the case that was chosen: 0, or -EPIPE
 * @own:     nap's, as long as the call lasts; whatever is in it before
 */
struct nap_select_case {
	struct nap_channel *channel;
	void *value;
	bool sends;
	int result;
	uint64_t own[8];
};

/**
 * NAP_FAIR_SELECTS - how soon a case that can be done is
 *
 * A fiber, or a thread that is none, does selects in a round of @k, over and over, one of them with @n cases. A case of
 * that one that can be done each time is chosen at least once in NAP_FAIR_SELECTS * @n * @k rounds, whatever
 * others do with the same channels. (Counted for up to 256 selects and 64 cases, of which the worst is 1.9 * @n * @k.)
 */
#define NAP_FAIR_SELECTS 2u

/**
 * nap_select() - do the one of several that can be done first
 * @cases: of which one is done, or none; several of one channel are allowed. They are the memory of the call:
 *         no other select has them meanwhile
 * @n:     how many
 *
 * Of those that can be done at once one is chosen that differs from call to call: NAP_FAIR_SELECTS. A closed
 * channel can be: its result is -EPIPE. Where none has a channel it waits for its deadline, or to be canceled. The
 * channels are in use until it returns, but for the one by which it was done: who has done that with it may free it.
 * Returns the number of the case; -ECANCELED, unless one can be done at once; of a thread what
 * nap_group_wait() says; -EINVAL when there are too many, or @cases is NULL and @n is not 0.
 */
int nap_select(struct nap_select_case *cases, uint32_t n);

/** nap_select_for() - the same within @timeout_ns, or -ETIMEDOUT; 0 looks only */
int nap_select_for(struct nap_select_case *cases, uint32_t n, uint64_t timeout_ns);

/** nap_select_until() - the same until @deadline, ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER */
int nap_select_until(struct nap_select_case *cases, uint32_t n, uint64_t deadline);

/**
 * nap_select_in_order() - the same until @deadline; of those that can be done at once the first is chosen
 *
 * So a case may wait for ever for those before it. If none can be done at once it is the one that can be first.
 */
int nap_select_in_order(struct nap_select_case *cases, uint32_t n, uint64_t deadline);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_CHANNEL_H */
