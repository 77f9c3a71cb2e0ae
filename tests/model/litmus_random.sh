#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the checker on random litmus shapes: compares its verdicts and numbers of executions with
# those of the brute-force enumerator.
#
#	MODEL_LDFLAGS='...' tests/model/litmus_random.sh [-s SEED] [-n N] BRUTE 'gcc FLAGS' 'clang FLAGS'
#
# Compiles litmus.c with each command, and links it with the command's first word and
# MODEL_LDFLAGS; all flags are those of model.mk. Prints a line of KTAP for each command and
# model, and one for the enumerator alone. After a failure come the shapes that differ, each with
# its text.

here=$(dirname "$0")
. "$here/../system/check.inc"

usage="usage: $0 [-s SEED] [-n N] BRUTE 'COMPILER FLAGS'..."
seed=1 n=400
while getopts s:n: option; do
	case $option in
	s) seed=$OPTARG ;;
	n) n=$OPTARG ;;
	*) echo "$usage" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 1 ] || { echo "$usage" >&2; exit 2; }
brute=$1
shift

failed=0
verdict()
{
	check "$1"
	[ $status -eq 0 ] || failed=1
}

# build COMPILER FLAGS...: links without FLAGS, because -fsanitize=thread adds a library
build()
{
	"$@" -c -o "$tmp/litmus.o" "$tmp/litmus.c" >"$tmp/err" 2>&1 &&
		"$1" -o "$tmp/litmus" "$tmp/litmus.o" $MODEL_LDFLAGS >>"$tmp/err" 2>&1
}

echo "TAP version 13"
echo "1..$((1 + 5 * $#))"
echo "# seed $seed, $n programs"

# Copies litmus.c to the directory of the shapes, because litmus.c includes them from beside itself.
cp "$here/litmus.c" "$tmp"
"$brute" --random "$seed" "$n" >"$tmp/random.shapes" 2>"$tmp/err" &&
	awk -f "$here/litmus.awk" "$tmp/random.shapes" >"$tmp/litmus_shapes.inc" &&
	"$brute" --count "$tmp/random.shapes" >"$tmp/reference" 2>"$tmp/err"
# lines "PROGRAM MODEL COUNT VERDICT"
awk '/^(not )?ok / { sub(/^not /, "") }
	$5 == "allowed" || $5 == "forbidden" { print $3, $4, $6, $5 }' \
	"$tmp/reference" >"$tmp/expected"
grep '^not ok .* inclusion' "$tmp/reference" >"$tmp/out"
[ $? -eq 1 ] && [ "$(wc -l <"$tmp/expected")" -eq $((5 * n)) ] &&
	[ "$(grep -c membarrier "$tmp/random.shapes")" -gt $((n / 20)) ]
verdict "the enumerator: what sc allows tso does, and what tso allows rc11 and c11"

for command; do
	cc=${command%% *}
	: >"$tmp/run"
	# a faulty checker might not end
	build $command && timeout 120 "$tmp/litmus" --max-seconds=10 >"$tmp/run" 2>"$tmp/err"
	ended=$?
	[ $ended -le 1 ] || echo "exit status $ended" >>"$tmp/err"
	for model in c11 c20; do
		timeout 120 "$tmp/litmus" --max-seconds=10 --model=$model >>"$tmp/run" 2>>"$tmp/err"
	done
	# a random shape says nothing of what to expect, so only allowed and forbidden are
	# compared
	awk '/^(not )?ok / { sub(/^not /, ""); sub(/:$/, "", $4); name = $3 " " $4 " " $5
		sub(/^.* s: /, ""); print name, $1 }' "$tmp/run" >"$tmp/actual"
	for model in sc tso rc11 c11 c20; do
		awk -v model=$model -v n="$n" '
			FILENAME == ARGV[1] {
				if (/^C /)
					name = $2
				text[name] = text[name] "  " $0 "\n"
				next
			}
			$2 != model { next }
			{ what = $3 " executions, " $4 }
			FILENAME == ARGV[2] { shape[++nr] = $1; expected[$1] = what; next }
			{ actual[$1] = what }
			END {
				for (i = 1; i <= nr; i++) {
					p = shape[i]
					if (actual[p] == expected[p] || ++bad > 10)
						continue
					is = actual[p] != "" ? actual[p] : "missing"
					printf "%s: is %s; must be %s\n%s", p, is, expected[p], text[p]
				}
				if (bad)
					print bad " of " nr " programs differ"
				exit bad || !nr || nr != n
			}' "$tmp/random.shapes" "$tmp/expected" "$tmp/actual" >"$tmp/out"
		verdict "$cc $model: verdicts and counts of $n random programs"
	done
done
exit $failed
