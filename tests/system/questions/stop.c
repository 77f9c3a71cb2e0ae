/* SPDX-License-Identifier: MIT */
#include "try.h"
static size_t fits(size_t begin, size_t end, void *items)
{
	while (begin < end && ((int *)items)[begin] != 5)
		begin++;
	return begin;
}

#include PIECE

int main(void)
{
	static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
	static int items[1000];
	size_t index = 0;

	TRY(first_fit(&pool, 1000, items, &index) == -ENOENT && index == 0);
	items[700] = 5;
	TRY(first_fit(&pool, 1000, items, &index) == 0 && index == 700);
	SET(stop);
	items[700] = 0;
	TRY(first_fit(&pool, 1000, items, &index) == -ECANCELED);
	return nap_pool_join(&pool, NULL);
}
