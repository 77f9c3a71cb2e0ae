/* SPDX-License-Identifier: MIT */
/*
 * One digit of many keys: counting the digit's values, and distributing elements by the digit. For
 * the usual sizes each loop is compiled by itself, with the size as a constant.
 */
#ifndef NAP_PARALLEL_DIGIT_H
#define NAP_PARALLEL_DIGIT_H

#include "parallel/element.h"
#include "parallel/keys.h"

#define DIGITS		256u	/* values of a digit */
#define DIGIT_BITS	8u

#define LOOP static inline __attribute__((always_inline))

LOOP void digit__count(size_t size, bool wide, const struct nap__keys *keys,
		       const unsigned char *from, size_t n, uint32_t shift, size_t *counts)
{
	for (size_t i = 0; i < n; i++)
		counts[key_of(from + i * size, keys, wide) >> shift & (DIGITS - 1)]++;
}

LOOP void digit__scatter(size_t size, bool wide, const struct nap__keys *keys,
			 const unsigned char *from, size_t n, uint32_t shift, size_t *next,
			 unsigned char *to)
{
	for (size_t i = 0; i < n; i++) {
		const unsigned char *element = from + i * size;
		size_t digit = key_of(element, keys, wide) >> shift & (DIGITS - 1);

		element_copy(to + next[digit]++ * size, element, size);
	}
}

LOOP void digit__differ(size_t size, bool wide, const struct nap__keys *keys,
			const unsigned char *from, size_t n, uint64_t one, uint64_t *differ)
{
	for (size_t i = 0; i < n; i++)
		*differ |= key_of(from + i * size, keys, wide) ^ one;
}

/*
 * Advances *@i to the first element that is lower than the element before it, or, with @lower
 * false, that is not lower; to @end if there is none.
 */
LOOP void digit__turn(size_t size, bool wide, const struct nap__keys *keys,
		      const unsigned char *from, size_t *i, size_t end, bool lower)
{
	uint64_t last = key_of(from + (*i - 1) * size, keys, wide);

	for (; *i < end; ++*i) {
		uint64_t key = key_of(from + *i * size, keys, wide);

		if ((key < last) == lower)
			return;
		last = key;
	}
}

/*
 * Whether digit__turn() would stop among the next VECTOR elements, which are integers of 4 bytes.
 * The loop has no early exit and a constant number of turns, so that the compiler vectorises it.
 * The integers are signed, because baseline x86-64 has only signed vector comparisons.
 */
#define VECTOR		512u
static inline bool digit__turns(const struct nap__keys *keys, const unsigned char *from, bool lower)
{
	uint32_t flipped = (uint32_t)keys->flipped ^ UINT32_C(1) << 31, turns = 0;

	for (size_t i = 0; i < VECTOR; i++) {
		uint32_t last, next;

		memcpy(&last, from + 4 * i - 4, 4);
		memcpy(&next, from + 4 * i, 4);
		turns |= ((int32_t)(next ^ flipped) < (int32_t)(last ^ flipped)) == lower;
	}
	return turns;
}

#define BY_SIZE(loop, keys, ...)							\
	do {										\
		if ((keys)->size == 4)							\
			loop(4, false, keys, __VA_ARGS__);				\
		else if ((keys)->size == 8 && (keys)->wide)				\
			loop(8, true, keys, __VA_ARGS__);				\
		else if ((keys)->size == 16 && (keys)->wide)				\
			loop(16, true, keys, __VA_ARGS__);				\
		else									\
			loop((keys)->size, (keys)->wide, keys, __VA_ARGS__);		\
	} while (0)

/* Counts the values of a digit. @counts: one count for each value. */
static inline void digit_count(const struct nap__keys *keys, const unsigned char *from, size_t n,
			       uint32_t shift, size_t *counts)
{
	memset(counts, 0, DIGITS * sizeof(*counts));
	BY_SIZE(digit__count, keys, from, n, shift, counts);
}

/*
 * Distributes elements by a digit. @next: for each value the index in @to where its next element
 * goes.
 */
static inline void digit_scatter(const struct nap__keys *keys, const unsigned char *from, size_t n,
				 uint32_t shift, size_t *next, unsigned char *to)
{
	BY_SIZE(digit__scatter, keys, from, n, shift, next, to);
}

/*
 * lowest_bit() returns the index of the lowest set bit of @bits, which are not 0; nr_bits() returns
 * the index of the highest set bit, plus 1. No compiler builtin is used: on a processor without
 * such an instruction (RISC-V without Zbb) a builtin would call the compiler's library, which a
 * bare program lacks.
 */
static inline uint32_t lowest_bit(uint64_t bits)
{
	uint32_t place = 0;

	for (uint32_t half = 32; half; half /= 2)
		if (!(bits << (64 - half - place) >> (64 - half)))
			place += half;
	return place;
}

static inline uint32_t nr_bits(uint64_t bits)
{
	uint32_t n = 0;

	for (uint32_t half = 32; half; half /= 2)
		if (bits >> (n + half))
			n += half;
	return n + 1;
}

/* Returns the set of bits in which at least one of @n keys differs from @one. */
static inline uint64_t digit_differ(const struct nap__keys *keys, const unsigned char *from,
				    size_t n, uint64_t one)
{
	uint64_t differ = 0;

	BY_SIZE(digit__differ, keys, from, n, one, &differ);
	return differ;
}

/* Returns the index at which digit__turn() stops, from @i to @end - 1; or @end. */
static inline size_t digit_turn(const struct nap__keys *keys, const unsigned char *from, size_t i,
				size_t end, bool lower)
{
	if (keys->size == 4 && !keys->if_negative)
		while (end - i >= VECTOR && !digit__turns(keys, from + 4 * i, lower))
			i += VECTOR;
	/* Not noticed in tests when dropped: what is sorted is sorted once more. */
	BY_SIZE(digit__turn, keys, from, &i, end, lower);
	return i;
}

#endif /* NAP_PARALLEL_DIGIT_H */
