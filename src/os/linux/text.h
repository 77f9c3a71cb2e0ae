/* SPDX-License-Identifier: MIT */
/* Reading small text files of the kernel in buffers of fixed size, without allocation. */
#ifndef NAP_LINUX_TEXT_H
#define NAP_LINUX_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A string that grows and shrinks at its end. Three of them are on the stack at once, of threads
 * with 16 KiB of it perhaps; twice what is seen in containers nested in containers.
 */
struct text {
	size_t len;
	char str[2048];
};

/* False when it does not fit; @text is unchanged then. */
bool nap__text_append(struct text *text, const char *tail);
void nap__text_cut(struct text *text, size_t len);

/* A file read line by line; a line that is longer than the buffer is skipped whole. */
struct lines {
	int fd;
	bool skip;
	size_t begin;
	struct text buf;
};

/* Open @name below the directory @root (""). False: nothing to close. */
bool nap__lines_open(struct lines *in, const char *root, const char *name);
void nap__lines_close(struct lines *in);

/* The next line, without its newline and valid until the next call; NULL at the end. */
char *nap__lines_next(struct lines *in);

/* Is @word one of the comma-separated words of @list? */
bool nap__list_has(const char *list, const char *word);

/* Replace \ooo in @str by the byte it stands for, as mountinfo needs it. */
void nap__unescape(char *str);

/* Read the number at *@str, at least a digit of it, and move *@str past it. */
bool nap__parse_digits(const char **str, uint64_t *n);

/* Read the number at *@str and the space or newline after it, and move *@str past them. */
bool nap__parse_number(const char **str, uint64_t *n);

#endif /* NAP_LINUX_TEXT_H */
