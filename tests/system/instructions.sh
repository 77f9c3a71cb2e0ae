#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Counts the instructions of the fast paths by callgrind: a schedule and the run of its task, a fork
# and its join, a wait for a group, a call from outside, a channel, a semaphore or a mutex in a
# fiber, a fiber itself, and a timer. The program has its own clock, so that the counts hold on any machine.
# A longer path is noticed here. KTAP.
#
# The bounds are the counts of gcc 12 and clang 14 on x86-64, and five in a hundred more. If a path
# becomes shorter, lower its bound. A library with probes (src/worker/probe.h) has one instruction
# more for a schedule, and two for the run of a task.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"

echo "TAP version 13"
if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP the bounds are for x86-64"
	exit 0
fi
echo "1..29"

# count WORK N PROGRAM: prints instructions, and how often the work was done. WORK may be two words.
count()
{
	looks=
	case $1 in
	*' traced') looks="env NAP_TRACE=$tmp/trace NAP_TRACE_EVENTS=4096" && rm -f "$tmp/trace" ;;
	esac
	# shellcheck disable=SC2086
	$looks valgrind --tool=callgrind --callgrind-out-file=/dev/null "$3" "${1% *}" "$2" ${1#* } >"$tmp/did" 2>"$tmp/err" || return
	sed -n 's/.*Collected : //p' "$tmp/err"
	cat "$tmp/did"
}

# each WORK N M PROGRAM: prints the instructions that one more work takes
each()
{
	{ count "$1" "$2" "$4" && count "$1" "$3" "$4"; } |
		awk '{ n[NR] = $1 } END { if (NR != 4 || n[4] <= n[2]) exit 1
			printf "%.1f\n", (n[3] - n[1]) / (n[4] - n[2]) }'
}

probes=0
readelf -n "$build/libnap.so.1" | grep -q 'Provider: nap' && probes=3

# at_most BOUND WORK N M ABOUT [COMPILER]: checks the instructions of one more work
at_most()
{
	bound=$1
	case $2 in
	fork* | call | semaphore | mutex) ;;
	*) bound=$((bound + probes)) ;;
	esac
	what="$5${6:+, $6}: at most $bound instructions"
	version=$(${6:-gcc} -dumpversion)
	case ${6:-gcc}-${version%%.*} in
	gcc-12 | clang-14) ;;
	*)
		nr=$((nr + 1))
		echo "ok $nr $what # SKIP the bounds are of gcc 12 and clang 14, this is ${6:-gcc} $version"
		return ;;
	esac
	got=$(each "$2" "$3" "$4" "$tmp/${6:-gcc}") && what="$what ($got)"
	echo "it was ${got:-not to be counted}" >"$tmp/out"
	awk -v got="${got:-no}" -v bound="$bound" 'BEGIN { exit !(got + 0 > 0 && got + 0 <= bound) }'
	check "$what"
}

for cc in gcc clang; do
	$cc -std=gnu11 -O2 -Wall -Wextra -Werror -Iinclude -o "$tmp/$cc" tests/system/instructions/main.c "$build/libnap.a" \
		-pthread || exit 1
done >"$tmp/out" 2>&1
check "the program compiles"
! each again 0 0 "$tmp/gcc" >"$tmp/out" && ! each none 10 20 "$tmp/gcc" >"$tmp/out"
check "what was not counted is not taken for short"

at_most 80 again 20000 60000 "a task that reschedules itself"
at_most 86 one-by-one 20000 60000 "a schedule from a worker"
at_most 65 batch 20000 60000 "the same in a batch of 200"
at_most 140 outside 20000 60000 "a schedule from outside"
at_most 68 outside-batch 20000 60000 "the same in one batch"
at_most 34 fork 15 22 "a fork" gcc
at_most 41 fork 15 22 "a fork" clang
at_most 754 wait 10000 30000 "a schedule of a group's task, and a wait that runs it"
at_most 360 call 10000 30000 "a call from outside, with a place free"
# Some of these instructions are the worker's, which checks what is due.
at_most 182 channel 10000 30000 "a send and a receive through a buffer"
at_most 597 direct 10000 30000 "the same without one: each waits for the other"
at_most 45 semaphore 20000 60000 "an acquire and a release of a semaphore"
at_most 47 mutex 20000 60000 "a lock and an unlock of a mutex"
at_most 777 mutex-of-two 10000 30000 "the same by two fibers in turn, which keep it while they give way"
at_most 275 yield 20000 60000 "a fiber that gives way to another one"
# About 60 of these instructions tell valgrind about stacks.
at_most 968 await 10000 30000 "a fiber that is spawned and awaited"
at_most 735 await-later 10000 30000 "the same of 200, which have ended by then"
at_most 626 detached 10000 30000 "a fiber that nobody awaits"

at_most 962 timer 10000 30000 "a timer that is due at once, and whose task arms it again"

# In a pool that is measured (nap/histogram.h): every task takes the slow paths, with three readings of
# the clock. A fork does not.
at_most 1007 "again measure" 20000 60000 "measured: a task that reschedules itself"
at_most 1030 "one-by-one measure" 20000 60000 "measured: a schedule from a worker"
at_most 1125 "outside measure" 20000 60000 "measured: a schedule from outside"
at_most 34 "fork measure" 15 22 "measured: a fork" gcc
at_most 41 "fork measure" 15 22 "measured: a fork" clang

# In a pool that is traced (nap/trace.h): three events for every task, none for a fork that no
# worker steals.
at_most 806 "again traced" 20000 60000 "traced: a task that reschedules itself"
at_most 814 "one-by-one traced" 20000 60000 "traced: a schedule from a worker"
at_most 34 "fork traced" 15 22 "traced: a fork" gcc
