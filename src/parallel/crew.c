/* SPDX-License-Identifier: MIT */
/* The crew of a loop: src/parallel/crew.h. Typically all parts have ended before the caller waits. */
#include "parallel/crew.h"

#include "arch/atomic.h"
#include "fork/fork.h"
#include "os/happens.h"
#include "sync/latch.h"
#include "worker/exclusive.h"
#include "worker/registry.h"

/*
 * A pool whose limit is below this has no crews. Two threads pile up no joins, and the count costs
 * a loop of 10 us on two CPUs 3 to 4 %.
 */
#define CREW_WORKERS	3u

bool nap__crew_is_possible(const struct nap__ranges *ranges)
{
	return nap_load_relaxed(&ranges->pool->limit) >= CREW_WORKERS && !ranges->value_size &&
	       !ranges_first(ranges) && !is_exclusive();
}

void nap__crew_begin(struct nap__ranges *ranges, struct crew *crew, struct nap_worker *worker)
{
	crew->event = &worker->event;
	nap_store_relaxed(&crew->end.latch, LATCH_UNSET);
	nap_store_relaxed(&crew->end.thief, 0);
	nap_store_relaxed(&crew->open, 1);
	ranges->crew = crew;
}

/* Counts a part, or the caller, as ended. The last one sets the latch. */
static void crew_leave(struct crew *crew)
{
	uint32_t *event = crew->event;

	happens_before(crew);
	/*
	 * Publishes what the part did. The last one sees what all did, and hands it on by the latch
	 * [L1]; or the caller sees it in nap__crew_wait(). [D3]
	 */
	if (nap_fetch_sub_acq_rel(&crew->open, 1) == 1)
		latch_set(&crew->end, event);
}

bool nap__crew_wait(struct crew *crew, struct nap_worker *worker)
{
	bool ended = true;

	unseen_begin();
	/* If only the caller is left, it sees what the parts did: pairs with crew_leave(). [D3] */
	if (nap_load_acquire(&crew->open) != 1) {
		crew_leave(crew);
		ended = nap__latch_wait(worker, &crew->end, true);
	}
	happens_after(crew);
	is_given(crew, sizeof(*crew));
	unseen_end();
	return ended;
}

void nap__part_open(struct part *part, struct nap_worker *worker, struct nap_frame *frame,
		    size_t begin, size_t end)
{
	unseen_begin();
	part->begin = begin;
	part->end = end;
	part->outer = worker->parts;
	/*
	 * The release publishes the part to the child of a fork, whose memory is a copy [D4].
	 *
	 * The order matters. The child of a fork finds the half in its frame, in this list, or in
	 * both. The count comes before the latch [L1], up to which the forker's part is counted; so
	 * the count cannot fall to 0 in between. [D3]
	 */
	nap_store_release(&worker->parts, part);
	nap_fetch_add_relaxed(&part->ranges->crew->open, 1);
	nap__frame_leave(worker, frame);
	unseen_end();
}

void nap__part_close(struct part *part, struct nap_worker *worker)
{
	unseen_begin();
	nap_store_relaxed(&worker->parts, part->outer);
	crew_leave(part->ranges->crew);
	unseen_end();
}

/* ---- in the child of a fork, whose only thread these functions run on */

/* Sees the parts: pairs with nap__part_open() [D4]. */
static struct part *parts_of(struct nap_worker *worker)
{
	return nap_load_acquire(&worker->parts);
}

#define for_each_part(part, ranges)								\
	for (struct nap_worker *w = registry_first((ranges)->pool); w; w = w->next)		\
		for (struct part *part = parts_of(w); part; part = part->outer)			\
			if (part->ranges == (ranges) && part->begin < part->end)

void nap__crew_hand_over(struct nap__ranges *ranges, size_t begin, size_t end)
{
	for_each_part(part, ranges)
		if (begin <= part->begin && part->end <= end)
			part->end = part->begin;
}

bool nap__crew_next(struct nap__ranges *ranges, size_t *begin, size_t *end)
{
	struct part *outermost = NULL;

	for_each_part(part, ranges)
		if (!outermost || (part->begin <= outermost->begin && outermost->end <= part->end))
			outermost = part;
	if (!outermost)
		return false;
	*begin = outermost->begin;
	*end = outermost->end;
	nap__crew_hand_over(ranges, *begin, *end);
	return true;
}
