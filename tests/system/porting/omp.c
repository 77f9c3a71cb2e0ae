/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#ifndef BEFORE
#include <nap/nap.h>

static struct nap_pool pool;
#endif

#include PIECE

int main(void)
{
	printf("%ld\n", fib_of(22));
	return 0;
}
