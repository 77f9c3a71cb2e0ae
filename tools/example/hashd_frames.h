/* SPDX-License-Identifier: MIT */
/*
 * What goes to hashd and comes from it. Numbers are in network order.
 *
 * A client sends requests, as many ahead as it likes, and gets a reply to each, in order; the next
 * one is read when the one before has its reply. Behind HASH_REFUSED (no such frame, or too long)
 * nothing more is read, and the client is to close. Instead of a head, GET /metrics: the counters.
 * A client that has gone, or has closed its half, has its work canceled, and gets no further reply.
 *
 * LIMITS, a file of "clients 1000 bytes 1048576 drain_ms 5000", bounds clients, the bytes of a
 * request, and so memory: one request a client. SIGHUP reads it again, for a client that comes
 * then. SIGTERM: what was read has its reply, and clients are to close, within drain_ms, or until
 * SIGTERM again; exit status 1: replies are left.
 *
 * There is no time within which a client is to say something, or to close behind HASH_REFUSED: it
 * keeps its place as long as it likes. All are on this machine, where one can see who that is; a
 * service for others needs such a time, and a list of clients by it.
 */
#ifndef HASHD_FRAMES_H
#define HASHD_FRAMES_H

#include <stdint.h>

#define HASH_MAGIC	0x68617368u

/* What LIMITS may contain. */
#define HASH_MOST_CLIENTS	10000
#define HASH_MOST_BYTES		(1u << 30)

enum hash_status { HASH_OK, HASH_LATE, HASH_REFUSED, HASH_STATUSES };

struct hash_head {		/* and @size bytes */
	uint32_t magic, id, size;
	uint32_t deadline;	/* ms from its last byte on, by which work begins; 0: none */
};

struct hash_reply {
	uint32_t magic, id, status;
	uint8_t digest[32];	/* SHA-256, with HASH_OK */
};

#endif /* HASHD_FRAMES_H */
