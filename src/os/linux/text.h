/* SPDX-License-Identifier: MIT */
/* Reading small text files of the kernel in buffers of fixed size, without allocation. */
#ifndef NAP_LINUX_TEXT_H
#define NAP_LINUX_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_MOST 2048

/*
 * A string that grows and shrinks at its end. Up to three such strings are at once on a stack that
 * may have only 16 KiB. The size is twice as much as nested containers need.
 */
struct text {
	size_t len;
	char str[TEXT_MOST];
};

/* Appends @tail. False: it does not fit, and @text is unchanged. */
bool nap__text_append(struct text *text, const char *tail);
void nap__text_cut(struct text *text, size_t len);

/* A file that is read line by line; a line that is longer than the buffer is skipped. */
struct lines {
	int fd;
	bool skip;
	size_t begin, end;	/* what of the buffer has not been returned */
	size_t size;
	char *buf;
};

/*
 * Opens @name below the directory @root ("": the real root), to be read through the @size bytes at
 * @buf. False: there is nothing to close.
 */
bool nap__lines_open(struct lines *in, char *buf, size_t size, const char *root, const char *name);
void nap__lines_close(struct lines *in);

/* Returns the next line, without its newline and valid until the next call; NULL at the end. */
char *nap__lines_next(struct lines *in);

/* Whether @word is one of the comma-separated words of @list. */
bool nap__list_has(const char *list, const char *word);

/* Replaces each octal escape \ooo of mountinfo in @str by its byte. */
void nap__unescape(char *str);

/* Reads the number at *@str, of at least one digit, and moves *@str past it. */
bool nap__parse_digits(const char **str, uint64_t *n);

/* Reads the number at *@str and the space or newline after it, and moves *@str past them. */
bool nap__parse_number(const char **str, uint64_t *n);

#endif /* NAP_LINUX_TEXT_H */
