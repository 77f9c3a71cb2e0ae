/* SPDX-License-Identifier: MIT */
#include "file/elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map(struct elf *elf, const char *path)
{
	/* O_NONBLOCK, because otherwise the open of a pipe would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat;
	void *at = MAP_FAILED;

	if (fd < 0)
		return false;
	if (!fstat(fd, &stat) && S_ISREG(stat.st_mode) && stat.st_size > 0)
		at = mmap(NULL, elf->size = (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	elf->bytes = at;
	return at != MAP_FAILED;
}

bool elf_open(struct elf *elf, const char *path)
{
	const int one = 1;
	unsigned char order = *(const char *)&one ? ELFDATA2LSB : ELFDATA2MSB;

	*elf = (struct elf){ NULL, 0 };
	if (!map(elf, path)) {
		elf->bytes = NULL;
		return false;
	}
	if (elf->size >= sizeof(Elf64_Ehdr) && !memcmp(elf->bytes, ELFMAG, SELFMAG) &&
	    elf->bytes[EI_CLASS] == ELFCLASS64 && elf->bytes[EI_DATA] == order)
		return true;
	elf_close(elf);
	return false;
}

void elf_close(struct elf *elf)
{
	if (elf->bytes)
		munmap(elf->bytes, elf->size);
	elf->bytes = NULL;
}

/*
 * Copies entry @i of a table of @nr entries of @each bytes at @at. False if the entry is not in
 * the file.
 */
static bool entry(const struct elf *elf, uint64_t at, uint64_t nr, uint64_t each, uint64_t i,
		  void *to, size_t size)
{
	if (i >= nr || each < size || at > elf->size || (elf->size - at) / each <= i)
		return false;
	memcpy(to, elf->bytes + at + i * each, size);
	return true;
}

static bool section(const struct elf *elf, uint64_t i, Elf64_Shdr *to)
{
	Elf64_Ehdr head;

	memcpy(&head, elf->bytes, sizeof(head));
	return entry(elf, head.e_shoff, head.e_shnum, head.e_shentsize, i, to, sizeof(*to));
}

uint64_t elf_address(const struct elf *elf, uint64_t offset)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;

	memcpy(&head, elf->bytes, sizeof(head));
	for (uint64_t i = 0;
	     entry(elf, head.e_phoff, head.e_phnum, head.e_phentsize, i, &part, sizeof(part)); i++)
		if (part.p_type == PT_LOAD && offset >= part.p_offset &&
		    offset - part.p_offset < part.p_filesz)
			return offset - part.p_offset + part.p_vaddr;
	return 0;
}

/* Returns a text in section @texts. */
static const char *text(const struct elf *elf, uint64_t texts, uint64_t at)
{
	Elf64_Shdr table;

	if (!section(elf, texts, &table) || at >= table.sh_size || table.sh_offset > elf->size ||
	    table.sh_size > elf->size - table.sh_offset)
		return NULL;
	at += table.sh_offset;
	return memchr(elf->bytes + at, 0, table.sh_offset + table.sh_size - at) ?
		(const char *)elf->bytes + at : NULL;
}

/*
 * Returns the function that @address is in; NULL: none. A symbol without a size reaches to the next
 * symbol, so the function is the nearest symbol before @address.
 */
static const char *symbol_of(const struct elf *elf, const Elf64_Shdr *table, uint64_t address)
{
	Elf64_Sym symbol, best = { .st_name = 0 };

	for (uint64_t i = 0;
	     table->sh_entsize && entry(elf, table->sh_offset, table->sh_size / table->sh_entsize,
					table->sh_entsize, i, &symbol, sizeof(symbol));
	     i++) {
		unsigned type = ELF64_ST_TYPE(symbol.st_info);

		if ((type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC) ||
		    !symbol.st_name || !symbol.st_shndx || symbol.st_value > address ||
		    (symbol.st_size && address - symbol.st_value >= symbol.st_size))
			continue;
		if (!best.st_name || symbol.st_value >= best.st_value)
			best = symbol;
	}
	return best.st_name ? text(elf, table->sh_link, best.st_name) : NULL;
}

const char *elf_symbol(const struct elf *elf, uint64_t address)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	Elf64_Shdr table;

	for (unsigned t = 0; t < 2; t++) {
		for (uint64_t i = 0; section(elf, i, &table); i++) {
			const char *name = table.sh_type == types[t]
						   ? symbol_of(elf, &table, address)
						   : NULL;

			if (name)
				return name;
		}
	}
	return NULL;
}
