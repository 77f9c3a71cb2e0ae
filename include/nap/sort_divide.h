/* SPDX-License-Identifier: MIT */
/*
 * Sorting on one thread, as inline functions, for src/parallel/forms.c, NAP_SORT_DEFINE() and
 * nap/parallel.hpp. A program does not call them. nap/sort_merge.h explains their arguments.
 *
 * A part is a run of elements that is to be sorted. A pivot divides a part in two, until a part has
 * few elements. There are two arrays, home and other. The division stores each element twice: in
 * home, next to the elements that come before the pivot; and in other, next to the elements that do
 * not. The comparison's result moves only one of the two ends, so the next element overwrites the
 * wrong copy. (Edelkamp and Weiss, "BlockQuicksort", 2016, showed the gain of a division without a
 * branch; the stable division with a second array is from van den Hoven's "fluxsort", 2021.)
 *
 *	home   |before, in their order|                    |
 *	other  |others, in their order       |             |
 *
 * A part lies in one of the two arrays, and is to end up in home. So the left part is in its place,
 * and the right part has the rest of home for itself.
 *
 * All functions are stable. If comparisons contradict each other, a division has an arbitrary
 * result. A part that was divided too often is merged instead. So no element is lost, and the time
 * remains n log n.
 */
#ifndef NAP_SORT_DIVIDE_H
#define NAP_SORT_DIVIDE_H

#include "sort_merge.h"
#include "sort_scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A leaf: a part of at most LEAF elements, which one call of nap__part_sort() sorts. While the call
 * divides the leaf, at most PARTS parts wait for their turn; each is at most half as long as the
 * one before.
 */
#define NAP__SORT_LEAF		4096u
#define NAP__SORT_PARTS		8u

struct nap__part {
	unsigned char *home, *other;
	size_t nr;
	unsigned divisions;	/* divisions that are still allowed */
	bool in_other;
};

nap__inline unsigned char *nap__part_at(const struct nap__part *part)
{
	return part->in_other ? part->other : part->home;
}

/* ---- parts that are sorted or falling already */

/* Returns true if the part was sorted, or was falling and has been reversed. Then it is in home. */
nap__inline bool nap__part_simple(struct nap__part *part, size_t bytes, nap__before_fn before,
				  void *with)
{
	const unsigned char *at = nap__part_at(part);
	unsigned char *home = part->home;
	size_t turn = nap__sort_turn(at, 1, part->nr, false, bytes, before, with);

	if (turn == part->nr) {
		if (part->in_other)
			memcpy(home, at, part->nr * bytes);
		return true;
	}
	if (turn > 1 || nap__sort_turn(at, 2, part->nr, true, bytes, before, with) < part->nr)
		return false;
	for (size_t i = 0; part->in_other && i < part->nr; i++)
		memcpy(home + i * bytes, at + (part->nr - 1 - i) * bytes, bytes);
	if (!part->in_other)
		nap__sort_turn_round(home, home + (part->nr - part->nr / 2) * bytes, part->nr / 2,
				     bytes);
	return true;
}

/* ---- by merging */

/* Sorts groups of four elements, and the remaining one to three, from @from into @to. */
nap__inline void nap__part_fours(unsigned char *to, const unsigned char *from, size_t nr,
				 size_t bytes, nap__before_fn before, void *with)
{
	size_t i = 0;

	for (; i + 4 <= nr; i += 4)
		nap__sort_four(to + i * bytes, from + i * bytes, bytes, before, with);
	if (to != from)
		memcpy(to + i * bytes, from + i * bytes, (nr - i) * bytes);
	nap__sort_insert(to + i * bytes, nr - i, bytes, before, with);
}

/*
 * Sorts a part. Makes runs of four, then merges pairs of runs, again and again, each time into the
 * other array.
 */
nap__inline void nap__part_merge(const struct nap__part *part, size_t bytes,
				 nap__before_fn before, void *with)
{
	unsigned char *from = nap__part_at(part);
	unsigned char *to = part->in_other ? part->home : part->other;
	bool at_home = part->in_other;

	for (size_t run = 4; run < part->nr; run *= 2)
		at_home = !at_home;
	/* If the runs would end up in the wrong array, small elements are sorted in place. */
	if (!at_home && bytes <= NAP__SORT_SMALL)
		to = from;
	nap__part_fours(to, from, part->nr, bytes, before, with);
	for (size_t run = 4; run < part->nr; run *= 2) {
		from = to;
		to = from == part->home ? part->other : part->home;
		nap__part_pairs(to, from, part->nr, run, bytes, before, with);
	}
	if (to != part->home)
		memcpy(part->home, to, part->nr * bytes);
}

/* ---- by division */

/* Returns the median of three. */
nap__inline const unsigned char *nap__sort_median(const unsigned char *a, const unsigned char *b,
						  const unsigned char *c, nap__before_fn before,
						  void *with)
{
	bool left = before(a, b, with);

	if (left != before(a, c, with))
		return a;
	return left == before(b, c, with) ? b : c;
}

/*
 * Returns a pivot: the median of three medians of three elements; for 1024 elements or more, the
 * median of three such medians.
 */
nap__inline const unsigned char *nap__sort_pivot(const unsigned char *first, size_t nr,
						 size_t bytes, nap__before_fn before, void *with)
{
	unsigned looks = nr < 1024 ? 9 : 27;
	size_t apart = nr / looks * bytes;
	const unsigned char *at[27];

	for (unsigned i = 0; i < looks; i++)
		at[i] = first + nr / looks / 2 * bytes + i * apart;
	while (looks > 1) {
		looks /= 3;
		for (unsigned i = 0; i < looks; i++)
			at[i] = nap__sort_median(at[3 * i], at[3 * i + 1], at[3 * i + 2], before,
						 with);
	}
	return at[0];
}

/* Where a division stores its next element: offsets in the two arrays, in bytes. */
struct nap__division {
	unsigned char *home, *other;
	size_t left, right;
};

/* Stores the element at @e. @i: how many elements were stored since the caller moved d->right. */
nap__inline void nap__sort_divide_one(struct nap__division *d, const unsigned char *e, size_t i,
				      const unsigned char *pivot, bool same, size_t bytes,
				      nap__before_fn before, void *with)
{
	bool which = same ? !before(pivot, e, with) : before(e, pivot, with);
	size_t step = which * bytes, small = nap__sort_small(bytes);
	unsigned char copy[NAP__SORT_SMALL];

	memcpy(copy, e, small);
	memcpy(d->home + d->left, copy, small);
	memcpy(d->other + (d->right + i * bytes), copy, small);
	d->left += step;
	d->right -= step;
}

/*
 * Divides @nr elements at @e, which are in one of the two arrays. Elements that come before @pivot
 * go to @home, with @same also those that are equal to it. Returns how many went to @home.
 *
 * A turn of the first loop stores four elements. Each element that goes to @other has to move
 * d.right by one step. This is computed as one step for every element, less one step for each that
 * goes to @home: the first number is a constant offset in the addresses, and costs nothing.
 */
nap__inline size_t nap__sort_divide(const unsigned char *e, unsigned char *home,
				    unsigned char *other, size_t nr, const unsigned char *pivot,
				    bool same, size_t bytes, nap__before_fn before, void *with)
{
	struct nap__division d = { home, other, 0, 0 };
	const unsigned char *behind = e + nr * bytes;

	/* A division with @same is rare: to save code it uses only the second loop. */
	for (; nr >= 4 && !same; nr -= 4, e += 4 * bytes, d.right += 4 * bytes) {
		nap__sort_divide_one(&d, e, 0, pivot, same, bytes, before, with);
		nap__sort_divide_one(&d, e + bytes, 1, pivot, same, bytes, before, with);
		nap__sort_divide_one(&d, e + 2 * bytes, 2, pivot, same, bytes, before, with);
		nap__sort_divide_one(&d, e + 3 * bytes, 3, pivot, same, bytes, before, with);
	}
	for (; e < behind; e += bytes, d.right += bytes)
		nap__sort_divide_one(&d, e, 0, pivot, same, bytes, before, with);
	return d.left / bytes;
}

/*
 * Divides @part, and returns true: then @part is the smaller half, and @rest the other. But if no
 * element comes before the pivot, moves the elements that are equal to the pivot to home, where
 * they belong, and returns false: then @part is what remains without them.
 */
nap__inline bool nap__part_divide(struct nap__part *part, struct nap__part *rest, size_t bytes,
				  nap__before_fn before, void *with)
{
	unsigned char pivot[NAP__SORT_SMALL] __attribute__((__aligned__(NAP__SORT_SMALL)));
	unsigned char *at = nap__part_at(part);
	size_t left;

	memcpy(pivot, nap__sort_pivot(at, part->nr, bytes, before, with), nap__sort_small(bytes));
	part->divisions--;
	left = nap__sort_divide(at, part->home, part->other, part->nr, pivot, false, bytes,
				before, with);
	*rest = *part;
	rest->in_other = true;
	part->in_other = false;
	if (!left) {
		left = nap__sort_divide(part->other, part->home, part->other, part->nr, pivot,
					true, bytes, before, with);
		rest->home += left * bytes;
		rest->nr -= left;
		*part = *rest;
		return false;
	}
	rest->home += left * bytes;
	rest->nr -= left;
	part->other += rest->nr * bytes;
	part->nr = left;
	if (part->nr > rest->nr) {
		struct nap__part larger = *part;

		*part = *rest;
		*rest = larger;
	}
	return true;
}

/*
 * As nap__part_divide(), for a part that is no leaf. Returns how many parts are left to sort, 0 to
 * 2; 0: the part was sorted or falling, and is in its place. Large elements are not divided.
 */
nap__inline int nap__part_split(struct nap__part *part, struct nap__part *rest, size_t bytes,
				nap__before_fn before, void *with)
{
	if (nap__part_simple(part, bytes, before, with))
		return 0;
	if (bytes > NAP__SORT_SMALL) {
		part->divisions = 0;
		return 1;
	}
	return 1 + nap__part_divide(part, rest, bytes, before, with);
}

/* Sets how often a part may be divided: twice as often as by perfect pivots. */
nap__inline void nap__part_limit(struct nap__part *part)
{
	part->divisions = 0;
	for (size_t nr = part->nr; nr; nr /= 2)
		part->divisions += 2;
}

/* Sorts a part of up to NAP__SORT_LEAF elements. */
nap__inline void nap__part_sort(const struct nap__part *leaf, size_t bytes, nap__before_fn before,
				void *with)
{
	struct nap__part waiting[NAP__SORT_PARTS], part = *leaf;
	unsigned nr_waiting = 0;

	if (part.nr > NAP__SORT_FEW && nap__part_simple(&part, bytes, before, with))
		return;
	nap__part_limit(&part);
	for (;;) {
		while (part.nr > NAP__SORT_FEW && bytes <= NAP__SORT_SMALL && part.divisions &&
		       nr_waiting < NAP__SORT_PARTS)
			nr_waiting += nap__part_divide(&part, &waiting[nr_waiting], bytes, before,
						       with);
		nap__part_merge(&part, bytes, before, with);
		if (!nr_waiting)
			return;
		part = waiting[--nr_waiting];
	}
}

#ifdef __cplusplus
}
#endif

#endif /* NAP_SORT_DIVIDE_H */
