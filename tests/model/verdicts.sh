#!/bin/sh
# SPDX-License-Identifier: MIT
#
# nap-check's verdicts on the programs of verdicts/, as gcc and as clang build them. Each text in
# verdicts/ holds the programs of one kind; the script cuts them into build/model/verdicts/. The
# first comment of each program says what to expect:
#
#	 * options OPTION...		for nap-check
#	 * arguments ARGUMENT...	for main(), as the shell takes them
#	 * compilers COMPILER...	when not gcc and clang
#	 * verdict SCENARIO: REGEX	what the scenario's line has after the seconds
#	 * verdict! REGEX		what some line of the whole output has, such as a count of runs,
#					or what a program without scenarios prints. One REGEX a line.
#
# A program or a scenario without a verdict is a failure. COMPILERS chooses the compilers, arguments
# the texts (awaits); without arguments all are run. KTAP.

check=${NAP_MODEL:-build/model}/nap-check
programs=${NAP_MODEL:-build/model}/verdicts
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/model/programs.inc
cut_texts "$programs" "$@" || exit 1

compilers_of()
{
	of_file=$(sed -n 's/^ \* compilers //p' "$1")
	for cc in ${of_file:-gcc clang}; do
		case " ${COMPILERS:-$cc} " in *" $cc "*) echo $cc ;; esac
	done
}

set --
for file in "$programs"/*.c "$programs"/*.cc; do
	[ ! -e "$file" ] || set -- "$@" "$file"
done
echo "TAP version 13"
echo "1..$(($(for file; do compilers_of "$file"; done | wc -w) + 2))"

# wrong FILE OUTPUT: prints each difference between OUTPUT and the verdicts in FILE
wrong()
{
	awk '
		FILENAME == ARGV[1] && /^ \* verdict [a-z0-9_]+: / {
			name = $3
			sub(/:$/, "", name)
			sub(/^ \* verdict [a-z0-9_]+: /, "")
			want[name] = $0
			wanted++
			next
		}
		FILENAME == ARGV[1] && /^ \* verdict! / {
			sub(/^ \* verdict! /, "")
			whole[$0]
			wanted++
			next
		}
		FILENAME == ARGV[1] { next }
		{
			for (regex in whole)
				if ($0 ~ regex) {
					wanted--
					delete whole[regex]
				}
		}
		/^(not )?ok [0-9]+ / {
			line = $0
			sub(/^(not )?ok [0-9]+ /, "")
			name = $1
			sub(/.*, [0-9.]+ s: /, "")
			if (!(name in want))
				print "no verdict is said for: " line
			else if ($0 !~ "^(" want[name] ")")
				print name ": wanted: " want[name] "; got: " line
			else
				wanted--
			ran[name] = 1
		}
		END {
			for (name in want)
				if (!(name in ran))
					print name ": did not run"
			for (regex in whole)
				print "is not printed: " regex
			if (wanted || FNR == 0)
				print wanted + 0 " verdicts were not met"
		}' "$1" "$2"
}

# run CC FILE: runs FILE as its first comment says
run()
{
	cc=$1 file=$2
	options=$(sed -n 's/^ \* options //p' "$file")
	eval "set -- $(sed -n 's/^ \* arguments //p' "$file")"
	timeout 120 "$check" --cc=$cc --quiet $options "$file" -- "$@" >"$tmp/got" 2>&1 </dev/null
}

for file; do
	for cc in $(compilers_of "$file"); do
		run $cc "$file"
		wrong "$file" "$tmp/got" >"$tmp/err"
		cp "$tmp/got" "$tmp/out"
		[ ! -s "$tmp/err" ] && grep -q '^ \* verdict' "$file"
		check "$cc: ${file##*/}"
	done
done

# ---- wrong verdicts are found

sed 's/ \* verdict fine: no fault/ * verdict fine: found/' "$1" >"$tmp/other.c"
printf 'ok 1 fine rc11: 1 executions, 0 blocked, 0.00 s: no fault\n' >"$tmp/got"
wrong "$tmp/other.c" "$tmp/got" >"$tmp/out"
[ -s "$tmp/out" ]
check "another verdict is found"
printf ' * verdict fine: no fault\n' >"$tmp/other.c"
printf 'ok 1 fine rc11: 1 executions, 0 blocked, 0.00 s: no fault\nok 2 more rc11: 1 executions, 0 blocked, 0.00 s: no fault\n' >"$tmp/got"
wrong "$tmp/other.c" "$tmp/got" >"$tmp/out"
grep -q '^no verdict is said for: .* more ' "$tmp/out"
check "a scenario of which nothing is said is found"
