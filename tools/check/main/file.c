/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "main/file.h"

static bool write_all(int file, const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(file, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		text += n;
		size -= (size_t)n;
	}
	return !fsync(file);
}

/* Writes the file's name to the disk, too, if the system can. */
static void sync_folder_of(const char *file)
{
	char folder[1024];
	char *slash;
	int fd;

	snprintf(folder, sizeof(folder), "%s", file);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = 0;
	fd = open(slash ? folder : ".", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/*
 * Opens the file @beside, and locks it, because two processes that write it would damage it. If
 * another process has renamed the file before it was locked, @beside no longer names it, and a new
 * file is opened.
 */
static int open_beside(const char *beside)
{
	struct stat here, there;

	for (;;) {
		int fd = open(beside, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

		if (fd < 0)
			return -1;
		if (!flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &here) && !stat(beside, &there) &&
		    here.st_ino == there.st_ino)
			return fd;
		close(fd);
		if (errno == EWOULDBLOCK)
			return -1;
	}
}

static bool write_beside(const char *beside, const char *file, const char *text, size_t size)
{
	int fd = open_beside(beside), why;
	bool ok;

	if (fd < 0)
		return false;
	ok = !ftruncate(fd, 0) && write_all(fd, text, size) && !rename(beside, file);
	why = errno;
	if (!ok)
		unlink(beside);
	ok = !close(fd) && ok;
	errno = why;
	return ok;
}

bool file_replace(const char *file, const char *text, size_t size)
{
	char beside[1024];

	if (snprintf(beside, sizeof(beside), "%s.new", file) >= (int)sizeof(beside)) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (!write_beside(beside, file, text, size))
		return false;
	sync_folder_of(file);
	return true;
}
