/* SPDX-License-Identifier: MIT */
/*
 * The frames to and from hashd. Numbers are in network order.
 *
 * A client sends requests, as many ahead as it likes, and gets a reply to each, in order. hashd
 * reads the next request when the one before has its reply. After HASH_REFUSED (no such frame, or
 * too long a frame) hashd reads nothing more, and the client has to close. GET /metrics in place
 * of a head gets the counters. A client that has gone, or has closed its half, has its work
 * canceled, and gets no further reply.
 *
 * LIMITS is a file like "clients 1000 bytes 1048576 drain_ms 5000". It bounds the number of clients
 * and the bytes of a request, and so the memory, because each client has one request in memory. On
 * SIGHUP hashd reads the file again, for later clients. After SIGTERM hashd sends the replies to
 * all requests that it has read, and waits until the clients close: for drain_ms at most, or until
 * a second SIGTERM. Exit status 1: some replies were not sent.
 *
 * There is no time limit for a client to send a request, or to close after HASH_REFUSED: the client
 * keeps its place as long as it likes. This is enough here, because all clients are on this
 * machine, where an administrator can find them. A service for other machines needs a time limit,
 * and a list of clients in the order of their deadlines.
 */
#ifndef HASHD_FRAMES_H
#define HASHD_FRAMES_H

#include <stdint.h>

#define HASH_MAGIC	0x68617368u

/* The greatest values in LIMITS. */
#define HASH_MOST_CLIENTS	10000
#define HASH_MOST_BYTES		(1u << 30)

enum hash_status { HASH_OK, HASH_LATE, HASH_REFUSED, HASH_STATUSES };

struct hash_head {		/* @size bytes follow */
	uint32_t magic, id, size;
	/* ms from the request's last byte until its work begins; 0: no limit */
	uint32_t deadline;
};

struct hash_reply {
	uint32_t magic, id, status;
	uint8_t digest[32];	/* SHA-256, with HASH_OK */
};

#endif /* HASHD_FRAMES_H */
