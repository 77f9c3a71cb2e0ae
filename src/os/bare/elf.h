/* SPDX-License-Identifier: MIT */
/* The part of 64-bit ELF (System V ABI, chapters 4 and 5) that a program reads of itself. */
#ifndef NAP_BARE_ELF_H
#define NAP_BARE_ELF_H

#include <stdint.h>

#define ELF_DYN		3	/* e_type: may be loaded at any address */
#define PT_DYNAMIC	2
#define PT_TLS		7
#define DT_NULL		0
#define DT_RELA		7
#define DT_RELASZ	8
#define DT_RELR		36
#define DT_LAST		37

struct elf_header {
	uint8_t ident[16];
	uint16_t type, machine;
	uint32_t version;
	uint64_t entry, phoff, shoff;
	uint32_t flags;
	uint16_t ehsize, phentsize, phnum;
};

struct elf_segment {
	uint32_t type, flags;
	uint64_t offset, vaddr, paddr, filesz, memsz, align;
};

struct elf_dynamic {
	uint64_t tag, value;
};

struct elf_rela {
	uint64_t offset, info;
	int64_t addend;
};

/* Returns the segment of @type of the program at @ehdr, or NULL. */
static inline const struct elf_segment *elf_segment(const void *ehdr, uint32_t type)
{
	const struct elf_header *header = ehdr;
	const struct elf_segment *segment = (const void *)((const char *)ehdr + header->phoff);

	for (unsigned int i = 0; i < header->phnum; i++)
		if (segment[i].type == type)
			return &segment[i];
	return (void *)0;
}

#endif /* NAP_BARE_ELF_H */
