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

# count_each COMPILER "WORK N [measure]"...: appends to $tmp/counts a line for each:
# COMPILER:WORK N [measure]:INSTRUCTIONS:HOW OFTEN. Counts all in one run of valgrind, because
# valgrind takes longer to start than to count.
count_each()
{
	program=$1
	shift
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$tmp/$program" each "$@" >"$tmp/did" 2>"$tmp/err"
	sed -n 's/.*Collected : //p' "$tmp/err" | head -n $# >"$tmp/collected"
	[ "$(wc -l <"$tmp/did")" = $# ] || return
	printf '%s\n' "$@" | paste -d : - "$tmp/collected" "$tmp/did" | sed "s/^/$program:/" >>"$tmp/counts"
}

# each WORK N M COMPILER: prints the instructions that one more work takes. WORK may be two words.
each()
{
	how=
	case $1 in *' '*) how=" ${1#* }" ;; esac
	awk -F : -v less="$4:${1% *} $2$how" -v more="$4:${1% *} $3$how" '
		{ key = $1 ":" $2; ir[key] = $3; did[key] = $4 }
		END { if (did[more] + 0 <= did[less] + 0 || !ir[less] || !ir[more]) exit 1
			printf "%.1f\n", (ir[more] - ir[less]) / (did[more] - did[less]) }' "$tmp/counts"
}

probes=0
readelf -n "$build/libnap.so.1" | grep -q 'Provider: nap' && probes=3

# at_most BOUND WORK N M ABOUT [COMPILER]: checks the counted instructions of one more work
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
	got=$(each "$2" "$3" "$4" "${6:-gcc}") && what="$what ($got)"
	echo "it was ${got:-not to be counted}" >"$tmp/out"
	awk -v got="${got:-no}" -v bound="$bound" 'BEGIN { exit !(got + 0 > 0 && got + 0 <= bound) }'
	check "$what"
}

for cc in gcc clang; do
	$cc -std=gnu11 -O2 -Wall -Wextra -Werror -Iinclude -o "$tmp/$cc" tests/system/instructions/main.c "$build/libnap.a" \
		-pthread || exit 1
done >"$tmp/out" 2>&1
check "the program compiles"
! count_each gcc "again 0" && ! count_each gcc "none 10" "none 20" && : >"$tmp/counts" && ! each again 20000 60000 gcc >"$tmp/out" &&
	echo 'gcc:again 20000::' >"$tmp/counts" && ! each again 20000 20000 gcc >"$tmp/out"
check "what was not counted is not taken for short"

# BOUND|WORK|N|M|ABOUT|COMPILER; gcc if no compiler is named. The count of "channel" includes the
# worker's checks for what is due, and that of "await" about 60 instructions that tell valgrind
# about stacks.
cat >"$tmp/table" <<'END'
80|again|20000|60000|a task that reschedules itself|
86|one-by-one|20000|60000|a schedule from a worker|
65|batch|20000|60000|the same in a batch of 200|
140|outside|20000|60000|a schedule from outside|
68|outside-batch|20000|60000|the same in one batch|
34|fork|15|22|a fork|gcc
41|fork|15|22|a fork|clang
754|wait|10000|30000|a schedule of a group's task, and a wait that runs it|
360|call|10000|30000|a call from outside, with a place free|
182|channel|10000|30000|a send and a receive through a buffer|
597|direct|10000|30000|the same without one: each waits for the other|
45|semaphore|20000|60000|an acquire and a release of a semaphore|
47|mutex|20000|60000|a lock and an unlock of a mutex|
777|mutex-of-two|10000|30000|the same by two fibers in turn, which keep it while they give way|
275|yield|20000|60000|a fiber that gives way to another one|
968|await|10000|30000|a fiber that is spawned and awaited|
745|await-later|10000|30000|the same of 200, which have ended by then|
626|detached|10000|30000|a fiber that nobody awaits|
962|timer|10000|30000|a timer that is due at once, and whose task arms it again|
1007|again measure|20000|60000|measured: a task that reschedules itself|
1030|one-by-one measure|20000|60000|measured: a schedule from a worker|
1125|outside measure|20000|60000|measured: a schedule from outside|
34|fork measure|15|22|measured: a fork|gcc
41|fork measure|15|22|measured: a fork|clang
806|again traced|20000|60000|traced: a task that reschedules itself|
814|one-by-one traced|20000|60000|traced: a schedule from a worker|
34|fork traced|15|22|traced: a fork|gcc
END
# Every task of a measured pool (nap/histogram.h) takes the slow paths, with three readings of the
# clock; a fork does not. Every task of a traced pool (nap/trace.h) has three events; a fork that no
# worker steals has none. A trace is of a whole process, so each traced work is counted in a process
# of its own.
: >"$tmp/counts"
for cc in gcc clang; do
	eval "count_each $cc $(awk -F '|' -v cc=$cc '($6 ? $6 : "gcc") == cc && $2 !~ / traced/ {
		split($2, word, " ")
		for (i = 3; i <= 4; i++)
			print "\"" word[1] " " $i (word[2] ? " " word[2] : "") "\""
	}' "$tmp/table" | tr '\n' ' ')"
done
NAP_TRACE=$tmp/trace NAP_TRACE_EVENTS=4096
export NAP_TRACE NAP_TRACE_EVENTS
for count in $(awk -F '|' '$2 ~ / traced/ { sub(/ .*/, "", $2); print $2 ":" $3 "\n" $2 ":" $4 }' "$tmp/table"); do
	rm -f "$tmp/trace"
	count_each gcc "${count%:*} ${count#*:} traced"
done
unset NAP_TRACE NAP_TRACE_EVENTS

while IFS='|' read -r bound work n m about cc; do
	at_most $bound "$work" $n $m "$about" $cc
done <"$tmp/table"
