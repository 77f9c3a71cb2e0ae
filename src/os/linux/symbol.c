/* SPDX-License-Identifier: MIT */
/*
 * The name of a function by its address, by system calls alone: the mapping is looked up in
 * /proc/self/maps, and the name in the symbol table of the mapped file (System V ABI, chapter 4).
 * A stripped file has only the names of exported functions. The functions here may be called in a
 * signal handler.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arch/syscall.h"
#include "os/linux/file.h"
#include "os/linux/text.h"
#include "os/os.h"

#define PT_LOAD		1u
#define SHT_SYMTAB	2u
#define SHT_DYNSYM	11u
#define STT_FUNC	2u
#define PATH_MOST	256
/* the most of a line of /proc/self/maps before the path */
#define BEFORE_PATH	96

struct file_header {
	uint8_t ident[16];
	uint16_t type, machine;
	uint32_t version;
	uint64_t entry, phoff, shoff;
	uint32_t flags;
	uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct program_header {
	uint32_t type, flags;
	uint64_t offset, vaddr, paddr, filesz, memsz, align;
};

struct section_header {
	uint32_t name, type;
	uint64_t flags, addr, offset, size;
	uint32_t link, info;
	uint64_t addralign, entsize;
};

struct file_symbol {
	uint32_t name;
	uint8_t info, other;
	uint16_t section;
	uint64_t value, size;
};

static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
	return nap__syscall4(NAP__NR_pread64, fd, (long)to, (long)size, (long)at) == (long)size;
}

static bool parse_hex(const char **str, uint64_t *n)
{
	const char *s = *str;

	for (*n = 0;; s++) {
		if (*s >= '0' && *s <= '9')
			*n = *n << 4 | (uint64_t)(*s - '0');
		else if (*s >= 'a' && *s <= 'f')
			*n = *n << 4 | (uint64_t)(*s - 'a' + 10);
		else
			break;
	}
	if (s == *str || !*s)
		return false;
	*str = s + 1;	/* skips the character after the number */
	return true;
}

/*
 * Whether the line "from-to perms offset device inode path" is the mapping of @address. Sets *@path
 * in the line, "" if no file is mapped, and *@offset in the file.
 */
static bool is_mapping_of(const char *line, uintptr_t address, const char **path, uint64_t *offset)
{
	uint64_t from, to;

	*path = line + strcspn(line, "/");
	if (!parse_hex(&line, &from) || !parse_hex(&line, &to) || address < from || address >= to)
		return false;
	line += strcspn(line, " ");
	if (!*line++ || !parse_hex(&line, offset))
		*path = "";
	*offset += address - from;
	return true;
}

static void set_file(struct nap__symbol *symbol, const char *path)
{
	const char *base = path;
	size_t len;

	for (; *path; path++)
		if (*path == '/')
			base = path + 1;
	len = (size_t)(path - base);
	memcpy(symbol->file, base,
	       len < sizeof(symbol->file) ? len : sizeof(symbol->file) - 1);
}

/*
 * Opens the file that is mapped at @address. Returns the descriptor, or a negative number. Not
 * inlined, so that the buffer of lines is off the stack when the file is read: see nap/dump.h for
 * how much stack there may be.
 */
static __attribute__((noinline)) int open_mapped(uintptr_t address, struct nap__symbol *symbol)
{
	char buf[BEFORE_PATH + PATH_MOST], *line;
	const char *path = "";
	struct lines in;
	int fd = -1;

	if (!nap__lines_open(&in, buf, sizeof(buf), "", "/proc/self/maps"))
		return -1;
	while ((line = nap__lines_next(&in)) &&
	       !is_mapping_of(line, address, &path, &symbol->offset))
		continue;
	if (line && *path) {
		set_file(symbol, path);
		fd = file_open(path);
	}
	nap__lines_close(&in);
	return fd;
}

/* Converts *@at, an offset in the file, to an address as the file's symbol table has it. */
static bool to_file_address(int fd, const struct file_header *header, uint64_t *at)
{
	struct program_header part;

	for (uint32_t i = 0; i < header->phnum; i++) {
		if (!read_at(fd, &part, sizeof(part), header->phoff + i * sizeof(part)))
			return false;
		if (part.type == PT_LOAD && *at - part.offset < part.filesz) {
			*at = *at - part.offset + part.vaddr;
			return true;
		}
	}
	return false;
}

static bool find_section(int fd, const struct file_header *header, uint32_t type,
			 struct section_header *section)
{
	for (uint32_t i = 0; i < header->shnum; i++)
		if (!read_at(fd, section, sizeof(*section), header->shoff + i * sizeof(*section)))
			return false;
		else if (section->type == type)
			return true;
	return false;
}

static bool is_symbol_of(const struct file_symbol *symbol, uint64_t at)
{
	return (symbol->info & 15) == STT_FUNC && symbol->section &&
	       (at == symbol->value || at - symbol->value < symbol->size);
}

/* Finds the function that contains the address @at in the symbol table @section. */
static bool find_symbol(int fd, const struct section_header *section, uint64_t at,
			struct file_symbol *found)
{
	struct file_symbol some[32];
	uint64_t n = section->size / sizeof(some[0]);

	for (uint64_t i = 0, count; i < n; i += count) {
		count = n - i < 32 ? n - i : 32;
		if (!read_at(fd, some, count * sizeof(some[0]),
			     section->offset + i * sizeof(some[0])))
			return false;
		for (uint64_t k = 0; k < count; k++)
			if (is_symbol_of(&some[k], at)) {
				*found = some[k];
				return true;
			}
	}
	return false;
}

/*
 * Finds the function at the offset *@at of the file, and converts *@at to an address of the file.
 * Not inlined, for the same reason.
 */
static __attribute__((noinline)) bool name_in_file(int fd, uint64_t *at, struct nap__symbol *symbol)
{
	static const uint32_t tables[] = { SHT_SYMTAB, SHT_DYNSYM };
	struct section_header section, strings;
	struct file_symbol found;
	struct file_header header;

	if (!read_at(fd, &header, sizeof(header), 0) || memcmp(header.ident, "\177ELF", 4) ||
	    !to_file_address(fd, &header, at))
		return false;
	for (int i = 0; i < 2; i++) {
		if (!find_section(fd, &header, tables[i], &section) ||
		    !find_symbol(fd, &section, *at, &found))
			continue;
		symbol->behind = *at - found.value;
		return read_at(fd, &strings, sizeof(strings),
			       header.shoff + section.link * sizeof(strings)) &&
		       nap__syscall4(NAP__NR_pread64, fd, (long)symbol->name,
				     sizeof(symbol->name) - 1,
				     (long)(strings.offset + found.name)) > 0;
	}
	return false;
}

void nap__os_symbol(uintptr_t address, struct nap__symbol *symbol)
{
	int fd;

	memset(symbol, 0, sizeof(*symbol));
	symbol->address = address;
	fd = open_mapped(address, symbol);
	if (fd < 0)
		return;
	if (!name_in_file(fd, &symbol->offset, symbol))
		symbol->name[0] = '\0';
	file_close(fd);
}
