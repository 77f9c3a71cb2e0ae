/* SPDX-License-Identifier: MIT */
#include "line.h"

#include <stdint.h>

#include "arch/syscall.h"

/* From asm-generic/termbits.h and ioctls.h. */
struct termios {
	uint32_t input, output, control, local;
	uint8_t discipline, keys[19];
};
#define TCGETS		0x5401
#define TCSETS		0x5402
/* places in the array: how long a read waits, and for how many bytes */
#define KEY_TIME	5
#define KEY_MIN		6
#define TCSBRK		0x5409	/* ioctl(): with argument 1 it waits until all bytes are out */

static size_t per_credit, uncredited;
static void (*give_credit)(void);

void line_open(size_t bytes, void (*credit)(void))
{
	struct termios termios;

	per_credit = bytes;
	give_credit = credit;
	nap__syscall3(NAP__NR_ioctl, 0, TCGETS, (long)&termios);
	termios.input = termios.output = termios.local = 0;
	termios.keys[KEY_TIME] = 0;
	termios.keys[KEY_MIN] = 1;
	nap__syscall3(NAP__NR_ioctl, 0, TCSETS, (long)&termios);
}

/* The bytes read ahead, so that heads are not read byte by byte. */
static uint8_t kept[4096];
static size_t nr_kept, at;

/* How long to wait when the line is closed, because it may be opened again at its other end. */
#define CLOSED_NS	100000000

static long read_line(void)
{
	int64_t pause[2] = { 0, CLOSED_NS };
	long n = nap__syscall3(NAP__NR_read, 0, (long)kept, sizeof(kept));

	if (n > 0)
		return n;
	nap__syscall2(NAP__NR_nanosleep, (long)pause, 0);
	return 0;
}

static size_t some(void *to, size_t size)
{
	while (at == nr_kept) {
		nr_kept = (size_t)read_line();
		at = 0;
		uncredited += nr_kept;
		for (; uncredited >= per_credit; uncredited -= per_credit)
			give_credit();
	}
	if (size > nr_kept - at)
		size = nr_kept - at;
	if (to)
		__builtin_memcpy(to, kept + at, size);
	at += size;
	return size;
}

void line_read(void *to, size_t size)
{
	for (size_t n; size; to = (char *)to + n, size -= n)
		n = some(to, size);
}

void line_pass(size_t size)
{
	while (size)
		size -= some(NULL, size);
}

void line_write(const void *from, size_t size)
{
	long n;

	for (; size; from = (const char *)from + n, size -= (size_t)n) {
		n = nap__syscall3(NAP__NR_write, 1, (long)from, (long)size);
		if (n <= 0)
			return;
	}
}

void line_drain(void)
{
	nap__syscall3(NAP__NR_ioctl, 1, TCSBRK, 1);
}
