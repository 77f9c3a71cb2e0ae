/* SPDX-License-Identifier: MIT */
/*
 * The client of an echo that runs beside tasks:
 *
 *	beside PORT REQUESTS ROW PEER
 *
 * The client has one connection and one request of 64 bytes at a time, with a pause before each.
 * Each round trip is a sample (common/row.h), except the first few, in which a pool learns how
 * long its tasks are. Exit status 1: an answer had other bytes than its request.
 */
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "common/beside.h"

#define BYTES 64
#define WARM 4u

static int connect_to(unsigned port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int))) {
		perror("connect");
		exit(2);
	}
	return fd;
}

static void rest(uint64_t ns)
{
	struct timespec pause = { 0, (long)ns };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, &pause))
		;
}

/* Sends and receives one request. Returns the time of the round trip in ns. */
static uint64_t trip(int fd, unsigned turn)
{
	unsigned char sent[BYTES], got[BYTES];
	uint64_t begin, took;

	for (unsigned i = 0; i < BYTES; i++)
		sent[i] = (unsigned char)(turn * 7 + i);
	begin = clock_ns(CLOCK_MONOTONIC);
	if (send(fd, sent, BYTES, MSG_NOSIGNAL) != BYTES ||
	    recv(fd, got, BYTES, MSG_WAITALL) != BYTES || memcmp(sent, got, BYTES)) {
		fprintf(stderr, "wrong: turn %u\n", turn);
		exit(1);
	}
	took = clock_ns(CLOCK_MONOTONIC) - begin;
	return took;
}

int main(int argc, char **argv)
{
	unsigned port = argc == 5 ? (unsigned)atoi(argv[1]) : 0;
	unsigned requests = argc == 5 ? (unsigned)atoi(argv[2]) : 0;
	uint64_t *took = calloc(requests + WARM, sizeof(*took));
	uint32_t state = 1;
	int fd;

	if (!port || !requests || !took)
		return 2;
	fd = connect_to(port);
	for (unsigned i = 0; i < requests + WARM; i++) {
		rest(beside_pause(&state));
		took[i] = trip(fd, i);
	}
	for (unsigned i = WARM; i < requests + WARM; i++)
		printf("%s\t%s\t%" PRIu64 "\t-\t1\n", argv[3], argv[4], took[i]);
	close(fd);
	free(took);
	return fflush(stdout) ? 1 : 0;
}
