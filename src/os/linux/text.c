/* SPDX-License-Identifier: MIT */
#include "os/linux/text.h"

#include <string.h>

#include "os/linux/file.h"

bool nap__text_append(struct text *text, const char *tail)
{
	size_t len = strlen(tail);

	if (len >= sizeof(text->str) - text->len)
		return false;
	memcpy(text->str + text->len, tail, len + 1);
	text->len += len;
	return true;
}

void nap__text_cut(struct text *text, size_t len)
{
	text->len = len;
	text->str[len] = '\0';
}

bool nap__lines_open(struct lines *in, char *buf, size_t size, const char *root, const char *name)
{
	size_t len = strlen(root), tail = strlen(name) + 1;

	*in = (struct lines){ .fd = -1, .size = size, .buf = buf };
	if (len + tail > size)
		return false;
	memcpy(buf, root, len);
	memcpy(buf + len, name, tail);
	in->fd = file_open(buf);
	return in->fd >= 0;
}

void nap__lines_close(struct lines *in)
{
	file_close(in->fd);
}

static bool lines_fill(struct lines *in)
{
	long got;

	in->end -= in->begin;
	memmove(in->buf, in->buf + in->begin, in->end);
	in->begin = 0;
	if (in->end == in->size) {
		in->skip = true;
		in->end = 0;
	}
	got = file_read(in->fd, in->buf + in->end, in->size - in->end);
	if (got <= 0)
		return false;
	in->end += (size_t)got;
	return true;
}

char *nap__lines_next(struct lines *in)
{
	for (;;) {
		char *line = in->buf + in->begin;
		char *newline = memchr(line, '\n', in->end - in->begin);
		bool skip = in->skip;

		if (!newline) {
			if (!lines_fill(in))
				return NULL;
			continue;
		}
		*newline = '\0';
		in->begin = (size_t)(newline + 1 - in->buf);
		in->skip = false;
		if (!skip)
			return line;
	}
}

bool nap__list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && !memcmp(list, word, len))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

void nap__unescape(char *str)
{
	char *to = str;

	while (*str) {
		if (*str == '\\' && is_octal(str[1]) && is_octal(str[2]) && is_octal(str[3])) {
			*to++ = (char)((str[1] - '0') << 6 | (str[2] - '0') << 3 | (str[3] - '0'));
			str += 4;
		} else {
			*to++ = *str++;
		}
	}
	*to = '\0';
}

bool nap__parse_digits(const char **str, uint64_t *n)
{
	const char *s = *str;

	for (*n = 0; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(*n, 10, n) || __builtin_add_overflow(*n, *s - '0', n))
			return false;
	if (s == *str)
		return false;
	*str = s;
	return true;
}

bool nap__parse_number(const char **str, uint64_t *n)
{
	const char *s = *str;

	if (!nap__parse_digits(&s, n) || (*s && *s != ' ' && *s != '\n'))
		return false;
	*str = s + (*s != '\0');
	return true;
}
