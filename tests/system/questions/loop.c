/* SPDX-License-Identifier: MIT */
#include "try.h"
#include <poll.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct nap_cq cq;
static pthread_t loop;
static int shown;

struct request {
	struct nap_work work;
	int n;
};

static int read_file(struct nap_work *work)
{
	TRY(!pthread_equal(pthread_self(), loop));
	return nap_container_of(work, struct request, work)->n;
}

static void show(struct nap_work *work, int result)
{
	TRY(pthread_equal(pthread_self(), loop));
	TRY(result == nap_container_of(work, struct request, work)->n);
	shown++;
}

#include PIECE

int main(void)
{
	static struct request requests[100];
	struct pollfd fd;

	loop = pthread_self();
	TRY(nap_cq_init(&cq) == 0 && nap_pool_prewarm(&pool, 1) == 0);
	fd = (struct pollfd){ .fd = nap_cq_fd(&cq), .events = POLLIN };
	for (int i = 0; i < 100; i++) {
		requests[i].n = i;
		TRY(load(&requests[i]) == 0);
	}
	while (shown < 100) {
		TRY(poll(&fd, 1, -1) == 1);
		readable();
	}
	return nap_pool_join(&pool, NULL);
}
