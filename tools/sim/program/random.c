/* SPDX-License-Identifier: MIT */
#include "program/run.h"
#include "program/sim.h"

void random_seed(uint64_t seed)
{
	sim_run.random = (seed + 1) * 0x9e3779b97f4a7c15u | 1;
}

uint32_t sim_random(uint32_t n)
{
	/* xorshift64* */
	sim_run.random ^= sim_run.random >> 12;
	sim_run.random ^= sim_run.random << 25;
	sim_run.random ^= sim_run.random >> 27;
	return (uint32_t)((sim_run.random * 0x2545f4914f6cdd1d >> 32) * n >> 32);
}
