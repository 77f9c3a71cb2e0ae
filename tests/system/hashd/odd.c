/* SPDX-License-Identifier: MIT */
/* Clients with odd habits: shut down one half, reset, stop, and read late. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client.h"

/*
 * Sends a whole request, all except a byte, or nothing; closes its half of the connection, and
 * reads the other half.
 */
int run_shut(unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		int fd = open_connection();
		struct pollfd end = { fd, POLLIN, 0 };
		uint8_t digest[32];
		char reply[1000];
		ssize_t n = 1, all = 0;

		if (i % 3)
			send_frame(fd, i, 20000, i % 3 - 1, digest);
		shutdown(fd, SHUT_WR);
		/* At most one reply comes; then the connection ends, by a close or a reset. */
		for (; n > 0 && poll(&end, 1, 60000) > 0; all += n > 0 ? n : 0)
			n = recv(fd, reply, sizeof(reply), 0);
		close(fd);
		if (n > 0 || all > (i % 3 == 1 ? (ssize_t)sizeof(struct hash_reply) : 0))
			return printf("shut: not the %uth: %zd bytes\n", i, all), 1;
	}
	return 0;
}

int run_reset(unsigned times, unsigned bytes)
{
	struct linger at_once = { 1, 0 };
	uint8_t digest[32];

	for (unsigned i = 0; i < times; i++) {
		int fd = open_connection();

		for (unsigned n = 0; n <= i % 5; n++)
			send_frame(fd, n, some(bytes), 0, digest);
		/*
		 * Every second client has a reply by now, so the next reply goes to a closed
		 * connection.
		 */
		if (i % 2)
			recv(fd, digest, 1, 0);
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(fd);
	}
	return 0;
}

/*
 * Sends a whole request and resets. The service learns that the client is gone while the work
 * still waits for a worker.
 */
int run_rude(unsigned times, unsigned bytes)
{
	size_t size = sizeof(struct hash_head) + bytes;
	struct linger at_once = { 1, 0 };
	uint8_t digest[32];
	char *frame = new_frame(0, bytes, 0, digest);

	while (times--) {
		int fd = open_connection();

		for (size_t at = 0; at < size; ) {
			ssize_t n = send(fd, frame + at, size - at, MSG_NOSIGNAL);

			if (n < 0)
				break;
			at += (size_t)n;
		}
		usleep(300);
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(fd);
	}
	free(frame);
	return 0;
}

/*
 * Holds back the last bytes of all requests until SIGCONT; then all works begin at once. Each
 * request is a frame of zeros.
 */
int run_held(unsigned times, unsigned bytes, bool stays)
{
	size_t size = sizeof(struct hash_head) + bytes;
	char *frame = calloc(1, size);
	int *fds = calloc(times, sizeof(*fds));
	struct sha256_ctx ctx;
	uint8_t digest[32];
	int status = 0;

	*(struct hash_head *)frame = (struct hash_head){ htonl(HASH_MAGIC), 0, htonl(bytes), 0 };
	sha256_init(&ctx);
	sha256_update(&ctx, bytes, (uint8_t *)frame + sizeof(struct hash_head));
	sha256_digest(&ctx, sizeof(digest), digest);
	for (unsigned i = 0; i < times; i++) {
		fds[i] = open_connection();
		for (size_t at = 0; at < size - 1; ) {
			ssize_t n = send(fds[i], frame + at, size - 1 - at, MSG_NOSIGNAL);

			if (n < 0)
				return perror("held: send"), 1;
			at += (size_t)n;
		}
	}
	raise(SIGSTOP);
	for (unsigned i = 0; i < times; i++)
		send(fds[i], frame + size - 1, 1, MSG_NOSIGNAL);
	for (unsigned i = 0; i < times; i++) {
		if (stays && !has_reply(fds[i], 0, HASH_OK, digest))
			status = 1;
		close(fds[i]);
	}
	free(frame);
	free(fds);
	return status;
}

int run_later(unsigned bytes)
{
	int fd = open_connection();
	uint8_t digest[32];

	send_frame(fd, 1, 10, 0, digest);
	if (!has_reply(fd, 1, HASH_OK, digest))
		return 1;
	raise(SIGSTOP);
	send_frame(fd, 2, bytes, 0, digest);
	return !has_reply(fd, 2, HASH_OK, digest);
}

/*
 * Sends requests and reads no reply, until the service no longer reads: the unread replies fill the
 * connection, so the service cannot send. Then reads all replies: each whole, and in order.
 */
int run_slow(void)
{
	uint8_t (*digests)[32] = NULL;
	unsigned asked = 0, told = 0, room = 0;
	struct pollfd has_room = { open_connection(), POLLOUT, 0 };
	size_t size = 0, sent = 0;
	char *frame = NULL;

	do {
		ssize_t n;

		if (sent == size) {
			free(frame);
			if (asked == room)
				digests = realloc(digests,
						  (room = 2 * room + 1000) * sizeof(*digests));
			size = some(100);
			frame = new_frame(asked, (uint32_t)size, 0, digests[asked]);
			size += sizeof(struct hash_head);
			sent = 0;
			asked++;
		}
		n = send(has_room.fd, frame + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN)
			return perror("slow: send"), 1;
		sent += n > 0 ? (size_t)n : 0;
	} while (sent == size || poll(&has_room, 1, 500) > 0);
	/* The service has only a part of the last request. */
	while (told < asked) {
		if (told == asked - 1 &&
		    send(has_room.fd, frame + sent, size - sent, MSG_NOSIGNAL) < 0)
			return perror("slow: the last one"), 1;
		if (!has_reply(has_room.fd, told, HASH_OK, digests[told]))
			return printf("slow: not the %uth of %u\n", told, asked), 1;
		told++;
	}
	printf("slow: %u\n", told);
	free(frame);
	free(digests);
	return asked < 1000;
}
