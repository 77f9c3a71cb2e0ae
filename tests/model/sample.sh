#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that the search misses no execution that a random walk meets. For every scenario that is
# small enough, the search must have visited at least as many distinct graphs as a sample has.
#
#	tests/model/sample.sh DIR "PROGRAM..."
#
# The programs are DIR/PROGRAM. Unlike the litmus shapes, they have futexes, spawns, joins, spin loops
# and plain accesses. KTAP, a line a program.

dir=$1 programs=$2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

cat >"$tmp/one.sh" <<'END'
program=$1 tmp=$2
"$program" --model=rc11 --quiet --max-executions=2000 >"$tmp/all-${program##*/}" 2>&1
awk '/^ok / && !/sampled|bounded|found:/ { print $3, $5 }' "$tmp/all-${program##*/}" |
	while read -r scenario executions; do
		distinct=$("$program" --model=rc11 --quiet --distinct --random=2000 "$scenario" 2>&1 |
			sed -n 's/^ok .* \([0-9]*\) distinct,.*/\1/p')
		echo "$scenario ${executions:-0} ${distinct:--1}"
	done >"$tmp/counts-${program##*/}"
END
for p in $programs; do
	echo "$dir/$p"
done | xargs -P "$(nproc)" -I {} sh "$tmp/one.sh" {} "$tmp"

echo "TAP version 13"
nr=0 failed=0
for p in $programs; do
	# a program whose scenarios are all large has no counts
	[ -s "$tmp/counts-$p" ] || continue
	nr=$((nr + 1))
	if awk '$3 < 1 || $3 > $2 { print "# " $1 ": " $3 " in the sample, " $2 " in the search"; bad = 1 }
		{ n++; same += $3 == $2 }
		END { exit bad || !n }' "$tmp/counts-$p"; then
		echo "ok $nr $p: $(wc -l <"$tmp/counts-$p") scenarios, nothing in a sample that the search has not"
	else
		echo "not ok $nr $p: a sample has met more than the search"
		failed=1
	fi
done
echo "1..$nr"
[ $nr -gt 0 ] && [ $failed = 0 ]
