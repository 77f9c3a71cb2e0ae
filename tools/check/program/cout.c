/* SPDX-License-Identifier: MIT */
/*
 * Silences the functions by which C++'s library prints, for std::cout and the like, while the
 * program runs. The linker cannot wrap these functions, because the library calls them, and no
 * object of the program does. The checker and its libraries call them, too. The program's own calls
 * of write(2) and writev(2) also come here: the printed bytes are read.
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "program/library.h"
#include "program/outcome.h"
#include "program/outside.h"

static bool program_prints(void)
{
	return self != MAX_THREADS || is_outside();
}

static void is_output(int fd)
{
	if (fd != STDOUT_FILENO && fd != STDERR_FILENO)
		give_up("write() to a file");
}

static ssize_t silently_written(int fd, const void *mem, size_t size, uintptr_t pc)
{
	is_output(fd);
	plain_range((uintptr_t)mem, size, false, pc);
	outcome_prints(mem, size);
	return (ssize_t)size;
}

static ssize_t all_written(int fd, const struct iovec *piece, int n, uintptr_t pc)
{
	ssize_t size = 0;

	is_output(fd);
	plain_range((uintptr_t)piece, (size_t)n * sizeof(*piece), false, pc);
	for (int i = 0; i < n; i++)
		size += silently_written(fd, piece[i].iov_base, piece[i].iov_len, pc);
	return size;
}

#pragma GCC visibility push(default)

/* Defines a function that returns @result to the program, and calls no library function. */
#define SILENT(type, name, parameters, arguments, result)	\
type name parameters						\
{								\
	if (program_prints())					\
		return result;					\
	return LIBRARY(type parameters, #name) arguments;	\
}
SILENT(size_t, fwrite, (const void *mem, size_t size, size_t n, FILE *out), (mem, size, n, out),
       (outcome_prints(mem, size * n), n))
SILENT(int, putc, (int c, FILE *out), (c, out), (outcome_prints_char(c), (unsigned char)c))
SILENT(int, fflush, (FILE *out), (out), 0)
SILENT(ssize_t, write, (int fd, const void *mem, size_t size), (fd, mem, size),
       silently_written(fd, mem, size, PC))
SILENT(ssize_t, writev, (int fd, const struct iovec *piece, int n), (fd, piece, n),
       all_written(fd, piece, n, PC))

/*
 * std::ios_base::sync_with_stdio() does nothing, because nothing is printed. The library would
 * note new buffers in its own memory, which is not restored.
 */
bool __wrap__ZNSt8ios_base15sync_with_stdioEb(bool sync);
bool __wrap__ZNSt8ios_base15sync_with_stdioEb(bool sync)
{
	(void)sync;
	return true;
}
