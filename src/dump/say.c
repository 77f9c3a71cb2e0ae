/* SPDX-License-Identifier: MIT */
/* Writing a dump: src/dump/dump.h. */
#include "dump/dump.h"

#include <string.h>

void nap__dump_flush(struct nap__dump *dump)
{
	if (!dump->err && dump->len)
		dump->err = nap__os_write(dump->fd, dump->buf, dump->len);
	dump->len = 0;
}

static void put_char(struct nap__dump *dump, char c)
{
	if (dump->len == sizeof(dump->buf))
		nap__dump_flush(dump);
	dump->buf[dump->len++] = c;
}

static void put_str(struct nap__dump *dump, const char *str)
{
	while (*str)
		put_char(dump, *str++);
}

/* Appends @n in base @base, with at least @digits digits. */
static void put_base(struct nap__dump *dump, uint64_t n, uint32_t base, int digits)
{
	char out[20];
	int at = sizeof(out);

	do {
		out[--at] = "0123456789abcdef"[n % base];
		n /= base;
		digits--;
	} while (n || digits > 0);
	while (at < (int)sizeof(out))
		put_char(dump, out[at++]);
}

static void put_address(struct nap__dump *dump, uint64_t address)
{
	put_str(dump, "0x");
	/* Not noticed in tests when 0 for 1: put_base() appends a digit in any case. */
	put_base(dump, address, 16, 1);
}

/*
 * Appends a string of the program. Control characters are replaced, because they could forge a line
 * of the dump.
 */
static void put_quoted(struct nap__dump *dump, const char *str)
{
	put_char(dump, '"');
	for (; *str; str++)
		put_char(dump,
			 (unsigned char)*str < ' ' || *str == '"' || *str == '\177' ? '?' : *str);
	put_char(dump, '"');
}

static void put_ms(struct nap__dump *dump, uint64_t ms)
{
	/* Not noticed in tests when 0 for 1: put_base() appends a digit in any case. */
	put_base(dump, ms / 1000, 10, 1);
	put_char(dump, '.');
	put_base(dump, ms % 1000, 10, 3);
	put_str(dump, " s");
}

static const struct nap__symbol *symbol_of(struct nap__dump *dump, uintptr_t address)
{
	struct nap__symbol *symbol;

	for (uint32_t i = 0; i < DUMP_NAMES; i++)
		if (dump->names[i].address == address)
			return &dump->names[i];
	symbol = &dump->names[dump->next_name++ % DUMP_NAMES];
	nap__os_symbol(address, symbol);
	return symbol;
}

/* Appends "0x55d0 name+0x12 (file+0x11d0)", or the part of it that is known. */
static void put_function(struct nap__dump *dump, uintptr_t address)
{
	const struct nap__symbol *symbol;

	put_address(dump, address);
	if (!address)
		return;
	symbol = symbol_of(dump, address);
	if (symbol->name[0]) {
		put_char(dump, ' ');
		put_str(dump, symbol->name);
		if (symbol->behind) {
			put_char(dump, '+');
			put_address(dump, symbol->behind);
		}
	}
	if (symbol->file[0]) {
		put_str(dump, " (");
		put_str(dump, symbol->file);
		put_char(dump, '+');
		put_address(dump, symbol->offset);
		put_char(dump, ')');
	}
}

static void put_one(struct nap__dump *dump, char form, uint64_t value)
{
	switch (form) {
	case 'u':
		/* Not noticed in tests when 0 for 1: put_base() appends a digit in any case. */
		put_base(dump, value, 10, 1);
		break;
	case 'p':
		put_address(dump, value);
		break;
	case 's':
		put_str(dump, (const char *)(uintptr_t)value);
		break;
	case 'n':
		put_quoted(dump, (const char *)(uintptr_t)value);
		break;
	case 'f':
		put_function(dump, (uintptr_t)value);
		break;
	case 't':
		put_ms(dump, value / 1000000);
		break;
	case 'm':
		put_ms(dump, value);
		break;
	}
}

void nap__dump_say(struct nap__dump *dump, const char *form, const uint64_t *values)
{
	for (; *form; form++)
		if (*form == '%')
			put_one(dump, *++form, *values++);
		else
			put_char(dump, *form);
}
