/* SPDX-License-Identifier: MIT */
/*
 * Accesses to memory that does not exist, is not the thread's, or has no value. Each fault has its
 * name, for atomic and for plain accesses.
 *
 * verdict null_load: found: access through NULL: 4 bytes at 0$|found: access through NULL: 4 bytes at 0 \(
 * verdict null_member: found: access through NULL: 8 bytes at 0x8
 * verdict null_plain: found: access through NULL: 4 bytes at 0
 * verdict null_rmw: found: access through NULL: 4 bytes at 0
 * verdict wild: found: access through a wild pointer: 4 bytes at 0xdeadbeec
 * verdict wild_plain: found: access through a wild pointer: 4 bytes at 0xdeadbeec
 * verdict behind_heap: found: out of bounds: 4 bytes at 16 of the 16 of heap
 * verdict before_heap: found: out of bounds: 4 bytes
 * verdict behind_heap_atomic: found: out of bounds: 4 bytes at 16 of the 16 of heap
 * verdict behind_static: found: out of bounds: 4 bytes at 12 of the 12 of few
 * verdict across_copy: found: out of bounds: 24 bytes at 0 of the 16 of heap
 * verdict never_written: found: reads what was never written: 4 bytes at 4 of the 8 of heap
 * verdict never_written_atomic: found: reads what was never written: 4 bytes at 0 of the 8 of heap
 * verdict written_by_one: found: reads what was never written: 4 bytes at 0 of the 8 of heap
 * verdict cleared: no fault
 * verdict padding: no fault
 * verdict copied_unwritten: found: reads what was never written: 4 bytes at 4 of the 8 of heap
 * verdict grown: no fault
 * verdict unordered: found: use of memory whose allocation by T0 does not happen before: heap
 * verdict ordered: no fault
 * verdict freed_twice: found: freed twice: heap
 * verdict freed_inside: found: free of what was not allocated
 * verdict freed_in_other: found: use of freed memory: 
 */
#include <nap/check.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct node {
	atomic_int first;
	int second;
};
struct linked {
	long value;
	_Atomic(struct linked *) next;
};

static _Atomic(atomic_int *) word;
static _Atomic(struct linked *) list;
static int *_Atomic plain;
static _Atomic(struct node *) node;
static atomic_int seen, zero;
static atomic_int few[3];

static void load(void *arg)
{
	atomic_store(&seen, atomic_load_explicit(atomic_load(&word), memory_order_relaxed));
}

static void load_member(void *arg)
{
	atomic_store(&seen, !atomic_load(&atomic_load(&list)->next));
}

static void load_plain(void *arg)
{
	atomic_store(&seen, *atomic_load(&plain));
}

static void add(void *arg)
{
	atomic_fetch_add(atomic_load(&word), 1);
}

CHECK_SCENARIO(null_load, .threads = { { load } });
CHECK_SCENARIO(null_member, .threads = { { load_member } });
CHECK_SCENARIO(null_plain, .threads = { { load_plain } });
CHECK_SCENARIO(null_rmw, .threads = { { add } });

static void load_anywhere(void *arg)
{
	atomic_store(&seen, atomic_load((atomic_int *)0xdeadbeec));
}

static void load_anywhere_plain(void *arg)
{
	atomic_store(&seen, *(volatile int *)0xdeadbeec);
}

CHECK_SCENARIO(wild, .threads = { { load_anywhere } });
CHECK_SCENARIO(wild_plain, .threads = { { load_anywhere_plain } });

static void four(void)
{
	plain = calloc(4, sizeof(int));
	word = (atomic_int *)plain;
}

static void write_fifth(void *arg)
{
	int *p = atomic_load(&plain);

	p[4 + atomic_load(&zero)] = 1;
}

static void write_before(void *arg)
{
	int *p = atomic_load(&plain);

	p[atomic_load(&zero) - 1] = 1;
}

static void store_fifth(void *arg)
{
	atomic_store(atomic_load(&word) + 4, 1);
}

static void store_fourth(void *arg)
{
	atomic_store(&few[3 + atomic_load(&zero)], 1);
}

static void copy_six(void *arg)
{
	static const int six[6];

	memcpy(atomic_load(&plain), six, sizeof(six));
}

CHECK_SCENARIO(behind_heap, .setup = four, .threads = { { write_fifth } });
CHECK_SCENARIO(before_heap, .setup = four, .threads = { { write_before } });
CHECK_SCENARIO(behind_heap_atomic, .setup = four, .threads = { { store_fifth } });
CHECK_SCENARIO(behind_static, .threads = { { store_fourth } });
CHECK_SCENARIO(across_copy, .setup = four, .threads = { { copy_six } });

static void publish(void *arg)
{
	struct node *n = malloc(sizeof(*n));

	n->first = 0;
	atomic_store_explicit(&node, n, memory_order_release);
}

static void publish_second(void *arg)
{
	struct node *n = malloc(sizeof(*n));

	n->second = 0;
	atomic_store_explicit(&node, n, memory_order_release);
}

static void publish_cleared(void *arg)
{
	atomic_store_explicit(&node, calloc(1, sizeof(struct node)), memory_order_release);
}

static void publish_relaxed(void *arg)
{
	atomic_store_explicit(&node, calloc(1, sizeof(struct node)), memory_order_relaxed);
}

static void read_second(void *arg)
{
	struct node *n = atomic_load_explicit(&node, memory_order_acquire);

	if (n)
		CHECK(n->second == 0);
}

static void read_first(void *arg)
{
	struct node *n = atomic_load_explicit(&node, memory_order_acquire);

	if (n)
		CHECK(atomic_load_explicit(&n->first, memory_order_relaxed) == 0);
}

static void read_only_first(void *arg)
{
	struct node *n = atomic_load_explicit(&node, memory_order_acquire);

	if (n)
		atomic_load_explicit(&n->first, memory_order_relaxed);
}

static void store_first(void *arg)
{
	struct node *n = atomic_load_explicit(&node, memory_order_acquire);

	if (n)
		atomic_store_explicit(&n->first, 1, memory_order_relaxed);
}

CHECK_SCENARIO(never_written, .threads = { { publish }, { read_second } });
CHECK_SCENARIO(never_written_atomic, .threads = { { publish_second }, { read_first } });

/* The other thread may come before. */
static void publish_and_store(void *arg)
{
	publish_second(arg);
	atomic_store(&atomic_load(&node)->first, 1);
}

CHECK_SCENARIO(written_by_one, .threads = { { publish_and_store }, { read_only_first } });
CHECK_SCENARIO(cleared, .threads = { { publish_cleared }, { read_second }, { read_first } });
CHECK_SCENARIO(unordered, .threads = { { publish_relaxed }, { store_first } });
CHECK_SCENARIO(ordered, .threads = { { publish_cleared }, { store_first } });

struct padded {
	char c;
	int i;
};

static void copy_padded(void *arg)
{
	struct padded *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b));

	a->c = (char)atomic_load(&zero);
	a->i = 2;
	*b = *a;
	CHECK(b->c == 0 && b->i == 2);
}

static void copy_unwritten(void *arg)
{
	int *a = malloc(8), *b = malloc(8);

	a[0] = atomic_load(&zero);
	memcpy(b, a, 8);
	CHECK(b[0] == 0);
	CHECK(b[1] == 0);
}

static void grow(void *arg)
{
	int *a = malloc(8);

	a[0] = a[1] = atomic_load(&zero);
	a = realloc(a, 64);
	a[2] = 0;
	CHECK(a[0] + a[1] + a[2] == 0);
	free(a);
}

CHECK_SCENARIO(padding, .threads = { { copy_padded } });
CHECK_SCENARIO(copied_unwritten, .threads = { { copy_unwritten } });
CHECK_SCENARIO(grown, .threads = { { grow }, { grow } });

static void free_twice(void *arg)
{
	int *a = atomic_load(&plain);

	free(a);
	free(a);
}

static void free_inside(void *arg)
{
	free(atomic_load(&plain) + 1);
}

static void free_it(void *arg)
{
	free(atomic_load(&plain));
}

static void use_it(void *arg)
{
	*atomic_load(&plain) = 1;
}

CHECK_SCENARIO(freed_twice, .setup = four, .threads = { { free_twice } });
CHECK_SCENARIO(freed_inside, .setup = four, .threads = { { free_inside } });
CHECK_SCENARIO(freed_in_other, .setup = four, .threads = { { free_it }, { use_it } });
