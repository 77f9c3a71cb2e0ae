/* SPDX-License-Identifier: MIT */
/* What a trace needs: reading files of /proc/self and thread numbers, and writing to a file. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/syscall.h"
#include "os/linux/file.h"
#include "os/os.h"

uint32_t nap__os_thread_number(void)
{
	return (uint32_t)nap__syscall0(NAP__NR_gettid);
}

uint32_t nap__os_process_number(void)
{
	return (uint32_t)nap__syscall0(NAP__NR_getpid);
}

size_t nap__os_executable(char *buf, size_t size)
{
	long n = file_read_link("/proc/self/exe", buf, size);

	return n > 0 ? (size_t)n : 0;
}

/* The kernel returns whole lines, at most a page at a time. */
size_t nap__os_mappings(char *buf, size_t size)
{
	int fd = file_open("/proc/self/maps");
	size_t at = 0;

	if (fd < 0)
		return 0;
	while (at < size) {
		long n = file_read(fd, buf + at, size - at);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	file_close(fd);
	/* Cut at the end of a line, if there is more than @size. */
	while (at && buf[at - 1] != '\n')
		at--;
	return at;
}

void nap__os_close(int fd)
{
	file_close(fd);
}

int nap__os_write(int fd, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		long n = file_write(fd, from, size);

		if (n == -EINTR)
			continue;
		if (n < 0)
			return (int)n;
		from += n;
		size -= (size_t)n;
	}
	return 0;
}
