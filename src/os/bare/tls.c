/* SPDX-License-Identifier: MIT */
/*
 * Thread-local variables ("ELF Handling For Thread-Local Storage", Drepper): every thread has a
 * copy of the program's PT_TLS segment. The copy lies at a fixed offset from the thread pointer;
 * the linker has put this offset into the code.
 *
 *	above:	tp -> gap, image			(AArch64, RISC-V)
 *	below:	image, tp -> thread control block	(x86-64)
 *
 * In the linker's offsets the image's start (above) or end (below) is aligned as the segment is. So
 * the thread pointer has to have the same alignment.
 */
#include <string.h>

#include "os/bare/bare.h"
#include "os/bare/elf.h"
#include "thread.h"

static struct {
	const void *image;	/* the initial image, of @file_size bytes; the rest is zeroes */
	size_t file_size;
	size_t size;		/* bytes of the block, rounded up to its alignment */
	size_t align;
} tls = { .align = 16 };

void nap__tls_find(const void *ehdr, uintptr_t base)
{
	const struct elf_segment *segment = elf_segment(ehdr, PT_TLS);

	if (!segment)
		return;
	if (segment->align > tls.align)
		tls.align = segment->align;
	tls.image = (const void *)(base + segment->vaddr);
	tls.file_size = segment->filesz;
	tls.size = round_up(segment->memsz, segment->align ? segment->align : 1);
}

static size_t size_above(void)
{
	return NAP__TLS_BELOW ? NAP__TCB_SIZE :
		round_up(NAP__TLS_GAP, tls.align) + round_up(tls.size, tls.align);
}

static size_t size_below(void)
{
	return NAP__TLS_BELOW ? round_up(tls.size, tls.align) : 0;
}

size_t nap__tls_size(void)
{
	return round_up(size_below() + size_above() + tls.align, 16);
}

void *nap__tls_make(void *mem)
{
	char *tp = (char *)round_up((uintptr_t)mem, tls.align) + size_below();
	char *image = NAP__TLS_BELOW ? tp - tls.size : tp + round_up(NAP__TLS_GAP, tls.align);

	if (tls.image)
		memcpy(image, tls.image, tls.file_size);
	return tp;
}
