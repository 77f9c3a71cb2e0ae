/* SPDX-License-Identifier: MIT */
/* Creating a file, by the flags of the libc's headers: O_NOFOLLOW is not alike on all machines. */
#include <fcntl.h>
#include <unistd.h>

#include "os/linux/file.h"
#include "os/os.h"

/* What a program prints does not go into the file, even if its standard streams are closed. */
int nap__os_create(const char *path)
{
	int fd = file_open_as(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int low = fd;

	if (fd >= 0 && fd <= STDERR_FILENO) {
		fd = (int)nap__syscall3(NAP__NR_fcntl, low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		file_close(low);
	}
	return fd;
}
