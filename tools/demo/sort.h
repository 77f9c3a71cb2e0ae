/* SPDX-License-Identifier: MIT */
#ifndef DEMO_SORT_H
#define DEMO_SORT_H

#include "demo.h"

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

/* range.c */
int sort_begin(struct sort *sort, const struct options *options, unsigned workers);
struct range *range_get(struct sort *sort);
void range_put(struct sort *sort, struct range *range);
void ranges_free(struct sort *sort);

#endif /* DEMO_SORT_H */
