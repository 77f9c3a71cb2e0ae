/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <string.h>

#include "report/html.h"

/*
 * Returns how many bytes the character at @text has; 0: it is none of UTF-8, or no page may have
 * it.
 */
static unsigned length_of(const unsigned char *text)
{
	static const struct { unsigned char from, to; unsigned length; } leads[] = {
		{ 0x20, 0x7e, 1 }, { '\t', '\t', 1 }, { '\n', '\n', 1 },
		{ 0xc2, 0xdf, 2 }, { 0xe0, 0xef, 3 }, { 0xf0, 0xf4, 4 },
	};

	for (unsigned i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		if (text[0] < leads[i].from || text[0] > leads[i].to)
			continue;
		for (unsigned k = 1; k < leads[i].length; k++)
			if (text[k] >> 6 != 2)
				return 0;
		/* overlong, a surrogate, beyond the last character, U+FFFE, or a control of C1 */
		if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90) ||
		    (text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f) ||
		    (text[0] == 0xef && text[1] == 0xbf && text[2] > 0xbd) ||
		    (text[0] == 0xc2 && text[1] < 0xa0))
			return 0;
		return leads[i].length;
	}
	return 0;
}

/* Writes the character at @text; returns how many bytes it has. */
static unsigned put(FILE *out, const char *text)
{
	unsigned length = length_of((const unsigned char *)text);

	if (*text == '<')
		fputs("&lt;", out);
	else if (*text == '>')
		fputs("&gt;", out);
	else if (*text == '&')
		fputs("&amp;", out);
	else if (*text == '"')
		fputs("&quot;", out);
	else if (length)
		fwrite(text, 1, length, out);
	else
		fputc('?', out);
	return length ? length : 1;
}

void html_text(FILE *out, const char *text)
{
	while (*text)
		text += put(out, text);
}

/* Writes a link, if the text begins with one; returns how long it is. */
static size_t put_link(FILE *out, const char *text)
{
	bool plain = text[0] == '#' && text[1] == 'p';
	size_t digits = text[0] == '#' ? strspn(text + 1 + plain, "0123456789") : 0;

	if (!digits || digits > 5)
		return 0;
	if (plain)
		fprintf(out, "<a href=\"#p%.*s\">p%.*s</a>", (int)digits, text + 2, (int)digits,
			text + 2);
	else
		fprintf(out, "<a href=\"#e%.*s\">#%.*s</a>", (int)digits, text + 1, (int)digits,
			text + 1);
	return 1 + plain + digits;
}

void html_linked(FILE *out, const char *text)
{
	char before = ' ';

	while (*text) {
		/* no link directly behind a name, as in C++'s "lambda()#1" */
		size_t n = strchr(" (,", before) ? put_link(out, text) : 0;

		before = *text;
		text += n ? n : put(out, text);
	}
}
