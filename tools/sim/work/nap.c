/* SPDX-License-Identifier: MIT */
/* nap itself, under each of its idle protocols. */
#include "work/nap.h"

struct nap_pool work_pool;
struct nap_classes *work_classes;

void work_start_with(uint32_t idle)
{
	struct nap_config config = { .max_workers = sim_run.workers, .idle = idle,
				     .classes = work_classes };

	sim_name(&work_pool, sizeof(work_pool), "struct nap_pool");
	if (nap_pool_init(&work_pool, &config) || nap_pool_prewarm(&work_pool, sim_run.workers))
		sim_fail("the pool does not start");
	/* Waits until all workers have searched for work, and sleep. */
	sim_sleep_until(sim_now() + 2000000);
}

static void start_sync(void)
{
	work_start_with(NAP_IDLE_SYNC);
}

static void start_go(void)
{
	work_start_with(NAP_IDLE_GO);
}

static void start_jec(void)
{
	work_start_with(NAP_IDLE_JEC);
}

void work_schedule(struct nap_task *task)
{
	if (nap_schedule(&work_pool, task))
		sim_fail("nap_schedule() refuses a task");
}

void work_schedule_batch(struct nap_batch *batch)
{
	if (nap_schedule_batch(&work_pool, batch))
		sim_fail("nap_schedule_batch() refuses a batch");
}

void work_wait(void)
{
	if (nap_pool_quiesce(&work_pool))
		sim_fail("nap_pool_quiesce() fails");
}

void work_stop(void)
{
	if (nap_pool_join(&work_pool, NULL))
		sim_fail("nap_pool_join() fails");
}

uint64_t work_steals(void)
{
	struct nap_pool_stats stats;

	nap_pool_get_stats(&work_pool, &stats);
	return stats.workers.stolen + stats.workers.jobs_stolen;
}

SIM_POOL(nap, .name = "nap", .about = "nap, with its first idle protocol, Sync (Zap's)",
	 .start = start_sync, WORK_OPS);
SIM_POOL(go, .name = "nap-go", .about = "nap with the idle protocol of Go", .start = start_go,
	 WORK_OPS);
SIM_POOL(jec, .name = "nap-jec", .about = "nap with Rayon's idle protocol", .start = start_jec,
	 WORK_OPS);
