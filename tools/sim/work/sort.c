/* SPDX-License-Identifier: MIT */
/* Sorting numbers by comparisons, each of which takes --grain. Each number counts as a task. */
#include "work/common.h"

static uint64_t sum_of;

OF_SIMULATOR static uint32_t *make_numbers(uint64_t n)
{
	uint32_t *numbers = sim_alloc(n * sizeof(*numbers), "numbers to sort");

	for (uint64_t i = 0; i < n; i++) {
		numbers[i] = sim_random(UINT32_MAX);
		sum_of += numbers[i];
	}
	return numbers;
}

OF_SIMULATOR static void check_numbers(const uint32_t *numbers, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (i && numbers[i] < numbers[i - 1])
			sim_fail("number %llu is smaller than the one before",
				 (unsigned long long)i);
		sum_of -= numbers[i];
	}
	if (sum_of)
		sim_fail("the numbers are not those that were to be sorted");
}

int work_compare(const void *left, const void *right, void *arg)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	(void)arg;
	sim_work(sim_run.grain_ns);
	return (a > b) - (a < b);
}

static void sort(void)
{
	uint32_t *numbers = make_numbers(sim_run.tasks);

	begin();
	sim_run.pool->sort(numbers, sim_run.tasks);
	sim_counts(sim_run.tasks);
	end();
	check_numbers(numbers, sim_run.tasks);
}

SIM_WORK(sort, .name = "sort", .run = sort, .each = 2000, .grain_ns = 20,
	 .about = "so many numbers, by comparisons of --grain each");
