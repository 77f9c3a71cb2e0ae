#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the probes of a library that was built where SystemTap's header is. The notes in the
# library list each probe of Documentation/inside.rst, with its arguments and its semaphore.
# bpftrace understands the scripts of tools/bpftrace/, and attaches them to a running program where
# the kernel has tracepoints and uprobes, and lets root mount tracefs. Each task fires each probe
# once: gdb stops at the probes, and increments their semaphores. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1

# probes FILE: prints "NAME ARGUMENTS" for each kind of probe in FILE; each has a semaphore, and
# one number of arguments
probes()
{
	readelf -n "$1" | awk '
		/Provider:/ { provider = $2 }
		/Name:/ { name = $2 }
		/Location:/ && provider == "nap" { if ($NF ~ /^0x0*$/ || $(NF - 1) != "Semaphore:") print name, "no semaphore" }
		/Arguments:/ && provider == "nap" { print name, NF - 1 }' | sort -u
}

# parses SCRIPT: whether bpftrace finds no fault in the script. If the kernel shows no tracepoints,
# another probe, with other arguments, stands in the script for the scheduler's tracepoint.
parses()
{
	sed "s,/usr/local/lib/libnap.so.1,$PWD/$build/libnap.so.1,g" "$1" >"$tmp/script.bt"
	[ -e /sys/kernel/tracing/events/sched/sched_switch/format ] ||
		sed -i 's/^tracepoint:sched:sched_switch/kprobe:schedule/; s/args->prev_pid/(uint32)arg0/; s/args->next_pid/(uint32)arg1/
			s/args->prev_state/arg2/' "$tmp/script.bt"
	timeout 60 bpftrace -d "$tmp/script.bt" >"$tmp/out" 2>&1
}

# has_probes COMPILER: whether make builds probes with the compiler
has_probes()
{
	env -u MAKEFLAGS -u MAKELEVEL make -pnq CC="$1" print-tests 2>/dev/null | grep -aqx 'HAS_PROBES := 3'
}

echo "TAP version 13"
why=
readelf -n "$build/libnap.so.1" 2>/dev/null | grep -q 'Provider: nap' || why="needs package systemtap-sdt-dev"
if [ -n "$why" ]; then echo 1..3; else echo 1..10; fi
for cc in gcc clang; do
	if command -v $cc >/dev/null; then
		! has_probes "$cc -nostdinc"
		check "$cc, where the header is not there: make builds no probes"
	else
		nr=$((nr + 1))
		echo "ok $nr $cc, where the header is not there # SKIP needs package $cc"
	fi
done
if [ -n "$why" ]; then
	echo "ok 3 the library has each probe # SKIP $why"
	exit 0
fi
probes "$build/libnap.so.1" >"$tmp/probes"
awk -F'``' '/^``nap:[a-z]*(.*)``/ { split($2, part, /[:()]/); print part[2], split(part[3], unused, ",") }' \
	Documentation/inside.rst | sort >"$tmp/documented"
[ -s "$tmp/documented" ] && diff "$tmp/documented" "$tmp/probes" >"$tmp/out"
check "the library has each probe of the document, with as many arguments ($(wc -l <"$tmp/probes") probes)"
gcc -std=gnu11 -O2 -Iinclude -o "$tmp/program" tests/system/probes_main.c "$build/libnap.a" -pthread >"$tmp/out" 2>&1
probes "$tmp/program" >"$tmp/linked"
grep -q '^schedule 3$' "$tmp/linked" && grep -q '^begin 3$' "$tmp/linked" && grep -q '^park 3$' "$tmp/linked" &&
	[ -z "$(sort "$tmp/probes" "$tmp/linked" | uniq -u | grep -xFf "$tmp/linked")" ]
check "so has a program that it is linked into, of what it uses"
# hits PROBE: prints how often the probe fires in the program
hits()
{
	timeout 120 gdb -nx -batch -ex "break -probe-stap nap:$1" -ex 'ignore 1 1000000' -ex run -ex 'info breakpoints' \
		"$tmp/program" 2>&1 | tee "$tmp/gdb" | awk '/already hit/ { print $4 }'
}
if command -v gdb >/dev/null; then
	for probe in schedule begin end; do
		echo "$probe $(hits $probe)"
	done >"$tmp/out"
	printf 'schedule 31\nbegin 31\nend 31\n' | cmp -s - "$tmp/out"
	check "each of 31 tasks fires once where it is scheduled, begins and ends"
else
	nr=$((nr + 1))
	echo "ok $nr each task fires once # SKIP needs package gdb"
fi
if command -v bpftrace >/dev/null && [ "$(id -u)" = 0 ]; then
	for script in tools/bpftrace/*.bt; do
		parses "$script"
		check "bpftrace understands $script"
	done
	sed 's/@wait_us = hist/@wait_us = his/' tools/bpftrace/waits.bt >"$tmp/wrong.bt"
	! parses "$tmp/wrong.bt"
	check "and finds a fault"
else
	for what in "offcpu.bt" "waits.bt" "a fault"; do
		nr=$((nr + 1))
		echo "ok $nr bpftrace understands $what # SKIP needs package bpftrace, and root"
	done
fi

# in_tracefs COMMAND...: runs the command where the kernel's tracepoints are mounted; nothing else sees the mount
in_tracefs()
{
	unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing && exec "$@"' sh "$@"
}

# attached SCRIPT PID: prints what the script has found after a second
attached()
{
	{ sed "s,/usr/local/lib/libnap.so.1,$tmp/program,g" "$1"; echo 'interval:s:1 { exit(); }'; } >"$tmp/live.bt"
	in_tracefs timeout 120 bpftrace -p "$2" "$tmp/live.bt" >"$tmp/out" 2>&1
}

why="needs package bpftrace, and root"
if command -v bpftrace >/dev/null && [ "$(id -u)" = 0 ]; then
	in_tracefs timeout 60 bpftrace -e 'tracepoint:sched:sched_switch { exit(); }' >"$tmp/out" 2>&1 && why= ||
		why="$(grep -v RLIMIT_MEMLOCK "$tmp/out" | tail -n 1)"
fi
if [ -z "$why" ]; then
	"$tmp/program" on &
	program=$!
	attached tools/bpftrace/waits.bt $program && grep -q '^@wait_us:' "$tmp/out" && grep -Eq '^\[.* [1-9][0-9]* \|@' "$tmp/out"
	check "waits.bt attaches, and has a histogram of waits"
	attached tools/bpftrace/offcpu.bt $program && grep -q '^@in_task_us\[sleeps\]:' "$tmp/out" && grep -q '^@no_work_us:' "$tmp/out"
	check "offcpu.bt attaches, and names the function that sleeps in its task, and the want of work"
	kill $program
	wait $program 2>/dev/null || :
else
	for what in waits.bt offcpu.bt; do
		nr=$((nr + 1))
		echo "ok $nr $what attaches # SKIP $why"
	done
fi
