/* SPDX-License-Identifier: MIT */
/*
 * The crew of a loop: src/parallel/crew.h. Typically all parts have ended before the caller waits.
 */
#include "parallel/crew.h"

#include "arch/atomic.h"
#include "fork/fork.h"
#include "os/happens.h"
#include "sched/guest.h"
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
	crew->end.run = NULL;
	nap_store_relaxed(&crew->end.latch, LATCH_UNSET);
	nap_store_relaxed(&crew->end.thief, 0);
	nap_store_relaxed(&crew->open, 1);
	ranges->crew = crew;
}

/* Counts a part, or the caller, as ended. The last call sets the latch. */
static void crew_leave(struct crew *crew)
{
	uint32_t *event = crew->event;

	happens_before(crew);
	/*
	 * Publishes what the part did. The last part sees what all parts did, and publishes this by
	 * the latch [L1]; or the caller sees what they did in nap__crew_wait(). [D3]
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
	is_received(crew, sizeof(*crew));
	unseen_end();
	return ended;
}

/* Lists the part in the worker's record. False: the list is full, or no registry has the record. */
static bool part_list(struct nap__ranges *ranges, struct nap_worker *worker, size_t begin,
		      size_t end)
{
	uint32_t n = worker->nr_parts;

	if (n == NAP__OPEN_PARTS || guest_is_unregistered(worker))
		return false;
	worker->parts[n] = (struct nap__open_part){ ranges, begin, end };
	/* Publishes the part to the child of a fork, whose memory is a copy. [D4] */
	nap_store_release(&worker->nr_parts, n + 1);
	return true;
}

bool nap__part_open(struct nap__ranges *ranges, struct nap_worker *worker, struct nap_frame *frame,
		    size_t begin, size_t end)
{
	struct crew *crew = ranges->crew;
	bool is_listed;

	unseen_begin();
	/*
	 * The order matters. The half is listed before it leaves its frame, so the child of a fork
	 * finds it in the list or in the frame. This part is counted before the latch is set [L1],
	 * and until then the forker's part is counted. So the count does not fall to 0 in between.
	 * [D3]
	 */
	is_listed = part_list(ranges, worker, begin, end);
	if (is_listed) {
		nap_fetch_add_relaxed(&crew->open, 1);
		/* The caller steals from this worker first: pairs with thief_of(). [L2] */
		if (crew->event != &worker->event)
			nap_store_release(&crew->end.thief, worker->index + 1);
		nap__frame_leave(worker, frame);
	}
	unseen_end();
	return is_listed;
}

void nap__part_close(struct nap__ranges *ranges, struct nap_worker *worker)
{
	unseen_begin();
	/* If the child of a fork has the shorter list, it also has what the part did. [D4] */
	nap_store_release(&worker->nr_parts, worker->nr_parts - 1);
	crew_leave(ranges->crew);
	unseen_end();
}

/* ---- in the child of a fork, whose only thread these functions run on */

/* Sees the parts: pairs with part_list(). [D4] */
static struct nap__open_part *parts_end(struct nap_worker *worker)
{
	return worker->parts + nap_load_acquire(&worker->nr_parts);
}

#define for_each_part(part, ranges)								\
	for (struct nap_worker *w = registry_first((ranges)->pool); w; w = w->next)		\
		for (struct nap__open_part *part = w->parts; part < parts_end(w); part++)	\
			if (part->loop == (ranges) && part->begin < part->end)

void nap__crew_hand_over(struct nap__ranges *ranges, size_t begin, size_t end)
{
	for_each_part(part, ranges)
		if (begin <= part->begin && part->end <= end)
			part->end = part->begin;
}

bool nap__crew_next(struct nap__ranges *ranges, size_t *begin, size_t *end)
{
	struct nap__open_part *outermost = NULL;

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
