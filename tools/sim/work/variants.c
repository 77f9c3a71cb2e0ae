/* SPDX-License-Identifier: MIT */
/*
 * nap with something done as others do it (tests/mutants/), to show what a choice of nap's costs or
 * brings. Some of the changes are wrong on a machine whose values may be stale. On the simulated
 * machine values are never stale.
 */
#include "program/variant.h"
#include "work/nap.h"

static void start_random(void)
{
	sim_vary(VARIANT_RANDOM);
	work_start_with(NAP_IDLE_SYNC);
}

static void start_backoff(void)
{
	sim_vary(VARIANT_BACK_OFF);
	work_start_with(NAP_IDLE_SYNC);
}

static void start_zap(void)
{
	sim_vary(VARIANT_NO_TURNS | VARIANT_ZAP_FENCES);
	work_start_with(NAP_IDLE_SYNC);
}

static void start_rayon(void)
{
	sim_vary(VARIANT_RAYON_FENCES);
	work_start_with(NAP_IDLE_JEC);
}

SIM_POOL(random, .name = "nap-random", .about = "nap whose searches begin at a random victim",
	 .start = start_random, WORK_OPS);
SIM_POOL(backoff, .name = "nap-backoff",
	 .about = "nap that pauses after a failed compare-exchange of the idle word",
	 .start = start_backoff, WORK_OPS);
SIM_POOL(zap, .name = "nap-zap",
	 .about = "nap as Zap was published: no fence after a push or before a search, no turns",
	 .start = start_zap, WORK_OPS);
SIM_POOL(rayon, .name = "nap-rayon",
	 .about = "nap-jec without the fence that Rayon leaves out, and with its random victims",
	 .start = start_rayon, WORK_OPS);
