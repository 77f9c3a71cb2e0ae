/* SPDX-License-Identifier: MIT */
#ifndef DEMO_SORT_H
#define DEMO_SORT_H

#include "demo.h"

#define SORT_CUTOFF 32

struct sort;

/* A part of the array that is still to be sorted, and the task that does it. */
struct range {
	struct nap_task task;
	union {
		struct sort *sort;
		struct range *next;	/* while it is free */
	};
	int32_t *first;
	uint32_t len;
};

struct range_block;

struct sort {
	struct run run;
	unsigned long id;	/* I: tells this sort's free lists from an earlier one's */
	struct range_block *blocks;	/* A: all of them, a stack that only grows */
	uint64_t left;	/* A: sub-ranges that a stop left over */
};

/* sort_steps.c */
void sort_by_insertion(int32_t *a, uint32_t len);
uint32_t sort_partition(int32_t *a, uint32_t len);
bool sort_shuffle(int32_t *a, uint32_t n);
bool sort_verify(const int32_t *a, uint32_t n);

/* sort.c */
int sort_check(const int32_t *a, uint32_t n, unsigned workers);
int sort_stopped_early(void);
void sort_report(const struct options *options, const char *how, uint32_t n,
		 const struct run *many, const struct run *one);

/* sort_tasks.c, sort_forks.c */
int sort_tasks(const struct options *options, int32_t *a, uint32_t n);
int sort_forks(const struct options *options, int32_t *a, uint32_t n);

/* range.c */
int sort_begin(struct sort *sort, const struct options *options, unsigned workers);
struct range *range_get(struct sort *sort);
void range_put(struct sort *sort, struct range *range);
void ranges_free(struct sort *sort);

#endif /* DEMO_SORT_H */
