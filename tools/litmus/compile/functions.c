/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "compile/compile.h"
#include "text/lexer.h"

/* Returns the position after the bracket that matches the one at @at. */
static const char *behind_bracket(struct text *text, const char *at)
{
	char open = *at, close = open == '(' ? ')' : '}';
	unsigned depth = 0;

	for (const char *p = at; *p; p++) {
		p = *p == '/' ? skip_blanks(text, p) : p;
		depth += *p == open;
		if (*p == close && !--depth)
			return p + 1;
	}
	text_fail(text, at, "expected a %c that ends this", close);
}

static bool in_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns the last word of a parameter. */
static struct span parameter_name(const char *begin, const char *end)
{
	struct span span;

	while (end > begin && !in_identifier(end[-1]))
		end--;
	span.end = end;
	while (end > begin && in_identifier(end[-1]))
		end--;
	span.begin = end;
	return span;
}

static void find_parameters(struct text *text, struct function *function)
{
	const char *p = function->parameters.begin, *comma;

	while (p < function->parameters.end) {
		comma = memchr(p, ',', (size_t)(function->parameters.end - p));
		if (!comma)
			comma = function->parameters.end;
		if (function->nr_parameters == MAX_PARAMETERS)
			text_fail(text, p, "expected at most %d parameters", MAX_PARAMETERS);
		function->parameter[function->nr_parameters] = parameter_name(p, comma);
		if (function->parameter[function->nr_parameters].begin < comma)
			function->nr_parameters++;
		p = comma + 1;
	}
}

static const char *find_function(struct test *test, const char *p, struct function *function)
{
	struct text *text = test->text;

	memset(function, 0, sizeof(*function));
	function->thread = (unsigned)(p[1] - '0');
	p += 2;
	while (isdigit((unsigned char)*p))
		function->thread = 10 * function->thread + (unsigned)(*p++ - '0');
	p = skip_blanks(text, p);
	if (*p != '(' || function->thread >= test->nr_threads)
		text_fail(text, p, "expected a thread's function");
	function->parameters = (struct span) { p + 1, behind_bracket(text, p) - 1 };
	find_parameters(text, function);
	p = skip_blanks(text, function->parameters.end + 1);
	if (*p != '{')
		text_fail(text, p, "expected {");
	function->body = (struct span) { p + 1, behind_bracket(text, p) - 1 };
	return function->body.end + 1;
}

/* A function begins, after the initial state, with its name or with the type that it returns. */
unsigned functions_find(struct test *test, struct function *function)
{
	struct text *text = test->text;
	const char *p = text->begin;
	unsigned nr = 0;

	while (*p != '{') {
		p = *p == '"' ? strchr(p + 1, '"') + 1 : p + 1;
		p = skip_blanks(text, p);
	}
	p = behind_bracket(text, p);
	while (nr < test->nr_threads) {
		p = skip_blanks(text, p);
		if (p == test->types)
			p = test->types_end;
		else if (*p == 'P' && isdigit((unsigned char)p[1]))
			p = find_function(test, p, &function[nr++]);
		else if (in_identifier(*p))
			while (in_identifier(*p))
				p++;
		else
			text_fail(text, p, "expected a thread's function");
	}
	return nr;
}
