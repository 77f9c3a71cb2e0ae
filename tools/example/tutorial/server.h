/* SPDX-License-Identifier: MIT */
/* What the servers of the tutorial need of Unix and not of nap: a socket, and lines. */
#ifndef SERVER_H
#define SERVER_H

#define _GNU_SOURCE
#include <nap/nap.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "count.h"

/* Returns a listening socket at @path, or a negative errno. */
static inline int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
		return fd < 0 ? -errno : -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 128))
		return -errno;
	return fd;
}

/*
 * Reads a line into @line, without its newline. The calling fiber waits for the newline until
 * @deadline. Returns the line's length, newline included; 0 at the end of the file, or a negative
 * errno.
 */
static inline int read_line(int fd, char *line, int size, uint64_t deadline)
{
	int n = 0, err;

	while (n < size - 1) {
		ssize_t got = read(fd, line + n, 1);

		if (got < 0 && (err = nap_io_again(fd, NAP_IO_READ, deadline)))
			return err;
		if (got == 0)
			return 0;
		if (got > 0 && line[n++] == '\n') {
			line[n - 1] = 0;
			return n;
		}
	}
	return -ENAMETOOLONG;
}

/* Writes all of @text; the calling fiber may wait. Returns 0 or a negative errno. */
static inline int write_all(int fd, const char *text, size_t n)
{
	int err;

	while (n > 0) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent < 0 && (err = nap_io_again(fd, NAP_IO_WRITE, NAP_FOREVER)))
			return err;
		if (sent > 0) {
			text += sent;
			n -= (size_t)sent;
		}
	}
	return 0;
}

#endif /* SERVER_H */
