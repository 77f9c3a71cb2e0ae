/* SPDX-License-Identifier: MIT */
/* Prints the number of workers of a pool that sizes itself here. */
#include <nap/nap.h>

#include <stdio.h>

int main(void)
{
	printf("%u\n", (unsigned)nap_cpu_count());
	return 0;
}
