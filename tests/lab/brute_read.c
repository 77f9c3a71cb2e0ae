/* SPDX-License-Identifier: MIT */
/*
 * Reads litmus tests in C11, one after another in a text, as tests/shapes/ has them and as
 * brute_print_c.c writes them. This reader shares no code with the tool's own reader. A text that
 * this reader does not know is a fault of the test, and ends the program.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "brute.h"

struct reader {
	const char *at;
	struct program *p;
	/* the last constant that each register of the thread was set to */
	int constant[MAX_REGS];
};

static const struct { const char *name; unsigned ord; } orders[] = {
	{ "relaxed", 0 }, { "acquire", ORD_ACQ }, { "release", ORD_REL },
	{ "acq_rel", ORD_ACQ | ORD_REL }, { "seq_cst", ORD_ACQ | ORD_REL | ORD_SC },
};

static const struct { const char *name; enum op op; } calls[] = {
	{ "load", OP_LOAD }, { "store", OP_STORE }, { "exchange", OP_SWAP }, { "xchg", OP_SWAP },
	{ "fetch_add", OP_ADD }, { "cmpxchg", OP_CAS }, { "compare_exchange_strong", OP_CAS },
	{ "thread_fence", OP_FENCE }, { "fence", OP_FENCE },
};

__attribute__((noreturn)) static void wrong(const struct reader *r, const char *expected)
{
	fprintf(stderr, "brute: expected %s at \"%.40s\"\n", expected, r->at);
	exit(2);
}

static void skip(struct reader *r)
{
	r->at += strspn(r->at, " \t\n");
}

static bool accept(struct reader *r, const char *text)
{
	skip(r);
	if (strncmp(r->at, text, strlen(text)))
		return false;
	r->at += strlen(text);
	return true;
}

static void expect(struct reader *r, const char *text)
{
	if (!accept(r, text))
		wrong(r, text);
}

static int number(struct reader *r)
{
	skip(r);
	if (!isdigit((unsigned char)*r->at))
		wrong(r, "a number");
	return (int)strtol(r->at, (char **)&r->at, 10);
}

static int reg(struct reader *r)
{
	int n;

	expect(r, "r");
	n = number(r);
	if (n >= MAX_REGS)
		wrong(r, "fewer registers");
	return n;
}

static int location(struct reader *r)
{
	skip(r);
	for (int l = 0; l < MAX_LOCS; l++)
		if (*r->at == *loc_name(l)) {
			r->at++;
			r->p->locs = l < r->p->locs ? r->p->locs : l + 1;
			return l;
		}
	wrong(r, "a location");
}

static unsigned order(struct reader *r)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (accept(r, orders[i].name))
			return orders[i].ord;
	wrong(r, "a memory order");
}

/* Reads an argument "memory_order_...", of a function whose name has no order. */
static unsigned order_argument(struct reader *r)
{
	expect(r, "memory_order_");
	return order(r);
}

/* Returns the half of @ord that applies: a load does not release, a store does not acquire. */
static unsigned one_side(unsigned ord, enum op op)
{
	if (op == OP_LOAD)
		return ord & ~(unsigned)ORD_REL;
	return op == OP_STORE ? ord & ~(unsigned)ORD_ACQ : ord;
}

static void value(struct reader *r, struct insn *i)
{
	skip(r);
	if (*r->at == 'r')
		i->data = reg(r);
	else
		i->value = number(r);
}

static void expected_value(struct reader *r, struct insn *i)
{
	skip(r);
	i->expect_reg = *r->at == 'r';
	i->expect = i->expect_reg ? reg(r) : number(r);
}

static struct insn *add(struct reader *r, enum op op)
{
	int t = r->p->threads - 1;
	struct insn *i = &r->p->insn[t][r->p->len[t]++];

	if (r->p->len[t] > MAX_INSNS)
		wrong(r, "fewer instructions");
	*i = (struct insn){ .op = op, .loc = -1, .data = -1, .addr = -1, .status = -1 };
	return i;
}

static void fence_of(struct reader *r, enum fence fence, unsigned ord)
{
	struct insn *i = add(r, OP_FENCE);

	i->fence = fence;
	i->ord = ord;
}

/* Reads the arguments of a call, up to the first order. */
static void arguments(struct reader *r, struct insn *i, bool in_register)
{
	i->loc = location(r);
	if (i->op == OP_LOAD)
		return;
	expect(r, ",");
	if (in_register) {
		expect(r, "&");
		i->reg = reg(r);
		i->expect = r->constant[i->reg];
		expect(r, ",");
	} else if (i->op == OP_CAS) {
		expected_value(r, i);
		expect(r, ",");
	}
	value(r, i);
}

/*
 * Translates @i for the model. For a machine each fence is a full fence. In the kernel an exchange
 * is between two full fences.
 */
static void translate(const struct reader *r, struct insn *i)
{
	enum model m = r->p->model;

	if (i->op == OP_FENCE)
		i->fence = in_c11(m) ? FN_C11 : m == RVWMO ? FN_RISCV : FN_FULL;
	i->pred = i->succ = SET_R | SET_W;
	if (i->op == OP_FENCE && !in_c11(m) && !(i->ord & ORD_SC))
		wrong(r, "a seq_cst fence before this");
	if (m == LKMM && i->op >= OP_SWAP && i->op <= OP_CAS && i->ord & ORD_SC)
		i->ord = ORD_MB;
}

static void call(struct reader *r, int result)
{
	bool nap = accept(r, "nap_"), in_register;
	enum op op = OP_BRANCH;
	struct insn *i;

	if (!nap)
		expect(r, "atomic_");
	for (size_t k = 0; op == OP_BRANCH && k < sizeof(calls) / sizeof(calls[0]); k++)
		if (accept(r, calls[k].name))
			op = calls[k].op;
	if (op == OP_BRANCH)
		wrong(r, "a function of C11's or nap's");
	i = add(r, op);
	in_register = op == OP_CAS && !nap;
	i->reg = result;
	if (nap) {
		expect(r, "_");
		i->ord = one_side(order(r), op);
	} else {
		accept(r, "_explicit");
	}
	expect(r, "(");
	if (op != OP_FENCE)
		arguments(r, i, in_register);
	if (!nap) {
		if (op != OP_FENCE)
			expect(r, ",");
		i->ord = one_side(order_argument(r), op);
	}
	if (in_register) {
		expect(r, ",");
		i->failure = order_argument(r);
	}
	translate(r, i);
	if (op != OP_FENCE && op != OP_STORE)
		r->p->observed[r->p->threads - 1] |= 1u << i->reg;
	expect(r, ")");
	expect(r, ";");
}

static void statement(struct reader *r);

/* Reads if (r0 == 1) { ... } or if (r0) { ... }. */
static void choice(struct reader *r)
{
	struct insn *branch = add(r, OP_BRANCH);
	int *len = &r->p->len[r->p->threads - 1], begin = *len;

	expect(r, "(");
	branch->reg = reg(r);
	branch->if_equal = accept(r, "==");
	branch->value = branch->if_equal ? number(r) : 0;
	expect(r, ")");
	expect(r, "{");
	while (!accept(r, "}"))
		statement(r);
	branch->body = *len - begin;
}

static void statement(struct reader *r)
{
	int result;

	if (accept(r, "if")) {
		choice(r);
	} else if (accept(r, "atomic_signal_fence(memory_order_seq_cst);")) {
		fence_of(r, FN_LIGHT, 0);
	} else if (accept(r, "check_membarrier();")) {
		fence_of(r, FN_HEAVY, ORD_ACQ | ORD_REL | ORD_SC);
	} else if (accept(r, "int") || *r->at == 'r') {
		result = reg(r);
		if (accept(r, ";"))
			return;
		expect(r, "=");
		skip(r);
		if (!isdigit((unsigned char)*r->at)) {
			call(r, result);
			return;
		}
		r->constant[result] = number(r);
		expect(r, ";");
	} else {
		call(r, 0);
	}
}

static void thread(struct reader *r)
{
	if (number(r) != r->p->threads++ || r->p->threads > MAX_THREADS)
		wrong(r, "the threads in order");
	r->at = strchr(r->at, '{');
	expect(r, "{");
	while (!accept(r, "}"))
		statement(r);
}

static void initial(struct reader *r)
{
	expect(r, "{");
	while (!accept(r, "}")) {
		int l = location(r);

		expect(r, "=");
		r->p->init[l] = number(r);
		expect(r, ";");
	}
}

static void question(struct reader *r, struct shape *shape)
{
	struct condition *c = &shape->condition;

	expect(r, "exists (");
	do {
		struct key key = { .thread = -1 };

		if (c->n == MAX_TERMS)
			wrong(r, "fewer terms");
		if (accept(r, "[")) {
			key.index = location(r);
			expect(r, "]");
		} else if (isdigit((unsigned char)*r->at)) {
			key.thread = number(r);
			expect(r, ":");
			key.index = reg(r);
		} else {
			key.index = location(r);
		}
		expect(r, "=");
		while (shape->keys.key[c->key[c->n]].thread != key.thread ||
		       shape->keys.key[c->key[c->n]].index != key.index)
			if (++c->key[c->n] == shape->keys.keys)
				wrong(r, "what the program has");
		c->val[c->n++] = number(r);
	} while (accept(r, "/\\"));
	expect(r, ")");
}

bool read_shape(const char **text, struct shape *shape, enum model model)
{
	struct reader r = { .at = *text, .p = &shape->program };

	*shape = (struct shape){ .program.model = model };
	while (accept(&r, "#"))
		r.at += strcspn(r.at, "\n");
	skip(&r);
	if (!*r.at)
		return false;
	shape->begin = r.at;
	expect(&r, "C ");
	snprintf(r.p->name, sizeof(r.p->name), "%.*s", (int)strcspn(r.at, "\n"), r.at);
	r.at += strcspn(r.at, "\n");
	if (accept(&r, "(*"))
		r.at = strstr(r.at, "*)") + 2;
	initial(&r);
	while (accept(&r, "P"))
		thread(&r);
	states_begin(&shape->keys, r.p);
	skip(&r);
	shape->question = r.at;
	question(&r, shape);
	shape->end = *text = r.at;
	return true;
}

char *file_text(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t size = 1 << 20, n = 0;
	char *text = malloc(size);

	while (f && text && (n += fread(text + n, 1, size - n, f)) == size)
		text = realloc(text, size *= 2);
	if (!f || !text || ferror(f)) {
		perror(path);
		exit(2);
	}
	text[n] = '\0';
	fclose(f);
	return text;
}
