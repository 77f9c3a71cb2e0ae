/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "file/memory.h"
#include "write/write.h"

void walk(const struct lane *lane, void (*edge)(void *arg, const struct span *span, bool begins),
	  void *arg)
{
	const struct span **open = resize(NULL, lane->depth, sizeof(*open));
	size_t nr = 0;

	for (size_t i = 0; i < lane->nr; i++) {
		for (; nr > lane->span[i].depth; nr--)
			edge(arg, open[nr - 1], false);
		open[nr++] = &lane->span[i];
		edge(arg, &lane->span[i], true);
	}
	for (; nr; nr--)
		edge(arg, open[nr - 1], false);
	free(open);
}

struct lane without_carriers(const struct lane *lane)
{
	unsigned *carriers = resize(NULL, lane->depth + 1, sizeof(*carriers)), depth = 0;
	struct lane copy = *lane;

	copy.span = resize(NULL, lane->nr, sizeof(*copy.span));
	copy.nr = 0;
	memset(carriers, 0, (lane->depth + 1) * sizeof(*carriers));
	for (size_t i = 0; i < lane->nr; i++) {
		struct span span = lane->span[i];

		carriers[span.depth + 1] = carriers[span.depth] + span.carrier;
		span.depth -= (uint16_t)carriers[span.depth];
		if (span.carrier)
			continue;
		copy.span[copy.nr++] = span;
		depth = depth > span.depth ? depth : span.depth + 1u;
	}
	copy.depth = depth;
	free(carriers);
	return copy;
}

/* Returns how many bytes the character of UTF-8 at @text has; 0 if there is none. */
static size_t character(const unsigned char *text, size_t left)
{
	size_t length = *text < 0x80			? 1
			: *text >= 0xc2 && *text < 0xe0 ? 2
			: (*text & 0xf0) == 0xe0	? 3
			: *text >= 0xf0 && *text < 0xf5 ? 4
							: 0;

	if (length > left)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/*
 * Bytes that are no UTF-8 become a question mark. "<" is escaped, so that no text can end a script
 * of the page.
 */
void write_quoted(FILE *to, const char *text, size_t length)
{
	const unsigned char *at = (const unsigned char *)text;

	fputc('"', to);
	for (size_t i = 0, step; i < length; i += step) {
		step = character(at + i, length - i);
		if (at[i] == '"' || at[i] == '\\')
			fprintf(to, "\\%c", at[i]);
		else if (at[i] < 0x20 || at[i] == 0x7f || at[i] == '<')
			fprintf(to, "\\u%04x", at[i]);
		else if (step)
			fwrite(at + i, 1, step, to);
		else
			fputc('?', to);
		step += !step;
	}
	fputc('"', to);
}
