#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Speed-up curves of the works, on nap and on its alternatives; prints them, and keeps them in
# DIRECTORY/sim/curves.txt:
#
#	tools/sim/curves.sh DIRECTORY		DIRECTORY has nap-sim; `make sim`
#
# SIM_MACHINE is the machine, by default server64. SIM_CPUS are the numbers of CPUs, as --cpus has
# them, by default 1 to 64. SIM_POOLS names the pools, by default nap and one locked queue;
# SIM_WORKS the works, by default all.

set -e
sim=$1/nap-sim out=$1/sim/curves.txt
machine=${SIM_MACHINE:-server64} cpus=${SIM_CPUS:-1,2,4,8,16,32,64} pools=${SIM_POOLS:-nap,locked}
works=${SIM_WORKS:-$("$sim" --list | sed -n 's/^work *\([^ ]*\) .*/\1/p')}

rm -f "$out"
for work in $works; do
	"$sim" --machine="$machine" --cpus="$cpus" --pool="$pools" "$work" >"$out.one"
	cat "$out.one" >>"$out"
	cat "$out.one"
done
rm "$out.one"
