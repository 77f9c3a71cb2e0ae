#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Puts back faults that other programs have had, one at a time, and checks that a test notices each:
#
#	tools/mutants.sh [-n] [-d TABLES] [-o OUT] [REGEX]
#
# TABLES (tests/mutants) has *.mutants, each a list of such faults. With REGEX only mutants whose
# name matches are run. An empty line ends a mutant, and a line that begins with # is a comment:
#
#	Mutant: 10-steal-off-by-one
#	Fault: what goes wrong
#	Source: the program that had it, and where that is known from
#	Puts back: what the change does
#	Test: PROGRAM [TEST]		a program of tests/, natively
#	Model: PROGRAM ARGUMENT...	a program of the model checker, as gcc builds it
#	Check: COMMAND			something else that prints KTAP
#	Hangs: yes			a test may notice by never coming to its end
#	Runs: N				a race: a test that passes is run again, N times in all
#	Make: VARIABLE=VALUE...		the variant of the build in which the fault is seen
#	In: ring.h ring_steal
#	 	if (oldest && n > 1) {
#	-		ring_commit(into, n - 1);
#	+		ring_commit(into, n - 2);
#
# There may be several of Test, Model and Check; each has to notice. "In:" names a file and a
# definition in the file: a function, a macro, "struct NAME", or - for the whole file. A file of
# src/, include/, arch/ or tools/check/, and the Makefile, are named by a unique end of the path, a
# file of tools/litmus/ by the whole path. The lines below are as in a diff: a line stays (after a
# blank), goes (-), or comes (+). The lines that stay or go have to be in the definition once,
# without a gap. They should be few, because a change of such a line in src/ has to be made in the
# table, too. A mutant may have several "In:", each of which is applied to the unchanged file.
#
# Several mutants, one below the other, may share a number of two digits (corrections.rst). A longer
# number belongs to one mutant. It does not matter in which table a mutant stands.
#
# All tests are first run on the unchanged tree, for $MUTANT_BASE_SECONDS (900) at most. A mutant
# whose test does not pass there is not tried, and counts as a failure. Then each other mutant is
# made in a copy in OUT (build/mutants), and its tests are built and run there, $MUTANT_JOBS (2) at
# a time. For root, where the kernel has overlayfs, the copy is a layer over the unchanged tree. A
# test hangs if it takes 10 times as long as on the unchanged tree, and $MUTANT_SECONDS (15) more.
# OUT keeps the logs, and the copies of mutants that were not killed (KEEP=1: all).
#
# A run on the same files goes on where another has ended: tests that have passed on the unchanged
# tree, and mutants that were killed, are not tried again. `rm -r OUT` to try all.
#
# With -n nothing is built or run: prints the mutants that do not apply, and exits 1 if there is
# one.
#
# Exits 1 unless every mutant is killed: a mutant that does not apply or build has shown nothing.

set -u
cd "$(dirname "$0")/.." || exit 2
unset MAKEFLAGS MFLAGS MAKELEVEL
. tools/verdict.inc
MAKE=${MAKE:-make}
tables=tests/mutants out=build/mutants one= try=
while getopts nd:o:1: option; do
	case $option in
	n) try=1 ;;
	d) tables=$OPTARG ;;
	o) out=$OPTARG ;;
	1) one=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

# rows VARIABLE=VALUE...: asks the tables (tools/mutants/rows.awk)
rows()
{
	for variable; do
		set -- "$@" -v "$variable"
		shift
	done
	LC_ALL=C awk "$@" -f tools/mutants/rows.awk -f tools/mutants/tree.awk "$tables"/*.mutants
}

# field NAME FIELD: prints a field of the mutant
field()
{
	rows ask=field "name=$1" "field=$2"
}

# tests_of NAME: prints the mutant's tests with their variants, a line each: "Kind what", "|",
# variables
tests_of()
{
	rows ask=tests "name=$1"
}

# command_of TREE TEST: builds what the test needs; sets $command. Fails if the build fails.
command_of()
{
	variables=${2#*|} wanted=${2%|*}
	rest=${wanted#*: }
	program=${rest%% *} arguments=
	[ "$program" = "$rest" ] || arguments=${rest#* }
	case $wanted in
	Test:*)
		command=$($MAKE -s -C "$1" $variables print-test TEST="$program") || return
		$MAKE -s -C "$1" $variables "${command##* }" || return ;;
	Model:*)
		command=build/model/gcc/$program
		$MAKE -s -C "$1" "$command" || return ;;
	Check:*)
		command=$program ;;
	esac
	command="$command $arguments"
}

# run_often TREE LOG SECONDS RUNS: as run, but up to RUNS times, until the test fails
run_often()
{
	runs=${4:-1}
	while run "$1" "$2" "$3" && [ $verdict = passes ] && [ $((runs -= 1)) -gt 0 ]; do :; done
}

# one_mutant NAME: tries the mutant, and prints its line
one_mutant()
{
	name=$1 tree=$out/$1
	label="${name%%-*} $(field "$name" Fault): $(field "$name" 'Puts back')"
	tests_of "$name" >"$out/$name.tests"
	if test=$(grep -m 1 -Fxf "$out/failing" "$out/$name.tests"); then
		result broken "FAILS WITHOUT THE MUTANT, TOO: ${test%|*}"
		return
	fi
	tree_begin
	if ! rows ask=apply "name=$name" "tree=$tree" >"$out/$name.log" 2>&1; then
		result broken 'DOES NOT APPLY'
		return
	fi
	# An object may be as old as the changed source, in whole seconds; then make would not
	# build it again.
	find "$tree/src" "$tree/include" "$tree/arch" "$tree/tools/litmus" -newer "$out/base-done" -exec touch {} +
	killers= nr=0
	while IFS= read -r test; do
		nr=$((nr + 1))
		what=${test%|*} what=${what#*: }
		if ! command_of "$tree" "$test" >>"$out/$name.log" 2>&1 </dev/null; then
			result broken "DOES NOT BUILD for $what"
			return
		fi
		run_often "$tree" "test$nr.log" "$(limit_of "$test")" "$(field "$name" Runs)" </dev/null
		cat "$tree/test$nr.log" >>"$out/$name.log"
		case $verdict-$(field "$name" Hangs) in
		fails-* | hangs-yes) killers="$killers${killers:+; }killed by $what: $message" ;;
		hangs-*) result survived "SURVIVED: $what hangs, which is not what it is to notice by"; return ;;
		passes-*) result survived "SURVIVED $what"; return ;;
		*) result broken "DOES NOT RUN: $what"; return ;;
		esac
	done <"$out/$name.tests"
	result killed "$killers"
}

# layers TREE: prints the options of a mount
layers()
{
	echo "lowerdir=$(realpath "$out/base"),upperdir=$(realpath "$1.layer"),workdir=$(realpath "$1.work")"
}

# tree_begin: makes the mutant's tree. A layer is mounted in a namespace of this process's own.
tree_begin()
{
	tree_end
	if [ -n "${MUTANT_LAYERS:-}" ]; then
		mkdir "$tree" "$tree.layer" "$tree.work"
		mount -t overlay nap-mutant -o "$(layers "$tree")" "$tree"
	else
		cp -a "$out/base" "$tree"
	fi
}

# tree_keep: makes a copy of a tree that is a layer
tree_keep()
{
	[ -n "${MUTANT_LAYERS:-}" ] && [ -e "$tree/Makefile" ] || return 0
	cp -a "$tree" "$tree.kept"
	umount "$tree"
	rm -rf "$tree" "$tree.layer" "$tree.work"
	mv "$tree.kept" "$tree"
}

tree_end()
{
	umount "$tree" 2>/dev/null
	rm -rf "$tree" "$tree.layer" "$tree.work" "$tree.kept"
}

# result killed|survived|broken TEXT: prints and keeps the result of the mutant $name
result()
{
	printf '%s: %s\n' "$label" "$2" | tee "$out/$name.line"
	echo "$1" >"$out/$name.result"
}

# limit_of TEST: prints after how many seconds the test counts as hung, from its time on the
# unchanged tree
limit_of()
{
	awk -F '\t' -v test="$1" -v more="${MUTANT_SECONDS:-15}" \
		'$2 == test { printf "%d\n", more + 10 * $1 + 1; exit }' "$out/seconds"
}

if [ -n "$one" ]; then
	one_mutant "$one"
	if [ "$(cat "$out/$one.result")" = killed ] && [ -z "${KEEP:-}" ]; then tree_end; else tree_keep; fi
	exit 0
fi

names=$(rows ask=names) || exit 2
names=$(echo "$names" | LC_ALL=C sort | grep -E -e "${1:-.}")
[ -n "$names" ] || { echo "no mutant in $tables matches ${1:-.}" >&2; exit 2; }
if [ -n "$try" ]; then
	rows ask=check tree=. "names=$(echo $names)"
	exit
fi

files="Makefile README.md arch include src tests tools Documentation"
files_sum=$(find $files "$tables" -type f | LC_ALL=C sort | xargs -d '\n' cksum | cksum)
if [ "$(cat "$out/sum" 2>/dev/null)" != "$files_sum" ]; then
	rm -rf "$out"
	mkdir -p "$out/base/build"
	[ -e build/kselftest/kselftest_harness.h ] || tools/setup.sh --only kselftest || exit 2
	cp -a $files "$out/base/"
	cp -a build/kselftest "$out/base/build/"
	echo "$files_sum" >"$out/sum"
fi
touch "$out/seconds"
: >"$out/failing"

for name in $names; do tests_of "$name"; done | awk '!seen[$0]++' >"$out/tests"
echo "# $(echo "$names" | wc -l) mutants; first their $(wc -l <"$out/tests") tests on the tree as it is"
cut -f 2 "$out/seconds" | grep -Fxv -f - "$out/tests" | while IFS= read -r test; do
	if ! command_of "$out/base" "$test" >"$out/base.log" 2>&1 </dev/null; then
		cat "$out/base.log"
		echo "does not build without a mutant: ${test%|*}"
		echo "$test" >>"$out/failing"
		continue
	fi
	begin=$(date +%s.%N)
	run "$out/base" base.log "${MUTANT_BASE_SECONDS:-900}" </dev/null
	if [ "$verdict" != passes ]; then
		cat "$out/base/base.log"
		echo "fails without a mutant: ${test%|*}"
		echo "$test" >>"$out/failing"
		continue
	fi
	echo "$begin $(date +%s.%N) $test" |
		awk '{ t = $2 - $1; sub(/^[^ ]* [^ ]* /, ""); printf "%.1f\t%s\n", t, $0 }' >>"$out/seconds"
done
touch "$out/base-done"
sleep 0.01	# so that what a mutant changes is newer

for name in $names; do
	if [ "$(cat "$out/$name.result" 2>/dev/null)" = killed ]; then
		cat "$out/$name.line"
	else
		echo "$name" >&3
	fi
done 3>"$out/to-try"
apart=
mkdir -p "$out/try" "$out/try.layer" "$out/try.work"
if [ "$(id -u)" = 0 ] && unshare -m mount -t overlay nap-mutant -o "$(layers "$out/try")" "$out/try" 2>/dev/null; then
	apart='unshare -m'
	export MUTANT_LAYERS=1
fi
rm -rf "$out/try" "$out/try.layer" "$out/try.work"
xargs -P "${MUTANT_JOBS:-2}" -I NAME $apart sh tools/mutants.sh -d "$tables" -o "$out" -1 NAME <"$out/to-try"

for name in $names; do cat "$out/$name.result" 2>/dev/null || echo broken; done | awk '
	{ n[$1]++ }
	END {
		printf "%d killed, %d survived, %d failed to build or apply\n", n["killed"], n["survived"], n["broken"]
		exit n["killed"] != NR
	}'
