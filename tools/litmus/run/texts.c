/* SPDX-License-Identifier: MIT */
/* The texts of program/ are a part of the tool. */
#include "run/plan.h"

#define TEXT(name, file) \
	extern const char program_##name[]; \
	__asm__(".section .rodata\n.globl program_" #name "\nprogram_" #name ":\n" \
		".incbin \"run/program/" file "\"\n.byte 0\n.previous\n")
TEXT(lab, "lab.c");
TEXT(how, "how.h");
TEXT(machine, "machine.h");
TEXT(cpus, "cpus.h");
TEXT(table, "table.h");
TEXT(knobs, "knobs.h");
TEXT(team, "team.h");
TEXT(plan, "plan.h");
TEXT(say, "say.h");
TEXT(begin, "begin.h");

const struct program_file program_files[] = {
	{ "lab.c", program_lab }, { "how.h", program_how }, { "machine.h", program_machine },
	{ "cpus.h", program_cpus }, { "table.h", program_table }, { "knobs.h", program_knobs },
	{ "team.h", program_team }, { "plan.h", program_plan }, { "say.h", program_say },
	{ "begin.h", program_begin }, { NULL, NULL },
};
