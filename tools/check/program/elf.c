/* SPDX-License-Identifier: MIT */
/* The program's own symbol table: the names of its static variables and functions. */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/names.h"

static const char *image;		/* the program's file; NULL: not readable */
static const Elf64_Sym *symbols;
static size_t nr_symbols;
static const char *strings;

static void find_table(const Elf64_Ehdr *file)
{
	const Elf64_Shdr *section = (const Elf64_Shdr *)(image + file->e_shoff);

	for (unsigned i = 0; i < file->e_shnum; i++)
		if (section[i].sh_type == SHT_SYMTAB) {
			symbols = (const Elf64_Sym *)(image + section[i].sh_offset);
			nr_symbols = section[i].sh_size / sizeof(*symbols);
			strings = image + section[section[i].sh_link].sh_offset;
		}
}

static void open_image(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *mem;

	if (fd < 0)
		return;
	if (!fstat(fd, &st)) {
		mem = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (mem != MAP_FAILED) {
			image = mem;
			find_table(mem);
		}
	}
	close(fd);
}

static void open_once(void)
{
	static bool opened;

	if (!opened)
		open_image();
	opened = true;
}

const void *section_named(const char *name, size_t *size)
{
	const Elf64_Ehdr *file;
	const Elf64_Shdr *section;
	const char *names;

	open_once();
	file = (const Elf64_Ehdr *)image;
	section = (const Elf64_Shdr *)(image + (file ? file->e_shoff : 0));
	names = file ? image + section[file->e_shstrndx].sh_offset : NULL;
	for (unsigned i = 0; file && i < file->e_shnum; i++)
		if (!strcmp(names + section[i].sh_name, name) &&
		    !(section[i].sh_flags & SHF_COMPRESSED)) {
			*size = section[i].sh_size;
			return image + section[i].sh_offset;
		}
	*size = 0;
	return NULL;
}

const char *object_at(uintptr_t address, uintptr_t *offset)
{
	open_once();
	for (size_t i = 0; i < nr_symbols; i++) {
		const Elf64_Sym *s = &symbols[i];
		unsigned type = ELF64_ST_TYPE(s->st_info);

		/* a function's name stands for its first byte only */
		if ((type != STT_OBJECT || address - s->st_value >= s->st_size) &&
		    (type != STT_FUNC || address != s->st_value))
			continue;
		*offset = address - s->st_value;
		return strings + s->st_name;
	}
	return NULL;
}

uintptr_t object_named(const char *name, size_t *size)
{
	open_once();
	for (size_t i = 0; i < nr_symbols; i++) {
		const Elf64_Sym *s = &symbols[i];

		if (s->st_shndx == SHN_UNDEF || strcmp(strings + s->st_name, name))
			continue;
		*size = s->st_size;
		return s->st_value;
	}
	*size = 0;
	return 0;
}

/* ---- static objects in order, to find the object near an address */

static const Elf64_Sym **sorted;
static size_t nr_sorted;

static int by_address(const void *a, const void *b)
{
	const Elf64_Sym *x = *(const Elf64_Sym *const *)a, *y = *(const Elf64_Sym *const *)b;

	if (x->st_value != y->st_value)
		return x->st_value < y->st_value ? -1 : 1;
	return x->st_size < y->st_size ? -1 : x->st_size > y->st_size;
}

/* Whether the linker made the name, for the end of a section. */
static bool is_end(const char *name)
{
	static const char *const ends[] = { "_end", "end", "_edata", "edata", "__bss_start" };

	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(name, ends[i]))
			return true;
	return false;
}

/* Sorts the objects by address. Names without size and type count, too: assembly has such. */
static void sort_objects(void)
{
	sorted = malloc((nr_symbols + 1) * sizeof(*sorted));
	for (size_t i = 0; i < nr_symbols; i++) {
		unsigned type = ELF64_ST_TYPE(symbols[i].st_info);

		if (symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_shndx < SHN_LORESERVE &&
		    (type == STT_OBJECT ||
		     (type == STT_NOTYPE && !is_end(strings + symbols[i].st_name))))
			sorted[nr_sorted++] = &symbols[i];
	}
	qsort(sorted, nr_sorted, sizeof(*sorted), by_address);
}

const char *object_before(uintptr_t address, uintptr_t *begin, uintptr_t *end)
{
	size_t low = 0, high;

	open_once();
	if (!sorted)
		sort_objects();
	for (high = nr_sorted; low < high; ) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle]->st_value <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !sorted[low - 1]->st_size)
		return NULL;
	*begin = sorted[low - 1]->st_value;
	*end = *begin + sorted[low - 1]->st_size;
	return strings + sorted[low - 1]->st_name;
}
