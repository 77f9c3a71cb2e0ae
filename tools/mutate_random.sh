#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Changes statements of src/ at random, one at a time, and checks that a test or the model notices
# each:
#
#	tools/mutate_random.sh [N=changes] [SEED=seed] [ONLY=regex] [OUT=directory]
#
# SEED (by default today's date) chooses N changes (by default 100), only of files that match ONLY.
# tools/mutate_random/changes.awk lists the possible changes, choose.awk beside it chooses among
# them. The same SEED chooses the same changes, and a larger N adds more to these.
#
# $MUTANT_PROGRAMS has the programs that may notice, as VARIANT:NAME (base.sh, which first measures
# what each executes). A change is made in a copy of the tree, $MUTANT_JOBS (2) at a time. Programs
# that execute the statement are built and run there until one fails: first native ones, then
# scripts, then those with DEBUG=1, then those without a libc. In each of these groups the quick
# ones that execute little come first. Last come the programs of the model checker that execute the
# function. A program that the change leaves unchanged is not run.
#
# A program hangs if it runs too long, and would end in that time without the change. The time is 10
# times as long as before (or a minute longer, if that is less), and $MUTANT_SECONDS (5) more. A
# model program that runs too long is undecided instead, because it may only have more to explore.
#
# OUT (build/mutate-random) keeps the verdict on each change, a line in OUT/results. A verdict holds
# while the tree is unchanged except for comments. If only tests have changed, survivors are tried
# again, and killed changes stay killed. `rm -r OUT` to try all.
#
# A change may survive with a reason, in a comment above the statement, in it, or after it:
#
#	/* Not noticed in tests when dropped: it only saves a look at the queue. */
#	/* ... Not noticed in tests when <= for < or 2 for 1: ... */
#
# A reason is only for the changes that it names. A name that no change has is an error.
#
# Ends with the survivors as diffs, and the totals. The exit status is 1 if more than 3 in 100 of
# the changes that could be built survived without a reason, or if a change with a reason was
# killed; 2 for wrong arguments.

set -u
cd "$(dirname "$0")/.." || exit 2
unset MAKEFLAGS MFLAGS MAKELEVEL
export LC_ALL=C
. tools/mutate_random/variants.inc
out=build/mutate-random n=100 seed=$(date -u +%Y%m%d) only=.

wrong()
{
	echo "mutate-random: $*" >&2
	exit 2
}

for argument; do
	value=${argument#*=}
	case $argument in
	N=*) n=$value ;;
	SEED=*) seed=$value ;;
	ONLY=*) only=$value ;;
	OUT=*) out=$value ;;
	*) wrong "what is $argument? N=changes, SEED=seed, ONLY=regex, OUT=directory" ;;
	esac
done
case $n in
'' | *[!0-9]* | 0* | ???????*) wrong "N=$n is not a number of changes, 1 to 999999" ;;
esac
case $seed in
'' | *[!A-Za-z0-9_.-]*) wrong "SEED=$seed is not a seed: letters and digits" ;;
esac
printf '' | grep -E -e "$only" >/dev/null 2>&1
[ $? -le 1 ] && [ -n "$only" ] || wrong "ONLY=$only is not a regular expression"
sources=$(find src -name '*.[ch]' | sort | grep -E -e "$only") || wrong "no file of src/ matches ONLY=$only"

mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)
if ! mkdir "$out/running" 2>/dev/null; then
	kill -0 "$(cat "$out/running/pid" 2>/dev/null)" 2>/dev/null && wrong "another one is running in $out"
	rm -rf "$out/running"
	mkdir "$out/running" || exit 2
fi
echo $$ >"$out/running/pid"

# Workers have sessions of their own, and end the programs that they have started.
stop()
{
	for pid in $(cat "$out"/running/worker-* 2>/dev/null); do
		kill -s TERM -- "-$pid" 2>/dev/null
	done
	wait
	rm -rf "$out/running"
}
trap stop EXIT
trap 'exit 130' INT TERM HUP

# The state of the tree, in which comments of src/ and of the Makefile do not count.
{
	changes -v code=1 -- $(find src -name '*.[ch]' | sort)
	grep -v '^#' Makefile
	cat $parts/tokens.awk $parts/operators.awk $parts/changes.awk $(find src include arch -type f ! -path 'src/*.[ch]' | sort)
} | cksum >"$out/tree.now"
{ echo "${MUTANT_PROGRAMS:-}"; cat $(find tests tools/check -type f | sort); } | cksum >"$out/tests.now"
if [ -s "$out/results" ] && ! cmp -s "$out/tree.now" "$out/tree"; then
	echo "# the tree has changed: $(wc -l <"$out/results") verdicts are put aside (results.old), all are asked for again"
	mv "$out/results" "$out/results.old"
elif [ -s "$out/results" ] && ! cmp -s "$out/tests.now" "$out/tests"; then
	echo "# the tests have changed: what survived is tried again, what was killed is believed"
	grep -v '^survived' "$out/results" >"$out/results.new"
	mv "$out/results.new" "$out/results"
fi
touch "$out/results"

# Lists the possible changes, with their current reasons.
changes -- $sources >"$out/reasons" || exit 2

if ! { cmp -s "$out/tree.now" "$out/tree" && cmp -s "$out/tests.now" "$out/tests" && [ -e "$out/base-done" ]; }; then
	echo "# first, on the tree as it is: what do the programs execute?"
	[ -e build/kselftest/kselftest_harness.h ] || tools/setup.sh --only kselftest || exit 2
	rm -rf "$out/base" "$out/base-done" "$out"/slot-*
	echo "${MUTANT_PROGRAMS:-}" | tr -s ' ' '\n' | sed -n 's/:/ /p' >"$out/wanted"
	setsid sh $parts/base.sh "$out" &
	echo $! >"$out/running/worker-base"
	wait $! || exit 2
	mv "$out/tree.now" "$out/tree"
	mv "$out/tests.now" "$out/tests"
fi

awk 'FILENAME == ARGV[1] { passes[$1, $2]; next }
	!(($1, $2) in passes) { print "left out, because it fails without a change: " $0 }' \
	"$out/programs" "$out/wanted" | tee "$out/left-out"

# Lines may have moved: the comments of the copy may differ from those of the tree.
(cd "$out/base" && changes -- $sources) >"$out/all" || exit 2
awk -v seed="$seed" -f $parts/choose.awk "$out/all" | sort -n -k 1,1 -k 2,2 | cut -f 3- | head -n "$n" >"$out/list"
awk -F '\t' 'FILENAME == ARGV[1] { known[$2, $3, $4, $5, $6]; next } !(($1, $2, $5, $6, $8) in known)' \
	"$out/results" "$out/list" >"$out/asked"
echo "# $(wc -l <"$out/list") of $(wc -l <"$out/all") changes, SEED=$seed; $(wc -l <"$out/asked") to be tried"

jobs=${MUTANT_JOBS:-2} job=0
while [ -s "$out/asked" ] && [ $((job += 1)) -le "$jobs" ]; do
	setsid sh $parts/work.sh "$out" $job &
	echo $! >"$out/running/worker-$job"
done
wait

awk -F '\t' -v survivors="$out/survivors" -f $parts/report.awk "$out/results" "$out/reasons" "$out/list" >"$out/report"
status=$?
while IFS="$(printf '\t')" read -r file function first name index message; do
	printf '\n%s:%d %s(), %s: %s\n' "$file" "$first" "$function" "$name" "$message"
	(cd "$out/base" && changes -v apply="$index" -- "$file" |
		diff -u -L "a/$file" -L "b/$file" "$file" -)
done <"$out/survivors"
cat "$out/left-out" "$out/report"
exit $status
