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
	double left = 0;
	bool due;

	mine->result = result;
	mine->left = progress_left();
	parts_lock();
	due = progress_every || seconds_now() - parts->last_line >= PROGRESS_INTERVAL;
	if (due)
		parts->last_line = seconds_now();
	parts_unlock();
	*all = (struct result){ 0 };
	for (unsigned i = 0; i < parts->nr; i++) {
		const struct part *p = &parts->part[i];

		all->executions += p->result.executions;
		all->blocked += p->result.blocked + p->result.faulty;
		left += p->left;
	}
	return due ? left : -1;
}

unsigned long parts_number_run(void)
{
	unsigned long sum = 0;

	mine->result = result;
	for (unsigned i = 0; i < parts->nr; i++) {
		const struct result *r = &parts->part[i].result;

		if (!parts->part[i].is_resumed)
			sum += r->executions + r->blocked + r->faulty;
	}
	return sum;
}
