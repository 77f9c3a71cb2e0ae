/* SPDX-License-Identifier: MIT */
/*
 * For tests of the parts of a dump, step by step: each part writes into text[], no function has a
 * known name, and a copy of memory fails when the test says so.
 */
#ifndef NAP_TESTS_DUMP_STEPS_H
#define NAP_TESTS_DUMP_STEPS_H

#include <nap/state.h>

#include "dump/dump.h"
#include "harness.h"
#include "wrap.h"

static struct nap__dump dump __attribute__((unused));
static char text[1 << 16];
static size_t text_length;

static int nr_writes;

/* A negative @fd is the error of the first write; the second write has the error @fd - 1. */
WRAP(int, nap__os_write, (int fd, const void *data, size_t size))
{
	if (fd < 0)
		return fd - nr_writes++;
	memcpy(text + text_length, data, size);
	text_length += size;
	text[text_length] = '\0';
	return 0;
}

WRAP(void, nap__os_symbol, (uintptr_t address, struct nap__symbol *symbol))
{
	*symbol = (struct nap__symbol){ .address = address };
}

/* The copy with this number fails, counted from 1; 0: none. */
static int peeks, failing_peek;
/* A queue of which three tasks are taken during the next copy. */
static struct nap__queue *taken_from;

WRAP(bool, nap__os_peek, (const void *from, void *to, size_t size))
{
	if (taken_from)
		taken_from->taken += 3;
	taken_from = NULL;
	return ++peeks != failing_peek && __real_nap__os_peek(from, to, size);
}

/* Begins a dump in which the copy number @failing fails. */
static inline void text_begin(int failing)
{
	text_length = 0;
	nr_writes = 0;
	text[0] = '\0';
	peeks = 0;
	failing_peek = failing;
}

/* How often @part is in the text. */
static inline int said(const char *part)
{
	int n = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

#endif /* NAP_TESTS_DUMP_STEPS_H */
