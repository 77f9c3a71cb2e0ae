/* SPDX-License-Identifier: MIT */
/* The serial line: /dev/console, which the kernel has opened for /init. One thread reads. */
#ifndef APPLIANCE_LINE_H
#define APPLIANCE_LINE_H

#include <stddef.h>

/*
 * Bytes as they are, and none comes back as an echo. The reader calls @credit() for every @bytes.
 */
void line_open(size_t bytes, void (*credit)(void));
/* All of them. */
void line_read(void *to, size_t size);

/* Reads them, and forgets them. */
void line_pass(size_t size);

/* Any thread; the kernel keeps in one piece what is written at once. */
void line_write(const void *from, size_t size);

/* Waits until all that was written is out: a machine that is switched off sends nothing more. */
void line_drain(void);

#endif /* APPLIANCE_LINE_H */
