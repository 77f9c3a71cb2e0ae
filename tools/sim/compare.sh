#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What has changed between two results of curves.sh:
#
#	tools/sim/compare.sh BEFORE AFTER [PERCENT]
#
# Prints a line for each run that takes PERCENT (by default 2) more or less time than before, the worst first.
# Then prints how many runs are the same, faster, slower, new or gone, and the geometric mean of all times'
# ratios.

if [ $# -lt 2 ] || [ ! -r "$1" ] || [ ! -r "$2" ]; then
	echo "usage: compare.sh BEFORE AFTER [PERCENT]: two results of curves.sh" >&2
	exit 2
fi
tmp=$(mktemp)
awk -v percent="${3:-2}" '
	/^# machine/ { machine = $3; next }
	NF < 9 || $1 == "work" { next }
	{ key = sprintf("%-12s %-12s %-10s %5s", machine, $1, $2, $3) }
	FNR == NR { time[key] = $4; share[key] = $7; next }
	!(key in time) { new++; next }
	{
		both++
		ratio = $4 / time[key]
		sum += log(ratio)
		if (ratio > 1 + percent / 100)
			slower++
		else if (ratio < 1 - percent / 100)
			faster++
		if (ratio > 1 + percent / 100 || ratio < 1 - percent / 100)
			printf "%s %12.1f %12.1f %+7.1f %%  %5.3f %5.3f\n", key, time[key], $4, (ratio - 1) * 100, share[key], $7
		delete time[key]
	}
	END {
		for (key in time)
			gone++
		printf "# %d runs: %d slower, %d faster, %d within %s %%, %d new, %d gone; all: %+.2f %%\n", both, slower, faster,
			both - slower - faster, percent, new, gone, both ? (exp(sum / both) - 1) * 100 : 0
	}' "$1" "$2" >"$tmp"
printf '# %-10s %-12s %-10s %5s %12s %12s %9s  %s\n' machine work pool CPUs 'us before' 'us after' change 'share before, after'
grep -v '^#' "$tmp" | sort -k7,7gr
grep '^#' "$tmp"
rm "$tmp"
