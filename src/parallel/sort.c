/* SPDX-License-Identifier: MIT */
/*
 * nap_sort() and the like. Sorted elements are left as they are, reversed elements are turned
 * round. All others are sorted by radix.c or merge.c, or, without memory, by heap.c. Typically the
 * second pair of neighbours shows that the elements are neither sorted nor reversed.
 */
#include <errno.h>
#include <stdbool.h>

#include <nap/nap.h>

#include "os/os.h"
#include "parallel/digit.h"
#include "parallel/element.h"
#include "parallel/keys.h"
#include "sync/debug.h"

/* A room of at most STACK_ROOM bytes lies on the caller's stack. */
#define STACK_ROOM	1024u
/* Elements in the room have the same alignment as in their array, up to ALIGNED. */
#define ALIGNED		64u

struct sorting {
	struct nap_pool *pool;
	unsigned char *elements;
	size_t n;
	struct nap__order order;
	const struct nap__keys *keys;	/* NULL: comparisons */
	bool falls;			/* whether find_turn() expects falling elements */
};

static int compare_keys(const void *left, const void *right, void *arg)
{
	const struct nap__keys *keys = arg;
	uint64_t a = key_of(left, keys, keys->wide), b = key_of(right, keys, keys->wide);

	return a < b ? -1 : a > b;
}

static const unsigned char *element_at(const struct sorting *s, size_t i)
{
	return s->elements + i * s->order.size;
}

/* ---- sorted already, or reversed */

/* Returns the first element that comes before its left neighbour; with @falls, that does not. */
static size_t find_turn(size_t i, size_t end, void *arg)
{
	const struct sorting *s = arg;

	if (s->keys)
		return digit_turn(s->keys, s->elements, i, end, !s->falls);
	while (i < end && is_before(&s->order, element_at(s, i), element_at(s, i - 1)) == s->falls)
		i++;
	return i;
}

static int turn_round(size_t i, size_t end, void *arg)
{
	const struct sorting *s = arg;
	size_t size = s->order.size;

	for (; i < end; i++)
		element_swap(s->elements + i * size, s->elements + (s->n - 1 - i) * size, size);
	return 0;
}

/* Returns 1 if the elements were sorted; or reversed, none equal, and now turned round. */
static int sort_simple(struct sorting *s)
{
	int any = nap_any(s->pool, NULL, 1, s->n, find_turn, s);

	if (any <= 0)
		return any ? any : 1;
	s->falls = true;
	any = nap_any(s->pool, NULL, 1, s->n, find_turn, s);
	if (any)
		return any < 0 ? any : 0;
	any = nap_for(s->pool, 0, s->n / 2, turn_round, s);
	return any ? any : 1;
}

/* ---- sorting */

static int sort_in(struct sorting *s, unsigned char *room)
{
	if (s->keys)
		return nap__radix_sort(s->pool, s->elements, room, s->n, s->keys);
	return nap__merge_sort(s->pool, s->elements, room, s->n, &s->order);
}

static int sort_elements(struct sorting *s, bool stable)
{
	unsigned char on_stack[STACK_ROOM + ALIGNED] __attribute__((aligned(ALIGNED)));
	size_t bytes, extra = ALIGNED + (s->keys ? nap__radix_extra(s->n) : 0);
	size_t offset = (uintptr_t)s->elements % ALIGNED;
	unsigned char *room;
	int err;

	if (__builtin_mul_overflow(s->n, s->order.size, &bytes))
		return -EINVAL;
	if (s->n < 2)
		return 0;
	err = sort_simple(s);
	if (err)
		return err < 0 ? err : 0;
	if (bytes <= STACK_ROOM)
		return sort_in(s, on_stack + offset);
	room = bytes > SIZE_MAX - extra ? NULL : nap__map_large(bytes + extra);
	if (room) {
		err = sort_in(s, room + offset);
		nap__os_unmap(room, bytes + extra);
		return err;
	}
	if (stable)
		return -ENOMEM;
	nap__heap_sort(s->elements, s->n, &s->order);
	return 0;
}

static bool valid(struct nap_pool *pool, const void *elements, size_t n, size_t size)
{
	return pool && size && (elements || !n);
}

int nap_sort_keys(struct nap_pool *pool, void *elements, size_t n, size_t size, enum nap_key key,
		  size_t offset)
{
	struct nap__keys keys = keys_of(key, size, offset);
	struct sorting s = { pool, elements, n, { size, compare_keys, &keys }, &keys, false };
	size_t width = keys.wide ? 8 : 4;

	if (!valid(pool, elements, n, size) || (unsigned)key >= NAP__KEYS || size < width ||
	    offset > size - width)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	return sort_elements(&s, false);
}

int nap_sort_i32(struct nap_pool *pool, int32_t *numbers, size_t n)
{
	return nap_sort_keys(pool, numbers, n, sizeof(*numbers), NAP_KEY_I32, 0);
}

int nap_sort_u32(struct nap_pool *pool, uint32_t *numbers, size_t n)
{
	return nap_sort_keys(pool, numbers, n, sizeof(*numbers), NAP_KEY_U32, 0);
}

int nap_sort_i64(struct nap_pool *pool, int64_t *numbers, size_t n)
{
	return nap_sort_keys(pool, numbers, n, sizeof(*numbers), NAP_KEY_I64, 0);
}

int nap_sort_u64(struct nap_pool *pool, uint64_t *numbers, size_t n)
{
	return nap_sort_keys(pool, numbers, n, sizeof(*numbers), NAP_KEY_U64, 0);
}

int nap_sort_float(struct nap_pool *pool, float *numbers, size_t n)
{
	return nap_sort_keys(pool, numbers, n, sizeof(*numbers), NAP_KEY_FLOAT, 0);
}

int nap_sort_double(struct nap_pool *pool, double *numbers, size_t n)
{
	return nap_sort_keys(pool, numbers, n, sizeof(*numbers), NAP_KEY_DOUBLE, 0);
}

int nap_sort(struct nap_pool *pool, void *elements, size_t n, size_t size, nap_compare_fn compare,
	     void *arg)
{
	struct sorting s = { pool, elements, n, { size, compare, arg }, NULL, false };

	if (!valid(pool, elements, n, size) || !compare)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	return sort_elements(&s, false);
}

int nap_sort_stable(struct nap_pool *pool, void *elements, size_t n, size_t size,
		    nap_compare_fn compare, void *arg)
{
	struct sorting s = { pool, elements, n, { size, compare, arg }, NULL, false };

	if (!valid(pool, elements, n, size) || !compare)
		return -EINVAL;
	debug_pool(pool, __func__, __builtin_return_address(0));
	return sort_elements(&s, true);
}
