/* SPDX-License-Identifier: MIT */
#include "machine/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const Elf64_Sym **variables;	/* by address */
static size_t nr;
static const char *names;

static int by_address(const void *a, const void *b)
{
	const Elf64_Sym *x = *(const Elf64_Sym *const *)a, *y = *(const Elf64_Sym *const *)b;

	if (x->st_value != y->st_value)
		return x->st_value < y->st_value ? -1 : 1;
	return strcmp(names + x->st_name, names + y->st_name);
}

static void read_table(const char *file, const Elf64_Shdr *sections, const Elf64_Shdr *table)
{
	const Elf64_Sym *symbols = (const Elf64_Sym *)(const void *)(file + table->sh_offset);
	size_t all = table->sh_size / sizeof(*symbols);

	names = file + sections[table->sh_link].sh_offset;
	variables = malloc(all * sizeof(*variables));
	for (size_t i = 0; variables && i < all; i++)
		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_OBJECT && symbols[i].st_size)
			variables[nr++] = &symbols[i];
	if (variables)
		qsort(variables, nr, sizeof(*variables), by_address);
}

/*
 * Reads the symbols from the program's file. The program is linked to run at the addresses that the
 * file has.
 */
static void read_file(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const Elf64_Shdr *sections;
	const Elf64_Ehdr *head;
	struct stat stat;
	const char *file;

	if (fd < 0 || fstat(fd, &stat))
		return;
	file = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return;
	head = (const Elf64_Ehdr *)(const void *)file;
	sections = (const Elf64_Shdr *)(const void *)(file + head->e_shoff);
	for (unsigned i = 0; i < head->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			read_table(file, sections, &sections[i]);
}

const char *symbol_at(uintptr_t address)
{
	static bool was_read;
	size_t low = 0, high;

	if (!was_read)
		read_file();
	was_read = true;
	for (high = nr; low < high; ) {
		size_t middle = (low + high) / 2;

		if (variables[middle]->st_value <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - variables[low - 1]->st_value >= variables[low - 1]->st_size)
		return NULL;
	return names + variables[low - 1]->st_name;
}
