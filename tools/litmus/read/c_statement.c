/* SPDX-License-Identifier: MIT */
#include "read/c.h"

static const struct c_want nobody = { .nothing = true };

static void expression_statement(struct c *c)
{
	c_value(c, c_expression(c), &nobody);
	lexer_expect(c->lexer, ";");
}

static const struct c_node *condition(struct c *c)
{
	const struct c_node *node;

	lexer_expect(c->lexer, "(");
	node = c_expression(c);
	lexer_expect(c->lexer, ")");
	return node;
}

/* Reads a controlled statement, whose names are its own, with braces or without. */
static void controlled(struct c *c)
{
	c->block++;
	c_statement(c);
	c_block_end(c);
}

static void if_statement(struct c *c, const char *at)
{
	struct operand truth = c_truth(c, condition(c));
	unsigned into, over, end;

	c_arm_begin(c, at);
	into = c_branch(c, at, truth);
	over = c_jump(c, at);
	c_land(c, into);
	controlled(c);
	if (lexer_is(c->lexer, "else")) {
		const char *other = lexer_take(c->lexer).begin;

		end = c_jump(c, other);
		c_land(c, over);
		controlled(c);
		c_land(c, end);
	} else {
		c_land(c, over);
	}
	c_arm_end(c, at);
}

static void loop_begin(struct c *c, struct c_loop *loop, const char *at)
{
	*loop = (struct c_loop) { .outer = c->loop };
	c_arm_begin(c, at);
	loop->arms = c->arms;
	c->loop = loop;
}

static void loop_end(struct c *c, const char *at)
{
	c_land_all(c, &c->loop->breaks, c_here(c));
	c->loop = c->loop->outer;
	c_arm_end(c, at);
}

/* Goes to @target if the condition is true, else on. */
static void again_if(struct c *c, const char *at, const struct c_node *node, unsigned target)
{
	unsigned branch;

	c->used = 0;
	branch = c_branch(c, at, node ? c_truth(c, node) : operand_value(1));
	c->test->thread[c->thread].code[branch].target = target;
}

/* Goes to the loop's end if the condition is false. */
static void leave_unless(struct c *c, const char *at, const struct c_node *node)
{
	unsigned on = c_branch(c, at, c_truth(c, node));

	c_jump_out(c, at, &c->loop->breaks, c->loop->arms);
	c_land(c, on);
}

static void jump_back(struct c *c, const char *at, unsigned target)
{
	unsigned jump = c_jump(c, at);

	c->test->thread[c->thread].code[jump].target = target;
}

static void while_statement(struct c *c, const char *at)
{
	struct c_loop loop;
	unsigned start;

	loop_begin(c, &loop, at);
	start = c_here(c);
	leave_unless(c, at, condition(c));
	controlled(c);
	c_land_all(c, &loop.continues, start);
	jump_back(c, at, start);
	loop_end(c, at);
}

static void do_statement(struct c *c, const char *at)
{
	struct c_loop loop;
	unsigned start;

	loop_begin(c, &loop, at);
	start = c_here(c);
	controlled(c);
	c_land_all(c, &loop.continues, c_here(c));
	lexer_expect(c->lexer, "while");
	again_if(c, at, condition(c), start);
	lexer_expect(c->lexer, ";");
	loop_end(c, at);
}

/* Reads a part of a for's head, up to @end; NULL if it is empty. */
static const struct c_node *part(struct c *c, const char *end)
{
	const struct c_node *node = lexer_is(c->lexer, end) ? NULL : c_expression(c);

	lexer_expect(c->lexer, end);
	return node;
}

static void for_statement(struct c *c, const char *at)
{
	const struct c_node *test, *step;
	struct c_loop loop;
	unsigned start;

	lexer_expect(c->lexer, "(");
	c->block++;
	if (c_type_begins(c->lexer))
		c_declaration(c);
	else if (!lexer_accept(c->lexer, ";"))
		expression_statement(c);
	loop_begin(c, &loop, at);
	start = c_here(c);
	test = part(c, ";");
	step = part(c, ")");
	if (test)
		leave_unless(c, at, test);
	controlled(c);
	c_land_all(c, &loop.continues, c_here(c));
	c->used = 0;
	if (step)
		c_value(c, step, &nobody);
	jump_back(c, at, start);
	loop_end(c, at);
	c_block_end(c);
}

static void block(struct c *c)
{
	const char *at = c->lexer->token.begin;

	lexer_expect(c->lexer, "{");
	c->block++;
	while (!lexer_is(c->lexer, "}")) {
		if (c->lexer->token.kind == T_END)
			text_fail(c->lexer->text, at, "expected a } to this");
		c_statement(c);
	}
	c_block_end(c);
	lexer_take(c->lexer);
}

static void break_or_continue(struct c *c, const struct token *word)
{
	bool breaks = token_is(word, "break");

	if (!c->loop)
		text_fail(c->lexer->text, word->begin, "expected a loop around %s",
			  breaks ? "break" : "continue");
	c_jump_out(c, word->begin, breaks ? &c->loop->breaks : &c->loop->continues, c->loop->arms);
	lexer_expect(c->lexer, ";");
}

/* Reads a return. The returned value is not used, its effects are. No goto can name the end. */
static void return_statement(struct c *c, const char *at)
{
	if (!lexer_is(c->lexer, ";"))
		c_value(c, c_expression(c), NULL);
	lexer_expect(c->lexer, ";");
	c_goto(c, at, "");
}

static void goto_statement(struct c *c, const char *at)
{
	c_goto(c, at, lexer_word(c->lexer, "a label"));
	lexer_expect(c->lexer, ";");
}

/* Reads a statement that begins with a keyword; false: there is none. */
static bool with_keyword(struct c *c)
{
	struct token word = c->lexer->token;
	static const struct {
		const char *word;
		void (*read)(struct c *c, const char *at);
	} kinds[] = {
		{ "if", if_statement }, { "while", while_statement }, { "do", do_statement },
		{ "for", for_statement }, { "return", return_statement },
		{ "goto", goto_statement },
	};

	if (lexer_is(c->lexer, "switch") || lexer_is(c->lexer, "asm") || lexer_is(c->lexer, "else"))
		text_fail(c->lexer->text, word.begin, "expected another statement than %.*s",
			  (int)(word.end - word.begin), word.begin);
	if (lexer_accept(c->lexer, "break") || lexer_accept(c->lexer, "continue")) {
		break_or_continue(c, &word);
		return true;
	}
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (lexer_accept(c->lexer, kinds[i].word)) {
			kinds[i].read(c, word.begin);
			return true;
		}
	return false;
}

/* Reads a label: a word and a colon. Looks ahead, in a copy. */
static bool label(struct c *c)
{
	struct lexer ahead = *c->lexer;
	struct token word = lexer_take(&ahead);

	if (word.kind != T_WORD || !lexer_is(&ahead, ":"))
		return false;
	c_label(c, word.begin, lexer_word(c->lexer, "a label"));
	lexer_take(c->lexer);
	if (!lexer_is(c->lexer, "}"))
		c_statement(c);
	return true;
}

void c_statement(struct c *c)
{
	c_deeper(c);
	c->used = 0;
	if (lexer_is(c->lexer, "{"))
		block(c);
	else if (c_type_begins(c->lexer))
		c_declaration(c);
	else if (!lexer_accept(c->lexer, ";") && !with_keyword(c) && !label(c) && !c_loose(c))
		expression_statement(c);
	c->depth--;
}
