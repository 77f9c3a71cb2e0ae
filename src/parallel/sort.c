/* SPDX-License-Identifier: MIT */
/*
 * nap_sort() and the like. Sorted elements stay as they are, falling elements are reversed. All
 * other elements are sorted by radix.c or sort_forks.c, or, without memory, by heap.c. Typically
 * the second pair of neighbours shows that the elements are neither sorted nor reversed.
 */
#include <errno.h>
#include <stdbool.h>

#include <nap/nap.h>

#include "os/os.h"
#include "parallel/digit.h"
#include "parallel/element.h"
#include "parallel/keys.h"
#include "sync/debug.h"
#include "worker/leaving.h"

/* Additional memory of at most STACK_ROOM bytes (the room) lies on the caller's stack. */
#define STACK_ROOM	1024u
/* Elements in the room have the same alignment as in their array, up to ALIGNED. */
#define ALIGNED		64u

/* A sort by comparisons or by keys. */
struct sorting {
	struct nap__sorting by;
	const struct nap__keys *keys;	/* the keys; NULL: a sort by comparisons */
	bool falls;			/* whether find_turn() expects falling elements */
};

/* ---- elements that are sorted or falling */

/*
 * Returns the index of the first element that comes before its left neighbour; with @falls, of the
 * first that does not.
 */
static size_t find_turn(size_t i, size_t end, void *arg)
{
	const struct sorting *s = arg;

	if (s->keys)
		/* Not noticed in tests when 0 returned: what is sorted is sorted once more. */
		return digit_turn(s->keys, s->by.elements, i, end, !s->falls);
	return s->by.form->turn(s->by.elements, i, end, s->falls, s->by.arg);
}

static int turn_round(size_t i, size_t end, void *arg)
{
	const struct nap__sorting *by = &((const struct sorting *)arg)->by;
	size_t size = by->size;
	unsigned char *front = by->elements + i * size;
	unsigned char *back = by->elements + (by->n - end) * size;

	if (size == 4)
		nap__sort_turn_round(front, back, end - i, 4);
	else if (size == 8)
		nap__sort_turn_round(front, back, end - i, 8);
	else if (size == 16)
		nap__sort_turn_round(front, back, end - i, 16);
	else
		nap__sort_turn_round(front, back, end - i, size);
	return 0;
}

/* Returns 1 if the elements were sorted, or were strictly falling and have been reversed. */
static int sort_simple(struct sorting *s)
{
	struct nap_pool *pool = s->by.pool;
	size_t n = s->by.n;
	int any = nap_any(pool, NULL, 1, n, find_turn, s);

	if (any <= 0)
		return any ? any : 1;
	s->falls = true;
	any = nap_any(pool, NULL, 1, n, find_turn, s);
	if (any)
		return any < 0 ? any : 0;
	any = nap_for(pool, 0, n / 2, turn_round, s);
	return any ? any : 1;
}

/* ---- sorting */

static int sort_in(const struct sorting *s, unsigned char *room)
{
	const struct nap__sorting *by = &s->by;

	if (s->keys)
		return nap__radix_sort(by->pool, by->elements, room, by->n, s->keys);
	return nap__sort_by_forks(by, room);
}

static int sort_elements(struct sorting *s, bool stable)
{
	unsigned char on_stack[STACK_ROOM + ALIGNED] __attribute__((aligned(ALIGNED)));
	size_t bytes, extra = ALIGNED + (s->keys ? nap__radix_extra(s->by.n) : 0);
	size_t offset = (uintptr_t)s->by.elements % ALIGNED;
	unsigned char *room;
	int err;

	nothing_leaves();
	if (__builtin_mul_overflow(s->by.n, s->by.size, &bytes))
		return -EINVAL;
	if (s->by.n < 2)
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
	nap__heap_sort(&s->by);
	return 0;
}

static bool valid(struct nap_pool *pool, const void *elements, size_t n, size_t size)
{
	return pool && size && (elements || !n);
}

/* ---- sorting by keys */

static bool key_before(const void *left, const void *right, void *arg)
{
	const struct nap__keys *keys = arg;

	return key_of(left, keys, keys->wide) < key_of(right, keys, keys->wide);
}

int nap_sort_keys(struct nap_pool *pool, void *elements, size_t n, size_t size, enum nap_key key,
		  size_t offset)
{
	/* Heapsort, the sort without additional memory, needs only this function of the form. */
	static const struct nap__sort_form form = { .before = key_before };
	struct nap__keys keys = keys_of(key, size, offset);
	struct sorting s = { { pool, elements, n, size, &form, &keys }, &keys, false };
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

/* ---- sorting by comparisons */

static int sort_form(const struct nap__sorting *by, bool stable, const char *call, void *caller)
{
	struct sorting s = { *by, NULL, false };

	if (!valid(by->pool, by->elements, by->n, by->size))
		return -EINVAL;
	debug_pool(by->pool, call, caller);
	return sort_elements(&s, stable);
}

static int sort_compared(struct nap_pool *pool, void *elements, size_t n, struct nap__order order,
			 bool stable, const char *call, void *caller)
{
	struct nap__sorting by = { pool, elements, n, order.size, nap__sort_form_of(order.size),
				   &order };

	return order.compare ? sort_form(&by, stable, call, caller) : -EINVAL;
}

int nap_sort(struct nap_pool *pool, void *elements, size_t n, size_t size, nap_compare_fn compare,
	     void *arg)
{
	struct nap__order order = { size, compare, arg };

	return sort_compared(pool, elements, n, order, false, __func__,
			     __builtin_return_address(0));
}

int nap_sort_stable(struct nap_pool *pool, void *elements, size_t n, size_t size,
		    nap_compare_fn compare, void *arg)
{
	struct nap__order order = { size, compare, arg };

	return sort_compared(pool, elements, n, order, true, __func__,
			     __builtin_return_address(0));
}

int nap_sort_slow(struct nap_pool *pool, void *elements, size_t n, size_t size,
		  const struct nap__sort_form *form, void *arg, bool stable)
{
	struct nap__sorting by = { pool, elements, n, size, form, arg };

	return sort_form(&by, stable, __func__, __builtin_return_address(0));
}
