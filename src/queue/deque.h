/* SPDX-License-Identifier: MIT */
/*
 * A worker's deque of forked jobs: the owner works at the bottom, last in first out, thieves work
 * at the top, oldest first (Chase and Lev 2005). A split divides the owner's private jobs from the
 * public ones (van Dijk and van de Pol 2014).
 *
 * Typically no worker asks for jobs: the owner forks by writing a frame and moving the bottom up,
 * and joins by moving the bottom down. When another worker asks, the next fork publishes: a
 * compare-exchange of d->open moves the end up. A thief's compare-exchange moves the top up.
 *
 *	frames:  0        top             end             bottom        NAP_DEQUE_SIZE
 *	         | stolen | public        | private       | free        |
 *	           joined   thieves claim   the owner's
 *	           later    the first       alone
 *
 *	                 owner's        owner's          another thief's   another's
 *	                 fork, join     publish,         deque_steal       deque_force
 *	                                take_back
 *	deque_steal         ok             ok                ok               ok
 *	deque_force         ok             ok                ok               ok
 *
 * Jobs nest like parentheses, so a frame's number is a depth: nothing wraps, and a stolen job keeps
 * its frame until it is joined. So a thief may read the frame after it has claimed the job, and
 * write the result and the latch there.
 *
 * Chase and Lev have two indices, and need a fence between the owner's index and the thieves' (Le,
 * Pop, Cohen and Zappa Nardelli 2013). Here top and end are one word, d->open, with a tag that
 * changes at each write of the owner or of deque_force(). One compare-exchange decides between a
 * thief, the owner that takes a job back, and a thread that makes more jobs public.
 *
 * Private jobs cost the owner no fence and no locked instruction (nap_fork(), nap_join()). Other
 * threads send the owner to the slow paths by writing two of its words:
 *
 *	limit	a fork of a frame at or above limit takes the slow path. limit is the end of the
 *		frames, or NULL when a worker asks for jobs
 *	split	a join of a frame below split takes the slow path. split is the frame `end`, or
 *		DEQUE_ALL while another thread makes private jobs public
 *
 * Both are store-load pairs: the owner writes bottom and then reads the word, the other thread
 * writes the word and then reads bottom. The owner has a compiler barrier only; the other thread
 * has a membarrier, which is a full fence in the owner as well.
 *
 *	join: bottom = frame              force: read open (acquire) [F5]
 *	      compiler barrier [F3]              split = DEQUE_ALL
 *	      read split                         membarrier [F3]
 *	        below: the job is ours           read bottom
 *	        else the slow path               make jobs below bottom public: CAS on open
 *
 * Either the owner sees DEQUE_ALL, or the other thread sees that the job was taken back. If a join
 * takes the slow path after the other thread has read bottom, the owner writes open, and because of
 * the tag the other thread's compare-exchange fails.
 *
 * Without membarrier (@keep_private false throughout) limit stays NULL and split stays DEQUE_ALL:
 * every fork publishes, and every join takes its job back by a compare-exchange. deque_force() is
 * not called then.
 */
#ifndef NAP_QUEUE_DEQUE_H
#define NAP_QUEUE_DEQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/fork.h>

#include "arch/atomic.h"

#ifndef NAP_DEQUE_SIZE
#define NAP_DEQUE_SIZE 1023
#endif

_Static_assert(NAP_DEQUE_SIZE >= 1 && NAP_DEQUE_SIZE < UINT16_MAX, "a depth has 16 bits");

#define DEQUE_ALL ((struct nap_frame *)UINTPTR_MAX)

/*
 * The owner writes bottom; every thread writes limit, split and open; frames and full are set
 * before any other thread sees the deque. There are NAP_DEQUE_SIZE frames (or none), and one extra
 * frame that is never public.
 */
struct nap__deque {
	struct nap__forks forks;
	uint64_t open nap__line;	/* A: top, end, tag */
};

/*
 * Bits 48..63 are top, 32..47 end, 0..31 the tag, which counts all changes except a thief's. A
 * compare-exchange could mistake an old value for the present one only after 2^32 changes
 * (Documentation/design.rst, "Numbers that come round").
 */
static inline uint32_t deque_top(uint64_t open)
{
	return (uint32_t)(open >> 48);
}

static inline uint32_t deque_end(uint64_t open)
{
	return (uint32_t)(open >> 32) & UINT16_MAX;
}

static inline uint64_t deque__open(uint32_t top, uint32_t end, uint64_t old)
{
	return (uint64_t)top << 48 | (uint64_t)end << 32 | (uint32_t)(old + 1);
}

static inline struct nap_frame *deque_full(struct nap__deque *d)
{
	return d->forks.full;
}

/*
 * Called before other threads can see the deque. @first has @size frames and an extra one. At first
 * limit is NULL, as if a worker had asked.
 */
static inline void deque_init(struct nap__deque *d, struct nap_frame *first, uint32_t size)
{
	d->forks.frames = d->forks.bottom = first;
	d->forks.full = first + size;
	d->forks.limit = NULL;
	d->forks.split = DEQUE_ALL;
	d->open = 0;
}

/* ---- called by the owner */

/*
 * Sets the end, and with @keep_private the split to the same frame. The split is written before
 * d->open. So if a thread reads the new d->open (acquire), and then writes DEQUE_ALL to the split,
 * its write comes after the owner's. The split is written even if the compare-exchange of d->open
 * then fails. So the owner repeats until the compare-exchange succeeds, even if only the tag
 * changes.
 */
static inline bool deque__set_end(struct nap__deque *d, uint64_t *open, uint32_t top, uint32_t end,
				  bool keep_private)
{
	if (keep_private)
		nap_store_relaxed(&d->forks.split, &d->forks.frames[end]);
	/*
	 * Publishes the frames and jobs: pairs with deque_steal() [F4]. Publishes the split: pairs
	 * with deque_force() [F5].
	 */
	return nap_try_cmpxchg_release(&d->open, open, deque__open(top, end, *open));
}

/* Makes private jobs public: all of them, or with @keep_private the older half. */
static inline void deque_publish(struct nap__deque *d, bool keep_private)
{
	uint32_t bottom = (uint32_t)(d->forks.bottom - d->forks.frames);
	uint64_t open = nap_load_relaxed(&d->open);

	for (;;) {
		uint32_t end = deque_end(open);
		uint32_t next = keep_private ? end + (bottom - end + 1) / 2 : bottom;

		if (deque__set_end(d, &open, deque_top(open), next, keep_private))
			return;
	}
}

/*
 * Takes back the youngest job, in @frame, which is the bottom. With @keep_private also makes the
 * younger half of the public jobs private again, unless another thread asks for jobs, and would
 * have to force them out again. False: the job was stolen.
 */
static inline bool deque_take_back(struct nap__deque *d, struct nap_frame *frame, bool keep_private)
{
	uint32_t index = (uint32_t)(frame - d->forks.frames);
	uint64_t open = nap_load_relaxed(&d->open);

	for (;;) {
		uint32_t top = deque_top(open), end = deque_end(open), next = index;

		/*
		 * The job was stolen; or it is private, but another thread has begun to force it
		 * out.
		 */
		if (top > index || end <= index)
			next = end;
		else if (keep_private && nap_load_relaxed(&d->forks.limit))
			next = top + (index - top) / 2;
		if (deque__set_end(d, &open, top, next, keep_private))
			return top <= index;
	}
}

/* Frees @frame, whose stolen job has been run. */
static inline void deque_joined(struct nap__deque *d, struct nap_frame *frame, bool keep_private)
{
	uint32_t index = (uint32_t)(frame - d->forks.frames);
	uint64_t open = nap_load_relaxed(&d->open);

	nap_store_relaxed(&d->forks.bottom, frame);
	/* No job is public, so only the owner changes open. */
	deque__set_end(d, &open, index, index, keep_private);
}

/* ---- called by any thread */

/* Whether there is a public job, at some time during the call. */
static inline bool deque_has_public(struct nap__deque *d)
{
	uint64_t open = nap_load_relaxed(&d->open);

	return deque_top(open) < deque_end(open);
}

/* Claims the oldest public job; NULL: there is none. */
static inline struct nap_frame *deque_steal(struct nap__deque *d)
{
	uint64_t open = nap_load_relaxed(&d->open);

	while (deque_top(open) < deque_end(open)) {
		/*
		 * Sees the frame and the job: pairs with deque__set_end() and deque_force(). [F4]
		 */
		if (nap_try_cmpxchg_acquire(&d->open, &open, open + ((uint64_t)1 << 48)))
			return &d->forks.frames[deque_top(open)];
	}
	return NULL;
}

/* Asks the owner to publish jobs at its next fork. True: no thread had asked before. */
static inline bool deque_ask(struct nap__deque *d)
{
	if (!nap_load_relaxed(&d->forks.limit))
		return false;
	nap_store_relaxed(&d->forks.limit, NULL);
	return true;
}

/*
 * Whether the deque has jobs, public or private. Called by its owner, or by another thread after
 * deque_ask().
 */
static inline bool deque_has_jobs(struct nap__deque *d)
{
	uint64_t open = nap_load_relaxed(&d->open);

	return nap_load_relaxed(&d->forks.bottom) > &d->forks.frames[deque_end(open)] ||
	       deque_top(open) < deque_end(open);
}

/*
 * Makes the older half of the private jobs public without the owner's help. @heavy: calls
 * membarrier. True: jobs were made public, or another thread has changed the deque in the meantime.
 * False: no job was private, or membarrier failed.
 */
static inline bool deque_force(struct nap__deque *d, bool (*heavy)(void))
{
	/* Sees the split that the owner has stored before: pairs with deque__set_end(). [F5] */
	uint64_t open = nap_load_acquire(&d->open);
	uint32_t end = deque_end(open), bottom;
	struct nap_frame *full = deque_full(d), *at;

	nap_store_relaxed(&d->forks.split, DEQUE_ALL);
	if (!heavy())	/* after split, before bottom; pairs with the fence in nap_join() [F3] */
		return false;
	/* Sees the frames: pairs with nap_fork(). [F1] */
	at = nap_load_acquire(&d->forks.bottom);
	bottom = (uint32_t)((at < full ? at : full) - d->forks.frames);
	if (bottom <= end)
		return false;
	/* The frames and jobs are written before this: pairs with deque_steal(). [F4] */
	nap_cmpxchg_release(&d->open, open,
			    deque__open(deque_top(open), end + (bottom - end + 1) / 2, open));
	return true;
}

#endif /* NAP_QUEUE_DEQUE_H */
