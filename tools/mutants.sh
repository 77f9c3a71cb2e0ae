#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Put faults back that others have had, one at a time, and see that a test notices each:
#
#	tools/mutants.sh [-d PATCHES] [-o OUT] [REGEX]
#
# PATCHES (tests/mutants) has a NAME.patch each; with REGEX only those whose NAME matches. Before
# its diff a patch says in lines of their own:
#
#	Fault: what goes wrong Source: the program that had it, and where that is known from Puts
#	back: what the diff does
#	Test: PROGRAM [TEST]		a program of tests/, natively
#	Model: PROGRAM ARGUMENT...	a program of the model checker, as gcc builds it
#	Check: COMMAND			something else that prints KTAP
#	Hangs: yes			a test may notice by never coming to its end
#	Runs: N				a race: a test that passes is run again, N times in all
#	Make: VARIABLE=VALUE...		the variant in which that is seen
#
# Of Test, Model and Check there may be several; each has to notice. All of them are first run on
# the tree as it is, and have to pass there. Then each patch is applied to a copy in OUT
# (build/mutants) and its tests are built and run there, $MUTANT_JOBS (2) at a time. A test that
# takes 10 times as long as before, and $MUTANT_SECONDS (15) more, hangs. OUT keeps the logs, and
# the copies of those that were not killed (KEEP=1: all).
#
# Exits 1 unless every one is killed: a patch that does not apply or build has shown nothing.

set -u
cd "$(dirname "$0")/.." || exit 2
unset MAKEFLAGS MFLAGS MAKELEVEL
. tools/verdict.inc
MAKE=${MAKE:-make}
patches=tests/mutants out=build/mutants one=
while getopts d:o:1: option; do
	case $option in
	d) patches=$OPTARG ;;
	o) out=$OPTARG ;;
	1) one=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

# field NAME FIELD: its lines in the patch's header, without the name
field()
{
	sed -n "/^--- /q; s/^$2: *//p" "$patches/$1.patch"
}

# tests_of NAME: its tests with the variant they are for, a line each: "Kind what", "|", variables
tests_of()
{
	variables=$(field "$1" Make)
	sed -n '/^--- /q; /^\(Test\|Model\|Check\): /p' "$patches/$1.patch" |
		while read -r line; do echo "$line|$variables"; done
}

# command_of TREE TEST: build what it needs; sets $command. False: that cannot be built.
command_of()
{
	variables=${2#*|} test=${2%|*}
	rest=${test#*: }
	program=${rest%% *} arguments=
	[ "$program" = "$rest" ] || arguments=${rest#* }
	case $test in
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

# run_often TREE LOG SECONDS RUNS: as run, until the test does not pass
run_often()
{
	runs=${4:-1}
	while run "$1" "$2" "$3" && [ $verdict = passes ] && [ $((runs -= 1)) -gt 0 ]; do :; done
}

# one_mutant NAME: prints its line
one_mutant()
{
	name=$1 tree=$out/$1
	label="${name%%-*} $(field "$name" Fault): $(field "$name" 'Puts back')"
	cp -a "$out/base" "$tree"
	if ! patch -s -f -F0 -p1 -d "$tree" <"$patches/$name.patch" >"$out/$name.log" 2>&1; then
		result broken 'DOES NOT APPLY'
		return
	fi
	# written within the second in which the objects were, else not seen by make
	find "$tree/src" "$tree/include" "$tree/arch" -newer "$out/base-done" -exec touch {} +
	killers= nr=0
	tests_of "$name" >"$out/$name.tests"
	while read -r test; do
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
	[ -n "${KEEP:-}" ] || rm -rf "$tree"
}

# result killed|survived|broken TEXT
result()
{
	echo "$1" >"$out/$name.result"
	printf '%s: %s\n' "$label" "$2"
}

# The seconds after which a test hangs, from how long it has taken on the tree as it is.
limit_of()
{
	awk -F '\t' -v test="$1" -v more="${MUTANT_SECONDS:-15}" \
		'$2 == test { printf "%d\n", more + 10 * $1 + 1; exit }' "$out/seconds"
}

if [ -n "$one" ]; then
	one_mutant "$one"
	exit 0
fi

names=$(for p in "$patches"/*.patch; do basename "$p" .patch; done | grep -E -e "${1:-.}")
[ -n "$names" ] || { echo "no patch in $patches matches ${1:-.}" >&2; exit 2; }
for name in $names; do
	for f in Fault Source 'Puts back'; do
		[ -n "$(field "$name" "$f")" ] || { echo "$name.patch: no $f" >&2; exit 2; }
	done
	[ -n "$(tests_of "$name")" ] || { echo "$name.patch names no test" >&2; exit 2; }
done
command -v patch >/dev/null || { echo 'patch is lacking' >&2; exit 2; }

rm -rf "$out"
mkdir -p "$out/base/build"
[ -e build/kselftest/kselftest_harness.h ] || tools/setup.sh --only kselftest || exit 2
cp -a Makefile README.md arch include src tests tools Documentation "$out/base/"
cp -a build/kselftest "$out/base/build/"

for name in $names; do tests_of "$name"; done | awk '!seen[$0]++' >"$out/tests"
echo "# $(echo "$names" | wc -l) mutants; first their $(wc -l <"$out/tests") tests on the tree as it is"
while read -r test; do
	if ! command_of "$out/base" "$test" >"$out/base.log" 2>&1 </dev/null; then
		cat "$out/base.log"
		echo "does not build without a mutant: ${test%|*}"
		exit 1
	fi
	begin=$(date +%s.%N)
	run "$out/base" base.log 300 </dev/null
	if [ "$verdict" != passes ]; then
		cat "$out/base/base.log"
		echo "fails without a mutant: ${test%|*}"
		exit 1
	fi
	echo "$begin $(date +%s.%N) $test" |
		awk '{ t = $2 - $1; sub(/^[^ ]* [^ ]* /, ""); printf "%.1f\t%s\n", t, $0 }' >>"$out/seconds"
done <"$out/tests"
touch "$out/base-done"
sleep 0.01	# so that what a patch writes is newer

echo "$names" | xargs -P "${MUTANT_JOBS:-2}" -I NAME sh tools/mutants.sh -d "$patches" -o "$out" -1 NAME

for name in $names; do cat "$out/$name.result" 2>/dev/null || echo broken; done | awk '
	{ n[$1]++ }
	END {
		printf "%d killed, %d survived, %d failed to build or apply\n", n["killed"], n["survived"], n["broken"]
		exit n["killed"] != NR
	}'
