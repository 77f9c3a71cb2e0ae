/* SPDX-License-Identifier: MIT */
/* The semaphores of probes, and the one probe that is a loop: src/worker/probe.h. */
#include "worker/probe.h"

#ifdef NAP_PROBES
#define SEMAPHORE(name)	unsigned short name __attribute__((section(".probes"), used))

SEMAPHORE(nap_schedule_semaphore);
SEMAPHORE(nap_begin_semaphore);
SEMAPHORE(nap_end_semaphore);
SEMAPHORE(nap_park_semaphore);
SEMAPHORE(nap_unpark_semaphore);
SEMAPHORE(nap_wake_semaphore);
SEMAPHORE(nap_steal_semaphore);
SEMAPHORE(nap_resume_semaphore);
SEMAPHORE(nap_suspend_semaphore);

void nap__probe_list(struct nap_pool *pool, struct nap_task *head, struct nap_task *tail)
{
	for (struct nap_task *task = head;; task = task->next) {
		probe3(schedule, pool, task, task->run);
		if (task == tail)
			return;
	}
}
#endif
