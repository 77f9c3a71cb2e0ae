#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tools/gdb/nap.py: waiting fibers in gdb, of a process, and of a core file; pools and workers that
# rest. KTAP. A program that does not go on: gdb_stuck.sh.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
program=${NAP_BUILD:-build}/tests/system/gdb_main

echo "TAP version 13"
if ! command -v gdb >/dev/null; then
	echo "1..0 # SKIP needs package gdb"
	exit 0
fi

# gdb_says ARGUMENT...: runs gdb, with -ex for each command
gdb_says()
{
	timeout 100 gdb -q -batch -nx -ex 'set debuginfod enabled off' -ex 'set pagination off' \
		-ex 'source tools/gdb/nap.py' "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
}
gdb_says -ex 'break look_now' -ex run "$program"
if grep -q 'ptrace: Operation not permitted' "$tmp/out" "$tmp/err"; then
	echo "1..0 # SKIP processes may not be traced here (ptrace(2))"
	exit 0
fi
echo "1..8"

# backtrace FILE: whether FILE has each function down to the wait, and no message of gdb's own
# after that
backtrace()
{
	[ "$(grep -c '^#[0-9]* .* in goes_deeper (\|^#[0-9]*  goes_deeper (' "$1")" = 4 ] &&
		grep -q '^#[0-9]* .*nap_event_wait (' "$1" && grep -q '^#[0-9]* .*waits_for_the_event (' "$1" &&
		grep -q '^#[0-9]* .*parser (' "$1" && grep -q '^#[0-9]* .*nap__context_begin ()' "$1" &&
		! grep -q 'main (argc\|orrupt' "$1"
}

gdb_says -ex 'break look_now' -ex run -ex 'nap fibers &pool' "$program" &&
	grep -qE '^ +0 first +0x[0-9a-f]+ <parser>: waits for event 0x[0-9a-f]+ <event>$' "$tmp/out" &&
	grep -qE '^ +1 second +0x[0-9a-f]+ <parser>: waits for event ' "$tmp/out"
check "each has its number, its name, what it does, and its function"
gdb_says -ex 'break look_now' -ex run -ex 'nap fiber &pool 1' "$program" && backtrace "$tmp/out"
check "where one waits"
gdb_says -ex 'break look_now' -ex run -ex 'nap fiber pool 0' -ex 'echo \nthread\n' -ex backtrace -ex continue \
	-ex 'nap fibers &pool' -ex continue -ex 'nap pools' -ex continue "$program" && sed '1,/^thread$/d' "$tmp/out" >"$tmp/then" &&
	grep -q '^#1 .* main (' "$tmp/then" && ! grep -q waits_for_the_event "$tmp/then" &&
	grep -q 'exited normally' "$tmp/then" && ! grep -q parser "$tmp/then"
check "the thread is where it was, and the program goes on"
grep -qE '^pool 0x[0-9a-f]+ <pool>: joined; NAP_IDLE_SYNC$' "$tmp/out" && ! grep -q 'workers:\|queued:' "$tmp/out"
check "a pool that was joined"
gdb_says -ex 'break look_now' -ex run -ex 'nap pools' -ex 'nap workers' "$program" &&
	grep -qxF '  workers: 1 of 1 started, 0 running, 1 parked, 0 between the two, 0 blocked; guests: 0' "$tmp/out" &&
	grep -qE '^  worker 0 \(thread [0-9]+, LWP [0-9]+\): parked; ring 0, overflow 0$' "$tmp/out"
check "a worker that is parked"
# cannot COMMAND MESSAGE: whether the command fails with the message
cannot() { gdb_says -ex 'break look_now' -ex run -ex "$1" "$program"; cat "$tmp/out" "$tmp/err" | grep -qF "$2"; }
cannot 'nap fiber &pool 9' 'there are 2 fibers, from 0 on' && cannot 'nap fiber &pool' 'usage: nap fiber POOL NUMBER' &&
	cannot 'nap fiber nothing 0' 'No symbol "nothing" in current context.'
check "what cannot be shown"
gdb_says -ex 'break look_now' -ex run -ex "generate-core-file $tmp/core" --args "$program" no_guards && [ -s "$tmp/core" ]
check "a core file"
gdb_says -ex 'nap fibers &pool' -ex 'nap fiber &pool 0' "$program" "$tmp/core" && backtrace "$tmp/out" &&
	grep -qE '^ +0 first +0x[0-9a-f]+ <parser>: waits for event ' "$tmp/out"
check "where one waited"
