/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "report/json.h"

/* Returns how many bytes the character at @c has as UTF-8; 0: it is not UTF-8. */
static unsigned length_of(const unsigned char *c)
{
	unsigned n = *c < 0x80 ? 1 : *c >= 0xc2 && *c < 0xe0 ? 2 : (*c & 0xf0) == 0xe0 ? 3 :
		*c >= 0xf0 && *c < 0xf5 ? 4 : 0;

	for (unsigned i = 1; i < n; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

void json_string(FILE *out, const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	fputc('"', out);
	while (*c) {
		unsigned n = length_of(c);

		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20 || *c == 0x7f)
			fprintf(out, "\\u%04x", *c);
		else if (n)
			fwrite(c, 1, n, out);
		else
			fputc('?', out);
		c += n ? n : 1;
	}
	fputc('"', out);
}

void json_uri(FILE *out, const char *path)
{
	char here[1024] = "";
	size_t n = getcwd(here, sizeof(here)) ? strlen(here) : 0;

	fputc('"', out);
	if (n && !strncmp(path, here, n) && path[n] == '/')
		path += n + 1;
	else if (*path == '/')
		fputs("file://", out);
	for (; *path; path++)
		if (isalnum((unsigned char)*path) || strchr("/._-~+", *path))
			fputc(*path, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*path);
	fputc('"', out);
}
