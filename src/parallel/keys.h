/* SPDX-License-Identifier: MIT */
/*
 * Numbers in elements, mapped to unsigned bits of the same order, and sorting by them: nap/sort.h.
 */
#ifndef NAP_PARALLEL_KEYS_H
#define NAP_PARALLEL_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <nap/sort.h>

/*
 * How keys are mapped to unsigned numbers of the same order: the highest bit of signed numbers is
 * flipped, and all bits of negative floating-point numbers.
 */
struct nap__keys {
	size_t size;		/* bytes of an element */
	size_t offset;		/* offset of the key in an element */
	bool wide;		/* the key has 64 bits, else 32 */
	uint64_t flipped;	/* bits that are always flipped */
	uint64_t if_negative;	/* bits that are flipped only if the highest bit is set */
};

static inline struct nap__keys keys_of(enum nap_key key, size_t size, size_t offset)
{
	bool wide = key == NAP_KEY_I64 || key == NAP_KEY_U64 || key == NAP_KEY_DOUBLE;
	bool real = key == NAP_KEY_FLOAT || key == NAP_KEY_DOUBLE;
	bool is_signed = real || key == NAP_KEY_I32 || key == NAP_KEY_I64;

	return (struct nap__keys){
		size, offset, wide, is_signed ? UINT64_C(1) << (wide ? 63 : 31) : 0,
		real ? wide ? UINT64_MAX : UINT32_MAX : 0,
	};
}

/* Returns the mapped key. @wide is keys->wide, perhaps as a constant. */
static inline uint64_t key_of(const unsigned char *element, const struct nap__keys *keys, bool wide)
{
	uint64_t bits = 0;
	uint32_t half;

	if (wide) {
		memcpy(&bits, element + keys->offset, sizeof(bits));
		return bits ^ (keys->flipped | (-(bits >> 63) & keys->if_negative));
	}
	memcpy(&half, element + keys->offset, sizeof(half));
	bits = half;
	return bits ^ (keys->flipped | (-(bits >> 31) & keys->if_negative));
}

/*
 * Returns the bytes that nap__radix_sort() needs in addition to the room for @n elements. radix.c
 */
size_t nap__radix_extra(size_t n);

/*
 * Sorts @n @elements, with the help of the memory at @room. Stable. Returns 0, or -ESHUTDOWN: then
 * nothing has changed. Called by any thread.
 */
int nap__radix_sort(struct nap_pool *pool, unsigned char *elements, unsigned char *room, size_t n,
		    const struct nap__keys *keys);

#endif /* NAP_PARALLEL_KEYS_H */
