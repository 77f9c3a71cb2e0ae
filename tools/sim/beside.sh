#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares the works on this machine's own CPUs with the works on a simulated machine like it:
#
#	tools/sim/beside.sh DIRECTORY [MACHINE] [WORKERS...]
#
# DIRECTORY has nap-sim and nap-sim-real. By default MACHINE is vm2, and WORKERS are 1 2. MACHINE
# must have as many CPUs as this machine. Prints a line for each work, pool and number of workers:
# the real time (the least of 15 runs), the simulated time, both in us, and the difference in
# percent. The real time counts only if nothing else runs. SIM_WORKS names the works, by default
# all; SIM_POOLS the pools, by default nap and the locked queue. SIM_TASKS is the number of tasks,
# by default each work's own.

dir=$1 machine=${2:-vm2}
shift $(($# > 2 ? 2 : $#))
[ $# -gt 0 ] || set -- 1 2

printf '%-12s %-8s %7s %10s %10s %8s\n' work pool workers real simulated percent
for work in ${SIM_WORKS:-$("$dir/nap-sim" --list | sed -n 's/^work *\([^ ]*\) .*/\1/p')}; do
	for pool in ${SIM_POOLS:-nap locked}; do
		for workers; do
			real=$("$dir/nap-sim-real" "$work" "$pool" "$workers" ${SIM_TASKS:-} | cut -d' ' -f4)
			simulated=$("$dir/nap-sim" --machine="$machine" --workers="$workers" --pool="$pool" ${SIM_TASKS:+"--tasks=$SIM_TASKS"} --json "$work" |
				sed -n 's/.*"elapsed_ps": \([0-9]*\).*/\1/p')
			[ -n "$real" ] && [ -n "$simulated" ] || exit 1
			awk -v w="$work" -v p="$pool" -v n="$workers" -v r="$real" -v s="$simulated" 'BEGIN {
				printf "%-12s %-8s %7d %10.1f %10.1f %+7.0f%%\n", w, p, n, r, s / 1e6, (s / 1e6 / r - 1) * 100
			}'
		done
	done
done
