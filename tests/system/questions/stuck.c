/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static int begun, flag;

static void waits(struct nap_task *task)
{
	(void)task;
	SET(begun);
	UNTIL(flag);
}

static void sets(struct nap_task *task)
{
	(void)task;
	SET(flag);
}

/* The only worker is in the first task, which ends when a further worker has run the second. */
int main(void)
{
	struct nap_task first = NAP_TASK_INIT(waits), second = NAP_TASK_INIT(sets);

	TRY(nap_schedule(&pool, &first) == 0);
	UNTIL(begun);
	TRY(nap_schedule(&pool, &second) == 0);
	do {
		TRY(each_half_millisecond() >= 0);
		usleep(500);
	} while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE));
	return nap_pool_join(&pool, NULL);
}
