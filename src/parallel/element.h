/* SPDX-License-Identifier: MIT */
/* Elements of any size, comparing two of them, and sorting by comparisons: nap/sort.h. */
#ifndef NAP_PARALLEL_ELEMENT_H
#define NAP_PARALLEL_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <nap/sort.h>
#include <nap/sort_define.h>

/* A comparison through a pointer. */
struct nap__order {
	size_t size;		/* bytes of an element */
	nap_compare_fn compare;
	void *arg;
};

/* The elements that are sorted, and the sort: a form, and the argument of its functions. */
struct nap__sorting {
	struct nap_pool *pool;
	unsigned char *elements;
	size_t n, size;
	const struct nap__sort_form *form;
	void *arg;
};

/* Copies an element; without a call for the usual sizes. */
static inline void element_copy(void *to, const void *from, size_t size)
{
	if (size == 4)
		memcpy(to, from, 4);
	else if (size == 8)
		memcpy(to, from, 8);
	else if (size == 16)
		memcpy(to, from, 16);
	else
		memcpy(to, from, size);
}

static inline void element_swap(unsigned char *a, unsigned char *b, size_t size)
{
	if (size == 4)
		nap__sort_swap(a, b, 4);
	else if (size == 8)
		nap__sort_swap(a, b, 8);
	else if (size == 16)
		nap__sort_swap(a, b, 16);
	else
		nap__sort_swap(a, b, size);
}

/* Whether @a has to come before @b. */
static inline bool is_before(const struct nap__sorting *s, const void *a, const void *b)
{
	return s->form->before(a, b, s->arg);
}

/* Returns the form of elements of @size; its argument is a struct nap__order. forms.c */
const struct nap__sort_form *nap__sort_form_of(size_t size);

/*
 * Sorts by comparisons; @room has room for all elements. Stable. Returns 0, or -ESHUTDOWN: then
 * nothing has changed. Called by any thread. sort_forks.c
 */
int nap__sort_by_forks(const struct nap__sorting *s, unsigned char *room);

/* Sorts in place on the calling thread alone; n log n at worst. Not stable. heap.c */
void nap__heap_sort(const struct nap__sorting *s);

#endif /* NAP_PARALLEL_ELEMENT_H */
