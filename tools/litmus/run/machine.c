/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "read/read.h"
#include "run/plan.h"

/* The machines. No test has floating-point instructions, so RISC-V's do not matter. */
static const struct machine machines[] = {
	{ .dialect = DIALECT_X86, .name = "x86_64", .cc = "x86_64-linux-gnu-gcc",
	  .runner = "qemu-x86_64", .flags = "", .abi = "",
	  .base = "r15 r14 r13 r12 r11 r10 r9 r8 rbx rbp", .fixed = "rsp" },
	{ .dialect = DIALECT_AARCH64, .name = "aarch64", .cc = "aarch64-linux-gnu-gcc",
	  .runner = "qemu-aarch64", .flags = "-march=armv8.5-a", .abi = "", .fixed = "SP" },
	{ .dialect = DIALECT_RISCV, .name = "riscv64", .cc = "riscv64-linux-gnu-gcc",
	  .runner = "qemu-riscv64", .flags = "", .abi = "-march=rv64imafd -mabi=lp64d",
	  .fixed = "x2 x3 x4" },
};

const char *run_host(void)
{
#if defined(__x86_64__)
	return "x86_64";
#elif defined(__aarch64__)
	return "aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
	return "riscv64";
#else
	return "a machine of no known kind";
#endif
}

bool machine_is_host(const struct machine *machine)
{
	return !strcmp(machine->name, run_host());
}

const struct machine *machine_for(struct test *test, const struct isa *isa)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (isa && isa->dialect == machines[i].dialect)
			return &machines[i];
	text_fail(test->text, test->text->begin,
		  "expected a test of x86-64, AArch64 or RISC-V to run");
}

bool is_among(const char *word, const char *words)
{
	size_t length = strlen(word), one;

	for (const char *p = words; *p; p += one + (p[one] == ' ')) {
		one = strcspn(p, " ");
		if (one == length && !memcmp(p, word, length))
			return true;
	}
	return false;
}
