/* SPDX-License-Identifier: MIT */
/* The functions of an ELF file of 64 bits, by its symbol table, or else the dynamic one. */
#ifndef TRACE_ELF_SYMBOLS_H
#define TRACE_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
	unsigned char *bytes;
	size_t size;
};

/* False: there is no such file, or it is no ELF file of this byte order. */
bool elf_open(struct elf *elf, const char *path);
void elf_close(struct elf *elf);

/* The address that the file gives to what is at @offset in it; 0: nothing is loaded from there. */
uint64_t elf_address(const struct elf *elf, uint64_t offset);

/* The function that @address is in; NULL: none. The text is the file's. */
const char *elf_symbol(const struct elf *elf, uint64_t address);

#endif /* TRACE_ELF_SYMBOLS_H */
