/* SPDX-License-Identifier: MIT */
#include "try.h"
#include PIECE

static int fds[2];
static char got;

static void reader(struct nap_task *task)
{
	(void)task;
	TRY(read_all(fds[0], &got, 1) == 1);
}

static void writer(struct nap_task *task)
{
	(void)task;
	TRY(write(fds[1], "x", 1) == 1);
}

/* There is one worker, and it waits for what the second task writes. */
int main(void)
{
	struct nap_task first = NAP_TASK_INIT(reader), second = NAP_TASK_INIT(writer);

	TRY(pipe(fds) == 0);
	TRY(nap_schedule(&pool, &first) == 0 && nap_schedule(&pool, &second) == 0);
	TRY(nap_pool_join(&pool, NULL) == 0 && got == 'x');
	return 0;
}
