#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the commands of nap-demo on fork and join: right results with one worker, with several, with
# none and under every idle protocol; wrong use; Ctrl-C; and that a fork takes no memory from the
# heap and makes no system call. NAP_SHORT=1: large trees and sizes only with small stacks, and not
# under each protocol. KTAP.

build=${NAP_BUILD:-build}
demo=$build/nap-demo
noclone=$build/tests/system/noclone_main
. "$(dirname "$0")/check.inc"

run()
{
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
}

# Every command also runs on one worker, and compares the two results itself.
says()
{
	expected=$1
	shift
	run timeout 120 "$@" && grep -Fqx "$expected" "$tmp/out"
}

protocols='sync go jec'
large=$protocols
[ -z "${NAP_SHORT:-}" ] || large=
echo "TAP version 13"
echo "1..$((34 + 3 * $(echo $large | wc -w)))"

for idle in $protocols; do
	for workers in 1 2 8; do
		on="$demo --workers $workers --idle $idle"
		says 'fib(30) = 832,040; all three results are right' $on fib 30 &&
			says 'nqueens(8) = 92; both results are right' $on nqueens 8 &&
			says 'nqueens(10) = 724; both results are right' $on nqueens 10 &&
			says '20,000 numbers sorted twice by fork and join; both results are right' $on sort 20000
		check "fib, nqueens, sort: $idle, workers: $workers"
	done
done
for idle in $large; do
	for workers in 2 8; do
		says 'uts T1: 4,130,071 nodes, 3,305,118 leaves, depth 10; both results are right' \
			"$demo" --workers $workers --idle $idle uts
		check "uts: $idle, workers: $workers and 1"
	done
done

# Runs the commands with the sizes that the measurements have.
for idle in $large; do
	on="$demo --workers 2 --idle $idle"
	says 'fib(40) = 102,334,155; all three results are right' $on fib 40 &&
		says 'nqueens(12) = 14,200; both results are right' $on nqueens 12
	check "fib(40), nqueens(12): $idle, workers: 2"
done

says 'fib(0) = 0; all three results are right' "$demo" fib 0 && says 'fib(1) = 1; all three results are right' "$demo" fib 1
check "the smallest numbers of fib"
says 'nqueens(1) = 1; both results are right' "$demo" nqueens 1 && says 'nqueens(2) = 0; both results are right' "$demo" nqueens 2
check "the smallest boards"
says '1 numbers sorted twice by fork and join; both results are right' "$demo" sort 1
check "a sort of one number"
says 'fib(32) = 2,178,309; all three results are right' "$demo" --stack 16 --workers 8 fib 32 &&
	says 'nqueens(12) = 14,200; both results are right' "$demo" --stack 16 --workers 8 nqueens 12 &&
	says 'uts T1: 4,130,071 nodes, 3,305,118 leaves, depth 10; both results are right' "$demo" --stack 16 --workers 8 uts T1 &&
	says '1,000,000 numbers sorted twice by fork and join; both results are right' "$demo" --stack 16 --workers 8 sort 1000000
check "16 KiB of stack are enough"

run timeout 60 "$demo" --workers 2 fib 27
grep -Eq '^ +2 workers +[0-9.]+ s +[0-9.]+ s$' "$tmp/out" && grep -Eq '^ +1 worker +[0-9.]+ s +[0-9.]+ s$' "$tmp/out" &&
	grep -Eq '^speed-up [0-9.]+$' "$tmp/out" && grep -Eq 'jobs_stolen' "$tmp/out" &&
	grep -Eq '^the same without forks: [0-9.]+ s, [0-9.]+ s of CPU; one worker takes [0-9.]+ times as much CPU$' "$tmp/out"
check "the times, the speed-up, the jobs that were stolen, and what is paid for the forks"

# Compares the times to three digits, because no more are printed.
run timeout 60 "$demo" --workers 2 fib 37 && awk '
	/^ +1 worker +[0-9.]+ s +[0-9.]+ s$/ { one = $5 }
	/^the same without forks/ { serial = $7; ratio = $(NF - 4) }
	END {
		exit !(serial > 0.01 && ratio > (one - 0.0006) / (serial + 0.0006) - 0.006 &&
			ratio < (one + 0.0006) / (serial - 0.0006) + 0.006)
	}' "$tmp/out"
check "what is paid for the forks is a ratio of CPU times"

# With a job in every call and two workers, some run has a stolen job.
tries=0
until run timeout 60 "$demo" --workers 2 fib 35 && awk '$1 == "all" && NF == 8 { n = $7; exit } END { exit !(n > 0) }' "$tmp/out"; do
	tries=$((tries + 1))
	[ $tries -lt 20 ] || break
done
[ $tries -lt 20 ]
check "two workers share the jobs of fib"

says 'fib(28) = 317,811; all three results are right' "$noclone" "$demo" --workers 2 fib 28 && grep -q '^note: no worker' "$tmp/out" &&
	says 'nqueens(10) = 724; both results are right' "$noclone" "$demo" --workers 2 nqueens 10 &&
	says '200,000 numbers sorted twice by fork and join; both results are right' "$noclone" "$demo" sort 200000
check "with no worker the main thread does it all, and says so"

# $1: text that the message has to contain; the rest: the command
refused()
{
	named=$1
	shift
	run timeout 60 "$@"
	[ $? -eq 2 ] && [ ! -s "$tmp/out" ] && grep -q "^nap-demo: .*$named" "$tmp/err"
}
refused "'-1' is not a number" "$demo" fib -- -1 && refused "fib: '93'.*0 to 92" "$demo" fib 93 && refused "fib: 'x'" "$demo" fib x
check "wrong numbers for fib"
refused 'no command takes a negative number' "$demo" fib -1 && refused 'no command takes a negative number' "$demo" nqueens -12 &&
	refused "workers: '-1' is not a number" "$demo" --workers -1 fib
check "negative numbers are named as such"
refused "nqueens: '0'.*1 to 20" "$demo" nqueens 0 && refused "nqueens: '99'" "$demo" nqueens 99
check "wrong numbers for nqueens"
refused "uts: 'T9' is not a tree" "$demo" uts T9 && refused "'T2' is one argument too many" "$demo" uts T1 T2
check "wrong trees for uts"
refused "'2' is one argument too many" "$demo" fib 1 2 && refused "'2' is one argument too many" "$demo" nqueens 1 2
check "an argument too many"
refused "--idle: 'foo'" "$demo" --idle foo fib 1 && refused "--idle: ''" "$demo" --idle= fib 1 && refused "--idle: 'SYNC'" "$demo" --idle SYNC uts
check "idle protocols that there are not"
run timeout 60 "$demo" --help && (for word in fib nqueens uts 'idle WORD'; do grep -q -- "$word" "$tmp/out" || exit 1; done)
check "--help names the commands and --idle"

# Signals in the middle of the work, after a tenth of a second of CPU time.
ticks=$(($(getconf CLK_TCK) / 10))
interrupted()
{
	signal=$1 status=$2 what=$3
	shift 3
	env --default-signal="$signal" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
	pid=$!
	tries=0
	while [ -d /proc/$pid ] && [ "$(awk '{ print $14 }' /proc/$pid/stat)" -lt $ticks ] && [ $tries -lt 600 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	signal_it "$signal" $pid nap-demo
	tries=0
	while kill -0 $pid 2>/dev/null && [ $tries -lt 1200 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	[ $tries -lt 1200 ] || signal_it KILL $pid nap-demo
	wait $pid
	[ $? -eq "$status" ] && [ ! -s "$tmp/out" ] && grep -q "^nap-demo: stopped by SIG$signal during $what; there is no result\$" "$tmp/err"
}
interrupted INT 130 'fib(80) on 2 workers' "$demo" --workers 2 fib 80
check "Ctrl-C stops fib"
interrupted TERM 143 'fib(80) on 1 worker' "$demo" --workers 1 fib 80
check "SIGTERM stops fib on one worker"
interrupted INT 130 'nqueens(20) on 2 workers' "$demo" --workers 2 nqueens 20
check "Ctrl-C stops nqueens"
# uts lasts less than a second, and may end before the signal; then tries again.
tries_of_uts=0
until interrupted INT 130 'uts on 2 workers' "$demo" --workers 2 uts; do
	grep -q 'both results are right' "$tmp/out" && [ $((tries_of_uts += 1)) -lt 30 ] || tries_of_uts=30
	[ $tries_of_uts -lt 30 ] || break
done
[ $tries_of_uts -lt 30 ]
check "a signal during uts: no result"
interrupted INT 130 'fib(80) on 2 workers' "$noclone" "$demo" --workers 2 fib 80
check "Ctrl-C stops fib where there is no worker"
interrupted INT 130 'nqueens(20) on 2 workers' "$noclone" "$demo" --workers 2 nqueens 20
check "and nqueens"

# Counts calls of malloc() and its like, by all threads.
allocations()
{
	timeout 120 valgrind --leak-check=no --log-file="$tmp/valgrind" "$demo" --workers 1 "$@" >"$tmp/out" 2>"$tmp/err" || return
	sed -n 's/.*total heap usage: \([0-9,]*\) allocs.*/\1/p' "$tmp/valgrind"
}
few=$(allocations fib 20) && many=$(allocations fib 30) && [ -n "$few" ] && [ "$few" = "$many" ]
check "fib(30), 1,346,268 forks, allocates as often as fib(20), 10,945 forks: $few times"
few=$(allocations nqueens 7) && many=$(allocations nqueens 11) && [ -n "$few" ] && [ "$few" = "$many" ]
check "nqueens(11) allocates as often as nqueens(7), which does not fork: $few times"

# Counts the workers' system calls; the main thread checks for signals ten times a second.
calls()
{
	timeout 120 strace -f -o "$tmp/strace" "$demo" --workers "$1" fib "$2" >"$tmp/out" 2>"$tmp/err" || return
	awk 'NR == 1 { main = $1 } $1 != main && !/resumed>/ && !/\+\+\+/ { n++ } END { print n + 0 }' "$tmp/strace"
}
few=$(calls 1 20) && many=$(calls 1 30) && [ "$few" -gt 0 ] && [ "$many" -le $((few + 50)) ]
check "on one worker it makes $few and $many system calls"
few=$(calls 2 20) && many=$(calls 2 30) && [ "$few" -gt 0 ] && [ "$many" -le $((few + 1000)) ]
check "on two workers it makes $few and $many system calls"
