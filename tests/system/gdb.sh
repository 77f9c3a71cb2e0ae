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

# gdb_says ARGUMENT...: runs gdb, with -ex for each command, without the debug information of libc, which
# takes seconds to read
gdb_says()
{
	timeout 100 gdb -q -batch -nx -iex 'set debug-file-directory /nonexistent' -ex 'set debuginfod enabled off' -ex 'set pagination off' \
		-ex 'source tools/gdb/nap.py' "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
}
gdb_says -ex 'break look_now' -ex run "$program"
if grep -q 'ptrace: Operation not permitted' "$tmp/out" "$tmp/err"; then
	echo "1..0 # SKIP processes may not be traced here (ptrace(2))"
	exit 0
fi
echo "1..13"

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
gdb_says -ex 'break look_inside' -ex run -ex 'echo \nfiber\n' -ex 'nap fiber &pool 1' "$program" &&
	grep -q 'look_inside (' "$tmp/out" && sed '1,/^fiber$/d' "$tmp/out" >"$tmp/then" && backtrace "$tmp/then" &&
	[ "$(grep -c '^#1 ' "$tmp/then")" = 1 ] && ! grep -q '^#0 \|look_now' "$tmp/then"
check "where one waits, when the thread is in a function that was inlined"
gdb_says -ex 'break goes_on' -ex run -ex 'echo \nfibers\n' -ex 'nap fibers &pool -bt 2' -ex 'echo \nfiber\n' -ex 'nap fiber &pool 0' \
	-ex 'echo \nrest\n' -ex 'nap workers' -ex 'nap waits' "$program" && sed '1,/^fibers$/d; /^fiber$/,$d' "$tmp/out" >"$tmp/fibers" &&
	sed '1,/^fiber$/d; /^rest$/,$d' "$tmp/out" >"$tmp/fiber" && sed '1,/^rest$/d' "$tmp/out" >"$tmp/rest" &&
	grep -qE '^ +0 first +0x[0-9a-f]+ <parser>: runs on worker 0 \(thread [0-9]+\)$' "$tmp/fibers" &&
	grep -qE '^ +1 second +0x[0-9a-f]+ <parser>: is to go on$' "$tmp/fibers" && [ "$(grep -c '^#0 .*goes_on (' "$tmp/fibers")" = 1 ] &&
	[ "$(grep -c '^#1 .*leave_stack (' "$tmp/fibers")" = 1 ] && grep -q '^#0 .*goes_on (' "$tmp/fiber" &&
	grep -q '^#[0-9]* .*parser (' "$tmp/fiber" && grep -q '^  worker 0 .*: runs <parser>, a fiber; ring' "$tmp/rest"
check "where one runs that has waited, and what its worker runs"
grep -qE '^  thread 1 waits for group 0x[0-9a-f]+ <group> \(2 to be done\), since [0-9.]+ s$' "$tmp/rest" && grep -qx '1 wait, 0 cycles' "$tmp/rest"
check "how many are to be done in a group"
cat >"$tmp/group.c" <<END
#include <nap/nap.h>
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1);
static struct nap_group group = NAP_GROUP_INIT(NULL);
static void look_now(struct nap_task *task)
{
	while (__atomic_load_n(&group.state, __ATOMIC_RELAXED) >> 32 == 0)
		;
	__asm__ volatile(".globl a_thread_waits; a_thread_waits: nop" : : "r" (task));
}
int main(void)
{
	struct nap_task task = NAP_TASK_INIT(look_now);
	nap_group_add(&group, 181);
	return nap_schedule(&pool, &task) || nap_group_wait(&group);
}
END
${CC:-gcc} -g -O2 -Iinclude -pthread -o "$tmp/group" "$tmp/group.c" "${NAP_BUILD:-build}/libnap.a" >"$tmp/out" 2>"$tmp/err" &&
	gdb_says -ex 'break *a_thread_waits' -ex run -ex 'whatis struct nap_scope' -ex 'nap waits' "$tmp/group" &&
	grep -q 'No struct type named nap_scope' "$tmp/err" &&
	grep -qE '^  thread 1 waits for group 0x[0-9a-f]+ <group> \(181 to be done\), since [0-9.]+ s$' "$tmp/out"
check "the same in a program that has no scopes"
late='  ! times include that since gdb has stopped the program: nap.py was not loaded by then'
! grep -qxF "$late" "$tmp/out" && gdb_says -ex 'break goes_on' -ex run -ex 'source tools/gdb/nap.py' -ex 'nap waits' "$program" &&
	grep -qxF "$late" "$tmp/out"
check "whether the times end where gdb has stopped the program"
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
