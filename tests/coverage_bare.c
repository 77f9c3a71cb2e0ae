/* SPDX-License-Identifier: MIT */
/*
 * Linked to every test program of a build with BARE=1 COVERAGE=1. Without a libc nothing writes the
 * counts at the end of a process. So nap_bare_exit() comes here first, by --wrap, and writes them:
 * each process into its own directory NAP_COVER_DIR/PID, with one file for each object file. The
 * name of this file is the object's path with '#' for '/'. tools/coverage_merge.sh adds the files
 * up. A process that a signal ends writes nothing.
 */
#include <gcov.h>

#include "arch/atomic.h"
#include "arch/syscall.h"
#include "bare_libc.h"

#define AT_FDCWD	(-100)
#define OPEN_NEW	01101	/* O_WRONLY | O_CREAT | O_TRUNC */

/* gcc puts the address of each object file's record here: -fprofile-info-section=gcov_info */
extern const struct gcov_info *const __start_gcov_info[] __attribute__((visibility("hidden")));
extern const struct gcov_info *const __stop_gcov_info[] __attribute__((visibility("hidden")));

static void make_dir(const char *path)
{
	nap__syscall3(NAP__NR_mkdirat, AT_FDCWD, (long)path, 0777);
}

/* @name is the name under which gcc itself would have written the file. */
static void open_for(const char *name, void *fd)
{
	char path[1024];
	size_t len;

	len = (size_t)snprintf(path, sizeof(path), NAP_COVER_DIR "/%d/", getpid());
	snprintf(path + len, sizeof(path) - len, "%s", name);
	for (char *at = path + len; *at; at++)
		if (*at == '/')
			*at = '#';
	*(long *)fd = nap__syscall4(NAP__NR_openat, AT_FDCWD, (long)path, OPEN_NEW, 0666);
	if (*(long *)fd < 0)
		abort();
}

static void write_part(const void *data, unsigned int size, void *fd)
{
	if (nap__syscall3(NAP__NR_write, *(long *)fd, (long)data, size) != size)
		abort();
}

/*
 * libgcov allocates memory only for counts of values, and there are none. It refers to the next two
 * functions, and never calls them.
 */
static void *no_memory(unsigned int size, void *fd)
{
	(void)size;
	(void)fd;
	return NULL;
}

void *mmap(void);
void *mmap(void)
{
	abort();
}

void __gcov_merge_add(void);
void __gcov_merge_add(void)
{
	abort();
}

static void dump(void)
{
	char dir[sizeof(NAP_COVER_DIR) + 16];
	long fd;

	make_dir(NAP_COVER_DIR);
	snprintf(dir, sizeof(dir), NAP_COVER_DIR "/%d", getpid());
	make_dir(dir);
	for (const struct gcov_info *const *info = __start_gcov_info; info != __stop_gcov_info;
	     info++) {
		__gcov_info_to_gcda(*info, open_for, write_part, no_memory, &fd);
		nap__syscall1(NAP__NR_close, fd);
	}
}

_Noreturn void __real_nap_bare_exit(int code);
_Noreturn void __wrap_nap_bare_exit(int code);
_Noreturn void __wrap_nap_bare_exit(int code)
{
	static uint32_t begun;

	/* The first thread that gets here ends the process; all others wait for this end. */
	while (nap_xchg_relaxed(&begun, 1))
		sched_yield();
	dump();
	__real_nap_bare_exit(code);
}
