/* SPDX-License-Identifier: MIT */
/* Reads errno once, before a wait, after which the fiber may be on another thread: nap/io.h. */
#include <errno.h>

#include <nap/io.h>

int nap_io_again(int fd, uint32_t events, uint64_t deadline)
{
	int err = errno;

	if (err == EINTR)
		return 0;
	if (err != EAGAIN)
		return err ? -err : -EINVAL;
	err = nap_io_wait(fd, events, deadline);
	return err < 0 ? err : 0;
}
