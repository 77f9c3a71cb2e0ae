#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that the checker visits exactly the executions that there are. For every litmus shape and
# model, compares the checker's number of executions with the number of the brute-force enumerator,
# which shares no code with the checker. The shapes are run as they are, and again with threads that
# may each stop for ever at any of their operations.
#
#	tests/model/litmus_counts.sh build/litmus/tests/brute build/model/gcc/litmus ...
#
# Prints a line of KTAP for each program and model; the differences follow a failure.

. "$(dirname "$0")/../system/check.inc"

brute=$1
shift
echo "TAP version 13"
echo "1..$((2 + 10 * $#))"

# reference NAME [OPTION]: writes a line "SHAPE MODEL COUNT" for each count of the enumerator to
# $tmp/expected
reference()
{
	name=$1
	shift
	"$brute" --count "$@" "$(dirname "$0")"/../shapes/*.shapes >"$tmp/reference" 2>"$tmp/err"
	status=$?
	grep '^not ok' "$tmp/reference" >"$tmp/out"
	[ $status -eq 0 ]
	check "$name"
	awk '/^(not )?ok / { sub(/^not /, "") }
		$5 ~ /^(allowed|forbidden|stopped)$/ { print $3, $4, $6 }' "$tmp/reference" >"$tmp/expected"
}

# compare NAME PROGRAM [OPTION]: compares what PROGRAM counts with $tmp/expected, model by model
compare()
{
	name=$1 program=$2
	shift 2
	"$program" "$@" >"$tmp/run" 2>"$tmp/err"
	for model in c11 c20; do
		"$program" --model=$model "$@" >>"$tmp/run" 2>>"$tmp/err"
	done
	awk '/^(not )?ok / { sub(/^not /, ""); sub(/:$/, "", $4); print $3, $4, $5 }' \
		"$tmp/run" >"$tmp/actual"
	for model in sc tso rc11 c11 c20; do
		shapes=$(grep -c " $model " "$tmp/expected")
		# a shape that either side lacks is a difference; no shape at all is a failure
		awk -v model=$model '
			$2 != model { next }
			FILENAME == ARGV[1] { expected[$1] = $3; next }
			{ actual[$1] = $3 }
			END {
				for (shape in expected) {
					n++
					if (expected[shape] == actual[shape])
						continue
					is = shape in actual ? actual[shape] : "no"
					print shape ": " is " executions, must be " expected[shape]
					bad = 1
				}
				for (shape in actual)
					if (!(shape in expected)) {
						print shape ": not in the reference"
						bad = 1
					}
				exit bad || !n
			}' "$tmp/expected" "$tmp/actual" >"$tmp/out"
		check "$program $model: the counts of $shapes shapes$name"
	done
}

reference "the enumerator agrees with the shapes and with the published counts"
for program; do
	compare "" "$program"
done
reference "the enumerator counts what threads do that stop, every model within the weaker one" --may-stop=31
for program; do
	compare " whose threads may stop" "$program" --may-stop=31
done
