/* SPDX-License-Identifier: MIT */
/* The serial line: /dev/console, which the kernel has opened for /init. One thread reads. */
#ifndef APPLIANCE_LINE_H
#define APPLIANCE_LINE_H

#include <stddef.h>

/* Opens the line for raw bytes, without an echo. The reader calls @credit() after every @bytes. */
void line_open(size_t bytes, void (*credit)(void));
/* Reads all @size bytes. */
void line_read(void *to, size_t size);

/* Reads and drops @size bytes. */
void line_pass(size_t size);

/* Writes in any thread. The kernel keeps the bytes of one call together. */
void line_write(const void *from, size_t size);

/* Waits until all written bytes are out: a machine that is switched off sends nothing more. */
void line_drain(void);

#endif /* APPLIANCE_LINE_H */
