/* SPDX-License-Identifier: MIT */
#include "try.h"
static int add(size_t begin, size_t end, void *sum, void *numbers)
{
	for (size_t i = begin; i < end; i++)
		*(double *)sum += ((double *)numbers)[i];
	return 0;
}

static void merge(void *sum, const void *right, void *numbers)
{
	(void)numbers;
	*(double *)sum += *(const double *)right;
}

#include PIECE

int main(void)
{
	static struct nap_pool one = NAP_POOL_INIT(.max_workers = 1);
	static struct nap_pool four = NAP_POOL_INIT(.max_workers = 4);
	static double numbers[100000];
	double sum, again, plain = 0;

	for (int i = 0; i < 100000; i++)
		plain += numbers[i] = 1.0 / (i + 1);
	TRY(same_sum(&one, 100000, &sum, numbers) == 0 && sum > 12 &&
	    memcmp(&sum, &plain, sizeof(sum)));
	for (int i = 0; i < 5; i++)
		TRY(same_sum(&four, 100000, &again, numbers) == 0 &&
		    !memcmp(&sum, &again, sizeof(sum)));
	return nap_pool_join(&one, NULL) || nap_pool_join(&four, NULL);
}
