#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tools/gdb with a program that does not go on: as a process, in core files that gdb and the
# kernel have written, and where something is missing. KTAP. The other machines: gdb_emulated.sh.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/system/gdb.inc
build=${NAP_BUILD:-build}
program=$build/tests/system/gdb_stuck
case $program in
/*) ;;
*) program=$PWD/$program ;;
esac
CC=${CC:-gcc}

echo "TAP version 13"
if ! command -v gdb >/dev/null; then
	echo "1..0 # SKIP needs package gdb"
	exit 0
fi
gdb_says gdb -ex 'break look_now' -ex run --args "$program" stop few
if grep -q 'ptrace: Operation not permitted' "$tmp/out" "$tmp/err"; then
	echo "1..0 # SKIP processes may not be traced here (ptrace(2))"
	exit 0
fi
echo "1..32"

# assertions: prints the numbers of words.py as assertions in C, after the headers that words.py
# names
assertions()
{
	sed -n 's/^# \(src\|include\)\/\(.*\.h\)$/#include "\2"/p' tools/gdb/nap_gdb/words.py
	sed -n 's/1 << 63/1ul << 63/; s/^\([A-Z_]*\) = \(.*\)$/_Static_assert(\1 == (\2), "\1");/p' tools/gdb/nap_gdb/words.py
}
assertions >"$tmp/words.c"
[ "$(grep -c '^_Static' "$tmp/words.c")" = "$(grep -c '^[A-Z]' tools/gdb/nap_gdb/words.py)" ] &&
	$CC -std=gnu11 -fsyntax-only -Isrc -Iinclude -I"arch/$(uname -m)" "$tmp/words.c" >"$tmp/out" 2>"$tmp/err"
check "the numbers are those of the sources"

eval gdb_says gdb -ex "'break look_now'" -ex run "$ALL" -ex "'generate-core-file $tmp/core.gdb'" --args "$program" stop
all_checks 'a process' 300 open
[ -s "$tmp/core.gdb" ] && eval gdb_says gdb "$ALL" "$program" "$tmp/core.gdb"
all_checks "gdb's core file" 300 open
rm -f "$tmp/core.gdb"

# First sets the overflow's words as they are after a consumer has taken the list. Then sets the
# words of an overflow and of the injection queue as they are while a consumer is taking tasks.
eval gdb_says gdb -ex "'break look_now'" -ex run -ex "'set var \$w = bank.registry->overflow.push ? bank.registry : bank.registry->next'" \
	-ex "'set var \$w->overflow.pop = \$w->overflow.push'" -ex "'set var \$w->overflow.push = 1'" -ex "'echo == left\\n'" \
	-ex "'nap tasks'" -ex "'set var \$w->overflow.push = 3'" -ex "'set var bank.inject.pop = 1'" -ex "'echo == taken\\n'" -ex "'nap tasks'" \
	--args "$program" stop
all_says
says left && every_task 300
check "an overflow of which some were taken"
says taken && has '  ! overflow of worker [01]: a thread is taking tasks out, and has some in its frames: these are not shown' \
	'  ! injected: a thread is taking tasks out, and has the beginning in its frames: not shown' \
	'  HEX <in_a_ring>: ring of worker [01]' && ! grep -q ': injected$\|: overflow' "$tmp/out"
check "queues that tasks are being taken out of: what is not shown is said"

gdb_says gdb -ex 'break look_now' -ex run -ex 'nap workers &mill' -ex 'nap tasks &mill' -ex 'echo == waits\n' -ex 'nap waits &mill' \
	-ex 'echo == all\n' -ex 'nap waits' -ex 'nap pools' -ex 'nap workers &tower' --args "$program" forks few
all_says
mv "$tmp/all" "$tmp/out" && has '  worker [01] \(thread [0-9]+, LWP [0-9]+\): runs <is_nested>; ring 0, overflow 0, forked 1' '      in <splits>' \
	'      waits for mutex HEX <second> owned by fiber 1 "from right" of <bank>, since .*' \
	'      waits for job <grinds_run>, stolen by worker [01] of <mill> \(thread [0-9]+\)' \
	'  HEX job <grinds_run>: forked by worker [01], stolen by worker [01]'
check "a worker that waits for a stolen job, and for a mutex in what it runs in that wait"
mv "$tmp/out" "$tmp/all" && says waits && has '  worker [01] of <mill> \(thread [0-9]+\) waits for job <grinds_run>, stolen by worker [01] of <mill> \(thread [0-9]+\)' \
	'4 waits, 0 cycles' && ! grep -q '^  \(fiber\|worker\) .* of <bank> .*waits\|^  fiber . .* of <bank>' "$tmp/out" && says all &&
	has '  fiber 2 of <bank> <awaits_joined> waits for the end of fiber 3 of <bank>' \
		'cycle: fiber 0 of <tower> waits for the end of a timer.s task HEX <ticker>, which runs on worker [01] of <tower> \(thread [0-9]+\); worker [01] of <tower> \(thread [0-9]+\) waits for mutex HEX <third> owned by fiber 0 of <tower>' \
		'  fiber 2 of <tower> <waits_in_vain> waits for mutex HEX <fourth> owned by fiber 1 of <tower>, which has ended' \
		'16 waits, 4 cycles' 'pool HEX <mill> "mill": open; NAP_IDLE_SYNC' \
		'  worker [01] \(thread [0-9]+, LWP [0-9]+\): runs <ticks>, of a timer; ring 0, overflow 0'
check "three pools, a cycle over a timer's task, and an owner that has ended"

gdb_says gdb -ex 'break look_now' -ex run -ex 'set language rust' -ex 'echo == waits\n' -ex 'nap waits' -ex 'echo == tasks\n' -ex 'nap tasks' \
	--args "$program" stop few
all_says
says waits && every_wait && says tasks && every_task 3
check "in another language than C"

$CC -g -O2 -Iinclude -pthread -o "$tmp/shared" tests/system/gdb_stuck.c "$build/libnap.so.1" -Wl,-rpath,"$(cd "$build" && pwd)" \
	>"$tmp/out" 2>"$tmp/err" && eval gdb_says gdb -ex "'break look_now'" -ex run "$ALL" --args "$tmp/shared" stop few
all_says
says tasks && every_task 3 && says fibers && every_fiber && says waits && every_wait
check "the shared library"

# A core file of the kernel's own, where it writes one into the directory.
case $(cat /proc/sys/kernel/core_pattern) in
core | core.%p) sh -c "cd $tmp && ulimit -c unlimited && $program abort few" >/dev/null 2>&1 ;;
esac
core=$(ls "$tmp"/core* 2>/dev/null | head -n 1)
if [ -n "$core" ]; then
	eval gdb_says gdb "$ALL" "$program" "$core"
	all_checks "the kernel's core file" 3 open
	# The short file has the program's variables, and lacks the memory of workers, fibers and
	# threads.
	head -c 400000 "$core" >"$tmp/short" && eval gdb_says gdb "$ALL" "$program" "$tmp/short"
	all_says
	says pools && has 'pool HEX <bank> "bank": open; NAP_IDLE_SYNC' '  ! .*Cannot access memory at address HEX' && says tasks &&
		has '  HEX <is_injected>: injected' '  HEX <has_no_permit>: class 2, at its limit of 1' '  9 queued' &&
		grep -q '^  ! .*annot.*memory' "$tmp/out" && says waits && has '  2 tasks of class 2 wait for a permit: 1 of 1 taken' &&
		grep -q '^  ! fibers: cannot be read' "$tmp/out"
	check "a core file that was cut short: what can be read, and what cannot"
	rm -f "$core"
else
	for name in 'pool' 'workers' 'tasks' 'fibers' 'backtraces' 'waits' 'cut short'; do
		nr=$((nr + 1))
		echo "ok $nr the kernel's core file: $name # SKIP the kernel writes none into the directory (core_pattern)"
	done
fi

eval gdb_says gdb -ex "'break look_now'" -ex run "$ALL" --args "$program" end few
all_says
says pools && every_pool draining 3 && says tasks && every_task 3 && says waits && every_wait
check "in the middle of a shutdown"

gdb_says gdb -ex 'break main' -ex run -ex 'nap pools' -ex 'nap tasks &bank' -ex 'nap waits bank' -ex 'nap fibers &bank' "$program" &&
	has 'pool HEX <bank> "bank": open, not used yet; NAP_IDLE_SYNC' '  0 queued' '0 waits, 0 cycles' 'no fibers'
check "a pool that was not used yet"

echo 'int main(void) { return 0; }' >"$tmp/none.c"
$CC -g -o "$tmp/none" "$tmp/none.c"
# cannot COMMAND MESSAGE: whether the command fails with the message, in the program $of
cannot()
{
	gdb_says gdb -ex 'break main' -ex run -ex "$1" "$of"
	grep -qxF "$2" "$tmp/err"
}
of=$tmp/none
cannot 'nap pools' 'no symbol nap__pools: the program does not use nap, or was stripped of its symbols' &&
	cannot 'nap waits' 'no symbol nap__pools: the program does not use nap, or was stripped of its symbols'
check "a program without nap"

objcopy --strip-debug "$build/libnap.a" "$tmp/libnap.a" && $CC -g -O2 -Iinclude -pthread -o "$tmp/bare" tests/system/gdb_stuck.c "$tmp/libnap.a" \
	>"$tmp/out" 2>"$tmp/err" && eval gdb_says gdb -ex "'break look_now'" -ex run "$ALL" --args "$tmp/bare" stop few
all_says
says pools && has 'pool HEX <bank> "bank": open; NAP_IDLE_SYNC' \
	'  ! workers: no struct nap_worker in the debug information: build the library with -g' && says tasks &&
	has '  HEX <is_injected>: injected' '  HEX <has_no_permit>: class 2, at its limit of 1' && says fibers &&
	has '  ! fibers: no struct nap__fibers in the debug information: build the library with -g'
check "a library without debug information: what the program's own has"

of=$program
gdb_says gdb -ex 'nap pools' "$program"
grep -qxF 'no process and no core file: run the program, or open a core file of it' "$tmp/err" &&
	{ gdb_says gdb -ex 'run &' -ex 'nap pools' --args "$program" stop few || :; } &&
	grep -qxF 'the program runs: interrupt it first' "$tmp/err" && cannot 'nap waits' 'no pool is in use' && cannot 'nap workers &first' '&first is no pool: struct nap_mutex' &&
	cannot 'nap workers nothing_at_all' 'No symbol "nothing_at_all" in current context.' &&
	cannot 'nap tasks 12345' 'no pool is at 0x3039: it would be aligned to 64 bytes' &&
	cannot 'nap fibers -bt many' 'usage: nap fibers [POOL] [-bt [N]]' && cannot 'nap pools now' 'usage: nap pools' &&
	cannot 'nap tasks -in' 'usage: nap tasks -in QUEUE' &&
	cannot 'nap tasks -in &first' '&first is no nap_serial, nap_order or nap_cq: struct nap_mutex' &&
	{ gdb_says gdb -ex 'break main' -ex run -ex 'nap waits 64' "$program" || :; } && grep -q '^cannot be read: Cannot access' "$tmp/err"
check "wrong arguments"

gdb_says gdb -ex 'help nap' -ex 'help nap waits' -ex 'help nap tasks' -ex 'source tools/gdb/nap.py' -ex 'help nap fibers' &&
	grep -q '^nap waits -- Who waits for whom: nap waits \[POOL\]$' "$tmp/out" && grep -q '^Who waits for whom' "$tmp/out" &&
	grep -q '^Every queued task: nap tasks' "$tmp/out" && grep -q '^The fibers of a pool' "$tmp/out" && [ ! -s "$tmp/err" ]
check "help, and sourced twice"
