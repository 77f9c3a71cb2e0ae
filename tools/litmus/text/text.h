/* SPDX-License-Identifier: MIT */
/*
 * A text: a litmus test, a model, a listing. A reader that finds something else than it expects
 * calls text_fail() with what was expected. This ends what text_try() began, and nothing else.
 */
#ifndef NAP_LITMUS_TEXT_H
#define NAP_LITMUS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory of one test, freed as a whole. */
struct arena {
	struct block *blocks;
};

/* Returns zeroed memory, never NULL: exits if there is no memory. */
void *arena_alloc(struct arena *arena, size_t size);
char *arena_text(struct arena *arena, const char *begin, size_t length);
void arena_free(struct arena *arena);

/* Returns @memory (NULL: none yet) with room for @size, as realloc(); exits if there is none. */
void *memory_wider(void *memory, size_t size);

struct text {
	const char *name;		/* file name for messages */
	const char *begin, *end;	/* *end is 0 */
	struct arena *arena;		/* for what is made from the text */
	char message[512];		/* after a failure: "file:line:column: ..." */
};

/* Loads a file. False, and @text->message: it cannot be read. */
bool text_load(struct text *text, const char *path, struct arena *arena);

/* Return the line of @at, and its column, both from 1. */
unsigned text_line(const struct text *text, const char *at);
unsigned text_column(const struct text *text, const char *at);

/* Whether the @length bytes are @word. */
bool is_word(const char *begin, size_t length, const char *word);

/* Writes to @line the first line of @path in which a tool reports an error, else the first line. */
void text_first_error(const char *path, char *line, size_t size);

/* Fails: the text @at is wrong; @format says what was expected. Ends the innermost text_try(). */
void text_fail(struct text *text, const char *at, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

/*
 * try.c: calls @step(@with). Returns NULL; or, after a text_fail() in it, the text that was wrong,
 * with its message. A try may be within another.
 */
const struct text *text_try(void (*step)(void *with), void *with);
/* Ends the innermost try; for text_fail(). */
_Noreturn void text_leave(const struct text *wrong);

#endif /* NAP_LITMUS_TEXT_H */
