/* SPDX-License-Identifier: MIT */
#include "line.h"

#include <stdint.h>

#include "syscall.h"

/* asm-generic/termbits.h, and ioctls.h */
struct termios {
	uint32_t input, output, control, local;
	uint8_t discipline, keys[19];
};
#define TCGETS		0x5401
#define TCSETS		0x5402
#define KEY_TIME	5	/* how long and for how many bytes a read waits */
#define KEY_MIN		6

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

/* What has come is kept here, so that heads are not read by the byte. */
static uint8_t kept[4096];
static size_t nr_kept, at;

static size_t some(void *to, size_t size)
{
	long n;

	while (at == nr_kept) {
		n = nap__syscall3(NAP__NR_read, 0, (long)kept, sizeof(kept));
		nr_kept = n > 0 ? (size_t)n : 0;
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
