#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the programs of tools/example/symptoms/, and that each fault is found as
# Documentation/inside.rst says: the tool named there reports the fault of the program, and
# reports none of the program with the cure. Numbers are counts, not times. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}
trace=$PWD/build/nap-trace

echo "TAP version 13"
echo "1..7"

# both NAME: builds the program as it is, and with the cure
both()
{
	for cc in gcc clang; do
		$cc -O2 -g -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$tmp/$1" "tools/example/symptoms/$1.c" \
			"$build/libnap.a" -pthread &&
			$cc -DCURED -O2 -g -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$tmp/$1-cured" \
				"tools/example/symptoms/$1.c" "$build/libnap.a" -pthread || return 1
	done >"$tmp/out" 2>&1
}
both slow && both burns && both starved && both wakeups && both hangs
check "they compile"

# traced NAME: runs the program, and writes the summary of its trace to $tmp/out. A thousand of the
# longest waits are shown, because a busy machine adds long ones.
traced()
{
	NAP_TRACE=$tmp/$1.trace timeout 120 "$tmp/$1" >"$tmp/said" 2>"$tmp/err" &&
		"$trace" --most=1000 "$tmp/$1.trace" >"$tmp/out" 2>>"$tmp/err"
}

# runs FUNCTION: prints how often the function ran
runs() { awk -v name="$1" '$1 == name { print $2; found = 1; exit } END { if (!found) print 0 }' "$tmp/out"; }

traced slow && grep -q 'answer was queued by thread [0-9]*, in order, behind rotate on' "$tmp/out" &&
	traced slow-cured && ! grep -q 'behind rotate' "$tmp/out" && [ "$(runs answer)" = 1000 ]
check "slow: what waits, waits in order behind rotate()"

traced burns && [ "$(runs go_on)" -gt 1000 ] && traced burns-cured && [ "$(runs go_on)" = 1 ]
check "burns: go_on() runs all the time"

# Prints the function with the longest run, which kept the worker from serving the connection.
longest() { awk '$1 == "function" { on = 1; next } on && !NF { exit } on { print $1; exit }' "$tmp/out"; }
traced starved && [ "$(longest)" = compute ] && n=$(runs compute) && [ "$n" -gt 0 ] && traced starved-cured &&
	[ "$(runs compute)" -gt "$n" ]
check "starved: compute() has the worker, in long parts"

# Each of 500 reads is a batch, and wakes the one worker at most once.
wakes() { awk '/ woke worker 0$/ { n += $1 } END { print n + 0 }' "$tmp/out"; }
traced wakeups && [ "$(wakes)" -gt 500 ] && traced wakeups-cured && [ "$(wakes)" -le 500 ] && [ "$(runs parse)" = 4000 ]
check "wakeups: nearly each task wakes the worker"

# until_said REGEX: waits until the hanging program has printed a line like this in a dump
until_said()
{
	tries=0
	until grep -Eq "$1" "$tmp/err" || [ $((tries += 1)) -gt 300 ]; do
		signal_it USR1 $pid hangs
		sleep 0.1
	done
	grep -Eq "$1" "$tmp/err"
}
"$tmp/hangs" >"$tmp/out" 2>"$tmp/err" &
pid=$!
until_said '0x[0-9a-f]+ move .*waits for a mutex 0x[0-9a-f]+, which was locked by fiber 1' &&
	until_said '0x[0-9a-f]+ move .*waits for a mutex 0x[0-9a-f]+, which was locked by fiber 0'
check "hangs: a dump says that each of two fibers waits for the other's mutex"
signal_it KILL $pid hangs
wait $pid 2>/dev/null
timeout 120 "$tmp/hangs-cured" >"$tmp/out" 2>"$tmp/err" && grep -qx '9800 and 10200 cents' "$tmp/out"
check "and without that it ends"
