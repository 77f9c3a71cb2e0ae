/* SPDX-License-Identifier: MIT */
/*
 * The frames on the appliance's serial line. Numbers are little-endian, as on all three machines.
 *
 * The appliance says READY, once, when it reads. From then on each request gets one reply, in the
 * order in which requests are finished. The id of a reply is that of its request. A client has at
 * most WINDOW requests without a reply, for which the appliance has slots. The line has no flow
 * control, and the kernel drops what does not fit into its 64 KiB. So the appliance says CREDIT
 * whenever it has read CREDIT_BYTES more, and a client sends at most AHEAD bytes more than it has
 * credit for.
 *
 * The digest is that of RFC 6962, section 2.1 (Merkle tree hash) over leaves of LEAF bytes, with
 * SHA-256; a request without bytes has one leaf, which is empty.
 *
 * A request that is longer than MOST gets the reply TOO_LONG, and its bytes are skipped. Bytes
 * that begin no request are skipped up to the next bytes that look like a request. The reply to
 * all skipped bytes is MALFORMED, with the id 0, and counts for no request.
 */
#ifndef APPLIANCE_FRAMES_H
#define APPLIANCE_FRAMES_H

#include <stdint.h>

#define READY	"nap appliance\n"
#define MAGIC	0x3150414eu	/* "NAP1" */
#define LEAF	1024u
#define MOST	65536u
#define WINDOW	8u
#define CREDIT_BYTES	4096u
#define AHEAD	32768u

enum request { HASH = 1, STATISTICS, POWER_OFF };

struct head {			/* with HASH, @size bytes follow */
	uint32_t magic, request, id, size;
};

enum status { DONE, TOO_LONG, MALFORMED, CREDIT };

struct reply {
	uint32_t magic, status, id, zero;
	union {
		uint8_t digest[32];	/* with HASH */
		/* with STATISTICS: replies, tasks run, tasks stolen, jobs stolen */
		uint64_t counts[4];
	};
};

#endif /* APPLIANCE_FRAMES_H */
