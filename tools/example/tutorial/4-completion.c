/* SPDX-License-Identifier: MIT */
/* 4-completion: an event loop reads names of files from standard input; workers count. */
#include <nap/nap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "count.h"

struct request {
	struct nap_work work;
	long lines;
	char path[256];
};

static struct nap_pool pool;
static struct nap_cq done;
static int nr_requests;		/* the loop's: no other thread uses it */

/* Runs on a worker. */
static int count(struct nap_work *work)
{
	struct request *request = nap_container_of(work, struct request, work);

	request->lines = count_lines(request->path);
	return 0;
}

/* Runs on the loop. */
static void reply(struct nap_work *work, int result)
{
	struct request *request = nap_container_of(work, struct request, work);

	if (result == 0)
		printf("%ld %s\n", request->lines, request->path);
	nr_requests--;
	free(request);
}

static bool take_line(void)
{
	struct request *request = calloc(1, sizeof(*request));

	if (!request || !fgets(request->path, sizeof(request->path), stdin)) {
		free(request);
		return false;
	}
	request->path[strcspn(request->path, "\n")] = 0;
	nap_work_init(&request->work, count, reply, &done);
	nap_work_schedule(&pool, &request->work);
	nr_requests++;
	return true;
}

int main(void)
{
	struct nap_batch left = NAP_BATCH_INIT;
	struct pollfd fds[2] = { { .fd = 0, .events = POLLIN } };

	setvbuf(stdin, NULL, _IONBF, 0);	/* so that poll() sees what is left to read */
	if (nap_cq_init(&done))
		return 1;
	fds[1] = (struct pollfd){ .fd = nap_cq_fd(&done), .events = POLLIN };
	while (fds[0].fd >= 0 || nr_requests > 0) {
		poll(fds, 2, -1);
		if (fds[0].revents && !take_line())
			fds[0].fd = -1;
		if (fds[1].revents)
			nap_cq_run(&done, 0);
	}
	nap_cq_close(&done, &left);
	return nap_pool_join(&pool, NULL) ? 1 : 0;
}
