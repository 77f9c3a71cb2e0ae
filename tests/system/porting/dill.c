/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#define N 1000

#ifdef BEFORE
#include <libdill.h>
#else
#include <nap/nap.h>

static struct nap_pool pool = NAP_POOL_INIT(.flags = NAP_NO_WORKERS);
#endif

#include PIECE

#ifdef BEFORE
int main(void)
{
	printf("%ld\n", total());
	return 0;
}
#else
static intptr_t program(void *arg)
{
	(void)arg;
	printf("%ld\n", total());
	return 0;
}

int main(void)
{
	return nap_run(&pool, program, NULL, NULL) || nap_pool_join(&pool, NULL);
}
#endif
