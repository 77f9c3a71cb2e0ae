/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "read/c_record.h"

#define ATOMIC 1

static const struct {
	const char *name;
	unsigned char size;
	bool sign, atomic;
} names[] = {
	{ "int8_t", 1, true, false }, { "int16_t", 2, true, false }, { "int32_t", 4, true, false },
	{ "int64_t", 8, true, false }, { "uint8_t", 1, false, false },
	{ "uint16_t", 2, false, false }, { "uint32_t", 4, false, false },
	{ "uint64_t", 8, false, false }, { "s8", 1, true, false },
	{ "s16", 2, true, false }, { "s32", 4, true, false }, { "s64", 8, true, false },
	{ "u8", 1, false, false }, { "u16", 2, false, false }, { "u32", 4, false, false },
	{ "u64", 8, false, false }, { "size_t", 8, false, false }, { "ssize_t", 8, true, false },
	{ "intptr_t", 8, true, false }, { "uintptr_t", 8, false, false },
	{ "ptrdiff_t", 8, true, false }, { "void", 0, false, false },
	{ "atomic_t", 4, true, false }, { "atomic64_t", 8, true, false },
	{ "atomic_long_t", 8, true, false }, { "spinlock_t", 4, true, false },
	{ "atomic_int", 4, true, true }, { "atomic_uint", 4, false, true },
	{ "atomic_char", 1, true, true }, { "atomic_schar", 1, true, true },
	{ "atomic_uchar", 1, false, true }, { "atomic_short", 2, true, true },
	{ "atomic_ushort", 2, false, true }, { "atomic_long", 8, true, true },
	{ "atomic_ulong", 8, false, true }, { "atomic_llong", 8, true, true },
	{ "atomic_ullong", 8, false, true }, { "atomic_bool", 1, false, true },
	{ "atomic_flag", 1, false, true }, { "atomic_size_t", 8, false, true },
	{ "atomic_ptrdiff_t", 8, true, true }, { "atomic_intptr_t", 8, true, true },
	{ "atomic_uintptr_t", 8, false, true }, { "atomic_int32_t", 4, true, true },
	{ "atomic_uint32_t", 4, false, true }, { "atomic_int64_t", 8, true, true },
	{ "atomic_uint64_t", 8, false, true },
};

static const char *const parts[] = { "int", "long", "short", "char", "signed", "unsigned", "bool",
	"_Bool", NULL };
static const char *const qualifiers[] = { "const", "volatile", "restrict", "__restrict", NULL };
static const char *const refused[] = { "struct", "union", "enum", "float", "double", "__int128",
	"__int128_t", "__uint128_t", "int128_t", "uint128_t", "mtx_t", "mutex", NULL };

static bool among(const char *const *words, const struct lexer *lexer)
{
	for (unsigned i = 0; words[i]; i++)
		if (lexer_is(lexer, words[i]))
			return true;
	return false;
}

static int type_named(const struct token *token)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (token_is(token, names[i].name))
			return (int)i;
	return -1;
}

bool c_type_of_c11(const struct token *token)
{
	int name = type_named(token);

	return token_is(token, "_Atomic") || (name >= 0 && names[name].atomic);
}

bool c_type_of_kernel(const struct token *token)
{
	return token_is(token, "atomic_t") || token_is(token, "atomic64_t") ||
		token_is(token, "atomic_long_t") || token_is(token, "spinlock_t") ||
		token_is(token, "srcu_struct");
}

bool c_type_begins(const struct lexer *lexer)
{
	return among(parts, lexer) || among(qualifiers, lexer) || among(refused, lexer) ||
		type_named(&lexer->token) >= 0 || lexer_is(lexer, "_Atomic");
}

static void refuse_type(struct lexer *lexer)
{
	struct token token = lexer->token;
	const char *end = token.end;
	bool tagged = token_is(&token, "struct") || token_is(&token, "union") ||
		token_is(&token, "enum");

	lexer_take(lexer);
	if (tagged && lexer->token.kind == T_WORD)
		end = lexer->token.end;
	text_fail(lexer->text, token.begin, "%s" READ_NOT_MODELLED "%.*s",
		  "a type", (int)(end - token.begin), token.begin);
}

/* Reads unsigned long int and the like, in any order. */
static struct c_type of_parts(struct lexer *lexer)
{
	struct c_type type = C_INT;

	for (; among(parts, lexer); lexer_take(lexer)) {
		if (lexer_is(lexer, "long"))
			type.size = 8;
		else if (lexer_is(lexer, "short"))
			type.size = 2;
		else if (lexer_is(lexer, "char"))
			type.size = 1;
		else if (lexer_is(lexer, "unsigned"))
			type.sign = false;
		else if (lexer_is(lexer, "bool") || lexer_is(lexer, "_Bool"))
			type = (struct c_type) { .size = 1, .boolean = true };
	}
	return type;
}

static struct c_type of_name(struct lexer *lexer, int name)
{
	struct c_type type = { .size = names[name].size, .sign = names[name].sign };

	type.atomic = names[name].atomic ? ATOMIC : 0;
	type.boolean = lexer_is(lexer, "atomic_bool");
	lexer_take(lexer);
	return type;
}

/* Reads (int), (int *), or int, after _Atomic. */
static struct c_type of_atomic(struct lexer *lexer)
{
	bool parenthesis = lexer_accept(lexer, "(");
	struct c_type type = c_type_base(lexer);

	if (parenthesis) {
		c_type_pointers(lexer, &type);
		lexer_expect(lexer, ")");
	}
	type.atomic |= (unsigned char)(1u << type.pointer);
	return type;
}

static void skip_qualifiers(struct lexer *lexer)
{
	while (among(qualifiers, lexer))
		lexer_take(lexer);
}

/* Takes "struct srcu_struct": an object of which a test has only the cookie. */
static bool takes_srcu(struct lexer *lexer)
{
	struct lexer ahead = *lexer;

	if (!lexer_accept(&ahead, "struct") || !lexer_accept(&ahead, "srcu_struct"))
		return false;
	*lexer = ahead;
	skip_qualifiers(lexer);
	return true;
}

struct c_type c_type_base(struct lexer *lexer)
{
	struct c_type type;
	int name;

	skip_qualifiers(lexer);
	name = type_named(&lexer->token);
	if (takes_srcu(lexer))
		return C_INT;
	if (c_record_type(lexer, &type)) {
		skip_qualifiers(lexer);
		return type;
	}
	if (among(refused, lexer))
		refuse_type(lexer);
	if (among(parts, lexer))
		type = of_parts(lexer);
	else if (name >= 0)
		type = of_name(lexer, name);
	else if (lexer_accept(lexer, "_Atomic"))
		type = of_atomic(lexer);
	else
		text_fail(lexer->text, lexer->token.begin, "expected a type");
	skip_qualifiers(lexer);
	return type;
}

void c_type_pointers(struct lexer *lexer, struct c_type *type)
{
	while (lexer_is(lexer, "*")) {
		if (++type->pointer > 4)
			text_fail(lexer->text, lexer->token.begin, "expected at most 4 pointers");
		lexer_take(lexer);
		skip_qualifiers(lexer);
	}
}

unsigned c_size(struct c_type type)
{
	return type.pointer ? 8 : type.size;
}

bool c_signed(struct c_type type)
{
	return !type.pointer && type.sign;
}

bool c_atomic(struct c_type type)
{
	return type.atomic >> type.pointer & 1;
}

bool c_same(struct c_type a, struct c_type b)
{
	return c_size(a) == c_size(b) && (c_size(a) == 8 || c_signed(a) == c_signed(b)) &&
		(!a.pointer && a.boolean) == (!b.pointer && b.boolean);
}

struct c_type c_pointee(struct c_type type)
{
	type.pointer--;
	return type;
}

struct c_type c_pointer_to(struct c_type type)
{
	type.pointer++;
	return type;
}
