/* SPDX-License-Identifier: MIT */
/* What --help prints, and what is wrong with the options. */
#include <errno.h>
#include <stdlib.h>

#include "graph/fatal.h"
#include "main/options.h"

static const char usage[] =
"usage: %s [OPTION]... [SCENARIO]... [-- ARGUMENT...]\n"
"Explore every execution of the scenarios (all of them) that the memory model allows.\n"
"\n"
"  --list                what there is\n"
"  --model=MODEL         sc, tso, rc11, c11 or c20 instead of those that each scenario names\n"
"  --compat=NAME         what a program for genmc, dat3m, cds or svcomp takes for granted\n"
"  --nondet=N, --nondet=A..B  __VERIFIER_nondet_int() and its like return 0 to N - 1, or A to B\n"
"  --all-faults          go on behind a fault, and show every different one once\n"
"  --outcomes            what the program can print or return, with how many executions each\n"
"  --max-executions=N    give up, undecided, after so many\n"
"  --max-seconds=N       give up, undecided, after so much CPU time, "
	"or 10 times that on the clock\n"
"  --preemptions=N       schedules with at most N preemptions only\n"
"  --unroll=N            executions in which no loop makes more than N turns only\n"
"  --random=N            sample N executions instead\n"
"  --samples=N           of scenarios that say that they are to be sampled, at most N\n"
"  --exhaustive          explore all, also of scenarios that say that they are to be sampled\n"
"  --turns=state|yields  what tells that a loop's turn changes nothing: the thread's stack (of a\n"
"                        program that is compiled with -O0), or a yield in it (yields)\n"
"  --without=NAME,...    explore more executions that come to the same: "
	"without the reduction locks,\n"
"                        symmetry or retries, or without all of them\n"
"  --symmetry            threads that start alike are alike: one order of them; "
	"not for a program in\n"
"                        which an address or a number tells them apart\n"
"  --leaks               memory that nobody frees and nothing points to is a fault\n"
"  --reuse, --no-reuse   a thread's allocation may be of memory that it has freed (ABA), "
	"or never;\n"
"                        with neither: it may if the program compares and exchanges pointers\n"
"  --stuck               a thread that waits for ever when the program has ended is a fault\n"
"  --stack=KIB           a thread that has more on its stack when it does an operation is a fault\n"
"  --spurious=N          waits (futexes, conditions) return for nothing, "
	"at most N times in an execution\n"
"  --weak=N              weak compare-exchanges fail for nothing, at most N times in an execution\n"
"  --may-stop=MASK       threads that may stop for ever, instead of the scenarios' own\n"
"  --seed=N              for --random\n"
"  --trace=DIR           save a counterexample there, as SCENARIO.MODEL.trace\n"
"  --svg=FILE            draw the first counterexample there\n"
"  --html=FILE           explain the first counterexample there, in a page; it is minimised\n"
"  --minimise[=N]        look for a shorter counterexample, too: in N more executions (1000); "
	"0: do not\n"
"  --sarif=FILE          write what is wrong there for code hosts, as SARIF 2.1.0\n"
"  -j N, --jobs=N        search in N processes at a time (0: as many as there are CPUs)\n"
"  --progress[=N]        say each second, or N executions, "
	"on standard error how far the search is, about\n"
"  --grain=MS            a process of -j gives half of its work away when it has run for so long "
	"(20)\n"
"  --save=FILE           keep there what is left of the search, if a signal or a bound ends it\n"
"  --save-every=SECONDS  how often it is kept there before that (60)\n"
"  --resume=FILE         go on with what was kept there\n"
"  --replay=FILE         run a saved counterexample again\n"
"  --quiet               no counterexamples\n"
"  --sites               list the atomic operations that were executed\n"
"  --weaken=PC[,PC]:ORDER  give the operations at these sites another order\n"
"  --pairs               list what load buffering could concern\n"
"  --distinct            count distinct execution graphs, too\n"
"  --twice               run each execution twice, and compare all memory of the program\n"
"\n"
"ARGUMENTs are those of the program's main().\n"
"Exit status: 0 all as the scenarios say, 1 not so, 2 usage, 3 undecided, 4 internal fault.\n";

/* Returns the name by which the user has called: nap-check, or the program that --keep left. */
char *program_name(void)
{
	char *script = getenv("NAP_CHECK_NAME");

	return script ? script : program_invocation_name;
}

void print_usage(FILE *out)
{
	fprintf(out, usage, program_name());
}

_Noreturn void bad_usage(const char *what, const char *arg)
{
	if (what)
		fprintf(stderr, "%s: %s: %s\n", program_name(), what, arg);
	print_usage(stderr);
	leave(2);
}
