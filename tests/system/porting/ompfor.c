/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdio.h>

#ifndef BEFORE
#include <nap/nap.h>

static struct nap_pool pool;
#endif

#include PIECE

int main(void)
{
	static double values[100000];
	double sum = 0;

	for (int i = 0; i < 100000; i++)
		values[i] = i;
	halve(values, 100000);
	for (int i = 0; i < 100000; i++)
		sum += values[i];
	printf("%.1f\n", sum);
	return 0;
}
