/* SPDX-License-Identifier: MIT */
/* Memory and the clock, on a libc. */
#include "os/os.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include "os/futex.h"

void *nap__os_map(size_t size)
{
	int saved = errno;
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	errno = saved;
	return mem == MAP_FAILED ? NULL : mem;
}

void nap__os_unmap(void *mem, size_t size)
{
	int saved = errno;

	munmap(mem, size);
	errno = saved;
}

uint64_t nap__os_now(void)
{
	int saved = errno;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	errno = saved;
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}
