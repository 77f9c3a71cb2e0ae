/* SPDX-License-Identifier: MIT */
/* 3-loop FILE: counts the lines of one large file, on all CPUs. */
#include <nap/nap.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "count.h"

static int add(size_t begin, size_t end, void *lines, void *bytes)
{
	*(long *)lines += count_in((char *)bytes + begin, (char *)bytes + end);
	return 0;
}

static void merge(void *lines, const void *right, void *bytes)
{
	(void)bytes;
	*(long *)lines += *(const long *)right;
}

int main(int argc, char **argv)
{
	static const struct nap_reduction sum = { sizeof(long), add, merge, NULL };
	static struct nap_pool pool;
	const char *path = argc > 1 ? argv[1] : "/etc/passwd";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat;
	char *bytes;
	long lines = 0;

	if (fd < 0 || fstat(fd, &stat)) {
		perror(path);
		return 1;
	}
	bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED) {
		perror(path);
		return 1;
	}
	nap_reduce(&pool, NULL, 0, (size_t)stat.st_size, &sum, &lines, bytes);
	printf("%ld %s\n", lines, path);
	return nap_pool_join(&pool, NULL) ? 1 : 0;
}
