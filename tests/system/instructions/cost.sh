#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints what the shortest works cost in a pool that is not watched, in one that is traced, and in
# one that is measured: instructions by callgrind, and nanoseconds. The works are those of main.c,
# on one worker. A figure is the difference between two numbers of works. A time is that of the
# quickest of TIMES runs; the three pools take turns. A trace has 4,096 events, so that its rings
# are full in each run.
#
#	cost.sh [TIMES]

times=${1:-20} build=$(cd "${NAP_BUILD:-build}" && pwd) || exit 1
cd "$(dirname "$0")/../../.." || exit 1
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT || exit 1
compile="${CC:-gcc} -std=gnu11 -O2 -Iinclude tests/system/instructions/main.c"
$compile -o "$tmp/counted" "$build/libnap.a" -pthread && $compile -DTIMED -o "$tmp/timed" "$build/libnap.a" -pthread || exit 1

# run STATE COMMAND...: runs the command with the pool in this state
run()
{
	state=$1
	shift
	rm -f "$tmp/trace"
	case $state in
	off) "$@" ;;
	traced) NAP_TRACE=$tmp/trace NAP_TRACE_EVENTS=4096 "$@" ;;
	measured) "$@" measure ;;
	esac
}

# counted STATE WORK N: prints how often the work was done, and all instructions
counted()
{
	run "$1" valgrind --tool=callgrind --callgrind-out-file=/dev/null "$tmp/counted" "$2" "$3" 2>&1 |
		awk '/^[0-9]+$/ { did = $1 } /Collected/ { n = $NF } END { print did, n }'
}

# timed STATE WORK N: prints how often the work was done, and all nanoseconds, of the quickest run
# in $tmp/STATE-N
timed() { sort -n "$tmp/$1-$3" | sed -n 1p | awk '{ print $2, $1 }'; }

# Real-time priority, for users that may have it.
quick='chrt -f 10'
$quick true 2>/dev/null || quick=

# each HOW STATE WORK N M: prints what one more work takes
each()
{
	{ "$1" "$2" "$3" "$4" && "$1" "$2" "$3" "$5"; } |
		awk '{ did[NR] = $1; all[NR] = $2 } END { print (all[2] - all[1]) / (did[2] - did[1]) }'
}

# repeat WORK N: fills $tmp/STATE-N
# shellcheck disable=SC2086
repeat()
{
	for state in off traced measured; do
		run $state $quick "$tmp/timed" "$1" "$2" | xargs | awk '{ print $2, $1 }' >>"$tmp/$state-$2"
	done
}

# cost WORK N M ABOUT: prints a row for the work
cost()
{
	rm -f "$tmp"/*-*
	i=0
	while [ $((i += 1)) -le "$times" ]; do
		repeat "$1" "$2"
		repeat "$1" "$3"
	done
	for how in counted timed; do
		for state in off traced measured; do each $how $state "$1" "$2" "$3"; done
	done | xargs | awk -v about="$4" '{ printf "%-44s %6.0f %6.0f %8.0f   %6.1f %6.1f %8.1f   %6.1f %8.1f\n",
		about, $1, $2, $3, $4, $5, $6, $5 / $4, $6 / $4 }'
}

printf '%-44s %22s   %22s   %15s\n%-44s %6s %6s %8s   %6s %6s %8s   %6s %8s\n' '' instructions ns 'times as long' \
	'' off traced measured off traced measured traced measured
cost outside 20000 60000 'T1 from outside, and the run'
cost batch 20000 60000 'T2 a task of a batch'
cost one-by-one 20000 60000 'T3 from a worker, and the run'
cost again 20000 60000 'T4 a task that schedules itself'
cost fork 15 22 'F1 a fork and its join'
cost yield 20000 60000 'Y1 a fiber gives way to another one'
cost channel 10000 30000 'a send and a receive through a buffer'
cost direct 10000 30000 'the same, each waiting for the other'
cost await 10000 30000 'a fiber is spawned and awaited'
rm -f "$tmp"/*-*
i=0
while [ $((i += 1)) -le "$times" ]; do
	repeat c 20000
	repeat c 60000
done
echo "c, a compare-exchange: $(each timed off c 20000 60000) ns"
