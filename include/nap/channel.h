/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_channel_send - values handed from fiber to fiber, in order
 *
 * A channel hands values from fiber to fiber, in order, through a bounded buffer.
 *
 *	static int buffer[64];
 *	static struct nap_channel channel = NAP_CHANNEL_INIT(buffer, sizeof(*buffer), 64);
 *
 *	nap_channel_send(&channel, &value);
 *	...
 *	while (!nap_channel_recv(&channel, &value))
 *		use(value);
 *
 * Any thread may use a channel. nap/sync.h says how fibers and threads wait, and when the child of
 * a fork initialises a channel again. Channel and buffer are the caller's memory. With a capacity
 * of 0 there is no buffer, and a send is a rendezvous: it waits for a receiver. When such a send
 * returns 0 the value is in a receiver's memory, though that receiver perhaps does not run yet.
 * After any other result no receiver has the value.
 *
 * The values may have 0 bytes: then only their number matters, and the pointers to a value may be
 * NULL.
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

/** struct nap_channel - a channel; initialised by NAP_CHANNEL_INIT() or nap_channel_init() */
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

/** NAP_CHANNEL_INIT() - static initialiser; @buffer has room for @capacity values of @size bytes */
#define NAP_CHANNEL_INIT(buffer, size, capacity) \
	{ (char *)(buffer), (size), (capacity), 0, 0, 0, 0, { 0, 0 }, { 0, 0 } }

/** nap_channel_init() - prepare @channel, which is not in use: it is empty, and open */
void nap_channel_init(struct nap_channel *channel, void *buffer, size_t size, uint32_t capacity);

/**
 * nap_channel_send() - put a value in, or wait until there is room
 * @value: the value is copied from here
 *
 * After an error the value was not sent. Returns 0; -EPIPE when the channel is closed, or is closed
 * while the caller waits; -ECANCELED when the calling fiber was canceled, or its pool stopped; in a
 * thread that is no fiber the errors of nap_group_wait(); -ESHUTDOWN in a fiber of the parent in
 * the child of a fork.
 */
int nap_channel_send(struct nap_channel *channel, const void *value);

/** nap_channel_send_for() - nap_channel_send() within @timeout_ns, or -ETIMEDOUT */
int nap_channel_send_for(struct nap_channel *channel, const void *value, uint64_t timeout_ns);

/**
 * nap_channel_send_until() - nap_channel_send() until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_channel_send_until(struct nap_channel *channel, const void *value, uint64_t deadline);

/**
 * nap_channel_recv() - take the oldest value out, or wait for one
 * @value: the value is copied to here
 *
 * What the sender did before it sent is visible to the caller. Returns 0; -EPIPE when the channel
 * is closed and empty; -ECANCELED, -ESHUTDOWN and the errors of threads as nap_channel_send().
 */
int nap_channel_recv(struct nap_channel *channel, void *value);

/** nap_channel_recv_for() - nap_channel_recv() within @timeout_ns, or -ETIMEDOUT */
int nap_channel_recv_for(struct nap_channel *channel, void *value, uint64_t timeout_ns);

/**
 * nap_channel_recv_until() - nap_channel_recv() until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_channel_recv_until(struct nap_channel *channel, void *value, uint64_t deadline);

/**
 * nap_channel_close() - end a channel: no more values are sent
 *
 * Values in the buffer can still be received. All waiting senders and receivers are woken. Any
 * thread; closing again changes nothing.
 */
void nap_channel_close(struct nap_channel *channel);

/** DOC: nap_select - send or receive, whichever is possible first */

/**
 * NAP_SELECT_MOST - the most cases of one nap_select(); a larger number does not fit into its
 * result
 */
#define NAP_SELECT_MOST ((uint32_t)INT32_MAX)

/**
 * struct nap_select_case - a case: to send something, or to receive
 * @channel: NULL: the case is skipped
 * @value:   where the value is copied from, or to
 * @sends:   true: send; false: receive
 * @result:  set in the chosen case: 0, or -EPIPE; in the others it is overwritten, too
 *
 * The remaining fields are nap's until the call returns, and need not be set. They have no name, so
 * an initialiser in order, as { &channel, &value, false, 0 }, is complete.
 */
struct nap_select_case {
	struct nap_channel *channel;
	void *value;
	bool sends;
	int result;
	uint64_t : 64;
	uint64_t : 64;
	uint64_t : 64;
	uint64_t : 64;
	uint64_t : 64;
	uint64_t : 64;
	uint64_t : 64;
	uint64_t : 64;
};

/**
 * NAP_FAIR_SELECTS - how soon a select chooses a case that can be done
 *
 * A fiber or a thread does @k selects in a round, over and over; one select of the round has @n
 * cases. If a case of this select can be done in every round, the select chooses the case at least
 * once in NAP_FAIR_SELECTS * @n * @k rounds, whatever other threads do with the same channels.
 * (Counted for up to 256 selects and 64 cases: the worst is 1.9 * @n * @k rounds.)
 */
#define NAP_FAIR_SELECTS 2u

/**
 * nap_select() - do one of several cases: the first that can be done
 * @cases: one case is done, or none; several cases of one channel are allowed. The memory is this
 *         call's: no other select uses it until the call returns
 * @n:     the number of cases
 *
 * If several cases can be done at once, the call chooses one of them; it does not always choose the
 * same (NAP_FAIR_SELECTS). A case of a closed channel can be done: its result is -EPIPE. If no case
 * has a channel, the call waits until its deadline, or until the caller is canceled. The channels
 * are in use until the call returns, except the channel of the chosen case: the peer that has done
 * that case with the call may free the channel.
 *
 * Returns the number of the case; -ECANCELED when the calling fiber was canceled, or its pool
 * stopped, and no case can be done at once; in a thread also the errors of nap_group_wait();
 * -EINVAL when there are too many cases, or @cases is NULL and @n is not 0.
 */
int nap_select(struct nap_select_case *cases, uint32_t n);

/** nap_select_for() - nap_select() within @timeout_ns, or -ETIMEDOUT; 0: do not wait */
int nap_select_for(struct nap_select_case *cases, uint32_t n, uint64_t timeout_ns);

/**
 * nap_select_until() - nap_select() until @deadline
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 */
int nap_select_until(struct nap_select_case *cases, uint32_t n, uint64_t deadline);

/**
 * nap_select_in_order() - nap_select_until() that prefers the first case that can be done at once
 * @deadline: ns of CLOCK_MONOTONIC (nap_deadline()), or NAP_FOREVER
 *
 * So a case can starve: it is not chosen while an earlier case can be done. If no case can be done
 * at once, the call waits for the one that can be done first.
 */
int nap_select_in_order(struct nap_select_case *cases, uint32_t n, uint64_t deadline);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_CHANNEL_H */
