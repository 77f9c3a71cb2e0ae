/* SPDX-License-Identifier: MIT */
/*
 * Channels: nap/channel.h. A lock protects all of a channel. Receivers wait only while the buffer
 * is empty, senders only while the buffer is full. The next receiver or sender serves the waiter
 * that has waited longest, and copies the value from or to the waiter's stack.
 */
#include "async/fiber/channel.h"

#include <errno.h>
#include <string.h>

#include "async/fiber/budget.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "worker/trace.h"

void nap_channel_init(struct nap_channel *channel, void *buffer, size_t size, uint32_t capacity)
{
	*channel = (struct nap_channel)NAP_CHANNEL_INIT(buffer, size, capacity);
}

/* Returns the slot of the @nth value, without a division. @nth is at most the capacity. */
static uint32_t channel_at(struct nap_channel *channel, uint32_t nth)
{
	uint32_t to_end = channel->capacity - channel->first;

	return nth < to_end ? channel->first + nth : nth - to_end;
}

static void *channel_slot(struct nap_channel *channel, uint32_t at)
{
	return channel->buffer + (size_t)at * channel->size;
}

/* memcpy() whose accesses a user's race detector sees. (The detector does not see the lock.) */
static void copy(void *to, const void *from, size_t size)
{
	char *t = to;
	const char *f = from;

	/* Not noticed in tests when negated: both ways copy all bytes. */
	if (!is_detected()) {
		/* Typically the value is a pointer. */
		if (size == sizeof(void *))
			memcpy(to, from, sizeof(void *));
		else if (size)	/* else there may be no memory */
			memcpy(to, from, size);
		return;
	}
	while (size--) {
		*t++ = *f++;
		/* keeps the compiler from making a memcpy() of the loop */
		asm volatile("" : : : "memory");
	}
}

static void channel_put(struct nap_channel *channel, const void *value)
{
	copy(channel_slot(channel, channel_at(channel, channel->count)), value, channel->size);
	channel->count++;
}

static void channel_take(struct nap_channel *channel, void *value)
{
	copy(value, channel_slot(channel, channel->first), channel->size);
	channel->first = channel_at(channel, 1);
	channel->count--;
}

static void take_twins_in(struct nap__waiters *list, const struct nap__fiber_waiter *claimed)
{
	struct nap__fiber_waiter *waiter, *next;

	for (waiter = list->first; waiter; waiter = next) {
		next = waiter->next;
		if (waiter->wait == claimed->wait)
			waiters_take(list, waiter);
	}
}

/*
 * @claimed is a case of a select: removes the select's other cases for this channel. Once the
 * select has its value, the program may free the channel, so no case may stay in the channel's
 * lists. Out of line, so that the fast path saves no registers.
 */
static __attribute__((noinline)) void take_twins(struct nap_channel *channel,
						 const struct nap__fiber_waiter *claimed)
{
	take_twins_in(&channel->senders, claimed);
	take_twins_in(&channel->receivers, claimed);
}

IN_LINE int try_send(struct nap_channel *channel, const void *value,
		     struct nap__fiber_waiter **other)
{
	if (channel->closed)
		return -EPIPE;
	*other = waiters_claim(&channel->receivers);
	if (*other) {
		copy((*other)->what, value, channel->size);
		(*other)->result = 0;
		return 0;
	}
	if (channel->count == channel->capacity)
		return -EAGAIN;
	channel_put(channel, value);
	return 0;
}

/*
 * If a sender waits, copies the value of the sender that has waited longest to the buffer, or else
 * to @to, which is NULL if values have no bytes.
 */
IN_LINE void take_from_sender(struct nap_channel *channel, bool to_buffer, void *to,
			      struct nap__fiber_waiter **other)
{
	*other = waiters_claim(&channel->senders);
	if (!*other)
		return;
	if (to_buffer)
		channel_put(channel, (*other)->what);
	else
		copy(to, (*other)->what, channel->size);
	(*other)->result = 0;
}

IN_LINE int try_recv(struct nap_channel *channel, void *value,
		     struct nap__fiber_waiter **other)
{
	if (channel->count) {
		channel_take(channel, value);
		take_from_sender(channel, true, NULL, other);
		return 0;
	}
	take_from_sender(channel, false, value, other);
	if (*other)
		return 0;
	return channel->closed ? -EPIPE : -EAGAIN;
}

IN_LINE int try(struct nap_channel *channel, void *value, bool sends,
		struct nap__fiber_waiter **other)
{
	int err;

	*other = NULL;
	err = sends ? try_send(channel, value, other) : try_recv(channel, value, other);
	if (*other && (*other)->has_twin)
		take_twins(channel, *other);
	return err;
}

int nap__channel_try(struct nap_channel *channel, void *value, bool sends,
		     struct nap__fiber_waiter **other)
{
	return try(channel, value, sends, other);
}

/* ---- transfers through one channel */

/*
 * Lists the caller, releases the channel's lock, and waits. Called with the lock held: so no thread
 * can serve the caller before it is listed, and the caller need not check again.
 */
static __attribute__((noinline)) int channel_wait(struct nap_channel *channel, void *value,
						  bool sends, uint64_t until, bool from_now)
{
	struct nap__waiters *list = channel_waiters(channel, sends);
	struct nap__fiber_waiter waiter = { .what = value };
	uint64_t deadline = from_now ? deadline_after(until) : until;
	struct nap__sleeper sleeper;
	int err = deadline_passed(deadline) ? nap__timed_out() : nap__sleeper_begin(&sleeper, NULL);

	if (!err) {
		sleeper_waits_for(&sleeper, NAP_TRACE_ON_CHANNEL, channel);
		waiters_add(list, &waiter, &sleeper);
	}
	lock_give(&channel->lock);
	if (!err)
		err = waiter_sleep(list, &channel->lock, &waiter, &sleeper, deadline);
	return err ? err : waiter.result;
}

/*
 * @until is a deadline; with @from_now it is a timeout, so that only a wait reads the clock. If
 * @until is 0 the call only polls. This function is inlined twice, with the functions that it calls
 * under the lock, so that @sends is a constant in each copy.
 */
IN_LINE int transfer(struct nap_channel *channel, void *value, bool sends, uint64_t until,
		     bool from_now)
{
	struct nap__fiber_waiter *other;
	int err;

	unseen_begin();
	if (until)
		budget_spend();
	if (sends)
		happens_before(channel);
	lock_take(&channel->lock);
	err = try(channel, value, sends, &other);
	if (err == -EAGAIN) {
		err = channel_wait(channel, value, sends, until, from_now);
	} else {
		lock_give(&channel->lock);
		if (other)
			waiter_go_on(other);
	}
	if (!sends && is_detected() && (!err || err == -EPIPE))
		happens_after(channel);
	if (!err)
		/* Not noticed in tests when 1 for 0: these events have no second value. */
		trace_here(sends ? NAP_TRACE_SEND : NAP_TRACE_RECEIVE, channel, 0);
	unseen_end();
	return err;
}

static __attribute__((noinline)) int send(struct nap_channel *channel, const void *value,
					  uint64_t until, bool from_now)
{
	return transfer(channel, (void *)value, true, until, from_now);
}

static __attribute__((noinline)) int recv(struct nap_channel *channel, void *value, uint64_t until,
					  bool from_now)
{
	return transfer(channel, value, false, until, from_now);
}

int nap_channel_send_until(struct nap_channel *channel, const void *value, uint64_t deadline)
{
	return send(channel, value, deadline, false);
}

int nap_channel_send_for(struct nap_channel *channel, const void *value, uint64_t timeout_ns)
{
	return send(channel, value, timeout_ns, true);
}

int nap_channel_send(struct nap_channel *channel, const void *value)
{
	/* Not noticed in tests when true for false: NAP_FOREVER from now on is the same. */
	return send(channel, value, NAP_FOREVER, false);
}

int nap_channel_recv_until(struct nap_channel *channel, void *value, uint64_t deadline)
{
	return recv(channel, value, deadline, false);
}

int nap_channel_recv_for(struct nap_channel *channel, void *value, uint64_t timeout_ns)
{
	return recv(channel, value, timeout_ns, true);
}

int nap_channel_recv(struct nap_channel *channel, void *value)
{
	/* Not noticed in tests when true for false: NAP_FOREVER from now on is the same. */
	return recv(channel, value, NAP_FOREVER, false);
}

/* ---- closing */

static struct nap__fiber_waiter *tell_closed(struct nap__waiters *list)
{
	struct nap__fiber_waiter *all = waiters_claim_all(list);

	for (struct nap__fiber_waiter *waiter = all; waiter; waiter = waiter->next)
		waiter->result = -EPIPE;
	return all;
}

void nap_channel_close(struct nap_channel *channel)
{
	struct nap__fiber_waiter *senders, *receivers;

	unseen_begin();
	happens_before(channel);
	lock_take(&channel->lock);
	channel->closed = true;
	senders = tell_closed(&channel->senders);
	receivers = tell_closed(&channel->receivers);
	lock_give(&channel->lock);
	waiters_go_on(senders);
	waiters_go_on(receivers);
	unseen_end();
}
