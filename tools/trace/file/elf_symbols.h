/* SPDX-License-Identifier: MIT */
/* Finds functions in an ELF file of 64 bits, by its symbol table, or else by the dynamic one. */
#ifndef TRACE_ELF_SYMBOLS_H
#define TRACE_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
	unsigned char *bytes;
	size_t size;
};

/* Opens a file. False if there is none, or if it is no ELF file of this byte order. */
bool elf_open(struct elf *elf, const char *path);
void elf_close(struct elf *elf);

/*
 * Returns the address that the file gives to what is at @offset in it; 0 if nothing is loaded
 * from there.
 */
uint64_t elf_address(const struct elf *elf, uint64_t offset);

/* Returns the function that @address is in; NULL if there is none. The text is the file's. */
const char *elf_symbol(const struct elf *elf, uint64_t address);

#endif /* TRACE_ELF_SYMBOLS_H */
