// SPDX-License-Identifier: MIT
/*
 * A loop whose parts have owners. Typically each worker comes, runs the parts that it has run the
 * last time, which are in its caches, and leaves.
 *
 * src/parallel/ranges.h runs a loop over as many tickets as there are parts. Whoever has a ticket
 * takes a part for it: one of its own that is left, or else one of others'. There is one for each.
 * A part is taken by setting its bit; that is all on which it rests that each is run once. The
 * owners are notes.
 *
 * The idea is Acar, Blelloch and Blumofe's, "The Data Locality of Work Stealing" (2000), section 4,
 * where parts are mailed to their owners.
 */
#include "parallel/owned.h"

#include <stdbool.h>
#include <stdint.h>

#include <nap/nap.h>

#include "atomic.h"
#include "parallel/ranges.h"

struct owned {
	struct nap__ranges tickets;
	struct nap_loop how;	/* the tickets': one by one */
	nap_range_fn run;
	uint32_t *owners;
	size_t grain;
	size_t begin, end;
	size_t parts;
	uint64_t taken;		/* A: a bit for each part */
};

_Static_assert(NAP_OWNED_PARTS <= 64, "a bit for each part");

/* False: somebody else has it. */
static bool take_part(struct owned *owned, size_t part)
{
	uint64_t bit = (uint64_t)1 << part;

	if (nap_load_relaxed(&owned->taken) & bit)
		return false;
	return !(nap_fetch_or_relaxed(&owned->taken, bit) & bit);
}

/* For a ticket. First what is @me's; what has no owner yet, before others'. */
static size_t next_part(struct owned *owned, uint32_t me)
{
	for (size_t i = 0; i < owned->parts; i++)
		if (nap_load_relaxed(&owned->owners[i]) == me && take_part(owned, i))
			return i;
	for (int any = 0;; any = 1)
		for (size_t i = 0; i < owned->parts; i++)
			if ((any || !nap_load_relaxed(&owned->owners[i])) && take_part(owned, i))
				return i;
}

/* Where part @i begins; the last one's end. */
static size_t bound(const struct owned *owned, size_t i)
{
	size_t n = owned->end - owned->begin;

	return owned->begin + n / owned->parts * i + n % owned->parts * i / owned->parts;
}

static int run_part(struct owned *owned, size_t i)
{
	size_t at = bound(owned, i), end = bound(owned, i + 1), grain = owned->grain;
	int err = 0;

	while (at < end && !err && !ranges_over(&owned->tickets)) {
		size_t n = grain && grain < end - at ? grain : end - at;

		err = owned->run(at, at + n, owned->tickets.arg);
		at += n;
	}
	return err;
}

static int run_tickets(struct nap__ranges *tickets, size_t begin, size_t end, void *unused)
{
	struct owned *owned = nap_container_of(tickets, struct owned, tickets);
	/* Who runs alone is nobody's worker. */
	uint32_t me = nap_worker_index(nap_worker_self()) + 1;
	int err = 0;

	(void)unused;
	for (; begin < end && !err; begin++) {
		size_t i = next_part(owned, me);

		nap_store_relaxed(&owned->owners[i], me);
		err = run_part(owned, i);
	}
	return err;
}

int nap__for_owned(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
		   nap_range_fn run, void *arg)
{
	struct owned owned = {
		.tickets = ranges_of(pool, &owned.how, run_tickets, arg), .how = *how,
		.run = run, .owners = how->owners->worker, .grain = how->grain,
		.begin = begin, .end = end, .parts = end - begin,
	};

	owned.how.grain = 1;
	if (owned.parts > NAP_OWNED_PARTS)
		owned.parts = NAP_OWNED_PARTS;
	nap_store_relaxed(&owned.taken, 0);
	return nap__ranges_run(&owned.tickets, 0, owned.parts, NULL);
}
