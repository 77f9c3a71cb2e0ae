/* SPDX-License-Identifier: MIT */
/* Puts text for Prometheus together, piece by piece: src/kit/page.h. */
#include "kit/page.h"

#include <string.h>

void nap__page_bytes(struct page *page, const char *str, size_t len)
{
	/*
	 * Not noticed in tests when <= for < (2): a text without room for its 0 is cut anyway, at
	 * the end of an earlier line.
	 */
	if (page->len < page->size && len < page->size - page->len)
		memcpy(page->buf + page->len, str, len);
	page->len += len;
}

void nap__page_string(struct page *page, const char *str)
{
	nap__page_bytes(page, str, strlen(str));
}

void nap__page_number(struct page *page, uint64_t n)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	nap__page_bytes(page, digits + at, sizeof(digits) - at);
}

/* Returns the length in bytes of the character at @str; 0: not valid UTF-8 (RFC 3629). */
static size_t utf8_length(const char *str)
{
	const unsigned char *s = (const unsigned char *)str;
	size_t n = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;

	if (*s < 0x80)
		return 1;
	if (*s < 0xc2 || *s > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Not valid are overlong forms, surrogates of UTF-16, and characters above U+10FFFF. */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xf0 && s[1] < 0x90) ||
	    (*s == 0xed && s[1] > 0x9f) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/*
 * Returns the character at *@str, of *@len bytes, or U+FFFD in place of an invalid one; advances
 * *@str.
 */
static const char *next_character(const char **str, size_t *len)
{
	const char *at = *str;
	size_t n = utf8_length(at);

	*str += n ? n : 1;
	*len = n ? n : 3;
	return n ? at : "\xef\xbf\xbd";
}

static const char *name_or_nap(const char *name)
{
	return name ? name : "nap";
}

void nap__page_name(struct page *page, const char *name)
{
	const char *str = name_or_nap(name);

	while (*str) {
		size_t len;
		const char *character = next_character(&str, &len);

		if (*character == '\n') {
			nap__page_bytes(page, "\\n", 2);
			continue;
		}
		if (*character == '\\' || *character == '"')
			nap__page_bytes(page, "\\", 1);
		nap__page_bytes(page, character, len);
	}
}

bool nap__page_same(const char *a, const char *b)
{
	a = name_or_nap(a);
	b = name_or_nap(b);
	/* Not noticed in tests when || for &&: the end of a name differs from every character. */
	while (*a && *b) {
		size_t len, len_b;
		const char *c = next_character(&a, &len), *c_b = next_character(&b, &len_b);

		if (len != len_b || memcmp(c, c_b, len))
			return false;
	}
	return *a == *b;
}

void nap__page_head(struct page *page, const char *name, const char *help, const char *type)
{
	nap__page_string(page, "# HELP ");
	nap__page_string(page, name);
	nap__page_string(page, " ");
	nap__page_string(page, help);
	nap__page_line(page);
	nap__page_string(page, "# TYPE ");
	nap__page_string(page, name);
	nap__page_string(page, " ");
	nap__page_string(page, type);
	nap__page_line(page);
}

void nap__page_labels(struct page *page, const char *label, const char *name, uint32_t nr)
{
	nap__page_string(page, "{");
	nap__page_string(page, label);
	nap__page_string(page, "=\"");
	nap__page_name(page, name);
	nap__page_string(page, "\"");
	if (nr > 1) {
		nap__page_string(page, ",nr=\"");
		nap__page_number(page, nr);
		nap__page_string(page, "\"");
	}
}

void nap__page_line(struct page *page)
{
	nap__page_bytes(page, "\n", 1);
	if (page->len < page->size)
		page->line = page->len;
}

size_t nap__page_end(struct page *page)
{
	if (page->size)
		page->buf[page->line] = 0;
	return page->len;
}
