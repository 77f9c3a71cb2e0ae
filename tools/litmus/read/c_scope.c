/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "read/c.h"

static bool names(const struct token *token, const char *name)
{
	return token->kind == T_WORD && token_is(token, name);
}

int c_local_find(const struct c *c, const struct token *token)
{
	for (unsigned i = 0; i < c->nr_locals; i++)
		if (c->local[i].block && names(token, c->local[i].name))
			return (int)i;
	return -1;
}

bool c_was_local(const struct c *c, const char *name)
{
	for (unsigned i = 0; i < c->nr_locals; i++)
		if (!strcmp(c->local[i].name, name))
			return true;
	return false;
}

int c_parameter_find(const struct c *c, const struct token *token)
{
	for (unsigned i = 0; i < c->nr_parameters; i++)
		if (names(token, c->parameter[i].name))
			return (int)i;
	return -1;
}

static void must_be_new(struct c *c, const char *at, const char *name)
{
	struct token token = { .kind = T_WORD, .begin = name, .end = name + strlen(name) };

	if (c_local_find(c, &token) >= 0 || c_parameter_find(c, &token) >= 0)
		text_fail(c->lexer->text, at, "expected another name: %s is declared already",
			  name);
}

/* Returns the location, or an array's first element, if the initial state made an array. */
static unsigned location_of(struct c *c, const char *name, unsigned size)
{
	char first[80];
	int found;

	snprintf(first, sizeof(first), "%s[0]", name);
	found = test_find_location(c->test, first);
	return found >= 0 ? (unsigned)found : test_location(c->test, name, size);
}

void c_parameter_add(struct c *c, const char *at, const char *name, struct c_type type)
{
	unsigned size = c_size(c_pointee(type)), number;
	const struct location *location;

	must_be_new(c, at, name);
	if (c->nr_parameters == TEST_LOCATIONS)
		text_fail(c->lexer->text, at, "expected at most %d parameters", TEST_LOCATIONS);
	number = location_of(c, name, size);
	location = &c->test->location[number];
	/* herd has no types: in its tests the int that an int *p points to may hold an address. */
	if (size == 4 && type.pointer == 1 && location->size == 8 &&
	    test_location_at(c->test, location->initial) >= 0)
		type.size = 8;
	else if (size && location->size && location->size != size)
		text_fail(c->lexer->text, at,
			  "expected %s to be of %u bytes, as elsewhere, not of %u",
			  name, location->size, size);
	if (type.record && type.pointer == 1)
		test_split(c->test, number);
	c->parameter[c->nr_parameters++] = (struct c_parameter) {
		.name = name, .address = location->address, .type = type,
	};
}

/* Returns the variable's slot. Variables of one name in different blocks share a register. */
static struct c_local *slot(struct c *c, const char *at, const char *name)
{
	for (unsigned i = 0; i < c->nr_locals; i++)
		if (!strcmp(c->local[i].name, name))
			return &c->local[i];
	if (c->nr_locals == C_LOCALS)
		text_fail(c->lexer->text, at, "expected at most %d variables", C_LOCALS);
	return &c->local[c->nr_locals++];
}

unsigned c_local_add(struct c *c, const char *at, const char *name, struct c_type type)
{
	struct c_local *local;

	must_be_new(c, at, name);
	if (!c_size(type))
		text_fail(c->lexer->text, at, "expected a variable that has a size");
	if (type.record && !type.pointer)
		text_fail(c->lexer->text, at, "expected a variable that is no union or struct: %s",
			  name);
	local = slot(c, at, name);
	local->name = name;
	local->reg = test_register(c->test, c->thread, name);
	local->block = c->block;
	local->type = type;
	c->test->thread[c->thread].reg[local->reg].wide = c_size(type) == 8;
	return (unsigned)(local - c->local);
}

unsigned c_local_loose(struct c *c, const char *at, const char *name, struct c_type type)
{
	unsigned block = c->block, local;

	c->block = 1;
	type.loose = true;
	local = c_local_add(c, at, name, type);
	c->block = block;
	return local;
}

void c_block_end(struct c *c)
{
	for (unsigned i = 0; i < c->nr_locals; i++)
		if (c->local[i].block == c->block)
			c->local[i].block = 0;
	c->block--;
}

/* Returns a temporary, which is free again after the statement. */
unsigned c_temporary(struct c *c)
{
	if (c->used == c->nr_temporaries)
		c->temporary[c->nr_temporaries++] = test_temporary(c->test, c->thread);
	return c->temporary[c->used++];
}
