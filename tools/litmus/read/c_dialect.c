/* SPDX-License-Identifier: MIT */
/*
 * Decides between the kernel's dialect and C11's. Some functions of the two have the same name and
 * different arguments. So the dialect has to be known before any call is read: a word that only one
 * dialect has decides.
 */
#include <string.h>

#include "read/c.h"

static const char *const question[] = { "exists", "forall", "locations", "filter", "~", NULL };

static bool ends(const struct lexer *lexer)
{
	for (unsigned i = 0; question[i]; i++)
		if (lexer_is(lexer, question[i]))
			return true;
	return false;
}

static const char *text_of(const struct lexer *lexer, const struct token *token)
{
	return arena_text(lexer->text->arena, token->begin, (size_t)(token->end - token->begin));
}

/*
 * Whether only the kernel has the word. Functions that both dialects have, with different arguments
 * (atomic_fetch_add()), decide nothing.
 */
static bool of_kernel(const struct token *word)
{
	struct c_primitive primitive;

	return c_type_of_kernel(word) ||
		(kernel_primitive(&primitive, word) && !c11_primitive(&primitive, word));
}

static bool of_c11(const struct token *word)
{
	struct c_primitive primitive;

	return c_type_of_c11(word) || c11_order(word) >= 0 ||
		(c11_primitive(&primitive, word) && !kernel_primitive(&primitive, word));
}

/* Takes a word; @depth counts braces. Within braces (* is C. */
static struct token next(struct lexer *lexer, unsigned *depth)
{
	if (lexer_is(lexer, "{") && ++*depth == 1)
		lexer->code = true;
	if (lexer_is(lexer, "}") && *depth && --*depth == 0)
		lexer->code = false;
	return lexer_take(lexer);
}

/* Whether both dialects have the function. Such a name is the kernel's if nothing else decides. */
static bool of_both(const struct token *word)
{
	struct c_primitive primitive;

	return kernel_primitive(&primitive, word) && c11_primitive(&primitive, word);
}

enum dialect c_dialect(const struct lexer *lexer, bool *either)
{
	struct lexer ahead = *lexer;
	struct token word, kernel = { .kind = T_END }, c11 = { .kind = T_END };
	unsigned depth = 0;
	bool both = false;

	while (ahead.token.kind != T_END && (depth || !ends(&ahead))) {
		word = next(&ahead, &depth);
		both |= of_both(&word);
		if (kernel.kind == T_END && of_kernel(&word))
			kernel = word;
		if (c11.kind == T_END && of_c11(&word))
			c11 = word;
		if (kernel.kind != T_END && c11.kind != T_END)
			text_fail(lexer->text, word.begin,
				  "expected one dialect: %s on line %u is the kernel's, "
				  "%s on line %u C11's",
				  text_of(lexer, &kernel), text_line(lexer->text, kernel.begin),
				  text_of(lexer, &c11), text_line(lexer->text, c11.begin));
	}
	*either = kernel.kind == T_END && c11.kind == T_END && !both;
	return c11.kind == T_END ? DIALECT_KERNEL : DIALECT_C11;
}
