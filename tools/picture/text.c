/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "picture/layout.h"

/* Returns the length of the character at @p; 0 if no character of XML begins there. */
static unsigned character(const char *p)
{
	unsigned char c = (unsigned char)*p;
	unsigned length = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 :
		c >= 0xf0 && c < 0xf5 ? 4 : 0;
	uint32_t code = length < 2 ? c : c & (0x7fu >> length);

	for (unsigned i = 1; i < length; i++) {
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | ((unsigned char)p[i] & 0x3f);
	}
	if ((length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10ffff)) ||
	    (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff)
		return 0;
	return code >= 0x20 || code == '\t' || code == '\n' ? length : 0;
}

static unsigned step(const char *p)
{
	unsigned length = character(p);

	return length ? length : 1;
}

unsigned text_characters(const char *text)
{
	unsigned n = 0;

	for (; *text; text += step(text))
		n++;
	return n;
}

int text_width(unsigned characters, int advance)
{
	return ((int)characters * advance + 9) / 10;
}

static void write_character(FILE *out, const char *p)
{
	switch (*p) {
	case '&': fputs("&amp;", out); break;
	case '<': fputs("&lt;", out); break;
	case '>': fputs("&gt;", out); break;
	case '"': fputs("&quot;", out); break;
	case '\t': case '\n': fputc(' ', out); break;
	default:
		if (character(p))
			fwrite(p, 1, character(p), out);
		else
			fputs("\xef\xbf\xbd", out);
	}
}

void picture_text(FILE *out, const char *text, unsigned most)
{
	unsigned n = text_characters(text), shown = n > most ? most - 1 : n;

	for (unsigned i = 0; i < shown; i++, text += step(text))
		write_character(out, text);
	if (shown < n)
		fputs("\xe2\x80\xa6", out);
}

void text_element(FILE *out, const char *class, const char *anchor, struct point at,
		  const char *text, unsigned most)
{
	fprintf(out, "<text class=\"%s\"", class);
	if (*anchor != 's')
		fprintf(out, " text-anchor=\"%s\"", anchor);
	fprintf(out, " x=\"%d\" y=\"%d\">", at.x, at.y);
	picture_text(out, text, most);
	fputs("</text>", out);
}

/*
 * Returns how many bytes a line of @width characters has: up to the end of a word, if a word ends
 * there.
 */
static size_t line_length(const char *text, unsigned width)
{
	size_t at = 0, word = 0;

	for (unsigned i = 0; text[at] && i < width; i++) {
		at += step(text + at);
		if (text[at] == ' ' || !text[at])
			word = at;
	}
	return word ? word : at;
}

unsigned text_lines(const char *text, char (*line)[LABEL_BYTES], unsigned width)
{
	unsigned nr = 0;

	while (*text && nr < LABEL_LINES) {
		size_t length = line_length(text, width);

		memcpy(line[nr], text, length);
		line[nr][length] = 0;
		text += length + strspn(text + length, " ");
		if (*text && nr + 1 == LABEL_LINES)
			strcpy(line[nr] + length, "\xe2\x80\xa6");
		nr++;
	}
	return nr;
}
