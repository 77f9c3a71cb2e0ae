#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the system calls of a daemon, phase by phase (syscalls_main.c, strace), against the table in
# Documentation/daemons.rst, section "Sandboxes": a phase makes only the calls of its row. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}

echo "TAP version 13"
if ! command -v strace >/dev/null; then
	echo "1..0 # SKIP needs package strace"
	exit 0
fi
if ! strace -o "$tmp/trace" true 2>"$tmp/err"; then
	echo "1..0 # SKIP processes may not be traced here (ptrace(2))"
	exit 0
fi
echo "1..4"

# Prints "phase call" for each line of the table, which may be continued.
awk '/^Sandboxes$/ { on = 1 }
	!/^    / { phase = "" }
	on && /^    (setup|start|files|work|end) / { phase = $1; $1 = "" }
	phase { for (i = 1; i <= NF; i++) if ($i != "") print phase, $i }' \
	Documentation/daemons.rst | sort -u >"$tmp/table"
for phase in setup start files work end; do grep -q "^$phase " "$tmp/table" || echo "no $phase"; done >"$tmp/out"
[ ! -s "$tmp/out" ]
check "daemons.rst has a table of the phases"

# phases WORKERS: prints "phase call" for each call, except the program's own
phases()
{
	timeout 100 strace -f -qq -o "$tmp/trace" -e signal=none -e trace='!sched_yield' "$build/tests/system/syscalls_main" "$1" >"$tmp/out" 2>"$tmp/err" || return
	awk '{ sub(/^[0-9]+ +/, "") }
		/^write\(-1, "/ { split($0, part, "\""); phase = part[2]; next }
		/^<|^\+/ || !phase { next }
		{ sub(/\(.*/, "") }
		!/^epoll_|^exit_group$/ { print phase, $0 }' "$tmp/trace" | sort -u >"$tmp/made"
	[ -s "$tmp/made" ]
}

phases 3 && comm -13 "$tmp/table" "$tmp/made" >"$tmp/out" && [ ! -s "$tmp/out" ]
check "with max_workers given these are all"
# A worker sets its affinity where there is more than one CPU.
affinity='start sched_setaffinity'
[ "$(nproc)" -gt 1 ] || affinity=
for must in 'setup eventfd2' ${affinity:+"$affinity"} 'start prctl' 'work futex' 'work read' 'work write' \
	'end munmap' 'end close'; do
	grep -qx "$must" "$tmp/made" || echo "not made: $must"
done >"$tmp/out"
[ ! -s "$tmp/out" ] && grep -qE '^start clone3?$' "$tmp/made" && ! grep -q openat "$tmp/made"
check "each phase does what it is for, and no file is opened"
phases 0 && sed 's/^files /start /' "$tmp/table" | sort -u >"$tmp/with_files" &&
	comm -13 "$tmp/with_files" "$tmp/made" >"$tmp/out" && [ ! -s "$tmp/out" ] && grep -qx 'start openat' "$tmp/made"
check "without it files are read as well, in the first use"
