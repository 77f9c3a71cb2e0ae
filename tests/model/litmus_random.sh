#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whether the checker is right about programs that nobody has chosen: compares, for random litmus
# programs (litmus_random.awk), its verdicts and numbers of executions with the enumerator's.
#
#	MODEL_LDFLAGS='...' tests/model/litmus_random.sh [-s SEED] [-n N] 'gcc FLAGS' 'clang FLAGS'
#
# Builds litmus.c by each command, with MODEL_LDFLAGS (of model.mk, as are the flags) by its first
# word. A line of KTAP for each command and model, and one on the enumerator alone; what differs
# follows a failure, each program as a line that a table of shapes may have (litmus_shapes.h).

here=$(dirname "$0")
. "$here/../system/check.inc"

usage="usage: $0 [-s SEED] [-n N] 'COMPILER FLAGS'..."
seed=1 n=400
while getopts s:n: option; do
	case $option in
	s) seed=$OPTARG ;;
	n) n=$OPTARG ;;
	*) echo "$usage" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { echo "$usage" >&2; exit 2; }

failed=0
verdict()
{
	check "$1"
	[ $status -eq 0 ] || failed=1
}

# build COMPILER FLAGS...: with -fsanitize=thread the linker would be given its library
build()
{
	"$@" -c -o "$tmp/litmus.o" "$tmp/litmus.c" >"$tmp/err" 2>&1 &&
		"$1" -o "$tmp/litmus" "$tmp/litmus.o" $MODEL_LDFLAGS >>"$tmp/err" 2>&1
}

echo "TAP version 13"
echo "1..$((1 + 3 * $#))"
echo "# seed $seed, $n programs"

# the two programs beside a table of ours: what they include, they look for beside them
cp "$here/litmus.c" "$here/litmus_ops.h" "$here"/enumerate*.[ch] "$tmp"
awk '/^#include "litmus_shapes_/ { if (!nr++) print "#include \"programs.h\""; next } 1' \
	"$here/litmus_shapes.h" >"$tmp/litmus_shapes.h"
awk -v SEED="$seed" -v N="$n" -v LIMIT=20000 -f "$here/litmus_random.awk" >"$tmp/programs.h"

gcc -O2 -std=gnu11 -Iinclude -o "$tmp/enumerate" "$tmp/enumerate.c" >"$tmp/err" 2>&1 &&
	"$tmp/enumerate" >"$tmp/reference"
# "PROGRAM MODEL COUNT VERDICT"; the table's own verdicts are made up
awk '/^(not )?ok / { sub(/^not /, "") }
	$5 == "allowed" || $5 == "forbidden" { print $3, $4, $6, $5 }' \
	"$tmp/reference" >"$tmp/expected"
grep '^not ok .* inclusion' "$tmp/reference" >"$tmp/out"
[ $? -eq 1 ] && [ "$(wc -l <"$tmp/expected")" -eq $((3 * n)) ]
verdict "the enumerator: what sc allows tso does, and what tso allows rc11"

for command; do
	cc=${command%% *}
	: >"$tmp/run"
	# a checker that is wrong may not come to an end
	build $command && timeout 120 "$tmp/litmus" --max-seconds=10 >"$tmp/run" 2>"$tmp/err"
	ended=$?
	[ $ended -le 1 ] || echo "exit status $ended" >>"$tmp/err"
	awk '/^(not )?ok / { sub(/^not /, ""); sub(/:$/, "", $4); name = $3 " " $4 " " $5
		sub(/^.* s: /, ""); print name, $0 }' "$tmp/run" >"$tmp/actual"
	for model in sc tso rc11; do
		awk -v model=$model -v n="$n" '
			FILENAME == ARGV[1] {
				split($0, quoted, "\"")
				line[quoted[2]] = $0
				next
			}
			$2 != model { next }
			{ what = $3 " executions,"; for (i = 4; i <= NF; i++) what = what " " $i }
			FILENAME == ARGV[2] { name[++nr] = $1; expected[$1] = what; next }
			{ actual[$1] = what }
			END {
				for (i = 1; i <= nr; i++) {
					p = name[i]
					if (actual[p] == expected[p] || ++bad > 10)
						continue
					is = actual[p] != "" ? actual[p] : "missing"
					print p ": is " is "; must be " expected[p]
					print "  " line[p]
				}
				if (bad)
					print bad " of " nr " programs differ"
				exit bad || !nr || nr != n
			}' "$tmp/programs.h" "$tmp/expected" "$tmp/actual" >"$tmp/out"
		verdict "$cc $model: verdicts and counts of $n random programs"
	done
done
exit $failed
