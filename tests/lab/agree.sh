#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A model has two forms in tools/check/model/: the model checker's, in C, and nap-litmus's, as
# relations. On random programs in C11 they agree: what the question asks for is found by nap-check,
# as a failed assertion, if and only if nap-litmus does not say Never. KTAP.
#
#	agree.sh [N [SEED]]	of N (20) programs

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
nr_programs=${1:-20} seed=${2:-1}
checker=build/model/nap-check

# program FILE: the test as a program, whose assertion says that the question is false of its end
program()
{
	awk '
	function observed(question,	rest, found) {
		rest = question
		while (match(rest, /[0-9]+:r[0-9]+/)) {
			found = substr(rest, RSTART, RLENGTH)
			rest = substr(rest, RSTART + RLENGTH)
			if (!(found in seen)) {
				seen[found] = 1
				split(found, part, ":")
				print "static int o_" part[1] "_" part[2] ";"
				save[part[1]] = save[part[1]] "\to_" part[1] "_" part[2] " = " \
					part[2] ";\n"
			}
		}
	}
	{ line[NR] = $0 }
	END {
		print "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>"
		for (i = 1; i <= NR; i++)
			if (line[i] ~ /^exists/)
				question = line[i]
		observed(question)
		for (i = 1; i <= NR; i++) {
			if (line[i] ~ /^\t[a-z]=[0-9]+;$/) {
				split(line[i], part, /[\t=;]/)
				print "static atomic_int g_" part[2] " = " part[3] ";"
			} else if (line[i] ~ /^P[0-9]/) {
				thread = substr(line[i], 2, 1)
				threads = thread + 1
				print "static void " line[i]
				call[thread] = line[i]
				gsub(/atomic_int\* */, "\\&g_", call[thread])
			} else if (line[i] == "}" && call[thread] != "") {
				print save[thread] "}"
				print "static void *t" thread "(void *unused)\n{\n\t" call[thread] \
					";\n\treturn unused;\n}"
			} else if (thread != "" && line[i] !~ /^(locations|exists)/) {
				print line[i]
			}
		}
		sub(/^exists /, "", question)
		gsub(/\/\\/, "\\&\\&", question)
		question = gensub_(question)
		print "int main(void)\n{\n\tpthread_t thread[" threads "];\n"
		for (t = 0; t < threads; t++)
			print "\tpthread_create(&thread[" t "], NULL, t" t ", NULL);"
		for (t = 0; t < threads; t++)
			print "\tpthread_join(thread[" t "], NULL);"
		print "\tassert(!" question ");\n\treturn 0;\n}"
	}
	# 0:r1=2 is o_0_r1 == 2, y=1 is g_y == 1
	function gensub_(text,	out, word) {
		while (match(text, /([0-9]+:r[0-9]+|\[?[a-z]\]?)=/)) {
			word = substr(text, RSTART, RLENGTH - 1)
			out = out substr(text, 1, RSTART - 1)
			if (word ~ /:/) {
				split(word, part, ":")
				out = out "o_" part[1] "_" part[2] " == "
			} else {
				gsub(/[][]/, "", word)
				out = out "g_" word " == "
			}
			text = substr(text, RSTART + RLENGTH)
		}
		return out text
	}' "$1"
}

# checked FILE MODEL: Found, Never or what else nap-check says
checked()
{
	$checker --model="$2" --quiet "$1" >"$tmp/said" 2>&1
	case $? in
	0) echo Never ;;
	1) if grep -qi 'assert' "$tmp/said"; then echo Found; else cat "$tmp/said"; fi ;;
	*) cat "$tmp/said" ;;
	esac
}

echo "TAP version 13"
echo "1..3"
mkdir "$tmp/tests"
build/litmus/tests/brute rc11 "$seed" "$nr_programs" "$tmp/tests" >"$tmp/out" 2>"$tmp/err"
for file in "$tmp"/tests/*.litmus; do
	grep -q '^exists' "$file" && program "$file" >"${file%.litmus}.c"
done
nr_found=0 nr_compared=0
for model in sc rc11; do
	for file in "$tmp"/tests/*.c; do
		litmus=$(build/nap-litmus --csv --model=$model "${file%.c}.litmus" | cut -d, -f3)
		case $litmus in Always | Sometimes) litmus=Found ;; esac
		check=$(checked "$file" $model)
		nr_compared=$((nr_compared + 1))
		[ "$check" = Found ] && nr_found=$((nr_found + 1))
		[ "$litmus" = "$check" ] || {
			echo "$model: nap-litmus says $litmus, nap-check $check"
			cat "${file%.c}.litmus"
		}
	done >"$tmp/out"
	[ ! -s "$tmp/out" ]
	check "$model: nap-check and nap-litmus agree on random programs of C11"
done
: >"$tmp/out"
[ $nr_found -gt 2 ] && [ $nr_compared -gt $((nr_found + 2)) ]
check "of $nr_compared, $nr_found have what the question asks for"
