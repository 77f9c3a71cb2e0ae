#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What do the tests not reach?
#
#	tools/coverage.sh OUT 'BUILD...' SOURCE...
#
# BUILD: directories of builds by gcc --coverage that have been run. Prints for each SOURCE
# (relative to here) the lines and branches that were reached, totals, and every line that was not,
# with its explanation: a comment that begins with "Not reached in tests:" (or "counted", when a
# test does get there, but the process ends before it could say so) and stands behind the line, or
# above it (then it holds for all lines up to the next one that was reached, or is empty).
# OUT gets branches.txt, html/ and, in coverage.log, what the tools said.
#
# Exits 1 when under $COVERAGE_MIN percent (97) of the lines of src/ were reached, or a line was not
# and has no explanation. A function of which the compiler knows nothing was not reached.
#
# Branches are counted as gcc -O0 has them, without its choice of an atomic's width, which is a
# constant at every call; so src/arch/atomic.h itself has none.

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

# Markers that exclude lines are not heeded: only what is said aloud below explains anything.
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
