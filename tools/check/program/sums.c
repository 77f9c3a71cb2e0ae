/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "graph/fatal.h"
#include "graph/mix.h"
#include "program/sums.h"

static uint64_t add(uint64_t sum, const uint8_t *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sum = mix(sum, at[i]);
	return sum;
}

/* Adds the code of the object that has this function. */
static int add_code(struct dl_phdr_info *info, size_t size, void *sum)
{
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || (uintptr_t)add_code - begin >= p->p_memsz)
			continue;
		*(uint64_t *)sum = add(1, (const uint8_t *)begin, p->p_filesz);
		return 1;
	}
	return 0;
}

uint64_t sum_of_checker(void)
{
	static uint64_t sum;

	if (!sum)
		dl_iterate_phdr(add_code, &sum);
	return sum;
}

/*
 * Adds a segment as it is in the file, because relocations and constructors change it in memory.
 * The first segment is left out: it names the folder of the checker's library.
 */
static void add_segment(uint64_t *sum, int file, const ElfW(Phdr) *p)
{
	uint8_t *text = malloc(p->p_filesz + 1);

	if (!text || pread(file, text, p->p_filesz, (off_t)p->p_offset) != (ssize_t)p->p_filesz)
		fatal("the program's file cannot be read");
	*sum = add(mix(*sum, p->p_vaddr), text, p->p_filesz);
	free(text);
}

static int add_program(struct dl_phdr_info *info, size_t size, void *sum)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool is_first = true;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && !is_first)
			add_segment(sum, file, p);
		is_first = is_first && p->p_type != PT_LOAD;
	}
	close(file);
	return 1;	/* the program is the first object, and is enough */
}

uint64_t sum_of_program(void)
{
	static uint64_t sum;

	if (!sum)
		dl_iterate_phdr(add_program, &sum);
	return sum;
}
