#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/image/compare.sh LOG BUILD: compares the test results of a booted machine with those of
# processes on this machine, natively or by qemu-user. LOG is the log of the boot, which
# tools/image/image.sh keeps. BUILD is the build whose logs `make BARE=1 ... part-one` or `make
# check-full` has left, such as build/aarch64-bare. Prints each test whose result differs, then the
# totals of both. Exits 1 if a test failed on one side only, or ran on one side only and was not
# skipped for a reason on the other.

if [ $# != 2 ] || [ ! -r "$1" ] || [ ! -d "$2/tests" ]; then
	echo "usage: tools/image/compare.sh LOG BUILD (a boot's log, and a build whose tests have run)" >&2
	exit 2
fi

# Prints a line for each result: program, test, "passed", "failed" or "skipped: why". The harness
# prints "ok 3 # SKIP name: why".
results='
	{ sub(/\r$/, "") }
	/^(not )?ok [0-9]+/ && program {
		what = /^not / ? "failed" : "passed"
		sub(/^(not )?ok [0-9]+ */, "")
		if (sub(/^.*# *SKIP */, "")) {
			what = "skipped" substr($0, index($0, ": "))
			sub(/: .*/, "")
		}
		print program "\t" $0 "\t" what
	}'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
awk '/^== begin /{ program = $3; sub(/\r$/, "", program); sub(/^\/[a-z]*\//, "", program) }
	/^== end /{ program = "" }'"$results" "$1" >"$tmp/booted"
awk '/^== begin /{ sub(/\r$/, ""); sub(/^\/[a-z]*\//, "", $3); print $3 }' "$1" | while read -r program; do
	log=$2/tests/$(echo "$program" | sed 's,-,/,').log
	if [ ! -r "$log" ]; then
		echo "compare.sh: $log: not there; did the tests run?" >&2
		continue
	fi
	awk -v program="$program" "$results" "$log"
done >"$tmp/hosted"

awk -F '\t' '
	{ key = $1 " " $2 }
	FILENAME == ARGV[1] { here[key] = $3; n_here[substr($3, 1, 1)]++; next }
	{
		there[key]
		n_there[substr($3, 1, 1)]++
		if (!(key in here))
			print key ": " $3 " there, not run here"
		else if (here[key] != $3)
			print key ": " $3 " there, " here[key] " here"
		if (!(key in here) || (here[key] != $3 && ("failed" == here[key] || "failed" == $3)))
			bad++
	}
	function totals(n) { return n["p"] + 0 " passed, " n["f"] + 0 " failed, " n["s"] + 0 " skipped" }
	END {
		for (key in here)
			if (!(key in there)) {
				print key ": " here[key] " here, not run there"
				bad++
			}
		print "there: " totals(n_there) "; here: " totals(n_here)
		for (key in there)
			ran++
		exit bad > 0 || !ran
	}' "$tmp/hosted" "$tmp/booted"
