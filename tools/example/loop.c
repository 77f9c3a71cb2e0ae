/* SPDX-License-Identifier: MIT */
/*
 * The least program that lets a pool do works, gets the works back on a loop, and takes one back:
 * twelve lines in its functions. Documentation/daemons.rst has it, too.
 *
 *	cc loop.c -lnap -o loop && ./loop
 */
#include <nap/nap.h>
#include <stdio.h>
#include <sys/epoll.h>

struct number {
	struct nap_work work;
	int n;
};

static int next(struct nap_work *work)				/* on a worker */
{
	return nap_container_of(work, struct number, work)->n + 1;
}

static void ended(struct nap_work *work, int result)		/* on the loop */
{
	printf("%d: %d\n", nap_container_of(work, struct number, work)->n, result);
}

static struct nap_pool pool;
static struct nap_cq cq;
static struct number numbers[] = { { NAP_WORK_INIT(next, ended, &cq), 7 },
				   { NAP_WORK_INIT(next, ended, &cq), 8 },
				   { NAP_WORK_INIT(next, ended, &cq), 9 } };

int main(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	if (nap_cq_init(&cq) || epoll_ctl(epoll, EPOLL_CTL_ADD, nap_cq_fd(&cq), &event))
		return 1;
	for (int i = 0; i < 3; i++)
		nap_work_schedule(&pool, &numbers[i].work);
	nap_cancel(&numbers[2].work);		/* unless it has begun, it ends as -ECANCELED */
	for (size_t n = 0; n < 3; n += nap_cq_run(&cq, 0))
		epoll_wait(epoll, &event, 1, -1);
	return nap_pool_join(&pool, NULL);
}
