/* SPDX-License-Identifier: MIT */
/*
 * The sorts of nap/sort_divide.h by a comparison through a pointer: one for each usual size of
 * elements, so that elements are copied through registers, and one for all other sizes.
 */
#include "parallel/element.h"

static inline bool compared_before(const void *left, const void *right, void *with)
{
	const struct nap__order *order = with;

	return order->compare(left, right, order->arg) < 0;
}

nap__sort_form_define(fours, 4, compared_before, nap__sort_turn_each)
nap__sort_form_define(eights, 8, compared_before, nap__sort_turn_each)
nap__sort_form_define(sixteens, 16, compared_before, nap__sort_turn_each)
nap__sort_form_define(others, ((const struct nap__order *)nap__with)->size, compared_before,
		      nap__sort_turn_each)

const struct nap__sort_form *nap__sort_form_of(size_t size)
{
	return size == 4 ? &fours_form : size == 8 ? &eights_form :
	       size == 16 ? &sixteens_form : &others_form;
}
