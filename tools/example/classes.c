/* SPDX-License-Identifier: MIT */
/*
 * Uses one pool for requests and for a batch, and prints how much of the batch is done when all
 * requests are.
 *
 *	cc -O2 classes.c -lnap -o classes && ./classes
 */
#include <nap/nap.h>
#include <stdio.h>

static struct nap_classes classes = { .of = {
	[NAP_CLASS_INTERACTIVE] = { .weight = 8 },
	[NAP_CLASS_NORMAL] = { .weight = 4 },
	[NAP_CLASS_BATCH] = { .weight = 2, .limit = 1 },	/* at most one worker */
	[NAP_CLASS_IDLE] = { .weight = 1 },
} };
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2, .classes = &classes);

#define NR_REQUESTS	1000
#define NR_ROWS		1000

/* A row of a report. The task of a row schedules the next row. */
static struct report {
	struct nap_task task;
	int rows;
} report;

static void write_row(struct nap_task *task)
{
	struct report *r = nap_container_of(task, struct report, task);

	if (__atomic_add_fetch(&r->rows, 1, __ATOMIC_RELAXED) < NR_ROWS &&
	    nap_class_schedule(&pool, NAP_CLASS_BATCH, task))
		fprintf(stderr, "the report ends early\n");
}

static int answered, rows_meanwhile;

static void answer(struct nap_task *task)
{
	(void)task;
	if (__atomic_add_fetch(&answered, 1, __ATOMIC_RELAXED) == NR_REQUESTS)
		rows_meanwhile = __atomic_load_n(&report.rows, __ATOMIC_RELAXED);
}

int main(void)
{
	static struct nap_task requests[NR_REQUESTS];

	nap_task_init(&report.task, write_row);
	if (nap_class_schedule(&pool, NAP_CLASS_BATCH, &report.task))
		return 1;
	for (int i = 0; i < NR_REQUESTS; i++) {
		nap_task_init(&requests[i], answer);
		if (nap_class_schedule(&pool, NAP_CLASS_INTERACTIVE, &requests[i]))
			return 1;
	}
	/* also runs the tasks that queued tasks schedule */
	nap_pool_join(&pool, NULL);
	printf("%d requests are answered behind %d rows of %d\n", answered, rows_meanwhile,
	       report.rows);
	return 0;
}
