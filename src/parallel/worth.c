/* SPDX-License-Identifier: MIT */
/*
 * Decides whether waking other workers pays for a loop: it does if the rest of the loop takes
 * longer than a wake. The caller measures a few indices; or it remembers how long an iteration of
 * the same loop took the last time.
 *
 * Typically the loop is as long as the last time.
 */
#include "parallel/ranges.h"

#include "idle/spin.h"
#include "worker/self.h"

/* The least work, in ns, that is worth handing to a worker that is awake. */
#define WORTH_NS	1500u

/* Whether @n iterations that take @iteration_ns each take longer than @worth. */
static bool is_longer(size_t n, uint64_t iteration_ns, uint64_t worth)
{
	uint64_t ns;

	return __builtin_mul_overflow(n, iteration_ns, &ns) || ns >= worth;
}

bool nap__is_worth_waking(struct nap_pool *pool, size_t rest, size_t n, uint64_t took)
{
	uint64_t worth;

	if (took < LEAST_NS)
		return false;
	unseen_begin();
	worth = nap_load_relaxed(&pool->spinning[0]) ? WORTH_NS : nap__spin_pays_ns();
	unseen_end();
	return is_longer(rest, took / n + 1, worth);
}

/* ---- loops that the same thread runs again and again */

/* A loop as long as this many wakes is certainly longer than a range or two. */
#define SURELY		4u
/* The first ranges of a remembered loop have at most 1 / FIRST_PARTS of its indices. */
#define FIRST_PARTS	8u

static struct nap__habit *habit_of(struct nap__self *self, const void *body)
{
	uintptr_t at = (uintptr_t)body;

	return &self->habits[(at >> 4 ^ at >> 8) % NAP__HABITS];
}

/*
 * Whether short loops come one after the other. The loop that begins at @now is too short for a
 * wake, but a worker that is woken for one loop stays awake for the next. So waking pays when the
 * work of such loops adds up to twice SURELY wakes; twice, because the other worker takes only
 * half.
 */
static bool are_many(struct nap__self *self, uint64_t now, uint64_t work)
{
	uint64_t pays = nap__spin_pays_ns();

	self->alone_ns = now - self->loop_end < pays ? self->alone_ns + work : work;
	if (self->alone_ns < 2 * SURELY * pays)
		return false;
	self->alone_ns = 0;
	return true;
}

bool nap__is_known_to_be_long(const struct nap__ranges *ranges, struct part *part)
{
	struct nap__self *self = nap__self();
	const struct nap__habit *habit = habit_of(self, ranges->body);
	size_t most = ranges->total / FIRST_PARTS, grain;

	if (!ranges->body || habit->body != ranges->body ||
	    !is_longer(ranges->total, habit->iteration_ns, WORTH_NS))
		return false;
	if (!is_longer(ranges->total, habit->iteration_ns, SURELY * nap__spin_pays_ns()) &&
	    !nap_load_relaxed(&ranges->pool->spinning[0]) &&
	    !are_many(self, part->since, ranges->total * habit->iteration_ns))
		return false;
	grain = LEAF_NS / habit->iteration_ns;
	/* Not noticed in tests when <= for <: then both are the same number. */
	grain = grain < most ? grain : most;
	part->grain = grain ? grain : 1;
	return true;
}

void nap__remember_loop(const struct nap__ranges *ranges, const struct part *part)
{
	struct nap__self *self = nap__self();

	if (!ranges->body || !ranges->clocked)
		return;
	self->loop_end = part->since;
	if (part->ran_ns >= LEAST_NS)
		*habit_of(self, ranges->body) = (struct nap__habit){
			ranges->body, part->ran_ns / part->ran + 1
		};
}
