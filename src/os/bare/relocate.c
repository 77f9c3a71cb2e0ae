/* SPDX-License-Identifier: MIT */
/*
 * A static position-independent program has to relocate itself. Until then no stored address may be
 * used, so the code here uses nothing outside of this file, except by addresses relative to the
 * code.
 */
#include <stddef.h>

#include "os/bare/bare.h"
#include "os/bare/elf.h"
#include "thread.h"

uintptr_t nap__relocate(const void *ehdr)
{
	const struct elf_header *header = ehdr;
	const struct elf_segment *segment = elf_segment(ehdr, PT_DYNAMIC);
	uintptr_t base = header->type == ELF_DYN ? (uintptr_t)ehdr : 0;
	uint64_t dt[DT_LAST];

	if (!segment || !base)
		return base;
	/*
	 * These two entries are read even if the table lacks them. DT_RELA is read only if
	 * DT_RELASZ is not 0. (An initialiser of the whole array would call memset().)
	 */
	dt[DT_RELASZ] = 0;
	dt[DT_RELR] = 0;
	for (const struct elf_dynamic *d = (const void *)(base + segment->vaddr); d->tag; d++)
		if (d->tag < DT_LAST)
			dt[d->tag] = d->value;
	/* A packed table is not supported; a linker makes one only when told to. */
	if (dt[DT_RELR])
		/* Not counted in tests: the process ends at once, and its counts with it. */
		nap__syscall1(NAP__NR_exit_group, EXIT_UNFIT);
	for (uint64_t i = 0; i < dt[DT_RELASZ] / sizeof(struct elf_rela); i++) {
		const struct elf_rela *rela = (const struct elf_rela *)(base + dt[DT_RELA]) + i;

		/* R_*_NONE: an entry that the linker has reserved and not used */
		if ((uint32_t)rela->info == 0)
			continue;
		if ((uint32_t)rela->info != NAP__R_RELATIVE)
			/*
			 * Not counted in tests: the process ends at once, and its counts with it.
			 */
			nap__syscall1(NAP__NR_exit_group, EXIT_UNFIT);
		*(uint64_t *)(base + rela->offset) = base + (uint64_t)rela->addend;
	}
	return base;
}
