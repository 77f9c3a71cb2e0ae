/* SPDX-License-Identifier: MIT */
/*
 * The answers of hashd (hashd_frames.h), apart from its loop. The loop passes a client's bytes,
 * and gets back what to do next. This file also has the beginning and the end, the limits, the
 * counters and the address.
 */
#ifndef HASHD_TALK_H
#define HASHD_TALK_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <nap/nap.h>
#include <netinet/tcp.h>
#include <nettle/sha2.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hashd_frames.h"

#define HASH_PAGE_ROOM	8192

/* In the file these numbers come in this order, each after its name. */
static struct hash_limits {
	unsigned clients, bytes, drain_ms;
} hash_limits = { 1000, 1 << 20, 5000 };

static unsigned hash_port;		/* 0: any port */
static const char *hash_limits_path;

static struct {
	unsigned long replies[HASH_STATUSES], canceled;
} hash_counters;

/* What the loop reads from a client, sends to it, or does for it. */
enum hash_does { HASH_HEAD, HASH_BODY, HASH_WORK, HASH_REPLY, HASH_LAST, HASH_END };

/* The talk with a client. The bytes from @at up to @end are next to be read or sent. */
struct hash_talk {
	enum hash_does does;
	size_t at, end, room;
	union {
		struct hash_head head;
		/* magic and id are at the same place as in the head */
		struct hash_reply reply;
		uint8_t bytes[0];
	};
};

static inline bool hash_is_read(const struct hash_talk *talk)
{
	return talk->does <= HASH_BODY || talk->does == HASH_END;
}

static inline enum hash_does hash_go_to(struct hash_talk *talk, enum hash_does does, size_t end)
{
	talk->at = 0;
	talk->end = end;
	return talk->does = does;
}

static inline enum hash_does hash_reply(struct hash_talk *talk, enum hash_status status)
{
	talk->reply.magic = htonl(HASH_MAGIC);
	talk->reply.status = htonl(status);
	if (status != HASH_OK)		/* so that the reply has no byte of an earlier client */
		memset(talk->reply.digest, 0, sizeof(talk->reply.digest));
	hash_counters.replies[status]++;
	return hash_go_to(talk, status == HASH_REFUSED ? HASH_LAST : HASH_REPLY,
			  sizeof(talk->reply));
}

/* Returns the memory of a talk: for any request, and for the page. */
static inline size_t hash_room(void)
{
	return sizeof(struct hash_head) + hash_limits.bytes + HASH_PAGE_ROOM;
}

static inline void hash_begin(struct hash_talk *talk, size_t room)
{
	talk->room = room;
	hash_go_to(talk, HASH_HEAD, sizeof(talk->head));
}

/* Drops further bytes until the client closes. */
static inline enum hash_does hash_end(struct hash_talk *talk)
{
	return hash_go_to(talk, HASH_END, talk->room);
}

/* Writes the page in place of the request. */
static inline enum hash_does hash_page(struct hash_talk *talk, struct nap_pool *pool)
{
	struct nap_metrics_pool pools[] = { { pool, "hashd" } };
	char *page = (char *)talk->bytes;
	int n = sprintf(page, "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n\r\n"
			"# TYPE hashd_replies counter\nhashd_replies{status=\"ok\"} %lu\n"
			"hashd_replies{status=\"late\"} %lu\n"
			"hashd_replies{status=\"refused\"} %lu\n"
			"# TYPE hashd_canceled counter\nhashd_canceled %lu\n",
			hash_counters.replies[HASH_OK], hash_counters.replies[HASH_LATE],
			hash_counters.replies[HASH_REFUSED], hash_counters.canceled);

	nap_metrics_pools(pools, 1, page + n, talk->room - (size_t)n);
	return hash_go_to(talk, HASH_LAST, strlen(page));
}

/*
 * Goes on after @n more bytes. Returns what is next. If this is HASH_WORK or HASH_END, the caller
 * has to do it.
 */
static inline enum hash_does hash_moved(struct hash_talk *talk, struct nap_pool *pool, size_t n,
					bool is_ending)
{
	const struct hash_head *head = &talk->head;

	talk->at += n;
	if (talk->does == HASH_END)
		talk->at = 0;
	if (talk->at < talk->end)
		return HASH_HEAD;
	if (talk->does == HASH_REPLY && !is_ending)
		return hash_go_to(talk, HASH_HEAD, sizeof(*head));
	if (talk->does >= HASH_REPLY)
		return hash_end(talk);
	if (talk->does == HASH_BODY)
		return talk->does = HASH_WORK;
	if (!memcmp(head, "GET /metrics HTT", sizeof(*head)))
		return hash_page(talk, pool);
	if (head->magic != htonl(HASH_MAGIC) ||
	    ntohl(head->size) > talk->room - sizeof(*head) - HASH_PAGE_ROOM)
		return hash_reply(talk, HASH_REFUSED);
	talk->end += ntohl(head->size);
	return talk->does = talk->at < talk->end ? HASH_BODY : HASH_WORK;
}

/* Returns within how many nanoseconds the work has to begin. */
static inline uint64_t hash_timeout(const struct hash_talk *talk)
{
	return talk->head.deadline ? ntohl(talk->head.deadline) * UINT64_C(1000000) : NAP_FOREVER;
}

/* Hashes, on a worker. Checks between two pieces whether the client still waits. */
static inline void hash_compute(struct hash_talk *talk, const struct nap_work *work)
{
	size_t at = sizeof(talk->head), n;
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	for (; at < talk->end && !nap_work_is_canceled(work); at += n) {
		n = talk->end - at < 65536 ? talk->end - at : 65536;
		sha256_update(&ctx, n, talk->bytes + at);
	}
	sha256_digest(&ctx, sizeof(talk->reply.digest), talk->reply.digest);
}

/* Whether a reply, or a page, is still to be sent, or a part of it. */
static inline bool hash_is_owed(const struct hash_talk *talk)
{
	return talk->does >= HASH_WORK && talk->does < HASH_END;
}

/* Ends the program, which could not start; errno says why. */
static inline void hash_fail(const char *what)
{
	perror(what);
	exit(2);
}

static inline bool hash_is_number(const char *word, unsigned least, unsigned most, unsigned *number)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	/* strtoul() would also accept signs and spaces. */
	if (*word < '0' || *word > '9' || *end || n < least || n > most)
		return false;
	*number = (unsigned)n;
	return true;
}

static inline bool hash_parse_limits(char *text, struct hash_limits *l)
{
	const struct { const char *name; unsigned least, most, *number; } limits[] = {
		{ "clients", 1, HASH_MOST_CLIENTS, &l->clients },
		{ "bytes", 0, HASH_MOST_BYTES, &l->bytes },
		{ "drain_ms", 0, INT_MAX - 1, &l->drain_ms },	/* loops take an int */
	};
	char *rest = text;

	for (int i = 0; i < 3; i++) {
		const char *name = strtok_r(rest, " \t\n", &rest);
		const char *number = strtok_r(NULL, " \t\n", &rest);

		if (!name || !number || strcmp(name, limits[i].name) ||
		    !hash_is_number(number, limits[i].least, limits[i].most, limits[i].number))
			return false;
	}
	return !strtok_r(NULL, " \t\n", &rest);
}

/* Reads the limits; a wrong file changes nothing. The loop calls this, so no read may block. */
static inline void hash_read_limits(void)
{
	int fd = hash_limits_path ? open(hash_limits_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	char text[256] = "";
	struct hash_limits l;
	struct stat is;
	ssize_t n = -1;
	bool good;

	if (fd >= 0 && !fstat(fd, &is) && S_ISREG(is.st_mode))
		n = read(fd, text, sizeof(text));
	if (fd >= 0)
		close(fd);
	/* A file that fills the whole text is too long, and has no final 0. */
	good = n >= 0 && strnlen(text, sizeof(text)) == (size_t)n && n < (ssize_t)sizeof(text) &&
	       hash_parse_limits(text, &l);
	if (good)
		hash_limits = l;
	fprintf(stderr, "hashd: limits %s\n", good ? "are those of the file" : "stay as they were");
}

/*
 * Starts main() with its arguments, PORT [LIMITS]. Returns the signals that the loop takes. They
 * are blocked until the loop takes them.
 */
static inline sigset_t hash_start(int argc, char **argv)
{
	sigset_t set;

	/*
	 * Opens missing standard streams: the next file that is opened would become one, and get
	 * messages.
	 */
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			exit(2);
	/*
	 * The memory of a client that has gone goes back to the kernel, and no small allocation
	 * keeps a part of it.
	 */
	mallopt(M_MMAP_THRESHOLD, 1 << 16);
	signal(SIGPIPE, SIG_IGN);	/* the reader of the log may have gone */
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	errno = EINVAL;
	if (argc > 1 && !hash_is_number(argv[1], 0, UINT16_MAX, &hash_port))
		hash_fail("hashd: PORT");
	hash_limits_path = argc > 2 ? argv[2] : NULL;
	if (hash_limits_path)
		hash_read_limits();
	return set;
}

/*
 * Returns a socket that listens, on this machine alone, and does not block; or -1 and errno. A
 * reader of the printed port may connect at once, or send a signal, so everything else is done
 * before the port is printed.
 */
static inline int hash_listen(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons((uint16_t)hash_port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1;
	socklen_t len = sizeof(at);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	/* accepted sockets inherit these two options */
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	if (bind(fd, (struct sockaddr *)&at, len) || listen(fd, SOMAXCONN) ||
	    getsockname(fd, (struct sockaddr *)&at, &len))
		return -1;
	fprintf(stderr, "hashd: port %u\n", ntohs(at.sin_port));
	return fd;
}

/* Returns hashd's exit status. */
static inline int hash_ended(unsigned nr_left)
{
	fprintf(stderr, "hashd: ended, %u replies left\n", nr_left);
	return nr_left != 0;
}

#endif /* HASHD_TALK_H */
