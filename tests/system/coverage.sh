#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tools/coverage.sh on small programs: an unreached line cannot pass unnoticed. KTAP.

tool=$PWD/tools/coverage.sh
. "$(dirname "$0")/check.inc"
cd "$tmp" || exit 1
mkdir src build

echo "TAP version 13"
echo "1..16"

# program EXPLANATION: makes a program of 20 lines, of which one is not reached; EXPLANATION
# stands above that line
program()
{
	rm -rf build/* src/*
	{
		echo 'int choose(int);'
		echo 'int choose(int n)'
		echo '{'
		for i in 1 2 3 4 5 6 7 8; do
			echo "	n += $i;"
		done
		echo '	if (n < 0)'
		echo "$1"
		echo '		return -1; /* a comment of its own */'
		echo '	return n;'
		echo '}'
		echo 'int main(void)'
		echo '{'
		for i in 1 2 3 4 5 6; do
			echo "	choose($i);"
		done
		echo '	return 0;'
		echo '}'
	} >src/a.c
}

run()
{
	rm -f build/*.gcda
	gcc --coverage -O0 -fkeep-inline-functions -Isrc -o build/a "$tmp/src/a.c" >out 2>&1 && build/a &&
		COVERAGE_MIN=${min:-90} "$tool" build build "$@" >out 2>err
}

program '		/* Not reached in tests: a sum of positive numbers. */'
run src/a.c && grep -q '1 lines not reached, 1 of them explained' out
check "a line that is explained is no fault"
grep -q 'src/a.c:14: return -1;' out && grep -q 'explained: a sum of positive numbers\.$' out
check "it is listed with its explanation"
program '		/* Not counted in tests: it ends the process. */'
run src/a.c && grep -q 'explained: it ends the process\.$' out
check "so is one that is reached, but cannot be counted"
program "$(printf '\t\t/*\n\t\t * Not counted in tests: it ends\n\t\t * the process.\n\t\t */')"
run src/a.c && grep -q 'explained: it ends the process\.$' out
check "a comment of several lines explains as well"
program '		/* Not counted in tests: it ends the process. */'
run src/a.c
grep -Eq '^src/a.c +19 / +20 +95\.0 % +1 / +2 +50\.0 %$' out
check "the figures are those of the program"
grep -q '^src/a.c:12: choice 1: if (n < 0)$' build/branches.txt
check "the way that was not taken is listed"
grep -q 'not taken\|Branches' build/html/index.html && [ -s build/html/src/a.c.gcov.html ]
check "there is a report in HTML"

min=96 run src/a.c
[ $? -eq 1 ] && grep -q 'under 96 % of the lines' out
check "too few lines are a fault, explained or not"

program '		/* In tests we do not get here. */'
run src/a.c
[ $? -eq 1 ] && grep -q 'NOT EXPLAINED' out && grep -q '1 lines were not reached' out
check "a line without an explanation is a fault"

program '		/* LCOV_EXCL_LINE LCOV_EXCL_START */'
run src/a.c
[ $? -eq 1 ] && grep -q '1 lines were not reached' out
check "markers that exclude lines are not heeded"

program '		/* Not reached in tests: a sum of positive numbers. */'
printf 'int other(int);\nint other(int n)\n{\n\tif (n)\n\t\treturn 1;\n\treturn n;\n}\n' >src/b.c
run src/a.c src/b.c
[ $? -eq 1 ] && grep -Eq '^src/b.c +0 / +3 +0.0 %' out && grep -q 'src/b.c:6: return n;' out
check "a file that was never compiled was not reached"

printf 'static inline int unused(int n)\n{\n\treturn n;\n}\n' >src/a.h
sed -i '1i #include "a.h"' src/a.c
run src/a.h src/a.c
[ $? -eq 1 ] && grep -Eq '^src/a.h +0 / +2 ' out && grep -q 'src/a.h:3: return n;' out
check "nor was a function in a header that nobody calls"
printf '#ifdef NO\nstatic inline int left_out(int n)\n{\n\treturn n;\n}\n#endif\n' >src/a.h
run src/a.h src/a.c
[ $? -eq 1 ] && grep -Eq '^src/a.h +0 / +1 ' out
check "nor what the preprocessor has left out"

program '		/* Not reached in tests: a sum of positive numbers. */'
run src/a.c src/missing.c
[ $? -eq 1 ] && grep -q 'src/missing.c: cannot be read' out
check "a file that is not there is a fault"
gcc --coverage -c -o build/a.o src/a.c 2>out && rm -rf build/*.gc* && "$tool" build build src/a.c >out 2>err
[ $? -eq 1 ]
check "no data at all are a fault"
mkdir none && "${tool%.sh}_merge.sh" none >out 2>err
[ $? -eq 1 ] && grep -q 'no process' err
check "no counts of processes without a libc, are one, too"
