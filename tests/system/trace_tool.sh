#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests nap-trace on traces that are made of texts (trace_tool.c), so that the right output is
# known; and on broken traces, on which a build with AddressSanitizer must not end by a signal.
# KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
trace=$PWD/build/nap-trace
make=${NAP_BUILD:-build}/tests/system/trace_tool

echo "TAP version 13"
echo "1..40"

warn='-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Iinclude'
[ -x "$make" ] &&
	gcc $warn -O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all -iquote tools/trace -Wa,-Itools/trace \
		-o "$tmp/watched" tools/trace/*/*.c >"$tmp/out" 2>&1
check "the maker of traces is there, and nap-trace with AddressSanitizer compiles"

# Two workers. One schedules two tasks, and runs the first, while the other sleeps for 300 us
# although the second task is queued.
"$make" >"$tmp/two" <<'TEXT'
name a "pool"
exe /nowhere/program
worker 0
1000 start a=100
2000 schedule a=0x10 b=0x1000
2100 schedule a=0x20 b=0x2000
10000 begin a=0x10 b=0x1000
500000 end a=0x10 b=0x1000
500200 park
worker 1
0 park
300000 unpark a=2
300500 begin a=0x20 b=0x2000
400500 end a=0x20 b=0x2000
401000 park
outside
299000 wake other=1 thread=77
end 1000000
TEXT

# says REGEX FILE-OR-OPTION...: whether nap-trace prints a line that matches
says()
{
	wanted=$1
	shift
	"$trace" "$@" >"$tmp/out" 2>"$tmp/err" && grep -Eq "$wanted" "$tmp/out"
}

says '^pool "a "pool"" of process 4711, /nowhere/program$' "$tmp/two"
check "the pool, its process and its program are named"
says '^1.00 ms by CLOCK_MONOTONIC; 12 events$' "$tmp/two"
check "the length, the clock and the events are told"
says '^worker 0 +49.0% +50.0% +1.0% +1 +0 +0 +1 +0 +0$' "$tmp/two"
check "what a worker did is counted"
says '^worker 1 +10.0% +89.9% +0.1% +1 +0 +0 +2 +1 +0$' "$tmp/two"
check "and what the other one did"
says '^0x2000 +1 +100 us +100 us +100 us +100 us +298 us +298 us +298 us' "$tmp/two"
check "a function's times: how long it ran, and how long it waited"
says '298 us  at 2.10 us +0x2000 was queued by worker 0, until worker 1 had time' "$tmp/two"
check "the longest wait is told, with what was waited for"
"$make" >"$tmp/order" <<'TEXT'
name a "pool"
exe /nowhere/program
worker 0
1000 begin a=0x99 b=0x9000
1100 begin a=0x10 b=0x1000 flags=12
500000 end a=0x10 b=0x1000 flags=12
500100 begin a=0x20 b=0x2000 flags=4
500200 end a=0x20 b=0x2000 flags=4
500300 begin a=0x30 b=0x3000 flags=4
500400 end a=0x30 b=0x3000 flags=4
500500 end a=0x99 b=0x9000
outside
100 schedule a=0x10 b=0x1000 flags=4 thread=77
150 schedule a=0x99 b=0x9000 thread=77
2000 schedule a=0x20 b=0x2000 flags=4 thread=77
500050 schedule a=0x30 b=0x3000 flags=4 thread=77
end 600000
TEXT
says '498 us  at 2.00 us +0x2000 was queued by thread 77, in order, behind 0x1000 on worker 0' "$tmp/order" &&
	grep -Eq '250 ns  at 500 us +0x3000 was queued by thread 77, in order, behind 0x2000 on worker 0' "$tmp/out" &&
	grep -Eq '1.00 us  at 100 ns +0x1000 was queued by thread 77, in order, until it began on worker 0' "$tmp/out"
check "and in a serial queue, what held it up"
says '^0x1000 +1 ' "$tmp/order" && ! grep -Eq '^0x9000 ' "$tmp/out"
check "the queue's own task is no function of the program"
says '1  thread 77 woke worker 1' "$tmp/two"
check "who woke whom"
says 'work conservation was violated 1 times' "$tmp/two" &&
	grep -Eq '297 us +at 2.00 us +worker 1 slept; 2 queued, 0x1000 the longest' "$tmp/out"
check "work that was queued while a worker slept is named"
says 'no worker slept for 400 us while work was queued' --gap=400 "$tmp/two"
check "unless it was for less than --gap"
says '^ +262 us to +524 us +1 #+$' --histograms "$tmp/two"
check "--histograms"
says '^ +2.000 us  worker 0 +schedule +0x10 0x1000$' --dump "$tmp/two" && [ "$(wc -l <"$tmp/out")" = 12 ]
check "--dump prints every event"

# A fiber that waits for a channel, a fiber that ended before its end was seen, and tasks that
# began before the trace.
"$make" >"$tmp/fibers" <<'TEXT'
worker 0
lost 7
5000 end a=0x10 b=0x1000
6000 begin a=0x900 b=0x5000
6100 fiber_resume a=0x900 b=0x3000 flags=1
8000 fiber_suspend a=0x900 b=0xc0ffee flags=9
8100 end a=0x900 b=0x5000
60000 schedule a=0x900 b=0x5000
61000 begin a=0x900 b=0x5000
61100 fiber_resume a=0x900 b=0x3000
62000 fiber_end a=0x900 b=0x3000
62100 end a=0x900 b=0x5000
70000 join_begin a=0x40 b=0x4000
90000 99 a=1
TEXT
says '53.1 us  at 8.00 us +fiber 0x3000 0x900: waits for a channel, 0xc0ffee' "$tmp/fibers"
check "what a fiber waited for"
says ', and 7 older ones that were overwritten$' "$tmp/fibers"
check "what was lost is told"
says '^ +930 us\+ at 70.0 us +worker 0: join 0x4000' "$tmp/fibers"
check "a wait that is not over is marked"
says '^0x1000 +1 +0 ns' "$tmp/fibers"
check "a task whose begin is not in the trace is counted, without a time"
says 'kind 99 ' --dump "$tmp/fibers"
check "a kind that it does not know is shown by its number"

"$make" >"$tmp/words" <<'TEXT'
worker 0
1000 schedule a=0x10 b=0x1000 flags=5
2000 park a=-1 flags=2
3000 unpark a=130 b=1
3500 unpark
4000 file a=3 b=0x1005
5000 timer a=0x20 b=3226617
6000 begin a=0x900 b=0x5000
6100 fiber_resume a=0x900 b=0x3000 flags=1
7000 fiber_suspend a=0x900 b=7 flags=11
7100 end a=0x900 b=0x5000
8000 fiber_suspend a=0x900 b=0xc0ffee flags=10
9000 fiber_suspend a=0x900 flags=1
10000 begin a=0x900 b=0x5000
end 20000
TEXT
"$trace" --dump "$tmp/words" >"$tmp/out" 2>"$tmp/err" && sed 's/^.* worker 0  *//; s/   */ /' "$tmp/out" >"$tmp/said" &&
	diff - "$tmp/said" >>"$tmp/err" <<'END'
schedule 0x10 0x1000 injected, in order
park 0xffffffffffffffff 0x0 polls
unpark work, timers, a file is ready
unpark its time is over
file 3 readable, writable, 0x1000
timer 0x20 3.23 ms late
begin 0x900 0x5000
fiber resume 0x900 0x3000 begins
fiber suspend 0x900 waits for a file, 7
end 0x900 0x5000
fiber suspend 0x900 waits for a select, 0xc0ffee
fiber suspend 0x900 waits for its next turn
begin 0x900 0x5000
END
check "flags, reasons and readiness are words in --dump; an unknown bit is a number"
says '^0x3000 ' "$tmp/words" && ! grep -q '^0x5000 ' "$tmp/out"
check "a task that carries a fiber is no function of the program, though its end is not in the trace"

"$make" >"$tmp/work" <<'TEXT'
worker 0
1000 schedule a=0x10 b=0x5000
3000 begin a=0x10 b=0x5000
3100 begin a=0x10 b=0x3000 flags=8
5100 end a=0x10 b=0x3000 flags=8
5200 end a=0x10 b=0x5000
TEXT
says '^0x3000 +1 +2.00 us +2.00 us +2.00 us +2.00 us +2.10 us +2.10 us +2.10 us' "$tmp/work" && ! grep -q '^0x5000 ' "$tmp/out" &&
	grep -Eq '^worker 0 .* 1 +0 +0 +0 +0 +0$' "$tmp/out"
check "the function of a work has waited since the work's schedule, and is one task"

# A timer that was late, and a fiber whose file was ready; both were in no queue.
"$make" >"$tmp/due" <<'TEXT'
worker 0
1000 timer a=0x20 b=700
1100 schedule a=0x20 b=0x5000 flags=16
1200 begin a=0x20 b=0x5000
1300 begin a=0x20 b=0x3000 flags=8
1400 end a=0x20 b=0x3000 flags=8
1500 end a=0x20 b=0x5000
2000 schedule a=0x900 b=0x6000 flags=16
2100 begin a=0x900 b=0x6000
2300 fiber_resume a=0x900 b=0x4000
2400 fiber_end a=0x900 b=0x4000
2500 end a=0x900 b=0x6000
TEXT
says '900 ns  at 400 ns +0x3000 was due, until worker 0 had time$' "$tmp/due" &&
	grep -Eq '300 ns  at 2.00 us +0x4000 was ready, until worker 0 had time$' "$tmp/out" &&
	grep -Eq '^0x3000 +1 +100 ns +100 ns +100 ns +100 ns +900 ns' "$tmp/out"
check "a timer's function has its own name, and has waited since it was due"
"$trace" --json="$tmp/json" --perfetto="$tmp/pb" --html="$tmp/html" "$tmp/due" >"$tmp/out" 2>&1 &&
	grep -q '"name":"0x3000","args":{"object":"0x20","late":"0.700 us"}' "$tmp/json" &&
	protoc --decode=nap.Trace -Itools/trace/write perfetto.proto <"$tmp/pb" >"$tmp/out" 2>"$tmp/err" &&
	grep -q 'name: "due, 0.700 us late"' "$tmp/out" && grep -q 'name: "ready"' "$tmp/out" && grep -q '"name":"0x3000"' "$tmp/html"
check "and so in traces for other programs, and on the page"

# Nothing is known of the time of a pause. What was open, queued or asleep at the begin of the pause
# has no end; what ends after the pause may have no begin.
"$make" >"$tmp/paused" <<'TEXT'
worker 0
1000 begin a=0x10 b=0x1000
2000 schedule a=0x20 b=0x2000
600000 end a=0x10 b=0x1000
700000 begin a=0x20 b=0x2000
800000 end a=0x20 b=0x2000
worker 1
3000 park
550000 unpark a=2
555000 begin a=0x30 b=0x3000
600000 end a=0x30 b=0x3000
pause 100000 500000
pause 900000
end 1000000
TEXT
says '^not traced for 500 us of it, in 2 pauses: no figure is of that time$' "$tmp/paused" &&
	grep -Eq '^worker 0 +59.8% +0.0% +40.2% ' "$tmp/out" && grep -Eq '^worker 1 +9.0% +29.4% +61.6% ' "$tmp/out" &&
	grep -Eq '^0x2000 +1 +100 us +100 us +100 us +100 us +- +- +-' "$tmp/out" && grep -Eq '^0x1000 +2 +0 ns' "$tmp/out" &&
	grep -q '^work conservation was judged in the last 300 us of 1.00 ms, because the trace was paused$' "$tmp/out"
check "a pause is told, and no task, wait or sleep reaches over it"
says '^ +100.000 us  THE TRACE PAUSES$' --dump "$tmp/paused" && grep -Eq '^ +500.000 us  THE TRACE GOES ON$' "$tmp/out" &&
	[ "$(tail -n 1 "$tmp/out")" = '       900.000 us  THE TRACE PAUSES' ]
check "--dump has it where it was"
"$trace" --json="$tmp/json" --perfetto="$tmp/pb" --html="$tmp/html" "$tmp/paused" >"$tmp/out" 2>&1 &&
	python3 -c 'import json, sys
spans = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"]
assert [(e["ts"], e["dur"]) for e in spans if e["name"] == "not traced"] == [(100, 400), (900, 100)], spans
assert not [e for e in spans if e["cat"] != "pause" and e["ts"] < 500 and e["ts"] + e["dur"] > 100], spans' "$tmp/json" >>"$tmp/out" 2>&1 &&
	protoc --decode=nap.Trace -Itools/trace/write perfetto.proto <"$tmp/pb" >>"$tmp/out" 2>"$tmp/err" &&
	[ "$(grep -c 'name: "not traced"' "$tmp/out")" = 2 ] &&
	grep -q '"pauses":\[{"begin":100000,"end":500000},{"begin":900000,"end":1000000}\]' "$tmp/html"
check "other programs and the page have it"

# Events were written inside a pause: a late one, and those between two pauses that the library has
# recorded as one.
"$make" >"$tmp/merged" <<'TEXT'
worker 0
1000 begin a=0x10 b=0x1000
2000 schedule a=0x20 b=0x2000
110000 end a=0x10 b=0x1000
200000 begin a=0x20 b=0x2000
300000 end a=0x20 b=0x2000
600000 begin a=0x20 b=0x2000
700000 end a=0x20 b=0x2000
pause 100000 500000
end 1000000
TEXT
says '^worker 0 +33.2% +0.0% +66.8% +2 ' "$tmp/merged" &&
	grep -Eq '^0x2000 +1 +100 us +100 us +100 us +100 us +- +- +-' "$tmp/out" && grep -Eq '^0x1000 +1 +0 ns' "$tmp/out" &&
	"$trace" --dump "$tmp/merged" >"$tmp/out" && ! grep -Eq '^ +(110|200|300).000 us' "$tmp/out"
check "what was written in a pause is in no figure"

# cost_of N: prints how many instructions nap-trace takes for a worker's track with N ends that have
# lost their begins
cost_of()
{
	python3 -c 'import struct, sys
n, out = int(sys.argv[1]), sys.stdout.buffer
head = struct.pack("<8s10I6Q2I", b"napTRACE", 1, 0x01020304, 104, 32, 40, 16, 1, 0, 1, 1, 0, n, 0, 0, n, n, 2, 2)
events = b"".join(struct.pack("<QHHIQQ", i, 3, 0, 0xffffffff, 16, 4096) for i in range(n))
out.write(head + struct.pack("<IIQ4Q", 5, 0, 32 + len(events), 2 * n, n, n, 0) + events + struct.pack("<IIQ", 0, 0, 0))' $1 >"$tmp/ends" &&
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$trace" "$tmp/ends" 2>&1 >"$tmp/out" |
		sed -n 's/.*Collected : \([0-9]*\)$/\1/p'
}
one=$(cost_of 8000) two=$(cost_of 16000)
echo "$one instructions, $two for twice as many" >>"$tmp/out"
[ -n "$one" ] && [ "$two" -lt $((3 * one)) ] && grep -Eq '^0x1000 +16000 ' "$tmp/out"
check "twice as many ends without a begin take twice as long: $one and $two instructions"

# ---- traces for other programs

"$trace" --json="$tmp/json" "$tmp/two" && python3 - "$tmp/json" >"$tmp/out" 2>&1 <<'TEXT'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
spans = [e for e in events if e["ph"] == "X"]
ends = [(e["ph"], e["id"]) for e in events if e["ph"] in "sf"]
assert len(spans) == 5, spans
assert sorted(ends) == sorted((ph, i) for ph in "sf" for i in range(3)), ends
task = [e for e in spans if e["name"] == "0x2000"][0]
assert task["ts"] == 300.5 and task["dur"] == 100, task
TEXT
check "Chrome's JSON: spans, and both ends of each arrow"
"$make" >"$tmp/taken" <<'TEXT'
worker 0
1000 begin a=0x99 b=0x9000
5000 range a=3 b=4
9000 end a=0x99 b=0x9000
worker 1
2000 steal a=2 b=0x20 other=0
2100 begin a=0x20 b=0x2000
2500 end a=0x20 b=0x2000
2600 begin a=0x21 b=0x2001
2700 end a=0x21 b=0x2001
3000 job_begin a=0x40 b=0x4000 other=0
3500 job_end a=0x40 b=0x4000 other=0
TEXT
"$trace" --json="$tmp/json" "$tmp/taken" && python3 - "$tmp/json" >"$tmp/out" 2>&1 <<'TEXT'
import json, sys
spans = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"]
assert {e["name"]: e["args"].get("stolen from") for e in spans} == {
	"0x9000": None, "iterations from 3, 4": None, "0x2000": "worker 0", "0x2001": None, "0x4000": "worker 0"}, spans
leaf = [e for e in spans if e["cat"] == "leaf"][0]
assert leaf["ts"] == 1 and leaf["dur"] == 4, leaf
TEXT
check "leaves of a loop, from the event before; from whom a task and a job were stolen"
"$trace" --perfetto="$tmp/pb" "$tmp/two" &&
	protoc --decode=nap.Trace -Itools/trace/write perfetto.proto <"$tmp/pb" >"$tmp/out" 2>"$tmp/err" &&
	[ "$(grep -c 'type: SLICE_BEGIN' "$tmp/out")" = 5 ] && [ "$(grep -c 'type: SLICE_END' "$tmp/out")" = 5 ] &&
	[ "$(grep -c ' flow: ' "$tmp/out")" = 3 ] && [ "$(grep -c ' flow_end: ' "$tmp/out")" = 3 ] &&
	! grep -E '^ *[0-9]+: ' "$tmp/out"
check "Perfetto's: protoc knows every field; spans, and both ends of each arrow"
"$trace" --html="$tmp/html" "$tmp/two" && ! grep -E '@(facts|spans|points|script)@|https?:' "$tmp/html" >"$tmp/out" &&
	grep -q '"name":"a \\"pool\\"",' "$tmp/html"
check "the page: all its parts are there, and no address of a network"
says '^    waited, p50 +298 us +298 us  x 1.00$' --compare "$tmp/two" "$tmp/two"
check "--compare prints two traces beside each other"

# ---- errors are reported

# refuses REGEX ARGUMENT...: whether nap-trace fails with a message that matches
refuses()
{
	wanted=$1
	shift
	"$trace" "$@" >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 2 ] && grep -Eq -e "$wanted" "$tmp/err"
}

: >"$tmp/empty"
head -c 500 /dev/zero >"$tmp/zero"
{ head -c 8 "$tmp/two"; printf '\377'; tail -c +10 "$tmp/two"; } >"$tmp/new"
refuses 'which trace' && refuses 'one trace at a time' "$tmp/two" "$tmp/two" && refuses 'No such file' "$tmp/none" &&
	refuses "'--what'" --what "$tmp/two" && refuses '--most=x: expected a number' --most=x "$tmp/two" &&
	refuses 'the file is empty' "$tmp/empty" && refuses 'no trace of nap' "$tmp/zero" &&
	refuses 'byte 8: version 255' "$tmp/new" && refuses 'prints a table' --compare --dump "$tmp/two" "$tmp/two" &&
	refuses 'No space left' --html=/dev/full "$tmp/two"
check "usage, and files that are none, are refused by what is wrong"

# Wherever a trace is cut off, the whole events are used.
broken()
{
	"$tmp/watched" --json=/dev/null --perfetto=/dev/null --html=/dev/null "$1" >"$tmp/out" 2>"$tmp/err" &&
		"$tmp/watched" "$1" >>"$tmp/out" 2>>"$tmp/err"
	[ $? -le 2 ] && ! grep -q 'Sanitizer\|runtime error' "$tmp/err"
}

size=$(wc -c <"$tmp/two") at=$(wc -c <"$tmp/two") failed=
while [ $((at -= 37)) -gt 0 ]; do
	head -c $at "$tmp/two" >"$tmp/cut"
	broken "$tmp/cut" || failed=1
done
head -c $((size - 16)) "$tmp/two" >"$tmp/cut"
"$tmp/watched" "$tmp/cut" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 1 ] && [ -z "$failed" ] && grep -q 'what is whole is used' "$tmp/err"
check "a file that is cut anywhere is used as far as it is whole, and told"
failed=
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ $((seed % 2)) = 1 ] && of=$tmp/two || of=$tmp/paused
	size=$(wc -c <"$of")
	LC_ALL=C awk -v seed=$seed -v size=$size 'BEGIN { srand(seed); for (i = 0; i < 6; i++)
		print 8 + int(rand() * (size - 8)), int(rand() * 256) }' >"$tmp/changes"
	cp "$of" "$tmp/odd"
	while read -r where what; do
		printf "\\$(printf %03o $what)" | dd of="$tmp/odd" bs=1 seek=$where conv=notrunc 2>/dev/null
	done <"$tmp/changes"
	broken "$tmp/odd" || { failed=$seed; break; }
done
[ -z "$failed" ]
check "a file with six bytes changed never ends it by a signal (20 files)"
first='9223372036854775809' last='9223372036854775807'
for worker in 0 1 2; do
	echo "worker $worker"
	for kind in begin,end park,unpark wait_begin,wait_end begin,end park,unpark; do
		printf '%s %s a=1 b=2\n' "$first" "${kind%,*}" "$last" "${kind#*,}"
	done
done | "$make" >"$tmp/odd"
broken "$tmp/odd" && "$tmp/watched" --compare "$tmp/odd" "$tmp/odd" >"$tmp/out" 2>"$tmp/err" &&
	"$tmp/watched" --histograms "$tmp/odd" >"$tmp/out" 2>>"$tmp/err" && ! grep -q 'runtime error' "$tmp/err"
check "nor do times that are as far apart as 64 bits say"
mkfifo "$tmp/fifo"
printf '%s\n' "maps 1000-2000 r-xp 00000000 00:00 0    $tmp/fifo" 'worker 0' '10 begin a=1 b=0x1000' \
	'20 end a=1 b=0x1000' | "$make" >"$tmp/odd"
timeout 60 "$trace" "$tmp/odd" >"$tmp/out" 2>&1 && grep -q '^fifo+0x0 ' "$tmp/out"
check "a pipe where a program was is no program, and nobody waits for its writer"

# ---- names, by the files of a program that has gone

cat >"$tmp/gone.c" <<'TEXT'
#include <stdio.h>
void a_function(void) { }
int main(void) { printf("%p\n", (void *)a_function); fflush(stdout); return system("cat /proc/$PPID/maps"); }
TEXT
sed -i 's/^#include <stdio.h>/#include <stdio.h>\n#include <stdlib.h>/' "$tmp/gone.c"
gcc -g -o "$tmp/gone" "$tmp/gone.c" && "$tmp/gone" >"$tmp/map" && {
	echo "exe $tmp/gone"
	sed '1d;s/^/maps /' "$tmp/map"
	echo "worker 0"
	echo "10 begin a=1 b=$(head -n 1 "$tmp/map")"
	echo "20 end a=1 b=$(head -n 1 "$tmp/map")"
} | "$make" >"$tmp/named" && mv "$tmp/gone" "$tmp/moved" &&
	says '^a_function .* gone.c:3$' --program="$tmp/moved" "$tmp/named" && says '^gone\+0x[0-9a-f]+ ' "$tmp/named"
check "a function has its name and its line, also when the program's file has moved"
