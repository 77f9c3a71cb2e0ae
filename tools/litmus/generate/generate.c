/* SPDX-License-Identifier: MIT */
#include "generate/cycle.h"
#include "generate/generate.h"

static const struct language *language_of(enum dialect dialect)
{
	switch (dialect) {
	case DIALECT_C11: return &language_c11;
	case DIALECT_AARCH64: return &language_aarch64;
	case DIALECT_RISCV: return &language_riscv;
	case DIALECT_X86: return &language_x86;
	default: return &language_kernel;
	}
}

/* Writes the given edges on one line, so that a user can give them again. */
static void one_line(char *line, size_t size, const char *text)
{
	size_t length = 0;

	for (; *text && length + 1 < size; text++) {
		bool blank = *text == ' ' || *text == '\t' || *text == '\n';

		if (!blank)
			line[length++] = *text;
		else if (length && line[length - 1] != ' ')
			line[length++] = ' ';
	}
	while (length && line[length - 1] == ' ')
		length--;
	line[length] = '\0';
}

bool generate(FILE *out, enum dialect dialect, const char *cycle, const char *name, char *message,
	      size_t size)
{
	struct cycle made = { .language = language_of(dialect), .message = message, .size = size };
	char line[1024];

	if (!cycle_read(&made, cycle) || !cycle_place(&made))
		return false;
	if (name)
		snprintf(made.name, sizeof(made.name), "%s", name);
	else
		cycle_name(&made);
	if (!cycle_watch(&made))
		return false;
	one_line(line, sizeof(line), cycle);
	return made.language->print(out, &made, line);
}
