/* SPDX-License-Identifier: MIT */
/*
 * Doing the first of several cases that is possible: nap/channel.h.
 *
 * The caller locks all channels, in the order of their addresses, while it tries the cases and, if
 * none is possible, lists them. So no thread ends the wait before all cases are listed, and two
 * callers that select from the same channels do not deadlock. (As Go's runtime/select.go.) Each
 * case has room for the list node of its wait.
 */
#include <errno.h>

#include "async/fiber/budget.h"
#include "async/fiber/channel.h"
#include "async/fiber/fiber.h"
#include "os/happens.h"
#include "sync/deadline.h"
#include "worker/self.h"

/* nap's own part of a case. */
struct own {
	struct nap__fiber_waiter waiter;
	/* in the n-th struct own: the case with the n-th channel by address */
	uint32_t order;
};

/* The offset after the last member that has a name: there nap's part of a case begins. */
#define OWN_AT (offsetof(struct nap_select_case, result) + sizeof(int))
_Static_assert(OWN_AT % _Alignof(struct own) == 0 &&
	       OWN_AT + sizeof(struct own) <= sizeof(struct nap_select_case), "there is room");

struct selecting {
	struct nap_select_case *cases;
	uint32_t n;		/* the number of cases */
	uint32_t nr_order;	/* the number of cases that have a channel */
	bool in_order;		/* prefer the first case that can be done */
	uint64_t until;		/* a deadline, or with @from_now a timeout; 0: only poll */
	bool from_now;		/* so that the clock is read only to wait */
};

static struct own *own_of(struct selecting *s, uint32_t i)
{
	return (struct own *)(void *)((char *)&s->cases[i] + OWN_AT);
}

static uint32_t *order(struct selecting *s, uint32_t i)
{
	return &own_of(s, i)->order;
}

static struct nap_channel *nth(struct selecting *s, uint32_t i)
{
	return s->cases[*order(s, i)].channel;
}

static bool is_above(struct selecting *s, uint32_t i, uint32_t other)
{
	return (uintptr_t)nth(s, i) > (uintptr_t)nth(s, other);
}

static void swap(struct selecting *s, uint32_t i, uint32_t other)
{
	uint32_t was = *order(s, i);

	*order(s, i) = *order(s, other);
	*order(s, other) = was;
}

/*
 * Restores the heap of the first @n places. Only the channel at place @i may have a lower address
 * than that of a child.
 */
static void sift(struct selecting *s, uint32_t i, uint32_t n)
{
	for (uint32_t child = 2 * i + 1; child < n; i = child, child = 2 * i + 1) {
		if (child + 1 < n && is_above(s, child + 1, child))
			child++;
		if (!is_above(s, child, i))
			return;
		swap(s, i, child);
	}
}

/*
 * Sorts by heapsort (Williams, 1964): there may be many cases, and there is no memory besides
 * theirs.
 */
static void select_sort(struct selecting *s)
{
	s->nr_order = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->cases[i].channel)
			*order(s, s->nr_order++) = i;
	/* Not noticed in tests when 1 for 2: those that are added have no child. */
	for (uint32_t i = s->nr_order / 2; i--;)
		sift(s, i, s->nr_order);
	/* Not noticed in tests when >= for > or 0 for 1: the last one is swapped with itself. */
	for (uint32_t end = s->nr_order; end > 1;) {
		swap(s, 0, --end);
		sift(s, 0, end);
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
 * Returns which of @n cases to try first. Each fiber, or thread, has a number that advances by the
 * golden section of its range. So a caller that repeats a sequence of selects begins with every
 * case of each select in time (NAP_FAIR_SELECTS). With steps of one, a sequence of an even length
 * could miss some cases. The number is not in a channel, because other callers select from a
 * channel, too.
 */
static uint32_t select_first(uint32_t n)
{
	struct nap_fiber *fiber = nap_fiber_self();
	uint32_t *from = fiber ? &fiber->select_from : &nap__self()->select_from;

	*from += 0x9e3779b9u;
	return (uint32_t)((uint64_t)*from * n >> 32);
}

/* Does one possible case, with all channels locked. Returns its number, or -EAGAIN. */
static int try_all(struct selecting *s, struct nap__fiber_waiter **other)
{
	uint32_t begin = s->in_order ? 0 : select_first(s->n);

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t number = i < s->n - begin ? begin + i : begin + i - s->n;
		struct nap_select_case *c = &s->cases[number];

		if (!c->channel)
			continue;
		c->result = nap__channel_try(c->channel, c->value, c->sends, other);
		if (c->result != -EAGAIN)
			return (int)number;
	}
	return -EAGAIN;
}

/* Whether several cases have this channel. (Cases of one channel are neighbours in the order.) */
static bool is_double(struct selecting *s, uint32_t i)
{
	return (i && nth(s, i) == nth(s, i - 1)) ||
	       (i + 1 < s->nr_order && nth(s, i) == nth(s, i + 1));
}

static void list_all(struct selecting *s, const struct nap__sleeper *sleeper)
{
	for (uint32_t i = 0; i < s->nr_order; i++)
		own_of(s, *order(s, i))->waiter.has_twin = is_double(s, i);
	for (uint32_t i = 0; i < s->n; i++) {
		struct nap_select_case *c = &s->cases[i];
		struct nap__fiber_waiter *waiter = &own_of(s, i)->waiter;

		if (!c->channel)
			continue;
		waiter->what = c->value;
		waiter->winner = i;
		waiters_add(channel_waiters(c->channel, c->sends), waiter, sleeper);
	}
}

/*
 * Removes the cases from the lists of their channels, one lock at a time. Channel @done is left
 * out: the thread that ended the wait by @done has removed all cases there
 * (src/async/fiber/channel.c), and the program may have freed @done.
 */
static void select_leave_all(struct selecting *s, const struct nap_channel *done)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct nap_select_case *c = &s->cases[i];
		struct nap__fiber_waiter *waiter = &own_of(s, i)->waiter;

		if (!c->channel || c->channel == done)
			continue;
		lock_take(&c->channel->lock);
		waiters_take(channel_waiters(c->channel, c->sends), waiter);
		lock_give(&c->channel->lock);
	}
}

static int select_sleep(struct selecting *s, struct nap__sleeper *sleeper, uint64_t deadline)
{
	int err = nap__sleep(sleeper, deadline);
	uint32_t winner = sleeper->wait->winner;

	/* Not in the child of a fork, where the locks may be taken for ever. */
	if (err != -ESHUTDOWN)
		select_leave_all(s, err ? NULL : s->cases[winner].channel);
	is_given(sleeper, sizeof(*sleeper));
	if (!err) {
		happens_after(&own_of(s, winner)->waiter);
		s->cases[winner].result = own_of(s, winner)->waiter.result;
	}
	is_given(s->cases, s->n * sizeof(*s->cases));
	return err ? err : (int)winner;
}

/* Opens a wait only if no case is possible, so that a canceled fiber still does a possible case. */
static int select_one(struct selecting *s)
{
	struct nap__fiber_waiter *other = NULL;
	struct nap__sleeper sleeper;
	uint64_t deadline = s->until;
	int done, err = 0;

	select_sort(s);
	lock_all(s);
	done = try_all(s, &other);
	if (done == -EAGAIN) {
		if (s->from_now)
			deadline = deadline_after(deadline);
		err = deadline_passed(deadline) ? nap__timed_out() :
						  nap__sleeper_begin(&sleeper, NULL);
		if (!err) {
			sleeper_waits_for(&sleeper, NAP_TRACE_ON_SELECT,
					  s->n ? s->cases[0].channel : NULL);
			list_all(s, &sleeper);
		}
	}
	unlock_all(s);
	if (other)
		waiter_go_on(other);
	if (done != -EAGAIN || err)
		return err ? err : done;
	return select_sleep(s, &sleeper, deadline);
}

static int select_in(struct selecting *s)
{
	struct nap_select_case *cases = s->cases;
	uint32_t n = s->n;
	int chosen;

	/* Not noticed in tests when >= for >: none has the memory for as many. */
	if ((!cases && n) || n > NAP_SELECT_MOST)
		return -EINVAL;
	unseen_begin();
	if (s->until)
		budget_spend();
	for (uint32_t i = 0; i < n; i++)
		if (cases[i].channel && cases[i].sends)
			happens_before(cases[i].channel);
	chosen = select_one(s);
	if (chosen >= 0 && !cases[chosen].sends)
		happens_after(cases[chosen].channel);
	unseen_end();
	return chosen;
}

int nap_select_until(struct nap_select_case *cases, uint32_t n, uint64_t deadline)
{
	return select_in(&(struct selecting){ .cases = cases, .n = n, .until = deadline });
}

int nap_select_for(struct nap_select_case *cases, uint32_t n, uint64_t timeout_ns)
{
	return select_in(&(struct selecting){ .cases = cases, .n = n, .until = timeout_ns,
					      .from_now = true });
}

int nap_select(struct nap_select_case *cases, uint32_t n)
{
	return select_in(&(struct selecting){ .cases = cases, .n = n, .until = NAP_FOREVER });
}

int nap_select_in_order(struct nap_select_case *cases, uint32_t n, uint64_t deadline)
{
	return select_in(&(struct selecting){ .cases = cases, .n = n, .until = deadline,
					      .in_order = true });
}
