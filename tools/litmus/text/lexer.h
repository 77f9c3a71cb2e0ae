/* SPDX-License-Identifier: MIT */
/* The words of a text: of a condition, of C, of a model. Comments are (* *), C's, and C++'s. */
#ifndef NAP_LITMUS_LEXER_H
#define NAP_LITMUS_LEXER_H

#include "text/text.h"

enum token_kind { T_END, T_WORD, T_NUMBER, T_STRING, T_SIGN };

struct token {
	enum token_kind kind;
	const char *begin, *end;	/* of a string: without its quotes */
	uint64_t number;
};

struct c_records;		/* read/c_record.h */

struct lexer {
	struct text *text;
	const char *at;			/* after the token */
	bool dots;			/* words may have dots and hyphens within, as in acq-po.2 */
	bool code;			/* (* begins no comment, because of if (*x) */
	struct token token;		/* the next token, not yet taken */
	struct c_records *records;	/* C's unions and structs; NULL: none are read */
	const char *taken;		/* the position after the last token that was taken */
};

/* Begins at @at, and reads the first token. */
void lexer_start(struct lexer *lexer, struct text *text, const char *at);

/* Returns the position after spaces and comments, also ML's. */
const char *skip_blanks(struct text *text, const char *at);

/* Takes the token, and reads the next. */
struct token lexer_take(struct lexer *lexer);

/* Whether the next token is the sign or the word @what. */
bool lexer_is(const struct lexer *lexer, const char *what);
/* As lexer_is(), and takes the token if it is @what. */
bool lexer_accept(struct lexer *lexer, const char *what);
/* Takes @what, or fails: "expected @what". */
void lexer_expect(struct lexer *lexer, const char *what);
/* Takes a word, or fails: "expected @what". The word is in the text's arena. */
char *lexer_word(struct lexer *lexer, const char *what);
bool token_is(const struct token *token, const char *what);

#endif /* NAP_LITMUS_LEXER_H */
