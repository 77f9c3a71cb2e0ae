#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests a user program under helgrind and drd, which see every access, with the installed library:
# a correct program has no report, a program with races has a report of each race, and no report
# about nap itself. The programs have no fibers under drd, which ends every program that switches
# stacks by an assertion of its own ("a1 <= a2" in drd_stop_using_mem()). They also run under
# memcheck. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"

echo "TAP version 13"
echo "1..23"

dir=tests/system/detector
correct="$dir/main.c $dir/work.c $dir/ends.c $dir/kit.c $dir/flags.c $dir/earliest.c"

# links NAME CC SOURCE...: builds $tmp/NAME-shared and -static
links()
{
	name=$1 cc=$2
	shift 2
	compile="$cc -std=gnu11 -Wall -Wextra -Werror -Wno-missing-field-initializers -O0 -gdwarf-4 -Iinclude $*"
	$compile -o "$tmp/$name-shared" -L"$build" -lnap -pthread && $compile -o "$tmp/$name-static" "$build/libnap.a" -pthread
}

# under TOOL PROGRAM: runs the program to its end; the tool's output is in $tmp/err
under()
{
	LD_LIBRARY_PATH=$build valgrind -q --tool="$1" --fair-sched=yes "$tmp/$2" >"$tmp/out" 2>"$tmp/err" &&
		grep -qx done "$tmp/out"
}

silent()
{
	under "$@" && [ ! -s "$tmp/err" ]
}

# Prints the program's function in each report.
reported()
{
	awk '/Possible data race|Conflicting (load|store)/ { look = 1; next }
	     look && / at 0x/ { look = 0; print $4 }
	     /WARNING/ { print $0 }' "$tmp/err" | sort -u
}

# finds TOOL PROGRAM: whether the reports are of these races, and of nothing else
finds()
{
	under "$@" && reported | diff "$tmp/races" -
}

sed -n 's/^RACE(\([a-z_]*\))$/race_\1/p; s/^AFTER(\([a-z_]*\),.*/race_after_\1/p; s/^IN_MEMORY(\([a-z_]*\),.*/race_\1/p' \
	$dir/races.c | sort -u >"$tmp/races"
[ "$(grep -c . "$tmp/races")" -ge 25 ] && cp "$tmp/races" "$tmp/out"
check "races are known by their names"

{ links correct gcc $correct && links looked-at gcc -DLOOKS $correct $dir/looks.c && links clang clang $correct && links races gcc $dir/races.c $dir/flags.c &&
	links calls gcc $dir/calls.c && links strangers gcc $dir/strangers.c && links fibers gcc $dir/fibers.c &&
	links fibers-race gcc -DRACE $dir/fibers.c; } \
	>"$tmp/out" 2>&1
check "the programs compile"

for tool in helgrind drd; do
	for link in shared static; do
		silent $tool correct-$link
		check "$tool: nothing is reported with the $link library"
		finds $tool races-$link
		check "$tool: every race is reported, $link, and nothing else"
		silent $tool strangers-$link
		check "$tool: nothing is reported of who comes first, $link"
	done
	silent $tool looked-at-static
	check "$tool: nor of a pool that is traced, measured and read meanwhile"
	silent $tool clang-static
	check "$tool: nothing is reported of what clang has built"
done

for tool in memcheck helgrind; do
	silent $tool fibers-shared
	check "$tool: nothing is reported of fibers"
done
silent helgrind fibers-static
check "helgrind: nor with the static library"
echo race >"$tmp/races"
finds helgrind fibers-race-static
check "helgrind: a race between fibers is reported, and nothing else"

# instructions N: prints how many instructions N rounds of three calls take. Each request to
# valgrind would add 16.
instructions()
{
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$tmp/calls-static" "$1" 2>&1 |
		sed -n 's/.*Collected : //p'
}
few=$(instructions 1000) many=$(instructions 2000)
echo "$few $many" >"$tmp/out"
[ "${few:-0}" -gt 0 ] && [ $((many - few)) -lt 150000 ]
check "callgrind: nothing is told: three calls take $(((many - few) / 1000)) instructions"
