/* SPDX-License-Identifier: MIT */
/*
 * A program for the later library that tests/system/abi.sh makes. It uses the new field and, if
 * SYMBOL is defined, the new call. Prints what nap_pool_init() has returned, and the field.
 */
#include <stdio.h>

#include <nap/nap.h>

int main(void)
{
	static struct nap_pool pool;
	struct nap_config config = { .max_workers = 1, .later = 7 };
	int err = nap_pool_init(&pool, &config);

#ifdef SYMBOL
	printf("%d %u\n", err, nap_pool_later(&pool));
#else
	printf("%d\n", err);
#endif
	return nap_pool_join(&pool, NULL);
}
