/* SPDX-License-Identifier: MIT */

int main(void)
{
	int ran = 0;

	#pragma omp parallel num_threads(2)
	#pragma omp single
	#pragma omp task shared(ran)
	ran = 1;
	return !ran;
}
