/* SPDX-License-Identifier: MIT */
/*
 * A loop whose parts have owners. Typically each worker runs the parts that it ran the last time,
 * which are in its caches.
 *
 * src/parallel/ranges.h runs a loop over tickets; there are as many tickets as parts. A worker with
 * a ticket takes a part: one of its own that remains, or else another worker's part. It takes the
 * part by storing the ticket's number in taken[]; this alone ensures that each part is run once.
 * The owners are only hints.
 *
 * In the child of a fork the tickets that other threads had are run again. Such a ticket gets the
 * part that the other thread had taken with this ticket. So each ticket has a part in the child,
 * too.
 *
 * The idea is Acar, Blelloch and Blumofe's, "The Data Locality of Work Stealing" (2000), section 4,
 * where parts are mailed to their owners.
 */
#include <stdbool.h>
#include <stdint.h>

#include <nap/nap.h>

#include "arch/atomic.h"
#include "parallel/ranges.h"
#include "sync/deadline.h"
#include "worker/phase.h"

struct owned {
	struct nap__ranges tickets;
	struct nap__ranges inside;	/* the inner loop over parts, each part on one thread */
	struct nap_loop how;		/* the options of the loop over tickets: one in a leaf */
	struct nap_loop inside_how;
	nap_range_fn run;
	uint32_t *owners;
	size_t begin, end;
	size_t parts;
	/* A: the ticket that has taken the part, from 1 on; or 0 */
	uint32_t taken[NAP_OWNED_PARTS];
};

/* Takes @part. False: another ticket has @part. */
static bool take_part(struct owned *owned, size_t part, uint32_t ticket)
{
	return !nap_load_relaxed(&owned->taken[part]) &&
	       !nap_cmpxchg_relaxed(&owned->taken[part], 0, ticket);
}

/* Takes a part for @ticket: one of @me's, or else one without an owner, or else any. */
static size_t next_part(struct owned *owned, uint32_t me, uint32_t ticket)
{
	for (size_t i = 0; i < owned->parts; i++)
		if (nap_load_relaxed(&owned->owners[i]) == me && take_part(owned, i, ticket))
			return i;
	for (int any = 0;; any = 1)
		for (size_t i = 0; i < owned->parts; i++)
			if ((any || !nap_load_relaxed(&owned->owners[i])) &&
			    take_part(owned, i, ticket))
				return i;
}

/* Returns the part of @ticket, which may be run for the second time. */
static size_t part_of(struct owned *owned, uint32_t me, uint32_t ticket)
{
	if (pool_forked(owned->tickets.pool))
		for (size_t i = 0; i < owned->parts; i++)
			if (nap_load_relaxed(&owned->taken[i]) == ticket)
				return i;
	return next_part(owned, me, ticket);
}

/* Returns where part @i begins, and part @i - 1 ends. */
static size_t bound(const struct owned *owned, size_t i)
{
	size_t n = owned->end - owned->begin;

	return owned->begin + n / owned->parts * i + n % owned->parts * i / owned->parts;
}

/* Runs a range of a part. The part ends, too, if a thread or progress() has ended the tickets. */
static int owned_run_range(struct nap__ranges *inside, size_t begin, size_t end, void *unused)
{
	struct owned *owned = nap_container_of(inside, struct owned, inside);
	int err = owned->run(begin, end, inside->arg);

	(void)unused;
	return err ? err : nap_load_relaxed(&owned->tickets.over);
}

static int run_tickets(struct nap__ranges *tickets, size_t begin, size_t end, void *unused)
{
	struct owned *owned = nap_container_of(tickets, struct owned, tickets);
	/* 0 for a thread that runs the loop alone and is no worker */
	uint32_t me = nap_worker_index(nap_worker_self()) + 1;
	int err = 0;

	(void)unused;
	for (; begin < end && !err; begin++) {
		size_t i = part_of(owned, me, (uint32_t)begin + 1);

		nap_store_relaxed(&owned->owners[i], me);
		err = nap__part_run(&owned->inside, bound(owned, i), bound(owned, i + 1), NULL);
	}
	return err;
}

int nap__for_owned(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
		   nap_range_fn run, void *arg)
{
	size_t n = end - begin;
	struct owned owned = {
		.tickets = ranges_of(pool, &owned.how, run_tickets, NULL), .how = *how,
		.inside_how = *how, .run = run, .owners = how->owners->worker,
		.begin = begin, .end = end, .parts = how->grain ? n / how->grain : n,
	};

	owned.how.grain = 1;
	owned.inside_how.progress = NULL;
	nap__ranges_inside(&owned.inside, &owned.inside_how, how->timeout_ns ?
			   deadline_after(how->timeout_ns) : NAP_FOREVER, owned_run_range, arg);
	/* A single part may have less than a grain. */
	if (!owned.parts)
		owned.parts = 1;
	if (owned.parts > NAP_OWNED_PARTS)
		owned.parts = NAP_OWNED_PARTS;
	for (size_t i = 0; i < owned.parts; i++)
		nap_store_relaxed(&owned.taken[i], 0);
	return nap__ranges_run(&owned.tickets, 0, owned.parts, NULL);
}
