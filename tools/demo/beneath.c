// SPDX-License-Identifier: MIT
/*
 * Open a path below a directory, where no component may be a symbolic link, and which may be longer
 * than PATH_MAX. openat2() does that in one system call per PATH_MAX; where there is none (Linux
 * before 5.6, some filters and emulators), it is done one component at a time.
 */
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int openat2_nolink(int dirfd, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)flags, .resolve = RESOLVE_NO_SYMLINKS };

	return (int)syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
}

/* Probed once by whoever comes first; all who ask get the same answer. */
static bool have_openat2(void)
{
	static int known;	/* A: 0 not yet, 1 yes, -1 no */
	int k = __atomic_load_n(&known, __ATOMIC_RELAXED);
	int fd;

	if (!k) {
		fd = openat2_nolink(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		k = fd >= 0 ? 1 : -1;
		if (fd >= 0)
			close(fd);
		else if (errno == EMFILE || errno == ENFILE)
			return false;	/* slow, and right; no answer for the next time */
		__atomic_store_n(&known, k, __ATOMIC_RELAXED);
	}
	return k > 0;
}

/* How much of @path the next system call takes; what follows is a slash or the end. */
static size_t chunk(const char *path, size_t len, bool whole)
{
	const char *slash;

	if (!whole)
		slash = memchr(path, '/', len);
	else if (len < PATH_MAX)
		slash = NULL;
	else
		slash = memrchr(path, '/', PATH_MAX - 1);
	return slash ? (size_t)(slash - path) : len;
}

/*
 * @path of @len bytes is relative and has no doubled or trailing slashes; it is written to, and
 * restored. Holds at most two descriptors at a time. Returns the descriptor, or -1 and errno.
 */
int open_beneath(int dirfd, char *path, size_t len, int flags)
{
	bool whole = have_openat2(), last;
	int fd = dirfd, next, saved;
	size_t n;

	do {
		n = chunk(path, len, whole);
		last = n == len;
		path[n] = '\0';
		next = last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC;
		next = whole ? openat2_nolink(fd, path, next) : openat(fd, path, next | O_NOFOLLOW);
		saved = errno;
		if (!last)
			path[n++] = '/';
		if (fd != dirfd)
			close(fd);
		errno = saved;
		fd = next;
		path += n;
		len -= n;
	} while (fd >= 0 && !last);
	return fd;
}
