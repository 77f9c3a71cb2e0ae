/* SPDX-License-Identifier: MIT */
/*
 * Radix sort (Knuth, "The Art of Computer Programming", 3, 5.2.5). Elements are distributed into
 * 256 parts by the eight highest bits in which any two differ. Threads distribute blocks of
 * elements. For each block the elements of each part are counted first, which gives the places
 * where they go. Then each part is sorted by itself: a large part in the same way; a small part,
 * which fits in a cache, by all of its bits from the lowest on; and a few elements by insertion.
 *
 *	from  | block 0  | block 1  | ..            counts: a row for each block
 *	          \   \      |  \
 *	room  | part 0    | part 1 | part 2 | ..    each sorted, to its final array
 *
 * Typically the first distribution is even, and each part is small after it.
 */
#include <errno.h>

#include <nap/nap.h>

#include "parallel/digit.h"
#include "worker/nest.h"

/* The least number of elements of a block, and the largest number of blocks. */
#define BLOCK_LEAST	8192u
#define BLOCKS_MAX	32u
/*
 * More than LARGE elements are distributed by blocks; at most FEW elements are sorted by insertion.
 */
#define LARGE		65536u
#define FEW		24u

/* Elements to be sorted, by the bits in which they may @differ. */
struct field {
	struct nap_pool *pool;
	const struct nap__keys *keys;
	unsigned char *from, *room;
	/* the counts of each block: a row for each BLOCK_LEAST elements */
	size_t (*counts)[DIGITS];
	size_t first, n;		/* the position and number of the elements among all */
	uint64_t differ;
	bool into_room;			/* whether the result goes to the room */
};

static unsigned char *field_at(const struct field *field, unsigned char *place, size_t i)
{
	return place + (field->first + i) * field->keys->size;
}

static void swap_places(struct field *field)
{
	unsigned char *from = field->from;

	field->from = field->room;
	field->room = from;
	field->into_room = !field->into_room;
}

/* ---- sorting on one thread */

static void into_place(const struct field *field)
{
	if (field->into_room)
		memcpy(field_at(field, field->room, 0), field_at(field, field->from, 0),
		       field->n * field->keys->size);
}

static void field_insert_each(const struct field *field)
{
	const struct nap__keys *keys = field->keys;
	unsigned char *first = field_at(field, field->from, 0);

	for (size_t i = 1; i < field->n; i++)
		for (unsigned char *e = first + i * keys->size; e > first; e -= keys->size) {
			unsigned char *before = e - keys->size;

			if (key_of(before, keys, keys->wide) <= key_of(e, keys, keys->wide))
				break;
			element_swap(before, e, keys->size);
		}
}

/* Replaces the number of elements of each value by the index of the first such element. */
static void counts_to_offsets(size_t *counts)
{
	size_t next = 0;

	for (size_t digit = 0; digit < DIGITS; digit++) {
		size_t n = counts[digit];

		counts[digit] = next;
		next += n;
	}
}

static void sort_field_here(struct field field)
{
	size_t counts[DIGITS];

	if (field.n <= FEW) {
		field_insert_each(&field);
		field.differ = 0;
	}
	while (field.differ) {
		uint32_t shift = lowest_bit(field.differ);

		digit_count(field.keys, field_at(&field, field.from, 0), field.n, shift, counts);
		counts_to_offsets(counts);
		digit_scatter(field.keys, field_at(&field, field.from, 0), field.n, shift, counts,
			      field_at(&field, field.room, 0));
		swap_places(&field);
		field.differ &= ~((uint64_t)(DIGITS - 1) << shift);
	}
	into_place(&field);
}

/* ---- distribution on several threads */

static int add_differ(size_t begin, size_t end, void *differ, void *arg)
{
	const struct field *field = arg;
	/* Not noticed in tests when 1 for 0: any element will do to compare all with. */
	uint64_t one = key_of(field_at(field, field->from, 0), field->keys, field->keys->wide);

	*(uint64_t *)differ |= digit_differ(field->keys, field_at(field, field->from, begin),
					    end - begin, one);
	return 0;
}

static void merge_differ(void *differ, const void *right, void *unused)
{
	(void)unused;
	*(uint64_t *)differ |= *(const uint64_t *)right;
}

static void find_differ(struct field *field)
{
	static const struct nap_reduction differ = { sizeof(uint64_t), add_differ, merge_differ,
						     NULL };

	field->differ = 0;
	/* Not noticed in tests when 1 for 0: all keys are compared with the first one. */
	nap_reduce(field->pool, NULL, 0, field->n, &differ, &field->differ, field);
}

/* One distribution of a field by blocks. */
struct spread {
	struct field *field;
	size_t (*counts)[DIGITS];
	size_t blocks;
	uint32_t shift;
	size_t ends[DIGITS];	/* the ends of the parts */
};

static size_t block_begin(const struct spread *spread, size_t block)
{
	size_t each = spread->field->n / spread->blocks;

	return block == spread->blocks ? spread->field->n : block * each;
}

static int count_blocks(size_t i, size_t end, void *arg)
{
	const struct spread *spread = arg;
	struct field *field = spread->field;

	for (; i < end; i++) {
		size_t begin = block_begin(spread, i);

		digit_count(field->keys, field_at(field, field->from, begin),
			    block_begin(spread, i + 1) - begin, spread->shift, spread->counts[i]);
	}
	return 0;
}

static int scatter_blocks(size_t i, size_t end, void *arg)
{
	const struct spread *spread = arg;
	struct field *field = spread->field;

	for (; i < end; i++) {
		size_t begin = block_begin(spread, i);

		digit_scatter(field->keys, field_at(field, field->from, begin),
			      block_begin(spread, i + 1) - begin, spread->shift, spread->counts[i],
			      field_at(field, field->room, 0));
	}
	return 0;
}

/*
 * As counts_to_offsets(): in each part the elements of block 0 come first, then the elements of
 * block 1, and so on.
 */
static void blocks_to_offsets(struct spread *spread)
{
	size_t next = 0;

	for (size_t digit = 0; digit < DIGITS; digit++) {
		for (size_t block = 0; block < spread->blocks; block++) {
			size_t n = spread->counts[block][digit];

			spread->counts[block][digit] = next;
			next += n;
		}
		spread->ends[digit] = next;
	}
}

static void sort_field(struct field field);

static int sort_parts(size_t i, size_t end, void *arg)
{
	const struct spread *spread = arg;

	for (; i < end; i++) {
		size_t begin = i ? spread->ends[i - 1] : 0;
		struct field part = *spread->field;

		part.first += begin;
		part.n = spread->ends[i] - begin;
		part.differ &= (UINT64_C(1) << spread->shift) - 1;
		sort_field(part);
	}
	return 0;
}

static void sort_large(struct field *field)
{
	static const struct nap_loop one_by_one = { .grain = 1 };
	struct spread spread = { .field = field };
	uint32_t bits = nr_bits(field->differ);

	spread.shift = bits > DIGIT_BITS ? bits - DIGIT_BITS : 0;
	spread.counts = field->counts + field->first / BLOCK_LEAST;
	spread.blocks = field->n / BLOCK_LEAST < BLOCKS_MAX ? field->n / BLOCK_LEAST : BLOCKS_MAX;
	nap_for_as(field->pool, &one_by_one, 0, spread.blocks, count_blocks, &spread);
	blocks_to_offsets(&spread);
	nap_for_as(field->pool, &one_by_one, 0, spread.blocks, scatter_blocks, &spread);
	swap_places(field);
	nap_for_as(field->pool, &one_by_one, 0, DIGITS, sort_parts, &spread);
}

/* Sorts @field. The caller is a worker of the pool, unless the field is small. */
static void sort_field(struct field field)
{
	if (field.n <= LARGE || !may_nest()) {
		sort_field_here(field);
		return;
	}
	find_differ(&field);
	if (field.differ)
		sort_large(&field);
	else
		into_place(&field);
}

static void sort_field_called(struct nap_worker *worker, void *field)
{
	(void)worker;
	sort_field(*(struct field *)field);
}

size_t nap__radix_extra(size_t n)
{
	return (n / BLOCK_LEAST + 1) * DIGITS * sizeof(size_t) + _Alignof(size_t);
}

int nap__radix_sort(struct nap_pool *pool, unsigned char *elements, unsigned char *room, size_t n,
		    const struct nap__keys *keys)
{
	struct field field = { .pool = pool, .keys = keys, .from = elements, .room = room, .n = n };
	uintptr_t behind = (uintptr_t)room + n * keys->size;

	field.counts = (size_t (*)[DIGITS])((behind + _Alignof(size_t) - 1) &
					    -(uintptr_t)_Alignof(size_t));
	field.differ = keys->wide ? UINT64_MAX : UINT32_MAX;
	if (n > LARGE)
		return nap_call(pool, sort_field_called, &field) ? -ESHUTDOWN : 0;
	field.differ = digit_differ(keys, elements, n, n ? key_of(elements, keys, keys->wide) : 0);
	sort_field_here(field);
	return 0;
}
