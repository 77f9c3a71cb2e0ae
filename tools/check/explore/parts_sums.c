/* SPDX-License-Identifier: MIT */
/* What all parts of a search have done so far. */
#include "explore/parts_shared.h"
#include "explore/progress.h"

double parts_cpu_seconds(void)
{
	double sum = 0;

	mine->cpu_seconds = cpu_seconds_now() - cpu_before;
	for (unsigned i = 0; i < parts->nr; i++)
		sum += parts->part[i].cpu_seconds;
	return sum;
}

double parts_progress(struct result *all)
{
	double share = 0;
	bool due;

	parts_lock();
	due = seconds_now() - parts->last_line >= PROGRESS_INTERVAL;
	if (due)
		parts->last_line = seconds_now();
	parts_unlock();
	if (!due)
		return -1;
	mine->result = result;
	mine->share = progress_share;
	*all = (struct result){ 0 };
	for (unsigned i = 0; i < parts->nr; i++) {
		const struct part *p = &parts->part[i];

		all->executions += p->result.executions;
		all->blocked += p->result.blocked + p->result.faulty;
		share += p->share;
	}
	return share;
}

unsigned long parts_number_run(void)
{
	unsigned long sum = 0;

	mine->result = result;
	for (unsigned i = 0; i < parts->nr; i++) {
		const struct result *r = &parts->part[i].result;

		sum += r->executions + r->blocked + r->faulty;
	}
	return sum;
}
