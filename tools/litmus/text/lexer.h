/* SPDX-License-Identifier: MIT */
/* The words of a text: of conditions, of C, of models. Comments are (* *), C's, and C++'s. */
#ifndef NAP_LITMUS_LEXER_H
#define NAP_LITMUS_LEXER_H

#include "text/text.h"

enum token_kind { T_END, T_WORD, T_NUMBER, T_STRING, T_SIGN };

struct token {
	enum token_kind kind;
	const char *begin, *end;	/* a string's without its quotes */
	uint64_t number;
};

struct lexer {
	struct text *text;
	const char *at;			/* after the token */
	bool dots;			/* words may have dots and hyphens within, as in acq-po.2 */
	bool code;			/* (* begins no comment, as in if (*x) */
	struct token token;		/* the next one, not yet taken */
	const char *taken;		/* after the last one that was taken */
};

/* Begin at @at, and read the first token. */
void lexer_start(struct lexer *lexer, struct text *text, const char *at);

/* After spaces and comments, ML's among them. */
const char *skip_blanks(struct text *text, const char *at);

/* Take the token, and read the next. */
struct token lexer_take(struct lexer *lexer);

/* Whether the next token is the sign or the word @what. */
bool lexer_is(const struct lexer *lexer, const char *what);
/* The same; takes it if it is. */
bool lexer_accept(struct lexer *lexer, const char *what);
/* Takes it, or fails: "expected @what". */
void lexer_expect(struct lexer *lexer, const char *what);
/* Takes a word, or fails: "expected @what". In the text's arena. */
char *lexer_word(struct lexer *lexer, const char *what);
bool token_is(const struct token *token, const char *what);

#endif /* NAP_LITMUS_LEXER_H */
