/* SPDX-License-Identifier: MIT */
/*
 * Running the ranges of a loop leaf by leaf: src/parallel/leaf.h. Typically a leaf takes about as
 * long as the previous leaf, so the next leaf is as large.
 */
#include "parallel/leaf.h"

#include "os/os.h"
#include "sync/deadline.h"
#include "worker/trace.h"

/* A leaf has at most GROWTH times as many indices as the leaf before it. */
#define GROWTH		8u

/* Reports progress, one thread at a time; if another thread reports, this thread does not. */
static void report_progress(struct nap__ranges *ranges, uint64_t now)
{
	const struct nap_loop *how = ranges->how;
	int err = 0;

	/*
	 * Sees the time of the next report, and what the program's function did: pairs with the
	 * release below. [D5] Not noticed in tests when 2 for 1: any number except 0 keeps other
	 * threads out.
	 */
	if (nap_cmpxchg_acquire(&ranges->reporting, 0, 1))
		return;
	if (now >= ranges->report_at) {
		size_t done = nap_load_relaxed(&ranges->done);

		happens_after(&ranges->reporting);
		unseen_end();
		err = how->progress(done, ranges->total, how->progress_arg);
		unseen_begin();
		happens_before(&ranges->reporting);
		ranges->report_at = deadline_after(how->progress_ns);
	}
	/* Pairs with the acquire of the next thread that reports. [D5] */
	nap_store_release(&ranges->reporting, 0);
	if (err)
		/* Not noticed in tests when <= for < or 1 for 0: here the result is not 0. */
		ranges_end(ranges, err < 0 ? err : -ECANCELED);
}

/* Returns how many indices take LEAF_NS, given that @n indices took @took ns. */
static size_t next_grain(size_t grain, size_t n, uint64_t took)
{
	/*
	 * Not noticed in tests when >= for >: after a leaf of SIZE_MAX / GROWTH indices fewer
	 * indices remain than either bound allows.
	 */
	size_t most = n > SIZE_MAX / GROWTH ? SIZE_MAX : n * GROWTH;
	uint64_t one = took / n;	/* ns for one index, rounded down; 0: very short */

	if (took < LEAST_NS)
		/* Not noticed in tests when >= for >: then both are the same number. */
		return grain > most ? grain : most;
	grain = one ? (size_t)(LEAF_NS / one) : most;
	/* Not noticed in tests when >= for >: then both are the same number. */
	return !grain ? 1 : grain > most ? most : grain;
}

/* Notes that @part has run @n more indices, and for how long. */
static void read_clock(struct part *part, size_t n)
{
	struct nap__ranges *ranges = part->ranges;
	uint64_t now = nap__os_now();

	part->took = now - part->since;
	part->since = now;
	part->ran += n;
	part->ran_ns += part->took;
	if (!ranges->grain)
		part->grain = next_grain(part->grain, n, part->took);
	if (ranges->how->progress) {
		nap_fetch_add_relaxed(&ranges->done, n);
		report_progress(ranges, now);
	}
}

int nap__leaf_run(struct part *part, size_t begin, size_t end, void *value)
{
	struct nap__ranges *ranges = part->ranges;
	int err = ranges->leaf(ranges, begin, end, value);

	unseen_begin();
	trace_here(NAP_TRACE_RANGE, (void *)begin, end - begin);
	if (err && ranges_first(ranges))
		ranges_lower(ranges, begin);
	else if (err)
		ranges_end(ranges, err);
	if (ranges->clocked)
		read_clock(part, end - begin);
	unseen_end();
	return err;
}

int nap__leaves_run(struct part *part, size_t begin, size_t end, void *value)
{
	int err = 0;

	while (begin < end && !leaf_is_over(part, begin)) {
		size_t n = next_leaf(part, end - begin);
		int err_here = nap__leaf_run(part, begin, begin + n, value);

		begin += n;
		err = err ? err : err_here;
	}
	return err;
}

struct part nap__part_of(struct nap__ranges *ranges, size_t grain)
{
	return (struct part){ .ranges = ranges, .grain = grain,
			      .since = ranges->clocked ? nap__os_now() : 0 };
}

/* ---- a loop inside another loop */

void nap__ranges_inside(struct nap__ranges *inside, const struct nap_loop *how, uint64_t deadline,
			int (*leaf)(struct nap__ranges *, size_t, size_t, void *), void *arg)
{
	bool checks = how->stop || how->timeout_ns;
	bool whole = !how->grain && (!checks || how->flags & NAP_LOOP_FIXED);

	*inside = (struct nap__ranges){
		.how = how, .leaf = leaf, .arg = arg, .deadline = deadline,
		.grain = whole ? SIZE_MAX : how->grain,
		.clocked = how->timeout_ns || (!how->grain && !whole),
	};
	/* Stored one by one, for the model checker; no other thread can see these words yet. */
	nap_store_relaxed(&inside->at, SIZE_MAX);
	nap_store_relaxed(&inside->over, 0);
}

int nap__part_run(struct nap__ranges *ranges, size_t begin, size_t end, void *value)
{
	struct part part = nap__part_of(ranges, ranges->grain ? ranges->grain : 1);

	nap__leaves_run(&part, begin, end, value);
	return ranges_why(ranges);
}
