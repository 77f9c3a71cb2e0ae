/* SPDX-License-Identifier: MIT */
/*
 * options --leaks
 * verdict lost: found: leak: 8 bytes, heap.*, allocated by T0
 * verdict lost_in_lost: found: leak: 16 bytes, heap.*, allocated by T0
 * verdict kept: no fault
 * verdict kept_in_kept: no fault
 * verdict freed: no fault
 */
#include <nap/check.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	struct node *next;
	long value;
};

static atomic_int flag;
static struct node *list;

static void lose(void *arg)
{
	long *p = malloc(sizeof(*p));

	*p = atomic_load(&flag);
}

static struct node *make_two(void)
{
	struct node *n = calloc(1, sizeof(*n));

	n->next = calloc(1, sizeof(*n));
	n->next->value = atomic_load(&flag);
	return n;
}

static void lose_two(void *arg)
{
	make_two();
}

static void keep(void *arg)
{
	list = calloc(1, sizeof(*list));
	list->value = atomic_load(&flag);
}

static void keep_two(void *arg)
{
	list = make_two();
}

static void free_two(void *arg)
{
	struct node *n = make_two();

	free(n->next);
	free(n);
}

CHECK_SCENARIO(lost, .threads = { { lose } });
CHECK_SCENARIO(lost_in_lost, .threads = { { lose_two } });
CHECK_SCENARIO(kept, .threads = { { keep } });
CHECK_SCENARIO(kept_in_kept, .threads = { { keep_two } });
CHECK_SCENARIO(freed, .threads = { { free_two }, { free_two } });
