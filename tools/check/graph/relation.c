/* SPDX-License-Identifier: MIT */
#include "graph/relation.h"

bool relation_cyclic(struct relation *r)
{
	unsigned words = RELATION_WORDS(r->nr);

	for (unsigned k = 0; k < r->nr; k++)
		for (unsigned i = 0; i < r->nr; i++)
			for (unsigned w = 0; w < words && relation_has(r, i, k); w++)
				r->after[i * words + w] |= r->after[k * words + w];
	for (unsigned i = 0; i < r->nr; i++)
		if (relation_has(r, i, i))
			return true;
	return false;
}
