/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "compile/compile.h"
#include "read/read.h"

static const struct machine {
	const char *name, *triplet, *arch, *flags, *model;
	const struct isa *isa;
	const char *include;		/* a directory of arch/ARCH to include, too */
} machines[] = {
	{ "x86_64", "x86_64-linux-gnu", "x86_64", "-fcf-protection=none -mgeneral-regs-only",
	  "tso", &isa_x86, NULL },
	{ "aarch64", "aarch64-linux-gnu", "aarch64",
	  "-march=armv8-a -mno-outline-atomics -mgeneral-regs-only",
	  "armv8", &isa_aarch64, "llsc" },
	{ "aarch64+lse", "aarch64-linux-gnu", "aarch64", "-march=armv8.3-a -mgeneral-regs-only",
	  "armv8", &isa_aarch64, "lse" },
	{ "riscv64", "riscv64-linux-gnu", "riscv64", "-march=rv64ima -mabi=lp64",
	  "rvwmo", &isa_riscv, NULL },
};
#define NR_MACHINES (sizeof(machines) / sizeof(machines[0]))

static const struct machine *machine_of(const struct target *target)
{
	for (size_t i = 0; i < NR_MACHINES; i++)
		if (!strcmp(machines[i].name, target->machine))
			return &machines[i];
	return NULL;
}

bool target_named(struct target *target, const char *name, const char *flags, char *message,
		  size_t size)
{
	size_t compiler = strcspn(name, ":");
	const char *machine = name + compiler + (name[compiler] == ':');
	size_t length = strcspn(machine, ":");
	const char *rest = machine + length;

	*target = (struct target) { .flags = flags ? flags : "-O2" };
	snprintf(target->name, sizeof(target->name), "%.30s %.30s", name, target->flags);
	target->compiler = is_word(name, compiler, "gcc") ? "gcc" :
		is_word(name, compiler, "clang") ? "clang" : NULL;
	for (size_t i = 0; i < NR_MACHINES; i++)
		if (is_word(machine, length, machines[i].name)) {
			target->machine = machines[i].name;
			target->isa = machines[i].isa;
			target->model = machines[i].model;
		}
	target->nap = !strcmp(rest, ":nap");
	if (target->compiler && target->machine && (!*rest || target->nap))
		return true;
	snprintf(message, size, "%s: expected COMPILER:MACHINE or COMPILER:MACHINE:nap, of gcc, "
		 "clang and x86_64, aarch64, aarch64+lse, riscv64", name);
	return false;
}

/* Writes the prefix of a machine's tools. This machine's own tools have none. */
static void put_prefix(const struct machine *machine, char *prefix, size_t size)
{
#ifdef __x86_64__
	bool native = !strcmp(machine->name, "x86_64");
#else
	bool native = false;
#endif
	snprintf(prefix, size, "%s%s", native ? "" : machine->triplet, native ? "" : "-");
}

void target_command(const struct target *target, const char *root, char *command, size_t size)
{
	const struct machine *machine = machine_of(target);
	bool clang = !strcmp(target->compiler, "clang");
	char prefix[64], include[1024] = "";

	put_prefix(machine, prefix, sizeof(prefix));
	if (target->nap)
		snprintf(include, sizeof(include), "-I'%s' -I'%s/include' -I'%s/arch/%s' "
			 "-I'%s/arch/%s/%s'", root, root, root, machine->arch, root, machine->arch,
			 machine->include ? machine->include : ".");
	snprintf(command, size, "%s%s%s %s -std=gnu11 -w -fno-asynchronous-unwind-tables "
		 "-ffreestanding -fsigned-char -fno-strict-aliasing -fno-stack-protector "
		 "-fomit-frame-pointer "
		 "%s %s -c",
		 clang ? "clang --target=" : prefix, clang ? machine->triplet : "gcc", "",
		 machine->flags, include, target->flags);
}

void target_objdump(const struct target *target, char *command, size_t size)
{
	char prefix[64];

	put_prefix(machine_of(target), prefix, sizeof(prefix));
	snprintf(command, size, "%sobjdump -d --no-show-raw-insn", prefix);
}
