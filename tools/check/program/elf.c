/* SPDX-License-Identifier: MIT */
/* The program's own symbol table: what its static variables and functions are called. */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/names.h"

static const char *image;		/* the program's file; NULL: not to be had */
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

const char *object_at(uintptr_t address, uintptr_t *offset)
{
	static bool opened;

	if (!opened)
		open_image();
	opened = true;
	for (size_t i = 0; i < nr_symbols; i++) {
		const Elf64_Sym *s = &symbols[i];
		unsigned type = ELF64_ST_TYPE(s->st_info);

		/* a function's name stands for its beginning only */
		if ((type != STT_OBJECT || address - s->st_value >= s->st_size) &&
		    (type != STT_FUNC || address != s->st_value))
			continue;
		*offset = address - s->st_value;
		return strings + s->st_name;
	}
	return NULL;
}
