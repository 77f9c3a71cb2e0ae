/* SPDX-License-Identifier: MIT */
/*
 * verdict main: found: assertion failed: .* order == 2
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int order;

static void first(void)
{
	order++;
	assert(order == 2);
}

static void second(void)
{
	assert(order == 1);
	order = 2;
}

/* Called in the order of their names the functions would find no fault. */
int main(void)
{
	order = 1;
	atexit(first);
	atexit(second);
	exit(0);
}
