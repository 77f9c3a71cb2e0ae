#!/bin/sh
# SPDX-License-Identifier: MIT
#
# nap-check in several processes (-j) prints the same lines as in one process, except the seconds.
# The script runs each program of verdicts/ that is in C, and has the parts divided as finely as can
# be (--grain=0). Arguments choose the texts of verdicts/. KTAP.

check=${NAP_MODEL:-build/model}/nap-check
programs=${NAP_MODEL:-build/model}/parts
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/model/programs.inc
cut_texts "$programs" "$@" || exit 1
set -- "$programs"/*.c
echo "TAP version 13"
echo "1..$(($# + 1))"

# run FILE OPTION...: runs nap-check on FILE, as FILE's first comment says
run()
{
	file=$1
	shift
	options="$* $(sed -n 's/^ \* options //p' "$file")"
	eval "set -- $(sed -n 's/^ \* arguments //p' "$file")"
	timeout 120 "$check" --quiet $options "$file" -- "$@" 2>&1 </dev/null
}

divided=0
for file; do
	run "$file" >"$tmp/one"
	status=$?
	case $(sed -n 's/^ \* options //p' "$file") in
	*--distinct* | *--sites* | *--pairs*) : ;;
	*--twice*) # prints the first byte that differs, which depends on the order of the search
		run "$file" -j3 --grain=0 >"$tmp/three"
		[ $? -eq $status ] ;;
	*)
		run "$file" -j3 --grain=0 >"$tmp/three"
		[ $? -eq $status ] && plain "$tmp/one" >"$tmp/was" && plain "$tmp/three" | diff "$tmp/was" - >"$tmp/out" &&
			[ -s "$tmp/was" ] ;;
	esac
	check "${file##*/}"
	grep -q '^# in one process' "$tmp/three" || divided=$((divided + 1))
done
[ $divided -gt $(($# / 2)) ]
check "most programs were divided: $divided"
