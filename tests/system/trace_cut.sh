#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests nap-trace where the oldest events of some tracks were overwritten: it says what part of a
# trace its figures are of, and it shows no pair of events that the whole trace does not have
# (trace/cut.py). Then faults are put into the tool, and each fault must be noticed. KTAP.

build=$(cd "${NAP_BUILD:-build}" && pwd) || exit 1
. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
trace=$PWD/build/nap-trace
make=$build/tests/system/trace_tool

echo "TAP version 13"
echo "1..33"

# says REGEX FILE: whether nap-trace prints a line that matches
says()
{
	"$trace" "$2" >"$tmp/out" 2>"$tmp/err" && grep -Eq "$1" "$tmp/out"
}

# Task 0x10 is scheduled; its begin, and its second schedule, were overwritten in worker 1's track.
# That track begins 400 us before the end. Worker 0 slept before that time.
"$make" >"$tmp/lost" <<'TEXT'
joined
end 1000000
worker 0
1000 schedule a=0x10 b=0x1000
1100 fiber_suspend a=0x900 b=0xc0ffee flags=9
2000 park
590000 unpark a=2
750000 schedule a=0x20 b=0x2000
760000 park
990000 unpark a=16
worker 1
lost 70000
600000 end a=0x10 b=0x1000
700000 begin a=0x10 b=0x1000
800000 end a=0x10 b=0x1000
900000 fiber_resume a=0x900 b=0x3000
910000 fiber_suspend a=0x900 b=0xc0ffee flags=9
950000 begin a=0x20 b=0x2000
980000 end a=0x20 b=0x2000
outside
100 schedule a=0x30 b=0x2000 thread=77
TEXT
more='; NAP_TRACE_EVENTS=131072, or nap_trace_options.events, keeps all$'
says '^worker 1 +35.0% +0.0% +65.0% .* 400 us$' "$tmp/lost" && grep -Eq '^worker 0 +0.0% +81.8% .* 1.00 ms$' "$tmp/out" &&
	grep -Eq "^known: the time of which a track has the events; all else is of that time$more" "$tmp/out"
check "percentages are of the time that a track knows, and how much that is stands beside them"
in='in the last 400 us of 1.00 ms, because older events of worker 1 were overwritten'
says "^waited: of what was scheduled $in$more" "$tmp/lost" && grep -Eq '^0x1000 +2 +100 us .* - +- +- ' "$tmp/out" &&
	grep -Eq '^0x2000 +1 .* 200 us +200 us +200 us ' "$tmp/out"
check "a begin whose schedule was overwritten has not waited for one before"
says "^of queued tasks and of fibers only those that began $in$more" "$tmp/lost" &&
	[ "$(grep -c '0x1000 was queued\|waits for a channel' "$tmp/out")" = 1 ] &&
	grep -Eq '90.0 us\+ at 910 us +fiber 0x3000 0x900: waits for a channel' "$tmp/out"
check "nor has a fiber, and the longest waits say since when they are known"
judged='in the last 300 us of 1.00 ms, because older events of worker 1 were overwritten'
says "^work conservation was judged $judged$more" "$tmp/lost" &&
	grep -Eq '^work conservation was violated 1 times' "$tmp/out" &&
	grep -Eq '190 us +at 760 us +worker 0 slept; 1 queued, 0x2000 the longest' "$tmp/out"
check "work conservation is judged since all tracks are whole, and no wake-up that is missing is on its way"
"$make" >"$tmp/woken" <<'TEXT'
joined
end 1000000
worker 0
2000 park
900000 unpark a=2
worker 1
lost 100
500000 begin a=0x99 b=0x9000
600000 schedule a=0x10 b=0x1000
950000 end a=0x99 b=0x9000
TEXT
says '^work conservation was judged in the last 100 us of 1.00 ms' "$tmp/woken" && ! grep -q violated "$tmp/out"
check "as one may be to a worker that goes on for work"
"$make" >"$tmp/dropped" <<'TEXT'
joined
end 1000000
worker 0
1000 schedule a=0x10 b=0x1000
2000 park
900000 unpark a=2
910000 begin a=0x10 b=0x1000
920000 end a=0x10 b=0x1000
outside
dropped 3
500 schedule a=0x20 b=0x1000 thread=77
TEXT
says '^work conservation was judged at no time, because events of threads from outside were not written$' "$tmp/dropped" &&
	! grep -q 'no worker slept\|violated\|was queued by' "$tmp/out"
check "nothing is judged where events are missing anywhere"
head -c 400 "$tmp/lost" >"$tmp/cut"
"$trace" "$tmp/cut" >"$tmp/out" 2>"$tmp/err"
grep -q '^work conservation was judged at no time, because the file is cut' "$tmp/out"
check "nor where tracks are"
"$trace" --compare "$tmp/lost" "$tmp/woken" >"$tmp/out" 2>"$tmp/err" &&
	grep -Eq "^before: all is as far as a track has it; waited: of what was scheduled $in$more" "$tmp/out"
check "--compare says so, too"

# Worker 1 is awake, and takes the task only after 200 us. Worker 0 is asleep; this is no violation,
# because worker 1 was woken for the task.
"$make" >"$tmp/looks" <<'TEXT'
joined
end 1000000
worker 0
2000 park
990000 unpark a=16
worker 1
3000 park
200000 unpark a=2
400000 begin a=0x10 b=0x1000
500000 end a=0x10 b=0x1000
500100 park
700000 unpark a=0
900000 park
990000 unpark a=16
outside
100000 schedule a=0x10 b=0x1000 thread=77
100500 wake other=1 thread=77
TEXT
says '^no worker slept for 50.0 us' "$tmp/looks"
check "a worker that has gone on for work, and was held up, is no violation"
# But a worker that was woken and runs a task does not come for another task: then worker 0 is a
# violation.
"$make" >"$tmp/busy" <<'TEXT'
joined
end 1000000
worker 0
2000 park
990000 unpark a=16
worker 1
3000 park
200000 unpark a=2
200100 begin a=0x10 b=0x1000
950000 end a=0x10 b=0x1000
960000 begin a=0x20 b=0x1000
970000 end a=0x20 b=0x1000
outside
100000 schedule a=0x10 b=0x1000 thread=77
100500 wake other=1 thread=77
300000 schedule a=0x20 b=0x1000 thread=77
TEXT
says '^ *660 us +at 300 us +worker 0 slept; 1 queued' "$tmp/busy"
check "one that was woken, and is busy, is one"
# Thread 77 is preempted between schedule and wake of the second and of the third task.
"$make" >"$tmp/held" <<'TEXT'
joined
end 1000000
worker 0
2000 park
990000 unpark a=16
worker 1
3000 park
520000 unpark a=2
520100 begin a=0x10 b=0x1000
520200 end a=0x10 b=0x1000
520300 begin a=0x20 b=0x1000
520400 end a=0x20 b=0x1000
520500 park
920000 unpark a=2
920100 begin a=0x30 b=0x1000
920200 end a=0x30 b=0x1000
920300 park
990000 unpark a=16
outside
100000 schedule a=0x10 b=0x1000 thread=77
500000 schedule a=0x20 b=0x1000 thread=77
510000 wake other=1 thread=77
800000 schedule a=0x30 b=0x1000 thread=77
910000 wake other=1 thread=77
TEXT
says '^work conservation was violated 1 times' "$tmp/held" && grep -Eq '^ *410 us +at 100 us ' "$tmp/out"
check "a thread that is preempted between its schedule and its wake is none"
# The program stops the pool, and what is queued stays queued.
stop()
{
	cat <<'TEXT'
joined
end 1000000
worker 0
2000 park
977000 unpark a=16
977100 retire flags=1
worker 1
3000 park
895000 unpark a=18
895100 retire flags=1
outside
TEXT
	echo "$1 schedule a=0x10 b=0x1000 thread=77"
	echo stopped
}
stop 700000 | "$make" >"$tmp/stopped"
stop 700000 | sed '/^stopped/d' | "$make" >"$tmp/ended"
says '^ *195 us +at 700 us .* until the pool was stopped: no verdict' "$tmp/stopped" &&
	grep -q '^no worker slept for 50.0 us' "$tmp/out" && says 'violated 2 times' "$tmp/ended" && ! grep -q 'no verdict' "$tmp/out"
check "where a pool was stopped there is no verdict, but where it ended by itself"
stop 896000 | "$make" >"$tmp/after"
says '^no worker slept for 50.0 us' "$tmp/after" && ! grep -q 'no verdict' "$tmp/out"
check "and nothing at all after the stop"

# is_right TOOL: whether the tool draws no conclusion from events that were overwritten
is_right()
{
	for name in woken looks stopped after; do
		! "$1" "$tmp/$name" | grep -q violated || return 1
	done
	for name in busy held; do
		"$1" "$tmp/$name" | grep -q 'violated 1 times' || return 1
	done
	! "$1" "$tmp/late" | grep -q '0x1000 was queued' &&
		"$1" --json="$tmp/json" "$tmp/late" && ! grep -q '"cat":"wake"' "$tmp/json"
}

# Threads from outside share a track. Thread 78 took its places in the track before thread 77 did,
# but wrote later times there, 120 and 140. These two events were overwritten.
"$make" >"$tmp/late" <<'TEXT'
joined
end 1000000
worker 0
105 wake other=1
110 schedule a=0x10 b=0x1000
worker 1
104 park
150 unpark a=2
200 begin a=0x10 b=0x1000
300 end a=0x10 b=0x1000
outside
lost 5
100 schedule a=0x30 b=0x2000 thread=77
500 schedule a=0x40 b=0x2000 thread=77
TEXT
says 'in the last 1.00 ms of 1.00 ms, because older events of threads from outside were overwritten' "$tmp/late" &&
	is_right "$trace"
check "threads from outside may have written later events than the first that is there"

# The trace has only the end of the task that carried the first fiber.
"$make" >"$tmp/carried" <<'TEXT'
worker 0
lost 9
1000 end a=0x900 b=0x5000
2000 begin a=0x910 b=0x5000
2100 fiber_resume a=0x910 b=0x3000
2200 fiber_end a=0x910 b=0x3000
2300 end a=0x910 b=0x5000
TEXT
says '^0x3000 ' "$tmp/carried" && ! grep -q '^0x5000 ' "$tmp/out"
check "a function of nap's own that carries a fiber is none of the program's without its begin either"

# ---- no pair that is not in the whole trace, and none that is missing

cut="python3 tests/system/trace/cut.py"
$cut random "$trace" "$make" "$tmp" 1 60 >"$tmp/out" 2>"$tmp/err"
check "the pairs of a trace without its oldest events are those of the whole trace (60 traces)"
# program ABOUT NAME ARGUMENT...: tests copies of the whole trace of an example
program()
{
	about=$1 example=$2
	shift 2
	rm -f "$tmp/t"
	gcc -std=gnu11 -O2 -g -Iinclude -o "$tmp/$example" "tools/example/$example.c" "$build/libnap.a" -pthread -lm \
		>"$tmp/out" 2>&1 && NAP_TRACE=$tmp/t NAP_TRACE_EVENTS=262144 timeout 120 "$tmp/$example" "$@" >"$tmp/did" 2>&1 &&
		$cut file "$trace" "$tmp" "$tmp/t" >"$tmp/out" 2>"$tmp/err"
	check "$about"
}
program "so are those of fibers and channels" pipeline
program "so are those of fibers, a semaphore and sleep" downloads 100 10
program "so are those of classes" classes

# ---- faults of the tool

objects=$(ls build/trace/*/*.o)
# fault ABOUT FILE SED: tests that a tool whose FILE was changed by SED fails a test above
fault()
{
	about=$1 from=tools/trace/$2
	sed "$3" "$from" >"$tmp/fault.c"
	! cmp -s "$from" "$tmp/fault.c" &&
		gcc -std=gnu11 -D_GNU_SOURCE -O1 -Iinclude -iquote tools/trace -c -o "$tmp/fault.o" "$tmp/fault.c" >"$tmp/out" 2>&1 &&
		gcc -o "$tmp/fault" $(echo "$objects" | grep -v "/${2%.c}.o") "$tmp/fault.o" >>"$tmp/out" 2>&1 &&
		{ ! is_right "$tmp/fault" || ! $cut random "$tmp/fault" "$make" "$tmp" 1 60 >"$tmp/out" 2>"$tmp/err"; } && ! grep -q Traceback "$tmp/err"
	check "noticed: $about"
}

fault "pairs are believed whatever was overwritten" lanes/whole.c 's/since >= trace->whole.from && //'
fault "pairs are believed after the snapshot" lanes/whole.c 's/ && now <= trace->whole.until//'
fault "wake-ups are believed" lanes/lanes.c 's/is_whole(build->trace, wake->ns, event->ns)/true/'
fault "waits of fibers are believed" lanes/fibers.c \
	's/ || !is_whole(build->trace, event->ns, event->ns)//;s/is_whole(build->trace, wait->begin, now)/true/'
fault "schedules are believed" lanes/lanes.c 's/^	if (is_whole(build->trace, event->ns, event->ns))$/	if (1)/'
fault "threads from outside write in the order of time" lanes/whole.c \
	's/^	if (track->outside)$/	if (0)/'
fault "a wake-up that was overwritten is on nobody's way" lanes/whole.c \
	's/^	if (trace->whole.judged > INT64_MIN)$/	if (0)/'
fault "a track with holes is whole" file/raw.c 's/^	return track->head.dropped ||$/	return 0 \&\&/'
fault "sections end where another function's began" lanes/spans.c 's/is_function(around) && kind/0 \&\& kind/'
fault "a leaf begins with the track" lanes/spans.c 's/lane->lost && event->ns == lane->first/false/'
fault "a worker that looks for work is not on its way" lanes/gaps.c 's/!build->looking && //'
fault "a worker looks for work until it sleeps" lanes/lanes.c 's/^	looks(build, lane, false);$//'
fault "a wake-up is not of the call that schedules" lanes/gaps.c 's/thread->schedules && /false \&\& /'
fault "a pool that was stopped goes on" lanes/gaps.c 's/ && !build->is_stopped//;s/^	build->gap.stopped = true;$//'
