/* SPDX-License-Identifier: MIT */
/* A loop whose parts have owners: src/parallel/owned.c. */
#ifndef NAP_PARALLEL_OWNED_H
#define NAP_PARALLEL_OWNED_H

#include <stddef.h>

#include <nap/for.h>

/* As nap_for_as() with @how->owners, for indices that there are. */
int nap__for_owned(struct nap_pool *pool, const struct nap_loop *how, size_t begin, size_t end,
		   nap_range_fn run, void *arg);

#endif /* NAP_PARALLEL_OWNED_H */
