/* SPDX-License-Identifier: MIT */
/*
 * hashd's clients, whatever the loop: reads requests, has them done, writes replies. All of it is on
 * the loop's thread, but for hash().
 */
#ifndef HASHD_CLIENT_H
#define HASHD_CLIENT_H

#include <arpa/inet.h>
#include <nap/nap.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "hashd_frames.h"

struct client {
	struct nap_work work;
	LIST_ENTRY(client) others;
	bool is_busy;		/* its work is under way */
	bool is_gone;		/* its work frees it */
	bool ends;		/* what comes is thrown away */
	struct hash_head head;
	uint8_t *bytes;		/* behind the head; or the page of counters */
	size_t size, got;	/* of them; of them and the head */
	struct hash_reply reply;
	const uint8_t *out;	/* to be sent */
	size_t len;
};

static struct limits {	/* the file has them in this order, each behind its name */
	unsigned clients, bytes, drain_ms;
} limits = { 1000, 1 << 20, 5000 };

static struct nap_pool pool = NAP_POOL_INIT(.name = "hashd");
static struct nap_cq done;
static LIST_HEAD(, client) clients = LIST_HEAD_INITIALIZER(clients);
static unsigned nr_clients;
static unsigned long nr_replies[HASH_STATUSES], nr_canceled;
static uint64_t end_at;		/* ns; 0: nobody has said when */

/* The loop's: to send, to read and to take may be possible now that was not; or the other way. */
static void changed(struct client *c);
static void room_changed(void);

static inline uint64_t ns_from_now(uint32_t ms)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec + ms * (uint64_t)1000000;
}

/* On a worker. Looks between two pieces whether somebody still waits for it. */
static int hash(struct nap_work *work)
{
	struct client *c = nap_container_of(work, struct client, work);
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	for (size_t at = 0; at < c->size && !nap_work_is_canceled(work); at += 65536)
		sha256_update(&ctx, c->size - at < 65536 ? c->size - at : 65536, c->bytes + at);
	sha256_digest(&ctx, sizeof(c->reply.digest), c->reply.digest);
	return 0;
}

static void reply(struct client *c, enum hash_status status)
{
	c->reply.status = htonl(status);
	c->out = (const uint8_t *)&c->reply;
	c->len = sizeof(c->reply);
	nr_replies[status]++;
}

static void free_client(struct client *c)
{
	free(c->bytes);
	free(c);
}

/* nap_cq_run() calls it, once for each work that was scheduled. */
static void ended(struct nap_work *work, int result)
{
	struct client *c = nap_container_of(work, struct client, work);

	c->is_busy = false;
	if (c->is_gone)
		return free_client(c);
	reply(c, result ? HASH_LATE : HASH_OK);
	changed(c);
}

static void reply_page(struct client *c, size_t size)
{
	char *page = (char *)c->bytes;
	int n = snprintf(page, size, "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n\r\n"
			 "# TYPE hashd_replies counter\nhashd_replies{status=\"ok\"} %lu\n"
			 "hashd_replies{status=\"late\"} %lu\nhashd_replies{status=\"refused\"} %lu\n"
			 "# TYPE hashd_canceled counter\nhashd_canceled %lu\n", nr_replies[HASH_OK],
			 nr_replies[HASH_LATE], nr_replies[HASH_REFUSED], nr_canceled);

	nap_metrics_pools(&(struct nap_metrics_pool){ &pool, "hashd" }, 1, page + n, size - (size_t)n);
	c->out = c->bytes;
	c->len = strlen(page);
}

/* The head is there. Memory is kept for the next one. */
static void begin(struct client *c)
{
	bool is_page = !memcmp(&c->head, "GET /metrics HTT", sizeof(c->head));
	size_t size = is_page ? 8192 : ntohl(c->head.size);
	bool is_good = ntohl(c->head.magic) == HASH_MAGIC && size <= limits.bytes;
	uint8_t *bytes = is_good || is_page ? realloc(c->bytes, size + 1) : NULL;

	c->bytes = bytes ? bytes : c->bytes;
	c->size = size;
	c->reply = (struct hash_reply){ .magic = htonl(HASH_MAGIC), .id = c->head.id };
	c->ends = !bytes || is_page;
	if (!bytes)
		reply(c, HASH_REFUSED);
	else if (is_page)
		reply_page(c, size);
}

static bool is_read_from(const struct client *c)
{
	return c->ends || (!c->is_busy && !c->len);
}

/* Where the next bytes belong, and how many. */
static uint8_t *place(struct client *c, size_t *size)
{
	static uint8_t nowhere[65536];
	bool in_head = c->got < sizeof(c->head);

	*size = c->ends ? sizeof(nowhere) : sizeof(c->head) + (in_head ? 0 : c->size) - c->got;
	return c->ends ? nowhere : in_head ? (uint8_t *)&c->head + c->got :
	       c->bytes + c->got - sizeof(c->head);
}

/* So many bytes more. */
static void got(struct client *c, size_t n)
{
	c->got += n;
	if (!c->ends && c->got == sizeof(c->head))
		begin(c);
	if (!c->ends && c->got >= sizeof(c->head) && c->got == sizeof(c->head) + c->size) {
		c->work.deadline = c->head.deadline ? ns_from_now(ntohl(c->head.deadline)) : 0;
		c->is_busy = true;
		nap_work_schedule(&pool, &c->work);	/* the pool refuses nothing before its end */
	}
	changed(c);
}

/* True: it has everything. */
static bool sent(struct client *c, size_t n)
{
	c->out += n;
	c->len -= n;
	c->got = c->len ? c->got : 0;
	return !c->len;
}

/* Of @size bytes, which begin with it; or NULL. */
static void *new_client(size_t size)
{
	struct client *c = calloc(1, size);

	if (c) {
		nap_work_init(&c->work, hash, ended, &done);
		LIST_INSERT_HEAD(&clients, c, others);
		nr_clients++;
		room_changed();
	}
	return c;
}

/* The loop has nothing to do with it any more. */
static void gone(struct client *c)
{
	LIST_REMOVE(c, others);
	nr_clients--;
	room_changed();
	c->is_gone = true;
	if (c->is_busy)
		nr_canceled += nap_cancel(&c->work);
	else
		free_client(c);
}

static bool has_room(void)
{
	return nr_clients < limits.clients && !end_at;
}

/* What is left is that it closes. */
static bool has_all(const struct client *c)
{
	return c->ends && !c->is_busy && !c->len;
}

#endif /* HASHD_CLIENT_H */
