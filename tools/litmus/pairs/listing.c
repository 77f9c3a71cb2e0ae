/* SPDX-License-Identifier: MIT */
/*
 * Reads the whole of a program as one thread. Each instruction goes to the reader by itself, so the
 * reading goes on after an instruction that the reader does not know. Branches name addresses.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "pairs/pairs.h"
#include "read/assembly.h"

static struct insn *add_insn(struct program *program, uint64_t address)
{
	struct insn *insn;

	if (program->nr == program->room) {
		struct insn *old = program->insn;

		program->room = program->room ? 2 * program->room : 4096;
		program->insn = arena_alloc(program->test->arena, program->room * sizeof(*old));
		if (program->nr)
			memcpy(program->insn, old, program->nr * sizeof(*old));
	}
	insn = &program->insn[program->nr++];
	*insn = (struct insn) { .address = address, .first = program->test->thread[0].nr };
	return insn;
}

struct knowing {
	struct program *program;
	const struct insn *insn;
};

static void read_tried(void *with)
{
	const struct knowing *knowing = with;
	struct program *program = knowing->program;

	program->isa->instruction(program->test, 0, knowing->insn->begin, knowing->insn->end);
}

/* Lets the reader read the instruction. If the reader fails, its partial work is removed. */
static bool read_known(struct program *program, struct insn *insn)
{
	struct knowing knowing = { program, insn };
	struct reading *reading = reading_of(program->test, 0);
	struct reading before = *reading;

	program->test->text->begin = insn->begin;
	if (!text_try(read_tried, &knowing))
		return true;
	program->test->thread[0].nr = insn->first;
	reading->summed = before.summed;
	reading->no_carry = before.no_carry;
	return false;
}

/*
 * Adds a fence in place of an instruction that no reader has read. The instruction's kind, which is
 * not INSN_READ, tells the fence from those that a reader has read.
 */
static void add_marker(struct program *program, struct insn *insn)
{
	test_add(program->test, 0, OP_FENCE, insn->begin)->read_tags = 0;
}

static uint64_t called(const char *begin, const char *end)
{
	const char *p = end;

	while (p > begin && isxdigit((unsigned char)p[-1]))
		p--;
	return strtoull(p, NULL, 16);
}

/*
 * Whether the instructions are AArch64's way to a thread-local variable: adrp x0, P; ldr x1, [x0,
 * #O]; add x0, x0, #O; blr x1. The called function changes no register except x0.
 */
static bool asks_for_tls(const struct program *program)
{
	const struct insn *last = &program->insn[program->nr - 1];
	const char *offset;

	if (program->test->dialect != DIALECT_AARCH64 || program->nr < 4 ||
	    strncmp(last[-3].begin, "adrp\tx0,", 8) ||
	    strncmp(last[-2].begin, "ldr\tx", 5) || strncmp(last[-1].begin, "add\tx0, x0, #", 13))
		return false;
	offset = memchr(last[-2].begin, '[', (size_t)(last[-2].end - last[-2].begin));
	return offset && !strncmp(offset, "[x0, #", 6) && last[-2].end[-1] == ']' &&
		last[-2].end - 1 - (offset + 6) == last[-1].end - (last[-1].begin + 13) &&
		!memcmp(offset + 6, last[-1].begin + 13,
			(size_t)(last[-1].end - (last[-1].begin + 13)));
}

/* The section and the function of the instruction. */
struct where {
	bool stub, entry, exported;
};

/*
 * Whether RISC-V's jalr has a known target: jalr 370(ra) # 915e <f>. The instruction before it
 * computes part of the target; objdump prints the sum.
 */
static bool is_far(const struct insn *insn, const char *end, const char **address)
{
	*address = memmem(insn->end, (size_t)(end - insn->end), "# ", 2);
	if (!*address || insn->end[-1] != ')')
		return false;
	*address += 2;
	return isxdigit((unsigned char)**address);
}

static void read_far(struct program *program, struct insn *insn, const char *address)
{
	const char *end = address;

	while (isxdigit((unsigned char)*end))
		end++;
	if (insn->kind == INSN_CALL_UNKNOWN) {
		insn->kind = INSN_CALL;
		insn->target = strtoull(address, NULL, 16);
		add_marker(program, insn);
	} else {
		insn->kind = INSN_READ;
		test_add(program->test, 0, OP_JUMP, insn->begin)->target =
			label_number(program->test, 0, address, end);
	}
}

static void read_kind(struct program *program, const struct where *where, struct insn *insn,
		      const char *end)
{
	bool unknown = insn->kind == INSN_CALL_UNKNOWN || insn->kind == INSN_JUMP_UNKNOWN;
	const char *address;

	if (unknown && is_far(insn, end, &address)) {
		read_far(program, insn, address);
		return;
	}
	if (unknown && where->stub)	/* RISC-V's stubs jump by a call, which sets t1 */
		insn->kind = INSN_JUMP_UNKNOWN;
	if (insn->kind == INSN_CALL_UNKNOWN && asks_for_tls(program))
		insn->kind = INSN_TLS;
	if (insn->kind == INSN_CALL)
		insn->target = called(insn->begin, insn->end);
	add_marker(program, insn);
}

static void read_insn(struct program *program, struct where *where, uint64_t address,
		      const char *begin, const char *end)
{
	struct insn *insn = add_insn(program, address);

	insn->begin = begin;
	insn->end = listing_end(begin, end);
	insn->stub = where->stub;
	insn->entry = where->entry;
	insn->exported = where->entry && where->exported;
	where->entry = false;
	if (insn->end == begin)
		return;
	insn->kind = opaque_kind(program, begin, insn->end);
	if (insn->kind != INSN_READ) {
		read_kind(program, where, insn, end);
	} else if (!read_known(program, insn) && !opaque_computes(program, begin, insn->end)) {
		insn->kind = INSN_OPAQUE;
		add_marker(program, insn);
	}
}

static void read_insn_line(struct program *program, struct where *where, const char *begin,
			   const char *end)
{
	static const char section[] = "Disassembly of section ";
	char *behind;
	uint64_t address;

	if (!strncmp(begin, section, sizeof(section) - 1))
		where->stub = !strncmp(begin + sizeof(section) - 1, ".plt", 4);
	address = strtoull(begin, &behind, 16);
	if (behind == begin || behind > end)
		return;
	if (*behind == ' ' && end[-1] == ':') {
		where->entry = true;
		where->exported = !strncmp(behind, " <nap_", 6) && behind[6] != '_';
		return;
	}
	if (*behind++ != ':')
		return;
	while (behind < end && isspace((unsigned char)*behind))
		behind++;
	read_insn(program, where, address, behind, end);
}

static int goes(const struct program *program, unsigned first, unsigned end)
{
	enum op op = first == end ? OP_SET : program_code(program, end - 1)->op;

	return op == OP_JUMP || op == OP_BRANCH ? program_target(program, end - 1) : -1;
}

/* Indexes the code. Instructions without code are skipped: those after them are executed. */
static void index_code(struct program *program)
{
	unsigned nr = program->test->thread[0].nr, function = 0;

	program->insn_of = arena_alloc(program->test->arena, (nr + 1) * sizeof(unsigned));
	for (unsigned i = 0; i < program->nr; i++) {
		unsigned end = i + 1 < program->nr ? program->insn[i + 1].first : nr;

		function = program->insn[i].entry ? i : function;
		program->insn[i].function = function;
		program->insn[i].goes = goes(program, program->insn[i].first, end);
		for (unsigned ir = program->insn[i].first; ir < end; ir++)
			program->insn_of[ir] = i;
	}
}

struct program *program_read(struct text *listing, const struct isa *isa)
{
	struct program *program = arena_alloc(listing->arena, sizeof(*program));
	struct where where = { 0 };
	const char *end;

	program->isa = isa;
	program->test = arena_alloc(listing->arena, sizeof(*program->test));
	program->test->dialect = isa->dialect;
	program->test->isa = isa;
	program->test->arena = listing->arena;
	program->test->nr_threads = 1;
	program->test->text = arena_alloc(listing->arena, sizeof(struct text));
	*program->test->text = *listing;
	for (const char *p = listing->begin; *p; p = end + (*end == '\n')) {
		end = p + strcspn(p, "\n");
		if (end > p)
			read_insn_line(program, &where, p, end);
	}
	if (!program->nr)
		text_fail(listing, listing->begin, "expected the output of objdump -d");
	index_code(program);
	return program;
}

struct insn *insn_at(const struct program *program, uint64_t address)
{
	unsigned low = 0, high = program->nr;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (program->insn[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < program->nr && program->insn[low].address == address ? &program->insn[low] :
		NULL;
}

/* Returns the target. A label without a name is the reader's own, within the instruction. */
int program_target(const struct program *program, unsigned ir)
{
	const struct reading *reading = program->test->thread[0].reading;
	const struct label *label = &reading->label[program_code(program, ir)->target];
	const struct insn *insn;

	if (!label->name)
		return label->index;
	insn = insn_at(program, strtoull(label->name, NULL, 16));
	return insn ? (int)insn->first : -1;
}
