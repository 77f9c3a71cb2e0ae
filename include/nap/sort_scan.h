/* SPDX-License-Identifier: MIT */
/*
 * Inline functions that find sorted or falling elements, and that reverse elements: parts of
 * nap/sort_divide.h. nap/sort_merge.h explains their arguments.
 */
#ifndef NAP_SORT_SCAN_H
#define NAP_SORT_SCAN_H

#include "sort_merge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of elements that are scanned, or swapped, at a time. */
#define NAP__SORT_SCAN		32u

/*
 * Returns the index of the first element, of @i to @nr - 1, that comes before its left neighbour;
 * with @falls, of the first that does not; or @nr if there is none. This form is for comparisons
 * that are called, not inlined: it makes as few calls as possible.
 */
nap__inline size_t nap__sort_turn_each(const unsigned char *first, size_t i, size_t nr, bool falls,
				       size_t bytes, nap__before_fn before, void *with)
{
	const unsigned char *e = first + i * bytes;

	for (; i < nr && before(e, e - bytes, with) == falls; i++)
		e += bytes;
	return i;
}

/* Returns whether nap__sort_turn_each() would stop at one of the NAP__SORT_SCAN elements at @e. */
nap__inline bool nap__sort_turns(const unsigned char *e, bool falls, size_t bytes,
				 nap__before_fn before, void *with)
{
	unsigned turns = 0;

	for (size_t i = 0; i < NAP__SORT_SCAN; i++, e += bytes)
		turns |= before(e, e - bytes, with) != falls;
	return turns;
}

/*
 * Returns the same as nap__sort_turn_each(), typically one of the first elements. After the first
 * NAP__SORT_SCAN elements nap__sort_turns() checks the same number at a time, in a loop without an
 * exit, because compilers make vectors of such a loop.
 */
nap__inline size_t nap__sort_turn(const unsigned char *first, size_t i, size_t nr, bool falls,
				  size_t bytes, nap__before_fn before, void *with)
{
	size_t few = nr - i < NAP__SORT_SCAN ? nr : i + NAP__SORT_SCAN;

	for (;;) {
		i = nap__sort_turn_each(first, i, few, falls, bytes, before, with);
		if (i < few || i == nr)
			return i;
		while (nr - i >= NAP__SORT_SCAN &&
		       !nap__sort_turns(first + i * bytes, falls, bytes, before, with))
			i += NAP__SORT_SCAN;
		few = nr;
	}
}

/*
 * Swaps NAP__SORT_SCAN elements of 4 bytes at @a with as many at @b: the first at @a with the last
 * at @b, and so on.
 */
nap__inline void nap__sort_turn_fours(unsigned char *__restrict__ a, unsigned char *__restrict__ b)
{
	for (size_t i = 0; i < NAP__SORT_SCAN; i++) {
		unsigned char *front = a + i * 4, *back = b + (NAP__SORT_SCAN - 1 - i) * 4;
		uint32_t one, other;

		memcpy(&one, front, 4);
		memcpy(&other, back, 4);
		memcpy(front, &other, 4);
		memcpy(back, &one, 4);
	}
}

/*
 * Swaps the @nr elements at @a with as many at @b, which do not overlap: the first at @a with the
 * last at @b, and so on. Elements of 4 bytes are swapped in blocks of a constant length, because
 * compilers make vectors of such loops.
 */
nap__inline void nap__sort_turn_round(unsigned char *a, unsigned char *b, size_t nr, size_t bytes)
{
	if (bytes == 4)
		for (; nr >= NAP__SORT_SCAN; nr -= NAP__SORT_SCAN, a += NAP__SORT_SCAN * 4)
			nap__sort_turn_fours(a, b + (nr - NAP__SORT_SCAN) * 4);
	for (; nr; nr--, a += bytes)
		nap__sort_swap(a, b + (nr - 1) * bytes, bytes);
}

#ifdef __cplusplus
}
#endif

#endif /* NAP_SORT_SCAN_H */
