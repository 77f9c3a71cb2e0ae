/* SPDX-License-Identifier: MIT */
/*
 * Sorting on forks. The elements are halved until each thread has a chunk. A chunk is divided by
 * pivots (nap/sort_divide.h) until its parts are leaves. An idle thread may sort a half or a part.
 * The halves are merged. (A level of merging takes longer than a level of dividing. But if all
 * elements were divided by pivots, a single thread would have to make the first division.)
 *
 * Several threads merge two sorted halves, each thread a part of the result: the larger half is cut
 * in the middle, and the other half where the middle element belongs (Cormen, Leiserson, Rivest and
 * Stein, "Introduction to Algorithms", 3rd edition, 27.3). The halves are in one of two arrays, and
 * their merge goes to the other array, so no element is copied except by merging.
 *
 * If comparisons contradict each other the cut is at an arbitrary place. Even so each element is in
 * exactly one part of the result. A part that was divided too often is halved instead.
 */
#include "parallel/element.h"

#include <errno.h>

#include <nap/nap.h>

#include "worker/self.h"

/* A run of @n sorted elements. */
struct run {
	const unsigned char *first;
	size_t n;
};

/* The data of one sort that all its parts share. */
struct merging {
	const struct nap__sorting *s;
	size_t chunk;		/* a run of more elements is halved, not divided */
};

static const unsigned char *run_at(const struct merging *all, struct run run, size_t i)
{
	return run.first + i * all->s->size;
}

/* ---- merging */

struct merge {
	const struct merging *all;
	struct run left, right;
	unsigned char *to;
};

/*
 * Returns how many elements of @run come before @key; with @same equal elements are counted, too.
 */
static size_t rank(const struct merging *all, struct run run, const void *key, bool same)
{
	size_t low = 0, high = run.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		bool before = same ? !is_before(all->s, key, run_at(all, run, mid)) :
				     is_before(all->s, run_at(all, run, mid), key);

		if (before)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void merge(struct nap_worker *worker, struct nap_frame *top, struct merge m);
NAP_JOB_VOID(merge, struct merge)

/* Cuts @m into two merges: @m becomes the first; returns the second. */
static struct merge cut(struct merge *m)
{
	const struct merging *all = m->all;
	struct merge rest = *m;
	size_t left, right;

	if (m->left.n >= m->right.n) {
		left = m->left.n / 2;
		right = rank(all, m->right, run_at(all, m->left, left), false);
	} else {
		right = m->right.n / 2;
		left = rank(all, m->left, run_at(all, m->right, right), true);
	}
	rest.left = (struct run){ run_at(all, m->left, left), m->left.n - left };
	rest.right = (struct run){ run_at(all, m->right, right), m->right.n - right };
	rest.to += (left + right) * all->s->size;
	m->left.n = left;
	m->right.n = right;
	return rest;
}

static void merge(struct nap_worker *worker, struct nap_frame *top, struct merge m)
{
	const struct nap__sorting *s = m.all->s;
	struct merge rest;

	if (m.left.n + m.right.n <= NAP__SORT_LEAF) {
		s->form->merge(m.left.first, m.left.n, m.right.first, m.right.n, m.to, s->arg);
		return;
	}
	rest = cut(&m);
	merge(worker, merge_fork(worker, top, rest), m);
	merge_join(worker, top, rest);
}

/* ---- sorting */

struct piece {
	const struct merging *all;
	struct nap__part part;
};

static void sort(struct nap_worker *worker, struct nap_frame *top, struct piece piece);
NAP_JOB_VOID(sort, struct piece)

/* Each half is sorted into the other array, and both are merged from there. */
static void sort_halves(struct nap_worker *worker, struct nap_frame *top, struct piece piece)
{
	struct nap__part *whole = &piece.part;
	size_t n = whole->nr / 2, bytes = n * piece.all->s->size;
	struct piece left = { piece.all, { whole->other, whole->home, n, whole->divisions,
					   !whole->in_other } };
	struct piece right = { piece.all, { whole->other + bytes, whole->home + bytes,
					    whole->nr - n, whole->divisions, !whole->in_other } };

	sort(worker, sort_fork(worker, top, right), left);
	sort_join(worker, top, right);
	merge(worker, top, (struct merge){ piece.all, { left.part.home, n },
					   { right.part.home, right.part.nr }, whole->home });
}

static void sort(struct nap_worker *worker, struct nap_frame *top, struct piece piece)
{
	const struct nap__sorting *s = piece.all->s;
	struct piece rest = { .all = piece.all };
	int parts = 1;

	while (piece.part.nr > NAP__SORT_LEAF && parts == 1) {
		if (piece.part.nr > piece.all->chunk || !piece.part.divisions) {
			sort_halves(worker, top, piece);
			return;
		}
		parts = s->form->split(&piece.part, &rest.part, s->arg);
	}
	if (parts == 2) {
		sort(worker, sort_fork(worker, top, rest), piece);
		sort_join(worker, top, rest);
	} else if (parts) {
		s->form->sort(&piece.part, s->arg);
	}
}

/* Returns the size of a chunk: one for each worker of the pool, and one for the caller. */
static size_t chunk_of(const struct nap__sorting *s)
{
	size_t threads = (size_t)nap_load_relaxed(&s->pool->limit) + 1;

	return (s->n + threads - 1) / threads;
}

/* The first sort of a pool starts the pool, so the limit of workers is known only here. */
static void sort_called(struct nap_worker *worker, void *arg)
{
	struct piece *piece = arg;
	struct merging all = { piece->all->s, chunk_of(piece->all->s) };

	piece->all = &all;
	nap__part_limit(&piece->part);
	sort(worker, nap_top(worker), *piece);
}

int nap__sort_by_forks(const struct nap__sorting *s, unsigned char *room)
{
	struct merging all = { .s = s };
	struct piece piece = { &all, { s->elements, room, s->n, 0, false } };

	if (s->n <= NAP__SORT_LEAF) {
		s->form->sort(&piece.part, s->arg);
		return 0;
	}
	return nap_call(s->pool, sort_called, &piece) ? -ESHUTDOWN : 0;
}
