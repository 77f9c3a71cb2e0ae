/* SPDX-License-Identifier: MIT */
/* Calls of the kernel's or of C11's functions, as their tables describe them. */
#include <string.h>

#include "read/c.h"

struct call {
	struct c_primitive does;
	const char *at;
	bool nobody;			/* the value is not used */
	const struct c_want *want;
	struct c_place place, expects;	/* for the arguments p or l; for e */
	bool has_expects;
	struct c_value value, expected, unless;
	struct c_value old;
	unsigned stored;		/* of a weak compare-exchange: gets whether it has stored */
};

static enum c_order order_of(struct c *c, const struct c_node *argument)
{
	if (argument->kind != C_ORDER)
		text_fail(c->lexer->text, argument->at, "expected a memory order");
	return (enum c_order)argument->value;
}

static struct c_place object(struct c *c, const struct c_node *argument)
{
	struct c_place place = c_place(c, argument);

	if (place.local)
		text_fail(c->lexer->text, argument->at,
			  "expected a location: %s is a variable of this thread",
			  c->local[argument->number].name);
	return place;
}

/* Returns the place of an argument e: &r0, or a location. */
static struct c_place expected_at(struct c *c, const struct c_node *argument)
{
	struct c_place place;

	if (argument->kind == C_ADDRESS && argument->a->kind == C_LOCAL)
		return c_place(c, argument->a);
	place = c_pointed(c, argument->at, c_value(c, argument, NULL));
	place.plain = true;
	return place;
}

static struct c_value valued(struct c *c, const struct c_node *argument)
{
	struct c_value value = c_value(c, argument, NULL);

	if (!c_size(value.type))
		text_fail(c->lexer->text, argument->at, "expected a value");
	return value;
}

static void take_argument(struct c *c, struct call *call, char letter,
			  const struct c_node *argument)
{
	switch (letter) {
	case 'p':
		call->place = c_pointed(c, argument->at, c_value(c, argument, NULL));
		break;
	case 'l': call->place = object(c, argument); break;
	case 'v': call->value = valued(c, argument); break;
	case 'x': call->expected = valued(c, argument); break;
	case 'u': call->unless = valued(c, argument); break;
	case 'e':
		call->expects = expected_at(c, argument);
		call->has_expects = true;
		break;
	case 'o': call->does.order = order_of(c, argument); break;
	case 'f': call->does.failure = order_of(c, argument); break;
	default:
		if (argument->kind != C_NUMBER)
			text_fail(c->lexer->text, argument->at, "expected 0 or 1");
		call->does.weak = argument->value != 0;
	}
}

static void fence(struct c *c, const char *at, uint64_t tags)
{
	if (tags)
		test_add(c->test, c->thread, OP_FENCE, at)->read_tags = tags;
}

/* Adds a fence that has a location: a grace period of an srcu_struct. */
static void located_fence(struct c *c, const struct call *call)
{
	struct instruction *fence = test_add(c->test, c->thread, OP_FENCE, call->at);

	fence->located = true;
	fence->address = call->place.address;
	fence->size = c_size(call->place.type);
	fence->read_tags = call->does.read_tags;
}

static bool is_register(const struct operand *operand, unsigned reg)
{
	return operand->is_register && operand->reg == reg;
}

/* Returns a register for the old value that the instruction uses for nothing else. */
static unsigned old_register(struct c *c, const struct call *call)
{
	unsigned reg = c_result(c, call->does.gives == GIVES_OLD ? call->want : NULL,
				call->place.type);

	if (is_register(&call->place.address, reg) || is_register(&call->value.operand, reg) ||
	    is_register(&call->expected.operand, reg) || is_register(&call->unless.operand, reg))
		return c_temporary(c);
	return reg;
}

static struct instruction *begin(struct c *c, struct call *call, enum op op)
{
	bool kept = op != OP_STORE && (!call->nobody || call->has_expects) &&
		(call->does.gives != GIVES_NOTHING || call->has_expects);
	struct instruction *access;

	call->old.type = call->place.type;
	if (kept)
		call->old.operand = operand_reg(old_register(c, call));
	access = c_access(c, op, &call->place);
	access->at = call->at;
	access->dst = kept ? (int)call->old.operand.reg : -1;
	access->alu = call->does.alu;
	access->a = call->value.operand;
	access->read_tags = op == OP_STORE ? 0 : call->does.read_tags;
	access->write_tags = op == OP_LOAD ? 0 : call->does.write_tags;
	return access;
}

static void fits(struct c *c, const struct call *call, struct c_value *value)
{
	*value = c_converted(c, call->at, *value, call->place.type, NULL);
}

static void update(struct c *c, struct call *call)
{
	bool unless = call->does.unless_0 || strchr(call->does.arguments, 'u');
	struct instruction *rmw;

	if (call->place.type.pointer && call->does.alu != ALU_SECOND)
		text_fail(c->lexer->text, call->at,
			  "expected a pointer to a number, not to a pointer");
	if (unless)
		fits(c, call, &call->unless);
	else
		fence(c, call->at, call->does.around);
	rmw = begin(c, call, OP_RMW);
	if (unless) {
		rmw->unless = true;
		rmw->b = call->unless.operand;
		rmw->fail_tags = call->does.fail_tags;
		rmw->around = call->does.around;
	} else {
		fence(c, call->at, call->does.around);
	}
}

static void compare_exchange(struct c *c, struct call *call)
{
	struct instruction *cas;

	if (call->has_expects)
		call->expected = c_place_load(c, &call->expects, NULL);
	fits(c, call, &call->expected);
	if (call->does.weak)
		call->stored = c_temporary(c);
	cas = begin(c, call, OP_CAS);
	cas->a = call->expected.operand;
	cas->b = call->value.operand;
	cas->fail_tags = call->does.fail_tags;
	/* On x86 a failure is locked, too. A spin lock is read before it is tried. */
	if (!(call->does.write_tags & BIT(TAG_LOCK)))
		cas->fail_tags |= BIT(TAG_LOCKED);
	cas->around = call->does.around;
	cas->must = call->does.must;
	cas->weak = call->does.weak;
	if (call->does.weak)
		cas->stored = (int)call->stored;
}

static struct c_value compared_with(struct c *c, const struct call *call, enum alu alu,
				    struct c_value a, struct c_value b)
{
	bool wanted = !call->has_expects;

	return c_set(c, call->at, alu, a.operand, b.operand, c_size(a.type), C_INT,
		     wanted ? call->want : NULL);
}

static struct c_value stored(struct c *c, const struct call *call)
{
	if (call->does.does == C_RMW)
		return compared_with(c, call, ALU_NE, call->old, call->unless);
	if (call->does.weak)
		return (struct c_value) { .operand = operand_reg(call->stored), .type = C_INT };
	return compared_with(c, call, ALU_EQ, call->old, call->expected);
}

/*
 * After a failure, stores the old value as the expected one. A local variable gets the old value
 * after a success, too: it is equal to the expected one then.
 */
static void leave_expected(struct c *c, struct call *call, struct operand stored)
{
	struct c_value old = c_converted(c, call->at, call->old, call->expects.type, NULL);
	unsigned skip;

	if (call->expects.local) {
		c_place_store(c, &call->expects, old);
		return;
	}
	c_arm_begin(c, call->at);
	skip = c_branch(c, call->at, stored);
	c_place_store(c, &call->expects, old);
	c_land(c, skip);
	c_arm_end(c, call->at);
}

static struct c_value new_value(struct c *c, const struct call *call, const struct c_want *want)
{
	struct c_type type = call->place.type, wide = c_common(type, type);

	if (c_size(type) >= 4)
		wide = type;
	return c_converted(c, call->at, c_set(c, call->at, call->does.alu, call->old.operand,
					      call->value.operand, c_size(wide), wide, want),
			   type, want);
}

static struct c_value call_result(struct c *c, struct call *call)
{
	const struct c_value nothing = { .type.size = 0 };
	struct c_value given;

	if (call->has_expects) {
		given = stored(c, call);
		leave_expected(c, call, given.operand);
		return given;
	}
	if (call->does.gives == GIVES_NOTHING || call->nobody)
		return nothing;
	if (call->does.gives == GIVES_OLD)
		return call->old;
	if (call->does.gives == GIVES_STORED)
		return stored(c, call);
	if (call->does.gives == GIVES_NEW)
		return new_value(c, call, call->want);
	given = new_value(c, call, NULL);
	return compared_with(c, call, call->does.gives == GIVES_NEW_IS_0 ? ALU_EQ : ALU_LT, given,
			     c_number(0, given.type));
}

static void act(struct c *c, struct call *call)
{
	switch (call->does.does) {
	case C_LOAD: begin(c, call, OP_LOAD); break;
	case C_STORE: begin(c, call, OP_STORE); break;
	case C_RMW: update(c, call); break;
	case C_CAS: compare_exchange(c, call); break;
	case C_FENCE:
		if (strchr(call->does.arguments, 'p'))
			located_fence(c, call);
		else
			fence(c, call->at, call->does.read_tags);
		break;
	case C_NOTHING: break;
	}
}

struct c_value c_call(struct c *c, const struct c_node *node, const struct c_want *want)
{
	struct call call = { .does = *node->primitive, .at = node->at, .want = want };

	call.nobody = want && want->nothing;
	c->test->rcu |= (call.does.read_tags | call.does.write_tags) & TAGS_RCU;
	call.value = call.expected = call.unless = c_number(0, C_INT);
	for (unsigned i = 0; i < node->nr; i++)
		take_argument(c, &call, node->primitive->arguments[i], node->argument[i]);
	if (call.does.constant)
		call.value = c_number(call.does.value, C_INT);
	if (call.does.ordered)
		c11_tags(&call.does, c->lexer->text, call.at);
	if (call.does.does == C_STORE || call.does.does == C_RMW || call.does.does == C_CAS)
		fits(c, &call, &call.value);
	act(c, &call);
	fence(c, call.at, call.does.behind);
	return call_result(c, &call);
}
