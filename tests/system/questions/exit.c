/* SPDX-License-Identifier: MIT */
/* Ends the program while a task runs that never ends. */
#include "try.h"

static int begun;

static void endless(struct nap_task *task)
{
	(void)task;
	SET(begun);
	for (;;)
		pause();
}

int main(void)
{
	static struct nap_pool pool;
	static struct nap_task task = NAP_TASK_INIT(endless);

	TRY(nap_schedule(&pool, &task) == 0);
	UNTIL(begun);
	return 0;
}
