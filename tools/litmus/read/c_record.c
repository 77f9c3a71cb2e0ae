/* SPDX-License-Identifier: MIT */
/*
 * Reads unions and structs: as large as a word of the machine at most, because a location's value
 * is a number. Members lie as every ABI has them, each at a multiple of its size.
 */
#include <string.h>

#include "read/c_record.h"

#define LARGEST 8

static struct c_record *record_of(struct lexer *lexer, struct c_type type)
{
	return &lexer->records->record[type.record - 1];
}

static unsigned align_of(struct lexer *lexer, struct c_type type)
{
	return type.record && !type.pointer ? record_of(lexer, type)->align : c_size(type);
}

/* Makes room for a member of this size and alignment in the record. Returns its place. */
static unsigned place_member(struct lexer *lexer, const char *at, struct c_record *record,
			     unsigned size, unsigned align)
{
	unsigned offset = record->overlaps ? 0 : (record->size + align - 1) / align * align;

	if (offset + size > LARGEST)
		text_fail(lexer->text, at, "a %s of more than %d bytes" READ_NOT_MODELLED "%s",
			  record->overlaps ? "union" : "struct", LARGEST,
			  record->name ? record->name : "this");
	if (offset + size > record->size)
		record->size = offset + size;
	if (align > record->align)
		record->align = align;
	return offset;
}

static void add_member(struct lexer *lexer, const char *at, struct c_record *record,
		       struct c_member member)
{
	for (unsigned i = 0; i < record->nr; i++)
		if (!strcmp(record->member[i].name, member.name))
			text_fail(lexer->text, at,
				  "expected another name: there is a member %s already",
				  member.name);
	if (record->nr == C_MEMBERS)
		text_fail(lexer->text, at, "expected at most %d members", C_MEMBERS);
	record->member[record->nr++] = member;
}

/* Adds the members of @inner, an anonymous union or struct, as members of @record. */
static void add_members_of(struct lexer *lexer, const char *at, struct c_record *record,
			   const struct c_record *inner)
{
	unsigned offset = place_member(lexer, at, record, inner->size, inner->align);

	for (unsigned i = 0; i < inner->nr; i++) {
		struct c_member member = inner->member[i];

		member.offset += offset;
		add_member(lexer, at, record, member);
	}
}

static unsigned elements(struct lexer *lexer)
{
	struct token nr;

	if (!lexer_accept(lexer, "["))
		return 0;
	nr = lexer_take(lexer);
	if (nr.kind != T_NUMBER || !nr.number || nr.number > LARGEST)
		text_fail(lexer->text, nr.begin, "expected how many, 1 to %d", LARGEST);
	lexer_expect(lexer, "]");
	return (unsigned)nr.number;
}

static void read_member(struct lexer *lexer, struct c_record *record, struct c_type type)
{
	struct c_member member = { .type = type };
	const char *at;
	unsigned nr;

	c_type_pointers(lexer, &member.type);
	at = lexer->token.begin;
	member.name = lexer_word(lexer, "the name of a member");
	if (lexer_is(lexer, ":"))
		text_fail(lexer->text, at, "a bit-field" READ_NOT_MODELLED "%s", member.name);
	if (!c_size(member.type))
		text_fail(lexer->text, at, "expected a member that has a size");
	member.nr = elements(lexer);
	nr = member.nr ? member.nr : 1;
	member.offset = place_member(lexer, at, record, nr * c_size(member.type),
				     align_of(lexer, member.type));
	add_member(lexer, at, record, member);
}

static void read_members(struct lexer *lexer, struct c_record *record)
{
	const char *at = lexer->token.begin;
	struct c_type type = c_type_base(lexer);

	if (type.record && lexer_is(lexer, ";"))
		add_members_of(lexer, at, record, record_of(lexer, type));
	else
		do
			read_member(lexer, record, type);
		while (lexer_accept(lexer, ","));
	lexer_expect(lexer, ";");
}

/* Reads the members, after the opening brace. */
static struct c_type define(struct lexer *lexer, const char *at, const char *name, bool overlaps)
{
	struct c_record record = { .name = name, .overlaps = overlaps, .align = 1 };
	struct c_records *all = lexer->records;

	while (!lexer_is(lexer, "}"))
		read_members(lexer, &record);
	if (!record.nr)
		text_fail(lexer->text, lexer->token.begin, "expected a member");
	lexer_take(lexer);
	if (all->nr == C_RECORDS)
		text_fail(lexer->text, at, "expected at most %d unions and structs", C_RECORDS);
	record.size = (record.size + record.align - 1) / record.align * record.align;
	all->record[all->nr++] = record;
	return (struct c_type) { .size = (unsigned char)record.size,
				.record = (unsigned char)all->nr };
}

static unsigned defined(const struct lexer *lexer, const struct token *name, bool overlaps)
{
	for (unsigned i = 0; i < lexer->records->nr; i++) {
		const struct c_record *record = &lexer->records->record[i];

		if (record->name && record->overlaps == overlaps && token_is(name, record->name))
			return i + 1;
	}
	return 0;
}

bool c_record_type(struct lexer *lexer, struct c_type *type)
{
	struct lexer ahead = *lexer;
	const char *at = lexer->token.begin, *name = NULL;
	bool overlaps = lexer_is(lexer, "union");
	struct token word;
	unsigned number;

	if (!lexer->records || (!lexer_accept(&ahead, "union") && !lexer_accept(&ahead, "struct")))
		return false;
	if (ahead.token.kind == T_WORD) {
		word = ahead.token;
		number = defined(lexer, &word, overlaps);
		name = lexer_word(&ahead, "a name");
		if (number && lexer_is(&ahead, "{"))
			text_fail(lexer->text, word.begin,
				  "expected another name: %s is defined already", name);
		if (number) {
			*type = (struct c_type) {
				.size = (unsigned char)lexer->records->record[number - 1].size,
				.record = (unsigned char)number
			};
			*lexer = ahead;
			return true;
		}
	}
	if (!lexer_accept(&ahead, "{"))
		return false;
	*lexer = ahead;
	*type = define(lexer, at, name, overlaps);
	return true;
}

const struct c_member *c_member(struct lexer *lexer, const char *at, struct c_type type,
				const char *name)
{
	const struct c_record *record;

	if (!type.record || type.pointer)
		text_fail(lexer->text, at, "expected a union or a struct before the member %s",
			  name);
	record = record_of(lexer, type);
	for (unsigned i = 0; i < record->nr; i++)
		if (!strcmp(record->member[i].name, name))
			return &record->member[i];
	text_fail(lexer->text, at, "expected a member of %s, not %s",
		  record->name ? record->name : "it", name);
}
