/* SPDX-License-Identifier: MIT */
/* Access to files by system calls alone, for the hosted and the bare library. */
#ifndef NAP_LINUX_FILE_H
#define NAP_LINUX_FILE_H

#include <stddef.h>

#include "arch/syscall.h"

#define FILE_AT_CWD	(-100L)
#define FILE_READ_ONLY	02000000L	/* O_RDONLY | O_CLOEXEC, the same on all three machines */

/* Returns a file descriptor, or a negative errno. */
static inline int file_open(const char *path)
{
	/* Not noticed in tests when 1 for 0: only a new file has a mode. */
	return (int)nap__syscall4(NAP__NR_openat, FILE_AT_CWD, (long)path, FILE_READ_ONLY, 0);
}

/* As file_open(), with open(2)'s @flags and @mode. */
static inline int file_open_as(const char *path, long flags, long mode)
{
	return (int)nap__syscall4(NAP__NR_openat, FILE_AT_CWD, (long)path, flags, mode);
}

/* Returns how many bytes were read, or a negative errno. */
static inline long file_read(int fd, void *buf, size_t size)
{
	return nap__syscall3(NAP__NR_read, fd, (long)buf, (long)size);
}

/* Returns how many bytes were written, or a negative errno. */
static inline long file_write(int fd, const void *data, size_t size)
{
	return nap__syscall3(NAP__NR_write, fd, (long)data, (long)size);
}

/*
 * Reads the contents of the symbolic link @path. Returns their length, cut to @size, or a negative
 * errno.
 */
static inline long file_read_link(const char *path, char *buf, size_t size)
{
	return nap__syscall4(NAP__NR_readlinkat, FILE_AT_CWD, (long)path, (long)buf, (long)size);
}

static inline void file_close(int fd)
{
	nap__syscall1(NAP__NR_close, fd);
}

#endif /* NAP_LINUX_FILE_H */
