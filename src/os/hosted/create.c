/* SPDX-License-Identifier: MIT */
/* Creating a file, by the flags of the libc's headers: O_NOFOLLOW is not alike on all machines. */
#include <fcntl.h>

#include "os/linux/file.h"
#include "os/os.h"

int nap__os_create(const char *path)
{
	return file_open_as(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}
