/* SPDX-License-Identifier: MIT */
/*
 * loop.c with io_uring in place of epoll: a poll of io_uring reports once, so each wait asks for
 * another poll.
 *
 *	cc loop_uring.c -lnap -luring -o loop_uring && ./loop_uring
 */
#include <liburing.h>
#include <nap/nap.h>
#include <poll.h>
#include <stdio.h>

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
				   { NAP_WORK_INIT(next, ended, &cq), 8 } };

int main(void)
{
	struct io_uring ring;
	struct io_uring_cqe *cqe;

	if (nap_cq_init(&cq) || io_uring_queue_init(4, &ring, 0))
		return 1;
	for (int i = 0; i < 2; i++)
		nap_work_schedule(&pool, &numbers[i].work);
	for (size_t n = 0; n < 2; n += nap_cq_run(&cq, 0)) {
		io_uring_prep_poll_add(io_uring_get_sqe(&ring), nap_cq_fd(&cq), POLLIN);
		if (io_uring_submit(&ring) != 1 || io_uring_wait_cqe(&ring, &cqe))
			return 1;
		io_uring_cqe_seen(&ring, cqe);
	}
	io_uring_queue_exit(&ring);
	return nap_pool_join(&pool, NULL);
}
