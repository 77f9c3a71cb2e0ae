/* SPDX-License-Identifier: MIT */
/*
 * Memory of the process that another thread may write, free or unmap at any time: the kernel
 * copies it, and says so if it is not there. For a dump, in a signal handler too.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/syscall.h"
#include "os/linux/file.h"
#include "os/os.h"

struct io_part {
	const void *base;
	size_t size;
};

/* Where process_vm_readv(2) is not there or not allowed: through a pipe, which holds a page. */
static bool peek_by_pipe(const void *from, void *to, size_t size)
{
	int fds[2];
	bool whole;

	if (nap__syscall2(NAP__NR_pipe2, (long)fds, FILE_READ_ONLY))
		return false;
	whole = file_write(fds[1], from, size) == (long)size &&
		file_read(fds[0], to, size) == (long)size;
	file_close(fds[0]);
	file_close(fds[1]);
	return whole;
}

bool nap__os_peek(const void *from, void *to, size_t size)
{
	struct io_part source = { from, size }, sink = { to, size };
	long n = nap__syscall6(NAP__NR_process_vm_readv, nap__os_process_number(), (long)&sink, 1,
			       (long)&source, 1, 0);

	return n == -ENOSYS || n == -EPERM ? peek_by_pipe(from, to, size) : n == (long)size;
}
