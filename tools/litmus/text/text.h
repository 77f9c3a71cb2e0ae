/* SPDX-License-Identifier: MIT */
/*
 * A text that somebody wrote: a litmus test, a model, a listing. By text_fail() a reader says what
 * was expected in place of what stands there. That ends the reading of this text alone, and the
 * next one is read.
 */
#ifndef NAP_LITMUS_TEXT_H
#define NAP_LITMUS_TEXT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory of one test, freed as a whole. */
struct arena {
	struct block *blocks;
};

/* Zeroed; never NULL: exits if there is none. */
void *arena_alloc(struct arena *arena, size_t size);
char *arena_text(struct arena *arena, const char *begin, size_t length);
void arena_free(struct arena *arena);

/* @memory (NULL: none yet) with room for @size, as realloc() has it; exits if there is none. */
void *memory_wider(void *memory, size_t size);

struct text {
	const char *name;		/* of the file, for messages */
	const char *begin, *end;	/* *end is 0 */
	struct arena *arena;		/* of what is made from it */
	jmp_buf failed;			/* the function that starts the reading sets it */
	char message[512];		/* after a failure: "file:line:column: ..." */
};

/* false, and @text->message: the file cannot be read. */
bool text_load(struct text *text, const char *path, struct arena *arena);

/* The line of @at, from 1, and the column, from 1. */
unsigned text_line(const struct text *text, const char *at);
unsigned text_column(const struct text *text, const char *at);

/* Whether the @length bytes are the word. */
bool is_word(const char *begin, size_t length, const char *word);

/* In @line: the first line of the file @path in which a tool reports an error, or its first line. */
void text_first_error(const char *path, char *line, size_t size);

/* The text @at is wrong; @format says what was expected. Jumps to @text->failed. */
void text_fail(struct text *text, const char *at, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

#endif /* NAP_LITMUS_TEXT_H */
