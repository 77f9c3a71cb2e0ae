#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the worker count on the real system, under an affinity mask and under cgroup CPU quotas.
# Makes a cgroup of each version below its own, and removes them again. KTAP.

program=${NAP_BUILD:-build}/tests/system/cpus_main
made=
controller=

clean_up()
{
	for dir in $made; do
		rmdir "$dir"
	done
	made=
	[ -z "$controller" ] || echo -cpu >"$controller"
	controller=
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

nr=0
# result WANTED GOT NAME: prints the line of KTAP
result()
{
	nr=$((nr + 1))
	[ "$1" = "$2" ] || echo "# wanted $1, got $2"
	[ "$1" = "$2" ] && echo "ok $nr $3" || echo "not ok $nr $3"
}

skip()
{
	nr=$((nr + 1))
	echo "ok $nr # SKIP $1"
}

# mount_of TYPE [OPTION]: prints where the whole cgroup hierarchy of this type is mounted
mount_of()
{
	awk -v type="$1" -v option="$2" '$4 == "/" {
		for (i = 7; $i != "-"; i++)
			;
		if ($(i + 1) == type && (option == "" || "," $(i + 3) "," ~ "," option ",")) {
			print $5
			exit
		}
	}' /proc/self/mountinfo
}

# cgroup_of CONTROLLERS-PATTERN: prints the script's own cgroup in the hierarchy of the
# controllers
cgroup_of()
{
	awk -F: -v want="$1" '"," $2 "," ~ want { print $3; exit }' /proc/self/cgroup
}

# Runs the program inside the cgroup $1.
run_in()
{
	sh -c 'echo 0 >"$1/cgroup.procs" && exec "$2"' sh "$1" "$program" 2>&1
}

# make_cgroup PARENT: makes a cgroup below PARENT, and sets $dir to it
make_cgroup()
{
	dir=${1%/}/nap-test-$$
	mkdir "$dir" 2>/dev/null || return 1
	made="$made $dir"
}

v1()
{
	top=$(mount_of cgroup cpu)
	if [ -z "$top" ]; then
		skip 'cgroup v1 half a CPU: no cpu controller on v1 here'
		skip 'cgroup v1 one and a half CPUs: no cpu controller on v1 here'
		return
	fi
	if ! make_cgroup "$top$(cgroup_of ,cpu,)" ||
	   ! echo 50000 2>/dev/null >"$dir/cpu.cfs_quota_us"; then
		skip "cgroup v1 half a CPU: $top cannot be written"
		skip "cgroup v1 one and a half CPUs: $top cannot be written"
		return
	fi
	result 1 "$(run_in "$dir")" 'cgroup v1: half a CPU is one worker'
	echo 150000 >"$dir/cpu.cfs_quota_us"
	result "$two" "$(run_in "$dir")" 'cgroup v1: one and a half CPUs are two workers'
	clean_up
}

# Whether the parent has the cpu controller for its children, or accepts it now (undone
# afterwards).
v2_controller()
{
	grep -qw cpu "$1/cgroup.controllers" || return 1
	grep -qw cpu "$1/cgroup.subtree_control" && return
	echo +cpu 2>/dev/null >"$1/cgroup.subtree_control" || return 1
	controller=$1/cgroup.subtree_control
}

v2()
{
	top=$(mount_of cgroup2)
	if [ -z "$top" ]; then
		skip 'cgroup v2 half a CPU: v2 is not mounted'
		skip 'cgroup v2 one and a half CPUs: v2 is not mounted'
		return
	fi
	parent=$top$(cgroup_of '^,,$')
	if ! grep -qw cpu "$top/cgroup.controllers"; then
		skip 'cgroup v2 half a CPU: the cpu controller is not on v2 here'
		skip 'cgroup v2 one and a half CPUs: the cpu controller is not on v2 here'
		return
	fi
	# a cgroup that has processes, except the root, cannot have children with controllers
	v2_controller "$parent" || parent=$top
	if ! v2_controller "$parent" || ! make_cgroup "$parent" ||
	   ! echo '50000 100000' 2>/dev/null >"$dir/cpu.max"; then
		skip "cgroup v2 half a CPU: $parent cannot be written"
		skip "cgroup v2 one and a half CPUs: $parent cannot be written"
		return
	fi
	result 1 "$(run_in "$dir")" 'cgroup v2: half a CPU is one worker'
	echo '150000 100000' >"$dir/cpu.max"
	result "$two" "$(run_in "$dir")" 'cgroup v2: one and a half CPUs are two workers'
	clean_up
}

echo 'TAP version 13'
echo '1..6'
all=$("$program")
two=$((all < 2 ? all : 2))
[ "$all" -ge 1 ] 2>/dev/null
result 0 $? "$all workers where nothing is restricted"
first=$(taskset -cp $$ | sed 's/.*: *//; s/[^0-9].*//')
result 1 "$(taskset -c "$first" "$program")" 'one worker where the mask has one CPU'
v1
v2
