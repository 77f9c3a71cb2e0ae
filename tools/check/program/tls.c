/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "graph/vector.h"
#include "program/tls.h"

uintptr_t tls_begin;
size_t tls_size;

static char *first, *copies[MAX_THREADS + 1];

void tls_found(void *block, size_t size)
{
	tls_begin = (uintptr_t)block;
	tls_size = size;
	first = malloc(size);
	memcpy(first, block, size);
	for (unsigned t = 0; t <= MAX_THREADS; t++) {
		copies[t] = malloc(size);
		memcpy(copies[t], first, size);
	}
}

void tls_new_thread(unsigned number)
{
	if (tls_size)
		memcpy(copies[number], first, tls_size);
}

void tls_put_away(unsigned number)
{
	if (tls_size)
		memcpy(copies[number], (void *)tls_begin, tls_size);
}

void tls_put_in_place(unsigned number)
{
	if (tls_size)
		memcpy((void *)tls_begin, copies[number], tls_size);
}
