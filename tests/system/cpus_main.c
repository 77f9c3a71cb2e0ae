/* SPDX-License-Identifier: MIT */
/* Prints the workers that a pool which sizes itself would get here. */
#include <nap/nap.h>

#include <stdio.h>

int main(void)
{
	printf("%u\n", (unsigned)nap_cpu_count());
	return 0;
}
