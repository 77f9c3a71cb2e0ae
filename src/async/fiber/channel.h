/* SPDX-License-Identifier: MIT */
/* Operations on a channel under its lock: src/async/fiber/channel.c. */
#ifndef NAP_FIBER_CHANNEL_H
#define NAP_FIBER_CHANNEL_H

#include <stdbool.h>

#include <nap/channel.h>

#include "async/fiber/waiters.h"

/*
 * Called under the lock: sends from @value, or receives to @value, if possible at once. Returns 0
 * or -EPIPE: the operation is done, and the caller resumes *@other, if not NULL, after the unlock.
 * Returns -EAGAIN: not possible now.
 */
int nap__channel_try(struct nap_channel *channel, void *value, bool sends,
		     struct nap__fiber_waiter **other);

static inline struct nap__waiters *channel_waiters(struct nap_channel *channel, bool sends)
{
	return sends ? &channel->senders : &channel->receivers;
}

#endif /* NAP_FIBER_CHANNEL_H */
