/* SPDX-License-Identifier: MIT */
/*
 * nap/for.h. The indices are cut into ranges, anywhere: the first range is the caller's own, and
 * the rest is a job, which is cut in the same way by the thread that runs it. So each way of
 * cutting occurs, and all ranges may run at the same time. A range may see that the loop has ended
 * before it begins.
 */
#include "for_spec.h"

static void rest(struct nap_worker *worker, struct nap_frame *top, struct loop_part part);
NAP_JOB_VOID(rest, struct loop_part)

static void lock(struct spec_loop *loop)
{
	while (!cas_acquire(&loop->lock, 0, 1))
		;
}

static void unlock(struct spec_loop *loop)
{
	store_release(&loop->lock, 0);
}

/*
 * The loop gets the value of the first range that ends it; with NAP_LOOP_FIRST, of the lowest such
 * range.
 */
void spec_loop_ends(struct spec_loop *loop, size_t begin, int value, bool by_range, size_t index)
{
	lock(loop);
	if (!relaxed(&loop->ended) || (loop->how->flags & NAP_LOOP_FIRST && begin < loop->first)) {
		loop->by_range = by_range;
		loop->first = begin;
		loop->value = value;
		loop->index = index;
		store_relaxed(&loop->ended, 1);
	}
	unlock(loop);
}

/* Whether the range from @begin on is run: the loop goes on, or a higher range has ended it. */
static bool is_wanted(struct spec_loop *loop, size_t begin)
{
	const struct nap_loop *how = loop->how;
	bool wanted;

	if (how->stop && relaxed(how->stop))
		spec_loop_ends(loop, begin, -ECANCELED, false, 0);
	else if (how->timeout_ns && is_timed(how->timeout_ns) && check_choose(2))
		spec_loop_ends(loop, begin, -ETIMEDOUT, false, 0);
	if (!relaxed(&loop->ended))
		return true;
	if (!(how->flags & NAP_LOOP_FIRST))
		return false;
	lock(loop);
	wanted = loop->by_range && begin < loop->first;
	unlock(loop);
	return wanted;
}

/* How many of @n indices the next range has. */
static size_t cut(const struct nap_loop *how, size_t n)
{
	size_t most = how->grain && how->grain < n ? how->grain : n;
	size_t least = how->grain ? (how->grain + 1) / 2 : 1;

	if (n > SPEC_INDICES)
		check_fail("the specification has loops of at most %u indices", SPEC_INDICES);
	if (how->flags & NAP_LOOP_FIXED)
		return how->grain ? most : 1;
	return least < most ? least + check_choose((unsigned)(most - least + 1)) : most;
}

/* Runs the ranges of @part, one after another, as far as no other worker takes the rest. */
static void run_part(struct nap_worker *worker, struct nap_frame *top, struct loop_part part)
{
	struct spec_loop *loop = part.loop;

	while (part.begin < part.end) {
		struct loop_part right = { loop, part.begin + cut(loop->how, part.end - part.begin),
					   part.end, NULL };
		bool is_mine = true;
		char value[SPEC_VALUE] __attribute__((aligned(16)));

		if (right.begin < part.end) {
			right.value = loop->by ? spec_nothing(loop->by, value) : NULL;
			rest_fork(worker, top, right);
		}
		if (is_wanted(loop, part.begin))
			loop->range(loop, part.begin, right.begin, part.value);
		if (right.begin == part.end)
			return;
		is_mine = nap_join(worker, top);
		if (is_mine && !(loop->by && loop->how->flags & NAP_LOOP_FIXED)) {
			right.value = part.value;
			part = right;
			continue;
		}
		if (is_mine)
			run_part(worker, top, right);
		if (loop->by)
			loop->by->merge(part.value, value, loop->arg);
		return;
	}
}

static void rest(struct nap_worker *worker, struct nap_frame *top, struct loop_part part)
{
	run_part(worker, top, part);
}

static void begin(struct nap_worker *worker, void *part)
{
	run_part(worker, nap_top(worker), *(struct loop_part *)part);
}

int spec_loop(struct nap_pool *pool, struct spec_loop *loop, size_t first, size_t end, void *value)
{
	static const struct nap_loop plainly;
	struct loop_part all = { loop, first, end, value };
	int err;

	loop->how = loop->how ? loop->how : &plainly;
	if (loop->how->flags & ~(NAP_LOOP_FIRST | NAP_LOOP_FIXED) || loop->how->reserved ||
	    loop->how->reserved_too || end < first || !pool)
		return -EINVAL;
	if (loop->how->progress)
		check_fail("the specification has no progress of loops");
	if (end == first)
		return 0;
	if (end - first <= loop->how->serial) {
		loop->range(loop, first, end, value);
		return loop->value;
	}
	err = nap_call(pool, begin, &all);
	return err ? -ESHUTDOWN : loop->value;
}

/* ---- nap_for() */

static void call_body(struct spec_loop *loop, size_t first, size_t end, void *unused)
{
	int value = ((nap_range_fn)loop->fn)(first, end, loop->arg);

	(void)unused;
	if (value)
		spec_loop_ends(loop, first, value, true, 0);
}

int nap_for_as(struct nap_pool *pool, const struct nap_loop *how, size_t first, size_t end,
	       nap_range_fn body, void *arg)
{
	struct spec_loop loop = { .how = how, .range = call_body, .fn = (void (*)(void))body,
				  .arg = arg };

	return body ? spec_loop(pool, &loop, first, end, NULL) : -EINVAL;
}

int nap_for(struct nap_pool *pool, size_t first, size_t end, nap_range_fn body, void *arg)
{
	return nap_for_as(pool, NULL, first, end, body, arg);
}

#define FOUND 1

/* ---- nap_find(): a match ends the loop, as a value would */

static void call_match(struct spec_loop *loop, size_t first, size_t end, void *unused)
{
	size_t found = ((nap_find_fn)loop->fn)(first, end, loop->arg);

	(void)unused;
	if (found != end)
		spec_loop_ends(loop, first, FOUND, true, found);
}

int nap_find(struct nap_pool *pool, const struct nap_loop *how, size_t first, size_t end,
	     nap_find_fn match, void *arg, size_t *index)
{
	struct spec_loop loop = { .how = how, .range = call_match, .fn = (void (*)(void))match,
				  .arg = arg };
	int err = match && index ? spec_loop(pool, &loop, first, end, NULL) : -EINVAL;

	if (err == FOUND)
		*index = loop.index;
	return err == FOUND ? 0 : err ? err : -ENOENT;
}

int nap_any(struct nap_pool *pool, const struct nap_loop *how, size_t first, size_t end,
	    nap_find_fn match, void *arg)
{
	size_t index;
	int err = nap_find(pool, how, first, end, match, arg, &index);

	return !err ? 1 : err == -ENOENT ? 0 : err;
}

int nap_all(struct nap_pool *pool, const struct nap_loop *how, size_t first, size_t end,
	    nap_find_fn differs, void *arg)
{
	int any = nap_any(pool, how, first, end, differs, arg);

	return any < 0 ? any : !any;
}
