/* SPDX-License-Identifier: MIT */
/**
 * DOC: NAP_SORT_DEFINE - sorts for a type, with the comparison in line
 *
 * NAP_SORT_DEFINE() defines sorts for one type of elements. The comparison is inlined into them, so
 * they take about half the time of nap_sort(), which calls its comparison.
 *
 *	static inline bool is_younger(const struct person *a, const struct person *b, void *unused)
 *	{
 *		return a->age < b->age;
 *	}
 *	NAP_SORT_DEFINE(sort_people, struct person, is_younger)
 *
 *	err = sort_people(&pool, people, nr_people, NULL);
 *
 * Numbers, and elements with a number to sort by, are sorted faster by nap_sort_keys(). In C++
 * nap/nap.hpp has templates.
 */
#ifndef NAP_SORT_DEFINE_H
#define NAP_SORT_DEFINE_H

#include "fork.h"
#include "sort_divide.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Not for programs: the functions of a sort that depend on the type of the elements. The last
 * argument of each function is passed to the comparison. The functions that are named below are in
 * nap/sort_merge.h, nap/sort_divide.h and nap/sort_scan.h.
 *
 * @before: whether @left has to come before @right
 * @turn:   nap__sort_turn() or nap__sort_turn_each()
 * @split:  nap__part_split()
 * @sort:   nap__part_sort()
 * @merge:  nap__merge_runs()
 */
struct nap__sort_form {
	nap__before_fn before;
	size_t (*turn)(const unsigned char *first, size_t i, size_t turn_end, bool falls,
		       void *with);
	int (*split)(struct nap__part *part, struct nap__part *rest, void *with);
	void (*sort)(const struct nap__part *leaf, void *with);
	void (*merge)(const unsigned char *left, size_t nr_left, const unsigned char *right,
		      size_t nr_right, unsigned char *to, void *with);
};

/*
 * Not for programs: the part of the sorts that is the same for all types; in src/parallel/sort.c.
 */
int nap_sort_slow(struct nap_pool *pool, void *elements, size_t n, size_t size,
		  const struct nap__sort_form *form, void *arg, bool stable);

/*
 * Defines the functions of a form, and the form itself, for elements of @bytes. @turn_of is
 * nap__sort_turn, or nap__sort_turn_each if @before calls the program's comparison.
 */
#define nap__sort_form_define(name, bytes, before, turn_of)				\
static size_t name##_turn(const unsigned char *nap__first, size_t nap__i, size_t nap__end, \
			  bool nap__falls, void *nap__with)				\
{											\
	return turn_of(nap__first, nap__i, nap__end, nap__falls, bytes, before, nap__with); \
}											\
static int name##_split(struct nap__part *nap__part, struct nap__part *nap__rest,	\
			void *nap__with)						\
{											\
	return nap__part_split(nap__part, nap__rest, bytes, before, nap__with);		\
}											\
static void name##_sort(const struct nap__part *nap__leaf, void *nap__with)		\
{											\
	nap__part_sort(nap__leaf, bytes, before, nap__with);				\
}											\
static void name##_merge(const unsigned char *nap__left, size_t nap__nr_left,		\
			 const unsigned char *nap__right, size_t nap__nr_right,		\
			 unsigned char *nap__to, void *nap__with)			\
{											\
	nap__merge_runs(nap__left, nap__nr_left, nap__right, nap__nr_right, nap__to, bytes, \
			before, nap__with);						\
}											\
static const struct nap__sort_form name##_form = {					\
	before, name##_turn, name##_split, name##_sort, name##_merge			\
};

/**
 * NAP_SORT_DEFINE() - define sorts for a type
 * @name: the name of the functions
 * @type: the type of the elements, which are copied as bytes; its alignment is 64 at most
 * @less: a function, or a macro like one, that returns whether an element has to come before
 *	another: bool less(const type *left, const type *right, void *arg)
 *
 * At file scope, without a semicolon. Defines
 *
 *	static int name(struct nap_pool *pool, type *elements, size_t n, void *arg);
 *	static int name_stable(struct nap_pool *pool, type *elements, size_t n, void *arg);
 *
 * name() is as nap_sort(), and name_stable() as nap_sort_stable(). @arg is passed to @less. Several
 * threads call @less at the same time, as often as nap_sort() compares. @less should be short,
 * static inline, and without branches: a->age < b->age, not an if. Elements of up to 64 bytes are
 * sorted fast; if elements are larger, sort pointers to them.
 *
 * The algorithms are those of van den Hoven, "quadsort" (2020) and "fluxsort" (2021), and Bergdoll
 * and Peters, "driftsort" (2024): see nap/sort_divide.h.
 */
#define NAP_SORT_DEFINE(name, type, less)						\
nap__assert(__alignof__(type) <= 64, "elements are aligned to 64 bytes at most");	\
nap__assert(nap__is_plain(type), "elements are copied as bytes: sort pointers to them");	\
static inline bool nap__##name##_before(const void *nap__left, const void *nap__right,	\
					void *nap__with)				\
{											\
	(void)nap__with;								\
	return less((const type *)nap__left, (const type *)nap__right, nap__with);	\
}											\
nap__sort_form_define(nap__##name, sizeof(type), nap__##name##_before, nap__sort_turn)	\
static inline __attribute__((__unused__)) int						\
name(struct nap_pool *nap__pool, type *nap__elements, size_t nap__n, void *nap__arg)	\
{											\
	return nap_sort_slow(nap__pool, nap__elements, nap__n, sizeof(type),		\
			     &nap__##name##_form, nap__arg, false);			\
}											\
static inline __attribute__((__unused__)) int						\
name##_stable(struct nap_pool *nap__pool, type *nap__elements, size_t nap__n, void *nap__arg) \
{											\
	return nap_sort_slow(nap__pool, nap__elements, nap__n, sizeof(type),		\
			     &nap__##name##_form, nap__arg, true);			\
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_SORT_DEFINE_H */
