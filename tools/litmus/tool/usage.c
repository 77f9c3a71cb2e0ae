/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "tool/usage.h"

const char usage[] =
"usage: nap-litmus [OPTION]... FILE|DIRECTORY...\n"
"What a memory model allows litmus tests to end in: for the kernel's C, C11, AArch64, RISC-V, "
	"x86-64.\n"
"\n"
"  --model=NAME|FILE    instead of the test's own: sc, tso, armv8, rvwmo, rc11, c20, lkmm, "
	"lkmm61, or a file\n"
"                       in the language of nap-litmus(1); may be repeated\n"
"  --show-model=NAME    print that model's text\n"
"  --compile=COMPILER:MACHINE[:nap]  judge a C test as the compiler makes instructions of it: "
	"gcc or clang,\n"
"                       x86_64, aarch64, aarch64+lse or riscv64; with :nap, the kernel's "
	"primitives are\n"
"                       nap's functions. May be repeated; all, all:nap: both compilers, "
	"all machines\n"
"  --cflags=FLAGS       of the compilers (-O2)\n"
"  --root=DIRECTORY     nap's tree, for :nap (.)\n"
"  --listing            print the instructions\n"
"  --expect             each test is as its \"Expect: MODEL VERDICT, ...\" or "
	"\"Result: VERDICT\" line says\n"
"  --compare            print only what differs between the first model or compiler and "
	"the others\n"
"  --against=FILE       print what differs from the CSV that an earlier run, or another tool, "
	"has left\n"
"  --run[=N]            run the tests on this machine, N times (1M), and judge what was seen\n"
"                       (--quiet: a line a test). C is compiled, by gcc or --compile; tests of "
	"other\n"
"                       machines are emulated. Exit status 1: something forbidden was seen\n"
"  --seconds=S          run for that long\n"
"  --how=KEY=VALUE      how: size, step, meet, late, delay, layout, cache, affinity, copies, "
	"adapt\n"
"                       (nap-litmus(1)); may be repeated\n"
"  --bundle=DIRECTORY   write C files and a Makefile that run the tests on another machine\n"
"  --results=FILE       judge what such a bundle has seen, in place of a run\n"
"  --cc=COMMAND         the compiler of the program that runs a test\n"
"  --runner=COMMAND     what the program is run by: qemu-aarch64\n"
"  --states             print the final states, each with an execution\n"
"  --why                of what never happens, the cycle that forbids it; "
	"of Sometimes, what would\n"
"                       forbid it\n"
"  --svg=DIRECTORY      write a picture of each: what is asked for, if it is allowed; else "
	"the cycle\n"
"  --dot=DIRECTORY      the same for graphviz\n"
"  --html=FILE          write a part of a page: "
	"verdicts, listings and pictures, by the models that each\n"
"                       test names, and as compiled\n"
"  --csv                file,model,verdict!flags,states\n"
"  --json               an object a line\n"
"  --unroll=N           follow each jump backwards N times at most (2)\n"
"  --all-turns          follow the turns of a loop that change nothing, too\n"
"  --timeout=SECONDS    of CPU time a test and model (60); 0: none\n"
"  --files=FILE         the tests' names are in FILE, one a line; -: standard input\n"
"  --quiet              the totals only\n"
"  --generate=CYCLE     print the test that a cycle of edges is: 'PodWW Rfe PodRR Fre'\n"
"  --dialect=DIALECT    in which: kernel, c11, aarch64, riscv, x86_64 (kernel)\n"
"  --name=NAME          the test's name, in place of one made from the cycle\n"
"\n"
"Exit status: 0 all were decided, 1 a loop or the time was cut short, or something differs, "
	"2 usage,\n"
"or a file that cannot be read.\n";

void bad_usage(const char *what, const char *argument)
{
	if (what)
		fprintf(stderr, "nap-litmus: %s: %s\n", argument, what);
	else
		fputs(usage, stderr);
	exit(2);
}
