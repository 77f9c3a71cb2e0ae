/* SPDX-License-Identifier: MIT */
/* Random numbers that are the same everywhere: splitmix64. */
#include "brute.h"

unsigned below(struct random *random, unsigned n)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (unsigned)((z ^ z >> 31) >> 33) % n;
}

bool percent(struct random *random, unsigned n)
{
	return below(random, 100) < n;
}
