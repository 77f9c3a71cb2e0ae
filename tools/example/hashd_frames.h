/* SPDX-License-Identifier: MIT */
/*
 * What goes to hashd and comes from it. Numbers are in network order.
 *
 * A client sends requests, as many ahead as it likes, and gets a reply to each, in order; the next
 * one is read when the one before has its reply. Behind HASH_REFUSED (no such frame, too long, no
 * memory) nothing more is read, and the client is to close. Instead of a head, GET /metrics: the
 * counters.
 */
#ifndef HASHD_FRAMES_H
#define HASHD_FRAMES_H

#include <stdint.h>

#define HASH_MAGIC	0x68617368u

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
