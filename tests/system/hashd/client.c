/* SPDX-License-Identifier: MIT */
/*
 * A client of hashd (tools/example/hashd_frames.h) that computes every digest itself:
 *
 *	hashd_client PORT load CONNECTIONS REQUESTS BYTES AHEAD [DEADLINE]
 *	hashd_client PORT leave TIMES BYTES	a request on many connections, all closed at once
 *	hashd_client PORT refused TIMES LIMIT	good frames, then bytes that are no frame, or too
 *						many
 *	hashd_client PORT mute BYTES		requests until the service takes none; reads no
 *						reply
 *	hashd_client PORT half			half a frame, and waits for the end of the service
 *	hashd_client PORT shut TIMES		a request, a part of one, or nothing; closes its
 *						half
 *	hashd_client PORT reset TIMES BYTES	requests, and then a reset
 *	hashd_client PORT rude TIMES BYTES	a whole request of BYTES, and then a reset
 *	hashd_client PORT held TIMES BYTES	TIMES requests; sends their last bytes after SIGCONT
 *	hashd_client PORT gone TIMES BYTES	as held, and closes without reading a reply
 *	hashd_client PORT later BYTES		a request, and another of BYTES after SIGCONT
 *	hashd_client PORT slow			requests until the service takes none; then all
 *						replies
 *	hashd_client PORT zeros BYTES		the digest of BYTES zeros, sent one by one
 *	hashd_client PORT text LINE		the reply to a line, without digests
 *
 * `load` has requests of 0 to BYTES bytes and prints how many replies there were of each status;
 * wrong: replies with a wrong digest, id or order; lost: requests without reply. mute and half
 * print "there" and stay until they are killed. held, gone and later stop themselves (SIGSTOP).
 * Exit status 0: the service did what it has to do; 1: it did not; 2: no connection.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"

static const char *port;
static uint64_t seed = 88172645463325252u;

uint32_t some(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return below ? (uint32_t)(seed >> 20) % below : 0;
}

int open_connection(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		perror("connect");
		exit(2);
	}
	return fd;
}

/* Returns a frame of @size bytes after the head, and its @digest. The caller frees the frame. */
char *new_frame(uint32_t id, uint32_t size, uint32_t deadline, uint8_t *digest)
{
	struct hash_head head = { htonl(HASH_MAGIC), htonl(id), htonl(size), htonl(deadline) };
	char *frame = malloc(sizeof(head) + size);
	struct sha256_ctx ctx;

	if (!frame)
		abort();
	memcpy(frame, &head, sizeof(head));
	for (uint32_t i = 0; i < size; i += 8) {
		uint64_t word = (seed = seed * 6364136223846793005u + 1442695040888963407u);

		memcpy(frame + sizeof(head) + i, &word, size - i < 8 ? size - i : 8);
	}
	sha256_init(&ctx);
	sha256_update(&ctx, size, (uint8_t *)frame + sizeof(head));
	sha256_digest(&ctx, 32, digest);
	return frame;
}

/* Sends a frame without its last @but bytes. Blocks. */
void send_frame(int fd, uint32_t id, uint32_t size, size_t but, uint8_t *digest)
{
	char *frame = new_frame(id, size, 0, digest);

	for (size_t at = 0, end = size + sizeof(struct hash_head) - but; at < end; ) {
		ssize_t n = send(fd, frame + at, end - at, MSG_NOSIGNAL);

		if (n < 0)
			break;
		at += (size_t)n;
	}
	free(frame);
}

#define SIDE_BY_SIDE 32

/*
 * Leaves many connections. The last bytes of all requests come at once, so most works have not
 * begun yet when the clients go.
 */
static int run_leave(unsigned times, unsigned bytes)
{
	uint8_t digest[32];

	while (times--) {
		int fds[SIDE_BY_SIDE];

		for (unsigned i = 0; i < SIDE_BY_SIDE; i++) {
			fds[i] = open_connection();
			send_frame(fds[i], i, bytes, 1, digest);
		}
		for (unsigned i = 0; i < SIDE_BY_SIDE; i++)
			send(fds[i], digest, 1, MSG_NOSIGNAL);
		recv(fds[0], digest, 1, 0);
		for (unsigned i = 0; i < SIDE_BY_SIDE; i++)
			close(fds[i]);
	}
	return 0;
}

bool has_reply(int fd, uint32_t id, enum hash_status status, const uint8_t *digest)
{
	struct hash_reply reply;

	return recv(fd, &reply, sizeof(reply), MSG_WAITALL) == sizeof(reply) &&
	       ntohl(reply.magic) == HASH_MAGIC && reply.id == htonl(id) &&
	       ntohl(reply.status) == status && (!digest || !memcmp(reply.digest, digest, 32));
}

static int run_refused(unsigned times, unsigned limit)
{
	uint8_t digests[2][32];

	for (unsigned i = 0; i < times; i++) {
		struct hash_head bad = { htonl(i % 2 ? HASH_MAGIC : some(HASH_MAGIC)), htonl(i),
					 htonl(limit + 1 + some(1u << 30)), 0 };
		int fd = open_connection();
		bool is_good;

		send_frame(fd, 1, some(1000), 0, digests[0]);
		send_frame(fd, 2, some(1000), 0, digests[1]);
		send(fd, &bad, sizeof(bad), MSG_NOSIGNAL);
		for (unsigned n = 0; n < 1000; n++)
			send(fd, digests, sizeof(digests), MSG_NOSIGNAL);
		is_good = has_reply(fd, 1, HASH_OK, digests[0]) &&
			  has_reply(fd, 2, HASH_OK, digests[1]) &&
			  has_reply(fd, i, HASH_REFUSED, NULL) && recv(fd, digests, 1, 0) == 0;
		close(fd);
		if (!is_good)
			return printf("refused: not the %uth\n", i), 1;
	}
	return 0;
}

/* Returns how many bytes have not got to the service. */
static int get_queued(int fd)
{
	int n = 0;

	ioctl(fd, SIOCOUTQ, &n);
	return n;
}

/*
 * Sends and never reads. When the service does not read either, no room is left, and nothing
 * moves.
 */
static int run_mute(unsigned bytes)
{
	struct hash_head head = { htonl(HASH_MAGIC), 0, htonl(bytes), 0 };
	struct pollfd has_room = { open_connection(), POLLOUT, 0 };
	char *frame = calloc(1, sizeof(head) + bytes);
	unsigned long sent = 0;
	int queued;
	ssize_t n;

	memcpy(frame, &head, sizeof(head));
	do {
		size_t at = sent % (sizeof(head) + bytes);

		n = send(has_room.fd, frame + at, sizeof(head) + bytes - at,
			 MSG_NOSIGNAL | MSG_DONTWAIT);
		sent += n > 0 ? (unsigned long)n : 0;
		queued = get_queued(has_room.fd);
	} while (n > 0 || (errno == EAGAIN && (poll(&has_room, 1, 500) > 0 ||
					       get_queued(has_room.fd) != queued)));
	free(frame);
	printf("there, behind %lu bytes\n", sent);
	fflush(stdout);
	return pause();
}

static int run_half(void)
{
	struct hash_head head = { htonl(HASH_MAGIC), 0, htonl(1000), 0 };
	int fd = open_connection();
	char c = 0;

	send(fd, &head, sizeof(head), MSG_NOSIGNAL);
	send(fd, &head, sizeof(head), MSG_NOSIGNAL);
	puts("there");
	fflush(stdout);
	return recv(fd, &c, 1, 0) > 0;
}

/* Prints the digest of @bytes zeros, as sha256sum writes it. */
static int run_zeros(unsigned bytes)
{
	struct hash_head head = { htonl(HASH_MAGIC), 0, htonl(bytes), 0 };
	int fd = open_connection();
	struct hash_reply reply;
	char zero = 0;

	send(fd, &head, sizeof(head), MSG_NOSIGNAL);
	while (bytes--)
		send(fd, &zero, 1, MSG_NOSIGNAL);
	if (recv(fd, &reply, sizeof(reply), MSG_WAITALL) != sizeof(reply) || reply.status)
		return 1;
	for (unsigned i = 0; i < sizeof(reply.digest); i++)
		printf("%02x", reply.digest[i]);
	return puts("  -") < 0;
}

static int run_text(const char *line)
{
	int fd = open_connection();
	char text[4096];
	ssize_t n;

	send(fd, line, strlen(line), MSG_NOSIGNAL);
	send(fd, "\r\n\r\n", 4, MSG_NOSIGNAL);
	while ((n = recv(fd, text, sizeof(text), 0)) > 0)
		fwrite(text, 1, (size_t)n, stdout);
	return n < 0;
}

int main(int argc, char **argv)
{
	unsigned n[5] = { 0 };

	if (argc < 3)
		return 2;
	port = argv[1];
	for (int i = 3; i < argc && i < 8; i++)
		n[i - 3] = (unsigned)strtoul(argv[i], NULL, 10);
	seed += (uint64_t)getpid() * 2654435761u;
	if (!strcmp(argv[2], "load") && n[0] && n[3] && n[3] <= 64) {
		struct load load = { n[0], n[1], n[2], n[3], n[4] };

		return run_load(&load);
	}
	if (!strcmp(argv[2], "leave"))
		return run_leave(n[0], n[1]);
	if (!strcmp(argv[2], "refused"))
		return run_refused(n[0], n[1]);
	if (!strcmp(argv[2], "mute"))
		return run_mute(n[0]);
	if (!strcmp(argv[2], "half"))
		return run_half();
	if (!strcmp(argv[2], "shut"))
		return run_shut(n[0]);
	if (!strcmp(argv[2], "reset"))
		return run_reset(n[0], n[1]);
	if (!strcmp(argv[2], "rude"))
		return run_rude(n[0], n[1]);
	if (!strcmp(argv[2], "held") || !strcmp(argv[2], "gone"))
		return run_held(n[0], n[1], argv[2][0] == 'h');
	if (!strcmp(argv[2], "later"))
		return run_later(n[0]);
	if (!strcmp(argv[2], "slow"))
		return run_slow();
	if (!strcmp(argv[2], "zeros"))
		return run_zeros(n[0]);
	if (!strcmp(argv[2], "text") && argc > 3)
		return run_text(argv[3]);
	return 2;
}
