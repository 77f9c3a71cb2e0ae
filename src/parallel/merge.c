/* SPDX-License-Identifier: MIT */
/*
 * Merge sort on forks. Another thread sorts a half, if one is idle. Several threads merge two
 * sorted halves, each thread a part of the result: the larger half is cut in the middle, and the
 * other half where the middle element belongs (Cormen, Leiserson, Rivest and Stein, "Introduction
 * to Algorithms", 3rd edition, 27.3). The halves are in one of two arrays, and their merge goes to
 * the other array, so no element is copied except by merging.
 *
 * If comparisons contradict each other the cut is anywhere. Even so each element is in exactly one
 * part of the result.
 */
#include "parallel/element.h"

#include <errno.h>

#include <nap/nap.h>

#include "worker/self.h"

/* Fewer than FORK_LEAST elements are not forked; no more than FEW are sorted by insertion. */
#define FORK_LEAST	2048u
#define FEW		12u

/* @n sorted elements. */
struct run {
	const unsigned char *first;
	size_t n;
};

static const unsigned char *run_at(const struct nap__order *order, struct run run, size_t i)
{
	return run.first + i * order->size;
}

/* ---- merging */

struct merge {
	const struct nap__order *order;
	struct run left, right;
	unsigned char *to;
};

static void merge_here(const struct nap__order *order, struct run left, struct run right,
		       unsigned char *to)
{
	size_t size = order->size;

	while (left.n && right.n) {
		struct run *next = is_before(order, right.first, left.first) ? &right : &left;

		element_copy(to, next->first, size);
		next->first += size;
		next->n--;
		to += size;
	}
	memcpy(to, left.first, left.n * size);
	memcpy(to + left.n * size, right.first, right.n * size);
}

/* Returns how many of @run come before @key; with @same equal elements count, too. */
static size_t rank(const struct nap__order *order, struct run run, const void *key, bool same)
{
	size_t low = 0, high = run.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		bool before = same ? !is_before(order, key, run_at(order, run, mid)) :
				     is_before(order, run_at(order, run, mid), key);

		if (before)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void merge(struct nap_worker *worker, struct nap_frame *top, struct merge m);
NAP_JOB_VOID(merge, struct merge)

/* Cuts @m into two merges: @m keeps the first; returns the second. */
static struct merge cut(struct merge *m)
{
	struct merge rest = *m;
	size_t left, right;

	if (m->left.n >= m->right.n) {
		left = m->left.n / 2;
		right = rank(m->order, m->right, run_at(m->order, m->left, left), false);
	} else {
		right = m->right.n / 2;
		left = rank(m->order, m->left, run_at(m->order, m->right, right), true);
	}
	rest.left = (struct run){ run_at(m->order, m->left, left), m->left.n - left };
	rest.right = (struct run){ run_at(m->order, m->right, right), m->right.n - right };
	rest.to += (left + right) * m->order->size;
	m->left.n = left;
	m->right.n = right;
	return rest;
}

static void merge(struct nap_worker *worker, struct nap_frame *top, struct merge m)
{
	struct merge rest;

	if (m.left.n + m.right.n < FORK_LEAST) {
		merge_here(m.order, m.left, m.right, m.to);
		return;
	}
	rest = cut(&m);
	merge(worker, merge_fork(worker, top, rest), m);
	merge_join(worker, top, rest);
}

/* ---- sorting */

/* Elements to sort, and room for as many. */
struct piece {
	const struct nap__order *order;
	unsigned char *elements, *room;
	size_t n;
	bool into_room;		/* whether the result goes to the room */
};

static void insert_each(const struct nap__order *order, unsigned char *elements, size_t n)
{
	size_t size = order->size;

	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j && is_before(order, elements + j * size,
						  elements + (j - 1) * size); j--)
			element_swap(elements + j * size, elements + (j - 1) * size, size);
}

static struct piece right_half(struct piece *piece)
{
	struct piece right = *piece;
	size_t left = piece->n / 2, bytes = left * piece->order->size;

	right.elements += bytes;
	right.room += bytes;
	right.n -= left;
	piece->n = left;
	piece->into_room = right.into_room = !piece->into_room;
	return right;
}

/* Returns the merge of two sorted halves. */
static struct merge merge_of(struct piece left, struct piece right)
{
	return (struct merge){
		left.order,
		{ left.into_room ? left.room : left.elements, left.n },
		{ right.into_room ? right.room : right.elements, right.n },
		left.into_room ? left.elements : left.room,
	};
}

static void sort_few(struct piece piece)
{
	insert_each(piece.order, piece.elements, piece.n);
	if (piece.into_room)
		memcpy(piece.room, piece.elements, piece.n * piece.order->size);
}

static void sort_here(struct piece piece)
{
	struct piece right;
	struct merge m;

	if (piece.n <= FEW) {
		sort_few(piece);
		return;
	}
	right = right_half(&piece);
	sort_here(piece);
	sort_here(right);
	m = merge_of(piece, right);
	merge_here(m.order, m.left, m.right, m.to);
}

static void sort(struct nap_worker *worker, struct nap_frame *top, struct piece piece);
NAP_JOB_VOID(sort, struct piece)

static void sort(struct nap_worker *worker, struct nap_frame *top, struct piece piece)
{
	struct piece right;

	if (piece.n < FORK_LEAST) {
		sort_here(piece);
		return;
	}
	right = right_half(&piece);
	sort(worker, sort_fork(worker, top, right), piece);
	sort_join(worker, top, right);
	merge(worker, top, merge_of(piece, right));
}

static void sort_called(struct nap_worker *worker, void *piece)
{
	sort(worker, nap_top(worker), *(struct piece *)piece);
}

int nap__merge_sort(struct nap_pool *pool, unsigned char *elements, unsigned char *room, size_t n,
		    const struct nap__order *order)
{
	struct piece piece = { order, elements, room, n, false };

	if (n < FORK_LEAST) {
		sort_here(piece);
		return 0;
	}
	return nap_call(pool, sort_called, &piece) ? -ESHUTDOWN : 0;
}
