/* SPDX-License-Identifier: MIT */
/*
 * The one of several cases that can be done first: nap/channel.h.
 *
 * The locks of all channels are held, taken in the order of their addresses, while the cases are
 * tried, and while they are listed if none could be done. So nobody can end the wait of who selects
 * before it has found out that it must wait, and two that select from each other do not lock each
 * other out. (As Go's runtime does it: runtime/select.go.)
 */
#include <errno.h>

#include "deadline.h"
#include "fiber/budget.h"
#include "fiber/channel.h"
#include "happens.h"

struct selecting {
	struct nap_select_case *cases;
	uint32_t n;			/* cases */
	uint32_t nr_order;		/* of them those with a channel, */
	uint8_t order[NAP_SELECT_MOST];	/* by its address */
	struct nap__waiter waiters[NAP_SELECT_MOST];
};

static struct nap_channel *nth(struct selecting *s, uint32_t i)
{
	return s->cases[s->order[i]].channel;
}

/* By insertion; they are few. */
static void sort(struct selecting *s)
{
	s->nr_order = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t at = s->nr_order;

		if (!s->cases[i].channel)
			continue;
		for (; at && (uintptr_t)nth(s, at - 1) > (uintptr_t)s->cases[i].channel; at--)
			s->order[at] = s->order[at - 1];
		s->order[at] = (uint8_t)i;
		s->nr_order++;
	}
}

static void lock_all(struct selecting *s)
{
	for (uint32_t i = 0; i < s->nr_order; i++)
		if (!i || nth(s, i) != nth(s, i - 1))
			lock_take(&nth(s, i)->lock);
}

static void unlock_all(struct selecting *s)
{
	for (uint32_t i = 0; i < s->nr_order; i++)
		if (!i || nth(s, i) != nth(s, i - 1))
			lock_give(&nth(s, i)->lock);
}

/*
 * All locked: do the first that can be done; its number, or -EAGAIN. Each time it begins with another,
 * so that no case waits for one that can always be done.
 */
static int try_all(struct selecting *s, struct nap__waiter **other)
{
	uint32_t begin = nth(s, 0)->turn++ % s->nr_order;

	for (uint32_t i = 0; i < s->nr_order; i++) {
		uint32_t number = s->order[(begin + i) % s->nr_order];
		struct nap_select_case *c = &s->cases[number];

		c->result = nap__channel_try(c->channel, c->value, c->sends, other);
		if (c->result != -EAGAIN)
			return (int)number;
	}
	return -EAGAIN;
}

static void list_all(struct selecting *s, const struct nap__sleeper *sleeper)
{
	for (uint32_t i = 0; i < s->nr_order; i++) {
		struct nap_select_case *c = &s->cases[s->order[i]];
		struct nap__waiter *waiter = &s->waiters[s->order[i]];

		waiter->what = c->value;
		waiter->winner = s->order[i];
		waiters_add(channel_waiters(c->channel, c->sends), waiter, sleeper);
	}
}

/*
 * Of each channel by itself. Not of the one by which the wait has ended: who has ended it may have
 * freed it.
 */
static void leave_all(struct selecting *s, const struct nap__waiter *claimed)
{
	for (uint32_t i = 0; i < s->nr_order; i++) {
		struct nap_select_case *c = &s->cases[s->order[i]];
		struct nap__waiter *waiter = &s->waiters[s->order[i]];

		if (waiter == claimed)
			continue;
		lock_take(&c->channel->lock);
		waiters_take(channel_waiters(c->channel, c->sends), waiter);
		lock_give(&c->channel->lock);
	}
}

static int sleep_listed(struct selecting *s, struct nap__sleeper *sleeper, uint64_t deadline)
{
	int err = nap__sleep(sleeper, deadline);
	uint32_t winner = sleeper->wait->winner;

	leave_all(s, err ? NULL : &s->waiters[winner]);
	is_given(sleeper, sizeof(*sleeper));
	if (!err) {
		happens_after(&s->waiters[winner]);
		s->cases[winner].result = s->waiters[winner].result;
	}
	is_given(s->waiters, sizeof(s->waiters));
	return err ? err : (int)winner;
}

/* Apart, for the record is large. */
static __attribute__((noinline)) int select_one(struct nap_select_case *cases, uint32_t n,
						uint64_t deadline)
{
	struct selecting s = { .cases = cases, .n = n };
	struct nap__waiter *other = NULL;
	struct nap__sleeper sleeper;
	int done, err;

	sort(&s);
	if (!s.nr_order)
		return -EINVAL;
	err = nap__sleeper_begin(&sleeper, NULL);
	if (err)
		return err;
	lock_all(&s);
	done = try_all(&s, &other);
	if (done == -EAGAIN && !deadline_passed(deadline))
		list_all(&s, &sleeper);
	else if (done == -EAGAIN)
		done = -ETIMEDOUT;
	unlock_all(&s);
	if (other)
		waiter_go_on(other);
	if (done == -EAGAIN)
		return sleep_listed(&s, &sleeper, deadline);
	nap__sleeper_withdraw(&sleeper);
	return done;
}

int nap_select_until(struct nap_select_case *cases, uint32_t n, uint64_t deadline)
{
	int chosen;

	if (!cases || n > NAP_SELECT_MOST)
		return -EINVAL;
	unseen_begin();
	if (deadline)
		budget_spend();
	for (uint32_t i = 0; i < n; i++)
		if (cases[i].channel && cases[i].sends)
			happens_before(cases[i].channel);
	chosen = select_one(cases, n, deadline);
	if (chosen >= 0 && !cases[chosen].sends)
		happens_after(cases[chosen].channel);
	unseen_end();
	return chosen;
}

int nap_select_for(struct nap_select_case *cases, uint32_t n, uint64_t timeout_ns)
{
	return nap_select_until(cases, n, deadline_after(timeout_ns));
}

int nap_select(struct nap_select_case *cases, uint32_t n)
{
	return nap_select_until(cases, n, NAP_FOREVER);
}
