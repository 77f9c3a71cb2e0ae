/* SPDX-License-Identifier: MIT */
/*
 * Running the ranges of a loop: src/parallel/ranges.h. Typically the caller measures how long a few
 * indices take, splits the remaining indices, and runs most of them itself.
 */
#include "parallel/ranges.h"

#include <errno.h>

#include <nap/nap.h>

#include "fork/ask.h"
#include "fork/fork.h"
#include "os/os.h"
#include "parallel/crew.h"
#include "sync/deadline.h"
#include "worker/enter.h"
#include "worker/leaving.h"
#include "worker/nest.h"
#include "worker/phase.h"
#include "worker/self.h"

const struct nap_loop nap__as_usual;

/* With NAP_LOOP_FIXED, and without a grain, the grain is 1 / FIXED_PARTS of the indices. */
#define FIXED_PARTS	256u

/* A forked job: the right half of a range, and the size of its first leaf. */
struct half {
	struct nap__ranges *ranges;
	size_t begin, end;
	size_t grain;
	void *value;		/* lies in the forker's frame, which outlives the half */
};

/* ---- splitting */

static int half(struct nap_worker *worker, struct nap_frame *top, struct half of);
NAP_JOB(half, int, struct half)

static int split(struct part *part, struct nap_worker *worker, struct nap_frame *top, size_t begin,
		 size_t end, void *value);

/* The function of a half that a worker has stolen, in a loop with a crew. */
static void part_run(struct nap_worker *worker, struct nap_frame *top, struct nap_frame *frame)
{
	struct half of = *nap__held(frame, nap__half_given);
	struct part part = nap__part_of(of.ranges, of.grain);

	bool is_open = nap__part_open(of.ranges, worker, frame, of.begin, of.end);

	split(&part, worker, top, of.begin, of.end, NULL);
	if (is_open)
		nap__part_close(of.ranges, worker);
	worker->frame_left = is_open;
}

/*
 * Forks, with the request that makes the fork publish its job and notify an idle worker
 * (src/fork/ask.h). So no thief needs a membarrier; this pays because forks are few here.
 */
static struct nap_frame *fork_openly(struct nap_worker *worker, struct nap_frame *top,
				     struct half of)
{
	struct nap_frame *next;

	ask_oneself(worker);
	*nap__held(top, nap__half_given) = of;
	next = nap_fork(worker, top, of.ranges->crew ? part_run : half_run);
	ask_oneself(worker);	/* because the fork has answered the first request */
	return next;
}

/* Joins a half in a loop with a crew; runs the half, unless it was stolen. */
static int join_part(struct part *part, struct nap_worker *worker, struct nap_frame *top,
		     const struct half *of)
{
	struct nap__ranges *ranges = part->ranges;

	if (nap__join_begun(worker, top)) {
		if (pool_forked(ranges->pool))
			nap__crew_hand_over(ranges, of->begin, of->end);
		return split(part, worker, top, of->begin, of->end, NULL);
	}
	/* so that the leaf's time does not include the join */
	part->since = ranges->clocked ? nap__os_now() : 0;
	return 0;
}

/*
 * Runs the left half, then the right half, unless it was stolen. Out of line, because the frame is
 * large. The alloca() is at most NAP_REDUCE_SIZE.
 */
static __attribute__((noinline)) int split_in_two(struct part *part, struct nap_worker *worker,
						  struct nap_frame *top, size_t begin, size_t end,
						  void *value)
{
	struct nap__ranges *ranges = part->ranges;
	void *right = ranges->value_size ? __builtin_alloca(ranges->value_size) : NULL;
	struct half of = { ranges, begin + (end - begin) / 2, end, part->grain, right };
	struct nap_frame *next = fork_openly(worker, top, of);
	int err = split(part, worker, next, begin, of.begin, value), err_right;

	if (ranges->crew) {
		err_right = join_part(part, worker, top, &of);
		return err ? err : err_right;
	}
	if (!nap_join(worker, top)) {
		err_right = half_result(top);
		/* so that the leaf's time does not include the join */
		part->since = ranges->clocked ? nap__os_now() : 0;
	} else if (ranges->value_size && ranges_fixed(ranges)) {
		err_right = half(worker, top, of);
	} else {
		err_right = split(part, worker, top, of.begin, end, value);
		return err ? err : err_right;
	}
	if (ranges->value_size)
		ranges->merge(ranges, value, right);
	return err ? err : err_right;
}

/*
 * Whether the stack has room for a value. (With NAP_LOOP_FIXED the loop is split even without
 * room.)
 */
static bool has_room(struct nap__ranges *ranges)
{
	return !ranges->value_size || ranges_fixed(ranges) || may_nest();
}

static int split(struct part *part, struct nap_worker *worker, struct nap_frame *top, size_t begin,
		 size_t end, void *value)
{
	if (end - begin <= part->grain || !has_room(part->ranges))
		return nap__leaves_run(part, begin, end, value);
	/* Not noticed in tests when dropped: the halves are split, and no leaf of them begins. */
	if (leaf_is_over(part, begin))
		/* Not noticed in tests when 1 for 0: the result of a lower index counts. */
		return 0;
	return split_in_two(part, worker, top, begin, end, value);
}

static int half(struct nap_worker *worker, struct nap_frame *top, struct half of)
{
	struct part part = nap__part_of(of.ranges, of.grain);

	if (of.ranges->value_size)
		of.ranges->clear(of.ranges, of.value);
	return split(&part, worker, top, of.begin, of.end, of.value);
}

/* ---- the caller */

/* The calling thread's state in a loop. */
struct caller {
	struct nap_worker *worker;	/* the caller as a worker of the pool, or NULL */
	struct part part;
	size_t begin, end;	/* the indices that remain */
	void *value;
	bool alone;		/* the caller is to run leaves alone first, and has not yet */
	int err;
};

/* Runs leaves until waking other workers pays. */
static void caller_run_alone(struct caller *caller)
{
	struct part *part = &caller->part;
	/* Not noticed in tests when 2 for 1 or 0 for 1: it is not used before the first leaf. */
	size_t n = 1;

	caller->alone = false;
	while (caller->begin < caller->end && !leaf_is_over(part, caller->begin)) {
		size_t rest = caller->end - caller->begin;
		int err;

		if (nap__is_worth_waking(part->ranges->pool, rest, n, part->took))
			return;
		n = next_leaf(part, rest);
		err = nap__leaf_run(part, caller->begin, caller->begin + n, caller->value);
		caller->begin += n;
		caller->err = caller->err ? caller->err : err;
	}
	caller->begin = caller->end;
}

static void split_all(struct caller *caller, struct nap_worker *worker)
{
	int err = split(&caller->part, worker, nap_top(worker), caller->begin, caller->end,
			caller->value);

	caller->err = caller->err ? caller->err : err;
}

/* In the child of a fork: runs the parts that other threads had. */
static void run_open_parts(struct caller *caller)
{
	size_t begin, end;

	while (nap__crew_next(caller->part.ranges, &begin, &end)) {
		int err = nap__leaves_run(&caller->part, begin, end, NULL);

		caller->err = caller->err ? caller->err : err;
	}
}

static void split_with_crew(struct caller *caller, struct nap_worker *worker)
{
	struct nap__ranges *ranges = caller->part.ranges;
	struct crew crew;

	nap__crew_begin(ranges, &crew, worker);
	split_all(caller, worker);
	if (!nap__crew_wait(&crew, worker))
		run_open_parts(caller);
}

static void run_with_others(struct nap_worker *worker, void *arg)
{
	struct caller *caller = arg;

	if (caller->alone)
		caller_run_alone(caller);
	if (caller->begin == caller->end)
		return;
	if (nap__crew_is_possible(caller->part.ranges))
		split_with_crew(caller, worker);
	else
		split_all(caller, worker);
}

/*
 * Finds the caller's worker again: if the caller is a fiber, a leaf may have waited, and the fiber
 * may be on another thread now. Out of line, because the compiler could use the address of the
 * earlier thread's data.
 */
static __attribute__((noinline)) struct nap_worker *worker_now(struct nap_pool *pool)
{
	asm volatile ("" : : : "memory");
	return own_worker(pool);
}

/*
 * Sets up the loop, and runs the indices that the caller runs alone. False: the pool is shut down.
 */
static bool begin_loop(struct nap__ranges *ranges, struct caller *caller)
{
	const struct nap_loop *how = ranges->how;
	struct nap_pool *pool = ranges->pool;
	bool is_refused, at_once;

	/* Stored one by one, for the model checker; no other thread can see these words yet. */
	nap_store_relaxed(&ranges->at, SIZE_MAX);
	nap_store_relaxed(&ranges->over, 0);
	nap_store_relaxed(&ranges->reporting, 0);
	nap_store_relaxed(&ranges->done, 0);
	ranges->total = caller->end - caller->begin;
	ranges->grain = how->grain;
	if (!ranges->grain && ranges_fixed(ranges))
		ranges->grain = (ranges->total - 1) / FIXED_PARTS + 1;
	ranges->deadline = how->timeout_ns ? deadline_after(how->timeout_ns) : NAP_FOREVER;
	ranges->clocked = !ranges->grain || how->timeout_ns || how->progress;
	caller->part = nap__part_of(ranges, ranges->grain ? ranges->grain : 1);
	ranges->report_at = how->progress ? deadline_after(how->progress_ns) : 0;
	caller->worker = own_worker(pool);
	unseen_begin();
	is_refused = !caller->worker && (pool_forked(pool) || gate_is_closed(&pool->intake));
	caller->alone = !is_refused && !ranges->grain &&
			!nap__is_known_to_be_long(ranges, &caller->part);
	/*
	 * A range may ask for data of nap/local.h, which only workers have. So in a pool with such
	 * data a caller that is no worker runs ranges alone only when it has become a guest.
	 */
	at_once = caller->alone && (caller->worker || !nap_load_relaxed(&pool->locals));
	unseen_end();
	if (at_once)
		caller_run_alone(caller);
	if (at_once && caller->worker)
		caller->worker = worker_now(pool);
	return !is_refused;
}

/* Runs the remaining indices, because the pool was shut down. */
static void caller_run_rest(struct caller *caller)
{
	int err = nap__leaves_run(&caller->part, caller->begin, caller->end, caller->value);

	caller->err = caller->err ? caller->err : err;
}

static int end_loop(struct nap__ranges *ranges, struct caller *caller)
{
	int over = ranges_why(ranges);

	return over ? over : caller->err;
}

/*
 * Calls @fn, while the time of the loop lasts. True: @fn was called, or the time is over, which
 * ends the loop. False: the pool has refused the call, or was stopped before there was a free guest
 * record.
 */
static bool call_in_time(struct nap__ranges *ranges, nap_call_fn fn, struct caller *caller)
{
	int err = nap_call_until(ranges->pool, fn, caller, ranges->deadline);

	if (err == -ETIMEDOUT)
		ranges_end(ranges, err);
	return !err || err == -ETIMEDOUT;
}

static void call_alone(struct nap_worker *unused, void *caller)
{
	(void)unused;
	caller_run_alone(caller);
}

int nap__ranges_run_alone(struct nap__ranges *ranges, size_t *begin, size_t end, void *value)
{
	struct caller caller = { .begin = *begin, .end = end, .value = value };

	nothing_leaves();
	if (!begin_loop(ranges, &caller) ||
	    (caller.alone && !call_in_time(ranges, call_alone, &caller)))
		return -ESHUTDOWN;
	*begin = caller.begin;
	return end_loop(ranges, &caller);
}

int nap__ranges_run(struct nap__ranges *ranges, size_t begin, size_t end, void *value)
{
	struct caller caller = { .begin = begin, .end = end, .value = value };
	bool is_refused = false;

	nothing_leaves();
	if (!begin_loop(ranges, &caller))
		return -ESHUTDOWN;
	if (caller.begin == end)
		;
	else if (caller.worker)
		run_with_others(caller.worker, &caller);
	else
		is_refused = !call_in_time(ranges, run_with_others, &caller);
	if (is_refused && caller.begin == begin)
		return -ESHUTDOWN;
	/* The pool was shut down after the loop had begun. */
	if (is_refused)
		caller_run_rest(&caller);
	nap__remember_loop(ranges, &caller.part);
	return end_loop(ranges, &caller);
}
