/* SPDX-License-Identifier: MIT */
/*
 * The common part of the files that read C. An expression becomes a tree of nodes
 * (c_expression.c), and the tree becomes instructions (c_value.c, c_place.c, c_primitive.c). A
 * statement becomes instructions at once. Only memory of the arena outlives read_c().
 */
#ifndef NAP_LITMUS_C_H
#define NAP_LITMUS_C_H

#include "read/read.h"

#define C_LOCALS	TEST_REGISTERS
#define C_ARGUMENTS	6
#define C_LABELS	32
#define C_JUMPS		64
#define C_DEEPEST	200	/* nesting limit of parentheses, blocks and operators */

/* The type of an object; @size and @sign are of what the last of @pointer pointers leads to. */
struct c_type {
	unsigned char size;	/* 0: void */
	bool sign, boolean;
	unsigned char pointer;
	bool loose;		/* not declared; may hold addresses, too */
	unsigned char atomic;	/* bit n: after n pointers, an atomic object of C11 */
	unsigned char record;	/* the number of a union or struct; 0: neither */
};
#define C_INT ((struct c_type) { .size = 4, .sign = true })

enum c_order {
	ORDER_RELAXED, ORDER_CONSUME, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL, ORDER_SEQ_CST,
};

enum c_does { C_LOAD, C_STORE, C_RMW, C_CAS, C_FENCE, C_NOTHING };
enum c_gives {
	GIVES_NOTHING, GIVES_OLD, GIVES_NEW, GIVES_NEW_IS_0, GIVES_NEW_IS_NEGATIVE, GIVES_STORED,
};

/* What a function of the kernel or of C11 does. */
struct c_primitive {
	enum c_does does;
	enum c_gives gives;
	enum alu alu;
	/*
	 * The meaning of each argument: p pointer, l the object itself, v value, x the value that
	 * a compare-exchange expects, e a pointer to such a value, u the value that forbids the
	 * operation, o order, f order of a failure, w whether it is weak.
	 */
	const char *arguments;
	bool constant;			/* no argument v: @value is the value */
	uint64_t value;
	bool unless_0;			/* no argument u: 0 forbids */
	uint64_t read_tags, write_tags, fail_tags;
	/* of the fences before and after; a compare-exchange has them if it stores */
	uint64_t around;
	uint64_t behind;		/* of a fence after it */
	bool must, weak;
	bool ordered;			/* C11: tags by @order, which an argument o sets */
	enum c_order order, failure;
};

enum c_kind { C_NUMBER, C_LOCAL, C_PARAMETER, C_BINARY, C_NOT, C_AND, C_OR, C_CHOOSE, C_DEREFERENCE,
	      C_ADDRESS, C_ASSIGN, C_STEP, C_CAST, C_CALL, C_ORDER, C_MEMBER };

struct c_node {
	enum c_kind kind;
	const char *at;
	struct c_type type;		/* C_NUMBER, C_CAST */
	uint64_t value;			/* C_NUMBER, C_ORDER */
	unsigned number;		/* C_LOCAL, C_PARAMETER */
	enum alu alu;			/* C_BINARY, C_STEP, C_ASSIGN (ALU_SECOND: =) */
	bool behind;			/* C_STEP: the value is that from before the step */
	bool arrow;			/* C_MEMBER: of what @a points to */
	const char *name;		/* C_MEMBER */
	/* has a side effect, or reads memory */
	bool effects;
	unsigned depth;
	const struct c_node *a, *b, *c;
	const struct c_primitive *primitive;
	unsigned nr;
	const struct c_node *argument[C_ARGUMENTS];
};

struct c_value {
	struct operand operand;
	struct c_type type;
};

/* Where a value should go, if that costs nothing. @nothing: the value is not used. */
struct c_want {
	bool nothing;
	unsigned reg;
	struct c_type type;
};

/* An object that can be assigned to. */
struct c_place {
	bool local;
	bool plain;			/* access even an atomic object of C11 plainly */
	bool loose;			/* its size is not known */
	unsigned reg;
	struct operand address;
	struct c_type type;
	const char *at;
};

struct c_local {
	const char *name;
	unsigned reg;
	unsigned block;			/* 0: its block has ended */
	struct c_type type;
};

struct c_parameter {
	const char *name;
	uint64_t address;
	struct c_type type;
};

/* Jumps whose target is not known yet. */
struct c_jumps {
	unsigned nr;
	unsigned at[C_JUMPS];
};

struct c_label {
	const char *name, *used;
	bool defined;
	unsigned target;
	struct c_jumps jumps;
};

struct c_loop {
	struct c_loop *outer;
	unsigned arms;			/* open arms at the start of its body, its own included */
	struct c_jumps breaks, continues;
};

struct c {
	struct lexer *lexer;
	struct test *test;
	unsigned thread;
	unsigned depth;			/* nesting depth of what is being read */
	unsigned block;
	unsigned arms;			/* number of open arms */
	struct c_loop *loop;
	unsigned nr_locals, nr_parameters, nr_labels;
	struct c_local local[C_LOCALS];
	struct c_parameter parameter[TEST_LOCATIONS];
	struct c_label label[C_LABELS];
	unsigned nr_temporaries, used;	/* how many the thread has; how many this statement uses */
	unsigned temporary[TEST_REGISTERS];
};

/* c_type.c */
bool c_type_of_c11(const struct token *token);		/* whether only C11 has it */
bool c_type_of_kernel(const struct token *token);
bool c_type_begins(const struct lexer *lexer);
/* Reads int, const atomic_t and the like; fails if there is no type. */
struct c_type c_type_base(struct lexer *lexer);
void c_type_pointers(struct lexer *lexer, struct c_type *type);
unsigned c_size(struct c_type type);
bool c_signed(struct c_type type);
bool c_atomic(struct c_type type);
bool c_same(struct c_type a, struct c_type b);		/* the same bytes hold both */
struct c_type c_pointee(struct c_type type);
struct c_type c_pointer_to(struct c_type type);

/* c_scope.c: names, and a thread's registers. */
void c_parameter_add(struct c *c, const char *at, const char *name, struct c_type type);
unsigned c_local_add(struct c *c, const char *at, const char *name, struct c_type type);
/* For r0 = 1 where no r0 is declared: herd's tests need not declare their registers. */
unsigned c_local_loose(struct c *c, const char *at, const char *name, struct c_type type);
bool c_was_local(const struct c *c, const char *name);	/* also if its block has ended */
int c_local_find(const struct c *c, const struct token *token);
int c_parameter_find(const struct c *c, const struct token *token);
void c_block_end(struct c *c);
unsigned c_temporary(struct c *c);

/*
 * c_dialect.c: decides by the words of the functions from @lexer's token on. @either: none of their
 * words decides.
 */
enum dialect c_dialect(const struct lexer *lexer, bool *either);

/* c_expression.c */
/* Reads an expression without commas, as an argument is. */
const struct c_node *c_expression(struct c *c);
/* Enters a nesting level, or fails beyond C_DEEPEST. The caller does --c->depth afterwards. */
void c_deeper(struct c *c);

/* c_operand.c: reads the words, numbers and calls of an expression. */
const struct c_node *c_operand(struct c *c);
struct c_node *c_node(struct c *c, enum c_kind kind, const char *at, const struct c_node *a,
		      const struct c_node *b);

/* c_value.c: @want may be NULL. */
struct c_value c_value(struct c *c, const struct c_node *node, const struct c_want *want);
struct c_value c_computed(struct c *c, const char *at, enum alu alu, struct c_value a,
			  struct c_value b, const struct c_want *want);

/* c_convert.c */
struct c_value c_set(struct c *c, const char *at, enum alu alu, struct operand a, struct operand b,
		     unsigned size, struct c_type type, const struct c_want *want);
struct c_value c_number(uint64_t value, struct c_type type);
struct c_value c_converted(struct c *c, const char *at, struct c_value value, struct c_type type,
			   const struct c_want *want);
struct c_value c_widened(struct c *c, const char *at, struct c_value value, unsigned size);
/* Returns the type in which two values are combined. */
struct c_type c_common(struct c_type a, struct c_type b);
unsigned c_result(struct c *c, const struct c_want *want, struct c_type type);

/* c_choice.c: && || ?: */
struct c_value c_choice(struct c *c, const struct c_node *node, const struct c_want *want);
struct operand c_truth(struct c *c, const struct c_node *node);	/* not 0: true */

/* c_place.c */
struct c_place c_place(struct c *c, const struct c_node *node);
struct c_place c_pointed(struct c *c, const char *at, struct c_value pointer);
/* Returns a pointer to a member, or, if the member is an array (@array), to its first element. */
struct c_value c_member_address(struct c *c, const struct c_node *node, bool *array);
struct instruction *c_access(struct c *c, enum op op, const struct c_place *place);
void c_place_store(struct c *c, const struct c_place *place, struct c_value value);
struct c_value c_place_load(struct c *c, const struct c_place *place, const struct c_want *want);
/* c_sequence.c: fails if one operand of an operator writes what the other operand names. */
void c_must_be_sequenced(struct c *c, const struct c_node *a, const struct c_node *b);
struct c_value c_assign(struct c *c, const struct c_node *node, const struct c_want *want);
struct c_value c_step(struct c *c, const struct c_node *node, const struct c_want *want);
void c_local_store(struct c *c, const char *at, unsigned reg, struct c_type type,
		   struct c_value value);

/* c_primitive.c */
struct c_value c_call(struct c *c, const struct c_node *node, const struct c_want *want);

/* c_statement.c */
void c_statement(struct c *c);
/* c_loose.c: reads r0 = 1; where no r0 is declared. False: there is no such statement here. */
bool c_loose(struct c *c);
/* c_declare.c */
void c_declaration(struct c *c);
/* c_jump.c */
unsigned c_here(struct c *c);
unsigned c_jump(struct c *c, const char *at);			/* its target is set by c_land() */
unsigned c_branch(struct c *c, const char *at, struct operand condition);
void c_land(struct c *c, unsigned jump);			/* makes the target here */
void c_arm_begin(struct c *c, const char *at);
void c_arm_end(struct c *c, const char *at);
void c_jump_out(struct c *c, const char *at, struct c_jumps *jumps, unsigned arms);
void c_land_all(struct c *c, const struct c_jumps *jumps, unsigned target);
void c_goto(struct c *c, const char *at, const char *name);
void c_label(struct c *c, const char *at, const char *name);
void c_labels_end(struct c *c);

/* c_kernel.c, c_c11.c: these return false if no function has this name. */
bool kernel_primitive(struct c_primitive *primitive, const struct token *name);
bool c11_primitive(struct c_primitive *primitive, const struct token *name);

/* c_order.c */
int c11_order(const struct token *word);	/* an enum c_order; -1: no order */
int c11_order_name(const char *begin, const char *end);	/* as c11_order(), for acq_rel and such */
/* Sets the tags that follow from the orders. Fails at @at if the operation cannot have them. */
void c11_tags(struct c_primitive *primitive, struct text *text, const char *at);

/* c_refused.c: fails if the name belongs to something that no model here has. */
void c_not_modelled(struct text *text, const struct token *name);

#endif /* NAP_LITMUS_C_H */
