/* SPDX-License-Identifier: MIT */
/*
 * The tasks are tiny, and the worker sleeps and is woken for each of them. Why?
 * Documentation/inside.rst finds out.
 *
 *	cc -O2 -o wakeups wakeups.c -lnap && ./wakeups
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <nap/nap.h>

#define TICKS	500
#define LINES	8

struct line {
	struct nap_task task;
	char text[64];
};

static struct nap_pool pool = NAP_POOL_INIT(.name = "wakeups", .max_workers = 1);
static struct line lines[TICKS][LINES];

static void parse(struct nap_task *task)
{
	struct line *line = nap_container_of(task, struct line, task);

	if (line->text[0])
		abort();
}

int main(void)
{
#ifdef CURED
	struct nap_batch batch = NAP_BATCH_INIT;
#endif
	struct rusage used, own;

	for (int i = 0; i < TICKS; i++) {
		for (int k = 0; k < LINES; k++) {
			nap_task_init(&lines[i][k].task, parse);
#ifdef CURED	/* the tasks of one read are scheduled together */
			nap_batch_push(&batch, &lines[i][k].task);
#else
			nap_schedule(&pool, &lines[i][k].task);
#endif
			usleep(100);
		}
#ifdef CURED
		nap_schedule_batch(&pool, &batch);
#endif
	}
	nap_pool_join(&pool, NULL);
	getrusage(RUSAGE_SELF, &used);
	getrusage(RUSAGE_THREAD, &own);
	printf("%d tasks, and the worker slept %ld times\n", TICKS * LINES,
	       used.ru_nvcsw - own.ru_nvcsw);
}
