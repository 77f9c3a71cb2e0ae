/* SPDX-License-Identifier: MIT */
/*
 * hashd PORT [LIMITS]: SHA-256 over TCP, on this machine. One thread has the sockets, on epoll
 * (hashd.c), io_uring (hashd_uring.c) or libuv (hashd_uv.c); a pool has the work. Here is how it
 * begins and ends.
 *
 * Who has gone, or has closed its half, has its work canceled. LIMITS bounds works and memory: one
 * work a client, and beyond so many clients none is taken. SIGHUP reads LIMITS again. SIGTERM: what
 * was read has its reply, and clients are to close, within drain_ms; exit status 1: replies are left.
 */
#ifndef HASHD_H
#define HASHD_H

#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <unistd.h>

#include "hashd_client.h"

static inline void must(bool is_good, const char *what)
{
	if (!is_good)
		exit((perror(what), 2));
}

/* What is not good changes nothing. */
static inline void load_limits(const char *path)
{
	unsigned nr, bytes, ms;
	FILE *file = path ? fopen(path, "r") : NULL;
	bool good = file && fscanf(file, "clients %u bytes %u drain_ms %u", &nr, &bytes, &ms) == 3;

	if (file)
		fclose(file);
	if (good)
		limits = (struct limits){ nr, bytes, ms };
	fprintf(stderr, "hashd: limits %s\n", good ? "are those of the file" : "stay as they were");
}

/* Returns a socket that listens. Of the workers one is there from now on, the others nap starts. */
static inline int begin_all(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 0)) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1;
	socklen_t len = sizeof(at);

	if (argc > 2)
		load_limits(argv[2]);
	errno = -nap_pool_prewarm(&pool, 1);
	must(!errno, "hashd: worker");
	errno = -nap_cq_init(&done);
	must(!errno, "hashd: completion queue");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));	/* and whom it accepts */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	must(!bind(fd, (struct sockaddr *)&at, len) && !listen(fd, SOMAXCONN) &&
	     !getsockname(fd, (struct sockaddr *)&at, &len), "hashd: port");
	fprintf(stderr, "hashd: port %u\n", ntohs(at.sin_port));
	return fd;
}

/* Those that heed() heeds, for a signalfd. */
static inline const sigset_t *block_signals(void)
{
	static sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return &set;
}

static inline void heed(int signal, const char *path)
{
	struct client *c;

	if (signal == SIGHUP)
		load_limits(path);
	else
		end_at = end_at ? 1 : ns_from_now(limits.drain_ms);	/* twice: now */
	room_changed();
	LIST_FOREACH(c, &clients, others) {
		c->ends |= end_at != 0;
		changed(c);
	}
}

/* For how long a loop may sleep; -1: nobody has said when to end; 0: now. */
static inline int ms_to_end(void)
{
	uint64_t now = ns_from_now(0);

	if (!end_at)
		return -1;
	return nr_clients && now < end_at ? (int)((end_at - now) / 1000000) + 1 : 0;
}

/* Behind the loop, which forgets a client in @drop, and calls gone(). Returns what is left. */
static inline unsigned drop_all(void (*drop)(struct client *c))
{
	unsigned left = 0;

	for (struct client *c; (c = LIST_FIRST(&clients)); drop(c))
		left += c->is_busy || c->len;
	return left;
}

static inline int end_all(unsigned left)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	nap_pool_shutdown(&pool, NAP_STOP);
	nap_pool_join(&pool, &batch);
	nap_work_end_left(&batch);
	while (nap_cq_run(&done, 0))
		;
	nap_cq_close(&done, &batch);
	fprintf(stderr, "hashd: ended, %u replies left\n", left);
	return left != 0;
}

#endif /* HASHD_H */
