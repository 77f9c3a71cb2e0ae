#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Which code do the tests not reach?
#
#	tools/coverage.sh OUT 'BUILD...' SOURCE...
#
# BUILD: directories of builds by gcc --coverage that have been run. Prints for each SOURCE
# (relative to this directory) the lines and branches that were reached, totals, and every line that
# was not reached, with its explanation. An explanation is a comment that begins with "Not reached
# in tests:", or "Not counted in tests:" if a test does reach the line, but the process ends before
# it could say so. The comment stands after the line or above it. Above the line, it holds for all
# lines down to the next line that was reached or is empty. OUT gets branches.txt, html/ and, in
# coverage.log, the messages of the tools.
#
# Exits 1 if under $COVERAGE_MIN percent (97) of the lines of src/ were reached, or if a line was
# not reached and has no explanation. A function that the compiler's notes lack was not reached.
#
# Branches are counted as gcc -O0 has them, without those by which an atomic access chooses its
# width: the width is a constant at every call. So src/arch/atomic.h itself has no branches.

set -u
out=${1:?usage: tools/coverage.sh OUT BUILDS SOURCE...}
builds=${2:?usage: tools/coverage.sh OUT BUILDS SOURCE...}
shift 2
mkdir -p "$out" || exit 1
log=$out/coverage.log
: >"$log"

quiet()
{
	"$@" >>"$log" 2>&1 && return
	tail -n 20 "$log"
	echo "that was: $*"
	exit 1
}

# lcov's markers that exclude lines have no effect: only a comment explains a line.
dirs=
for dir in $builds; do
	dirs="$dirs -d $dir"
done
branches='--rc lcov_branch_coverage=1'
quiet lcov $branches --no-markers -c -i $dirs -o "$out/none.info"
quiet lcov $branches --no-markers -c $dirs -o "$out/run.info"
quiet lcov $branches -a "$out/none.info" -a "$out/run.info" -o "$out/all.info"
names=
for file; do
	names="$names $PWD/$file"
done
quiet lcov $branches -e "$out/all.info" $names -o "$out/nap.info"
quiet genhtml $branches -q --legend -p "$PWD" -o "$out/html" "$out/nap.info"

exec awk -v info="$out/nap.info" -v here="$PWD/" -v list="$out/branches.txt" -v min="${COVERAGE_MIN:-97}" \
	-v html="$out/html/index.html" -f "$(dirname "$0")/coverage.awk" -- "$@"
