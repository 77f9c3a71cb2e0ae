#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Speed-up curves of every work on every machine of topology/, from one CPU to all of the machine's; prints
# them, and keeps them in DIRECTORY/sim/curves.txt:
#
#	tools/sim/curves.sh DIRECTORY [BEFORE]		DIRECTORY has nap-sim; `make sim`, `make sim BEFORE=FILE`
#
# BEFORE is the curves.txt of an earlier run. With it, compare.sh also writes DIRECTORY/sim/compared.txt. On
# server64 every pool runs. On other machines nap runs, and the locked queue with the works that it can do.
# SIM_MACHINES, SIM_CPUS (as for --cpus), SIM_POOLS and SIM_WORKS choose others. SIM_JOBS (by default 2) processes
# run at a time.

set -e
here=$(dirname "$0") sim=$1/nap-sim out=$1/sim/curves before=$2
if [ -n "$before" ] && [ ! -r "$before" ]; then
	echo "curves.sh: $before: there is no such file" >&2
	exit 1
fi
machines=${SIM_MACHINES:-$(ls "$here"/topology/*.topology | sed 's/.*\///; s/\.topology$//')}
works=${SIM_WORKS:-$("$sim" --list | sed -n 's/^work *\([^ ]*\) .*/\1/p')}
own=$("$sim" --list | sed -n '/ (nap only)$/s/^work *\([^ ]*\) .*/\1/p')

# cpus_of MACHINE: 1, 2, 4 and so on, and all
cpus_of()
{
	all=$(sed -n 's/^cpus[[:space:]]*\([0-9]*\).*/\1/p' "$here/topology/$1.topology")
	n=1 list=
	while [ "$n" -lt "$all" ]; do
		list=$list$n, n=$((n * 2))
	done
	echo "$list$all"
}

# pools_of MACHINE WORK
pools_of()
{
	pools=${SIM_POOLS:-nap,locked}
	[ "$1" != server64 ] || pools=${SIM_POOLS:-$("$sim" --list | sed -n 's/^pool *\([^ ]*\) .*/\1/p' | paste -sd, -)}
	if echo "$own" | grep -qx "$2"; then
		echo "$pools" | tr , '\n' | grep '^nap' | paste -sd, - || true
	else
		echo "$pools"
	fi
}

rm -rf "$out" "$out.txt"
mkdir -p "$out"
for machine in $machines; do
	for work in $works; do
		pools=$(pools_of "$machine" "$work")
		[ -z "$pools" ] || echo "$out/$machine.$work --machine=$machine --cpus=${SIM_CPUS:-$(cpus_of "$machine")} --pool=$pools $work"
	done
done >"$out/list"
# The longest first, so that no process is alone at the end.
sort -t= -k3 -r "$out/list" | SIM="$sim" xargs -P "${SIM_JOBS:-2}" -L 1 sh -c 'file=$0; "$SIM" "$@" >"$file"'
for machine in $machines; do
	for work in $works; do
		[ ! -e "$out/$machine.$work" ] || cat "$out/$machine.$work"
	done
done >"$out.txt"
rm -r "$out"
cat "$out.txt"
if [ -n "$before" ]; then
	sh "$here/compare.sh" "$before" "$out.txt" >"$1/sim/compared.txt"
	cat "$1/sim/compared.txt"
fi
