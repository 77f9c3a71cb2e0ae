/* SPDX-License-Identifier: MIT */
/*
 * A binding declares some of nap's structures again in its own language. This program prints the
 * layout of each such structure, one a line: its name, its size, and where its fields begin. The
 * binding prints the same lines from its own declarations, and its test compares the two outputs.
 */
#include <nap/nap.h>

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#define AT(type, field) printf(" %zu", offsetof(struct type, field))
#define BEGIN(type) printf(#type " %zu:", sizeof(struct type))
#define END() printf("\n")

static void config(void)
{
	/*
	 * The size is not printed, because it grows in later versions. A binding reserves more
	 * room than today's size.
	 */
	printf("nap_config:");
	AT(nap_config, max_workers);
	AT(nap_config, idle);
	AT(nap_config, name);
	AT(nap_config, stack_size);
	AT(nap_config, worker_start);
	AT(nap_config, worker_stop);
	AT(nap_config, spawn_failed);
	AT(nap_config, arg);
	AT(nap_config, yields);
	AT(nap_config, yield_us);
	AT(nap_config, blocked);
	AT(nap_config, affinity);
	AT(nap_config, affinity_size);
	AT(nap_config, sched);
	AT(nap_config, flags);
	AT(nap_config, spin_us);
	AT(nap_config, memory);
	AT(nap_config, guard_size);
	AT(nap_config, most_workers);
	AT(nap_config, most_blocked);
	AT(nap_config, min_workers);
	AT(nap_config, idle_timeout_ns);
	AT(nap_config, classes);
	AT(nap_config, measure);
	END();
}

int main(void)
{
	BEGIN(nap_task);
	AT(nap_task, next);
	AT(nap_task, run);
	END();
	BEGIN(nap_batch);
	AT(nap_batch, head);
	AT(nap_batch, tail);
	AT(nap_batch, count);
	END();
	config();
	BEGIN(nap_group);
	AT(nap_group, pool);
	AT(nap_group, waiters);
	AT(nap_group, state);
	END();
	BEGIN(nap_work);
	AT(nap_work, task);
	AT(nap_work, fn);
	AT(nap_work, done);
	AT(nap_work, cq);
	AT(nap_work, deadline);
	AT(nap_work, state);
	AT(nap_work, result);
	AT(nap_work, gone);
	AT(nap_work, told);
	END();
	BEGIN(nap_cq);
	END();
	BEGIN(nap_frame);
	AT(nap_frame, run);
	AT(nap_frame, latch);
	AT(nap_frame, thief);
	AT(nap_frame, words);
	END();
	BEGIN(nap__forks);
	AT(nap__forks, bottom);
	AT(nap__forks, limit);
	AT(nap__forks, split);
	END();
	printf("%d %d %d %d %d %d %d\n", EBUSY, EINVAL, EDEADLK, ESHUTDOWN, ETIMEDOUT, EALREADY,
	       ECANCELED);
	return 0;
}
