/* SPDX-License-Identifier: MIT */
/*
 * Variables and locations: read, assigned to, incremented. An operator on an atomic object of C11
 * is sequentially consistent, and one step.
 */
#include "read/c_record.h"

/* Whether the value may be an address: an intptr_t, or not declared. */
static bool holds_addresses(struct c_value value)
{
	return !value.type.pointer && value.operand.is_register &&
		(value.type.size == 8 || (value.type.loose && value.type.size == 4));
}

/* Returns what a pointer leads to: unknown before the test runs, unless the pointer is a number. */
struct c_place c_pointed(struct c *c, const char *at, struct c_value pointer)
{
	struct c_place place = { .at = at, .address = pointer.operand };

	place.loose = holds_addresses(pointer);
	if (place.loose)
		place.type = pointer.type;
	else if (pointer.type.pointer)
		place.type = c_pointee(pointer.type);
	else
		text_fail(c->lexer->text, at, "expected a pointer");
	if (!c_size(place.type))
		text_fail(c->lexer->text, at, "expected a pointer to what has a size, not to void");
	if (!place.address.is_register && test_location_at(c->test, place.address.value) < 0 &&
	    test_location_around(c->test, place.address.value) < 0)
		text_fail(c->lexer->text, at, "expected a location: there is none here");
	return place;
}

struct c_value c_member_address(struct c *c, const struct c_node *node, bool *array)
{
	const struct c_member *member;
	struct c_value pointer;
	struct c_place whole;

	if (node->arrow) {
		pointer = c_value(c, node->a, NULL);
		if (!pointer.type.pointer)
			text_fail(c->lexer->text, node->at, "expected a pointer before ->");
	} else {
		whole = c_place(c, node->a);
		pointer = (struct c_value) { .operand = whole.address,
					    .type = c_pointer_to(whole.type) };
	}
	member = c_member(c->lexer, node->at, c_pointee(pointer.type), node->name);
	*array = member->nr > 0;
	return c_set(c, node->at, ALU_ADD, pointer.operand, operand_value(member->offset), 8,
		     c_pointer_to(member->type), NULL);
}

static struct c_place member_place(struct c *c, const struct c_node *node)
{
	bool array;
	struct c_value pointer = c_member_address(c, node, &array);

	if (array)
		text_fail(c->lexer->text, node->at, "expected an element of the array %s",
			  node->name);
	return c_pointed(c, node->at, pointer);
}

struct c_place c_place(struct c *c, const struct c_node *node)
{
	struct c_place place = { .at = node->at };

	if (node->kind == C_LOCAL) {
		place.local = true;
		place.reg = c->local[node->number].reg;
		place.type = c->local[node->number].type;
		return place;
	}
	if (node->kind == C_PARAMETER)
		text_fail(c->lexer->text, node->at,
			  "expected a variable, or *%s: %s is a parameter",
			  c->parameter[node->number].name, c->parameter[node->number].name);
	if (node->kind == C_MEMBER)
		return member_place(c, node);
	if (node->kind != C_DEREFERENCE)
		text_fail(c->lexer->text, node->at, "expected a variable or a location");
	return c_pointed(c, node->at, c_value(c, node->a, NULL));
}

/* Adds an access to the place. A primitive replaces the tags of this access by its own. */
struct instruction *c_access(struct c *c, enum op op, const struct c_place *place)
{
	struct c_primitive tags = {
		.does = op == OP_LOAD ? C_LOAD : op == OP_STORE ? C_STORE : C_RMW,
		.order = ORDER_SEQ_CST,
	};
	struct instruction *access = test_add(c->test, c->thread, op, place->at);

	if (place->type.record && !place->type.pointer)
		text_fail(c->lexer->text, place->at,
			  "expected a member: an access to a whole union or struct"
			  READ_NOT_MODELLED "this");
	access->address = place->address;
	access->loose = place->loose || place->type.pointer;
	access->size = c_size(place->type);
	access->sign = c_signed(place->type);
	if (c->test->dialect == DIALECT_C11 && c_atomic(place->type) && !place->plain)
		c11_tags(&tags, c->lexer->text, place->at);
	else
		tags.read_tags = tags.write_tags = BIT(TAG_PLAIN);
	access->read_tags = op == OP_STORE ? 0 : tags.read_tags;
	access->write_tags = op == OP_LOAD ? 0 : tags.write_tags;
	return access;
}

struct c_value c_place_load(struct c *c, const struct c_place *place, const struct c_want *want)
{
	struct operand value = operand_reg(place->reg);

	if (!place->local) {
		bool nobody = want && want->nothing;

		value.reg = nobody ? 0 : c_result(c, want, place->type);
		c_access(c, OP_LOAD, place)->dst = nobody ? -1 : (int)value.reg;
	}
	return (struct c_value) { .operand = value, .type = place->type };
}

void c_local_store(struct c *c, const char *at, unsigned reg, struct c_type type,
		   struct c_value value)
{
	struct instruction *set;

	if (value.operand.is_register && value.operand.reg == reg)
		return;
	set = test_add(c->test, c->thread, OP_SET, at);
	set->alu = ALU_FIRST;
	set->a = value.operand;
	set->size = c_size(type) == 8 ? 8 : 4;
	set->sign = c_signed(type);
	set->dst = (int)reg;
}

void c_place_store(struct c *c, const struct c_place *place, struct c_value value)
{
	if (place->local)
		c_local_store(c, place->at, place->reg, place->type, value);
	else
		c_access(c, OP_STORE, place)->a = value.operand;
}

static struct c_want into(const struct c_place *place)
{
	return (struct c_want) { .nothing = !place->local, .reg = place->reg, .type = place->type };
}

/* Reads x += 1 of an atomic object. */
static struct c_value atomic_update(struct c *c, const struct c_place *place, enum alu alu,
				    struct c_value by, const struct c_want *want, bool old)
{
	bool nobody = want && want->nothing;
	struct c_value before = { .type = place->type };
	struct instruction *rmw;

	if (place->type.pointer || alu < ALU_ADD || alu > ALU_XOR)
		text_fail(c->lexer->text, place->at,
			  "expected another operator on an atomic object");
	by = c_converted(c, place->at, by, place->type, NULL);
	before.operand = operand_reg(nobody ? 0 : c_temporary(c));
	rmw = c_access(c, OP_RMW, place);
	rmw->alu = alu;
	rmw->a = by.operand;
	rmw->dst = nobody ? -1 : (int)before.operand.reg;
	return nobody || old ? before : c_computed(c, place->at, alu, before, by, NULL);
}

static struct c_value place_copied(struct c *c, const struct c_place *place, struct c_value value)
{
	unsigned reg = c_temporary(c);

	c_local_store(c, place->at, reg, place->type, value);
	return (struct c_value) { .operand = operand_reg(reg), .type = place->type };
}

static struct c_value place_update(struct c *c, const struct c_place *place, enum alu alu,
				   struct c_value by, const struct c_want *want, bool old)
{
	struct c_want target = into(place);
	struct c_value before, after;

	if (!place->local && c->test->dialect == DIALECT_C11 && c_atomic(place->type))
		return atomic_update(c, place, alu, by, want, old);
	before = c_place_load(c, place, NULL);
	if (place->local && old && !(want && want->nothing))
		before = place_copied(c, place, before);
	after = c_computed(c, place->at, alu, before, by, place->local ? &target : NULL);
	after = c_converted(c, place->at, after, place->type, place->local ? &target : NULL);
	c_place_store(c, place, after);
	return old ? before : after;
}

struct c_value c_assign(struct c *c, const struct c_node *node, const struct c_want *want)
{
	struct c_place place = c_place(c, node->a);
	struct c_want target = into(&place);
	struct c_value value;

	if (node->alu != ALU_SECOND)
		return place_update(c, &place, node->alu, c_value(c, node->b, NULL), want, false);
	value = c_value(c, node->b, place.local ? &target : NULL);
	value = c_converted(c, node->b->at, value, place.type, place.local ? &target : NULL);
	c_place_store(c, &place, value);
	return value;
}

struct c_value c_step(struct c *c, const struct c_node *node, const struct c_want *want)
{
	struct c_place place = c_place(c, node->a);

	return place_update(c, &place, node->alu, c_number(1, C_INT), want, node->behind);
}
