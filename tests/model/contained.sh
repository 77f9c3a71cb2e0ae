#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the library can do, the specification allows: each program of on_nap/contained.programs is
# explored to its end twice, with the library's own sources and with the specification, and its
# outcomes are compared. The outcome is the status of main(), which does not wait for the pool's end.
# KTAP.
#
#	contained.sh [PROTOCOL]		the library with this idle protocol (sync)
#	NAP_SHORT=1 contained.sh	only the programs that say "short"

protocol=${1:-sync}
check=${NAP_MODEL:-build/model}/nap-check
programs=${NAP_MODEL:-build/model}/contained
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
rm -rf "$programs" && mkdir -p "$programs" &&
	awk -v directory="$programs" -f tools/cut.awk tests/model/on_nap/contained.programs || exit 1
files=$(cd "$programs" && ls *.c)
[ -z "$NAP_SHORT" ] || files=$(cd "$programs" && grep -l '^ \* short$' *.c)
echo "TAP version 13"
echo "1..$(($(echo "$files" | wc -l) + 2))"

# said FILE WORD: prints what the first comment of the file says behind the word
said()
{
	sed -n "s/^ \* $2 //p" "$1"
}

# outcomes NAP FILE [OPTION]...: prints the outcomes or, if the search did not come to its end, what
# went wrong
outcomes()
{
	of=$1 file=$2
	shift 2
	timeout 1200 "$check" --quiet --outcomes --nap=$of "$@" "$file" >"$tmp/of" 2>&1 </dev/null
	if grep -Eq '^ok 1 main rc11: [0-9]+ executions, [0-9]+ blocked, [0-9.]+ s: no fault$' "$tmp/of"; then
		sed -n 's/^# .* status \([0-9]*\)$/\1/p' "$tmp/of" | sort -n | tr '\n' ' ' | sed 's/ $//'
	else
		grep -E '^(not )?ok 1|^nap-check' "$tmp/of" | sed 's/ /_/g'
	fi
}

# but LIST LIST: prints the words of the first list that are not in the second
but()
{
	for one in $1; do
		case " $2 " in *" $one "*) ;; *) echo $one ;; esac
	done | tr '\n' ' ' | sed 's/ $//'
}

# is_contained HAS ALLOWED: whether there are outcomes, and all of them are allowed
is_contained()
{
	[ -n "$1" ] && [ -z "$(but "$1" "$2")" ]
}

for name in $files; do
	file=$programs/$name
	has=$(outcomes $protocol "$file")
	allowed=$(outcomes spec "$file")
	echo "the library has: $has; the specification allows: $allowed" >"$tmp/out"
	is_contained "$has" "$allowed" && [ "$has" = "$(said "$file" library)" ] &&
		[ "$(but "$allowed" "$has")" = "$(said "$file" allowed)" ]
	check "$protocol: ${name%.c}: has $has, which the specification allows; and also $(but "$allowed" "$has")"
done

# ---- the comparison can fail

file=$programs/event.c
has=$(outcomes $protocol "$file")
less=$(outcomes spec "$file" -DLESS)
echo "the library has: $has; a specification that allows less: $less" >"$tmp/out"
[ -n "$less" ] && ! is_contained "$has" "$less"
check "a specification that allows less does not contain the library"
cut=$(outcomes $protocol "$file" --max-executions=1)
echo "$cut" >"$tmp/out"
case $cut in *undecided*) ! is_contained "$cut" "$has" ;; *) false ;; esac
check "a search that is cut off has no outcomes"
