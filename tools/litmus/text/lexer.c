/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text/lexer.h"

/* The signs that are one token. A sign comes before the shorter signs with which it begins. */
static const char *const signs[] = { "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
	"!=", "&&", "||", "+=", "-=", "*=", "&=", "|=", "^=", "/\\", "\\/", "=>", "^-1", "^+",
	"^*", NULL };

/* Returns the position after the comment at @at, which ends with @end. */
static const char *comment_end(struct text *text, const char *at, const char *end)
{
	const char *found = strstr(at + 2, end);

	if (!found)
		text_fail(text, at, "a comment that does not end: expected %s", end);
	return found + strlen(end);
}

/* Returns the position after the comment of ML at @at. Such comments nest. */
static const char *ml_comment_end(struct text *text, const char *at)
{
	unsigned depth = 0;

	for (const char *p = at; *p; p++) {
		if (p[0] == '(' && p[1] == '*') {
			depth++;
			p++;
		} else if (p[0] == '*' && p[1] == ')') {
			p++;
			if (!--depth)
				return p + 1;
		}
	}
	text_fail(text, at, "a comment that does not end: expected *)");
}

/* Returns the size of a blank that is not ASCII: a web page's, or a byte order mark; else 0. */
static unsigned foreign_blank(const char *at)
{
	static const char *const blanks[] = { "\xef\xbb\xbf", "\xc2\xa0", "\xe2\x80\x8b",
					      "\xe2\x80\xaf" };

	for (unsigned i = 0; i < sizeof(blanks) / sizeof(*blanks); i++)
		if (!strncmp(at, blanks[i], strlen(blanks[i])))
			return (unsigned)strlen(blanks[i]);
	return 0;
}

static const char *skip(struct text *text, const char *at, bool ml)
{
	for (;;) {
		if (isspace((unsigned char)*at))
			at++;
		else if (ml && at[0] == '(' && at[1] == '*')
			at = ml_comment_end(text, at);
		else if (at[0] == '/' && at[1] == '*')
			at = comment_end(text, at, "*/");
		else if (at[0] == '/' && at[1] == '/')
			at += strcspn(at, "\n");
		else if (foreign_blank(at))
			at += foreign_blank(at);
		else
			return at;
	}
}

const char *skip_blanks(struct text *text, const char *at)
{
	return skip(text, at, true);
}

static bool in_word(const struct lexer *lexer, const char *p)
{
	if (isalnum((unsigned char)*p) || *p == '_')
		return true;
	return lexer->dots && (*p == '.' || *p == '-') &&
		(isalnum((unsigned char)p[1]) || p[1] == '_');
}

static void scan_number(struct lexer *lexer, struct token *token)
{
	char *end;

	token->kind = T_NUMBER;
	errno = 0;
	token->number = strtoull(token->begin, &end, 0);
	if (errno)
		text_fail(lexer->text, token->begin, "expected a number of 64 bits");
	while (*end == 'u' || *end == 'U' || *end == 'l' || *end == 'L')
		end++;
	if (in_word(lexer, end))
		text_fail(lexer->text, token->begin, "expected a number");
	token->end = end;
}

static void scan_string(struct lexer *lexer, struct token *token)
{
	token->kind = T_STRING;
	token->begin++;
	token->end = token->begin + strcspn(token->begin, "\"\n");
	if (*token->end != '"')
		text_fail(lexer->text, token->begin - 1,
			  "expected a \" before the end of the line");
}

static void scan_sign(struct token *token)
{
	token->kind = T_SIGN;
	token->end = token->begin + 1;
	for (unsigned i = 0; signs[i]; i++)
		if (!strncmp(token->begin, signs[i], strlen(signs[i]))) {
			token->end = token->begin + strlen(signs[i]);
			return;
		}
	/* a whole character of UTF-8, for the message that has it */
	if ((unsigned char)*token->begin >= 0xc0)
		while (((unsigned char)*token->end & 0xc0) == 0x80)
			token->end++;
}

static void scan(struct lexer *lexer)
{
	struct token *token = &lexer->token;
	const char *p = skip(lexer->text, lexer->at, !lexer->code);

	memset(token, 0, sizeof(*token));
	token->begin = token->end = p;
	if (!*p)
		token->kind = T_END;
	else if (isdigit((unsigned char)*p))
		scan_number(lexer, token);
	else if (*p == '"')
		scan_string(lexer, token);
	else if (isalpha((unsigned char)*p) || *p == '_') {
		token->kind = T_WORD;
		while (in_word(lexer, p))
			p++;
		token->end = p;
	} else
		scan_sign(token);
	lexer->at = token->end + (token->kind == T_STRING);
}

void lexer_start(struct lexer *lexer, struct text *text, const char *at)
{
	lexer->text = text;
	lexer->at = at;
	lexer->taken = at;
	lexer->dots = false;
	lexer->code = false;
	scan(lexer);
}

struct token lexer_take(struct lexer *lexer)
{
	struct token token = lexer->token;

	lexer->taken = lexer->at;
	scan(lexer);
	return token;
}

bool token_is(const struct token *token, const char *what)
{
	return (token->kind == T_WORD || token->kind == T_SIGN) &&
		is_word(token->begin, (size_t)(token->end - token->begin), what);
}

bool lexer_is(const struct lexer *lexer, const char *what)
{
	return token_is(&lexer->token, what);
}

bool lexer_accept(struct lexer *lexer, const char *what)
{
	if (!lexer_is(lexer, what))
		return false;
	lexer_take(lexer);
	return true;
}

void lexer_expect(struct lexer *lexer, const char *what)
{
	if (!lexer_accept(lexer, what))
		text_fail(lexer->text, lexer->token.begin, "expected %s", what);
}

char *lexer_word(struct lexer *lexer, const char *what)
{
	struct token token = lexer->token;

	if (token.kind != T_WORD)
		text_fail(lexer->text, token.begin, "expected %s", what);
	lexer_take(lexer);
	return arena_text(lexer->text->arena, token.begin, (size_t)(token.end - token.begin));
}
