#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests traces of real programs of each kind: the numbers of events are those that the pool has
# counted, and every arrow that nap-trace draws has both ends. KTAP.

build=$(cd "${NAP_BUILD:-build}" && pwd) || exit 1
. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
trace=$PWD/build/nap-trace

echo "TAP version 13"
echo "1..14"

compile()
{
	gcc -std=gnu11 -O2 -g -Iinclude -o "$tmp/${1##*/}" "$2" "$build/libnap.a" -pthread -lm
}

{ gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude -o "$tmp/counts" tests/system/trace/counts.c \
	"$build/libnap.a" -pthread &&
	compile due tests/system/trace/due.c &&
	for name in grep kmeans mandelbrot pipeline classes downloads symptoms/slow; do
		compile "$name" "tools/example/$name.c" || exit 1
	done; } >"$tmp/out" 2>&1
check "the programs compile"

cat >"$tmp/arrows.py" <<'TEXT'
import json, sys
from collections import Counter

events = json.load(open(sys.argv[1]))["traceEvents"]
jobs = int(sys.argv[2])
ns = lambda us: round(us * 1000)
lane = lambda e: (e["pid"], e["tid"])
lanes = {lane(e): e["args"]["name"] for e in events if e["name"] == "thread_name"}
spans = [e for e in events if e["ph"] == "X"]
begins = {(lane(e), ns(e["ts"])) for e in spans}
ends = {(lane(e), ns(e["ts"]) + ns(e["dur"])) for e in spans if e["cat"] == "parked"}
tails = {e["id"]: e for e in events if e["ph"] == "s"}
heads = {e["id"]: e for e in events if e["ph"] == "f"}

assert len(tails) == len(heads) == sum(e["ph"] in "sf" for e in events) / 2, "an end is missing, or twice there"
for i, tail in tails.items():
	head = heads[i]
	assert lane(tail) in lanes and lane(head) in lanes, tail
	assert (lane(head), ns(head["ts"])) in (begins if tail["cat"] == "schedule" else ends), head
	assert tail["ts"] <= head["ts"] + 1, (tail, head)
# Each task and fiber that runs was made runnable before, also a task of a timer or a fiber whose
# file was ready, which was in no queue.
hit = {(lane(e), ns(e["ts"])) for e in heads.values()}
bare = [e for e in spans if e["cat"] in ("task", "fiber") and (lane(e), ns(e["ts"])) not in hit]
assert not bare, bare[:3]
assert not [e for e in spans if "not in the trace" in e["args"].values()], "a span is cut"
taken = [e["args"].get("stolen from") for e in spans if e["cat"] == "job"]
assert len(taken) == jobs and set(taken) <= set(lanes.values()) | {None}, taken
print(len(tails), "arrows of", dict(Counter(e["cat"] for e in spans)))
TEXT

# right FILE: whether the counts and the arrows of a trace are right
right()
{
	due=$("$tmp/counts" "$1") || { echo "$1: $due" && return 1; }
	set -- "$1" $due
	"$trace" --json="$tmp/json" "$1" && python3 "$tmp/arrows.py" "$tmp/json" "$3"
}

# traced ABOUT COMMAND...: runs the command, and checks the trace of each of its pools
traced()
{
	about=$1 failed=
	shift
	rm -f "$tmp"/t "$tmp"/t.*
	NAP_TRACE=$tmp/t NAP_TRACE_EVENTS=262144 timeout 120 "$@" <"$tmp/text" >"$tmp/did" 2>&1 || failed=1
	for file in "$tmp"/t "$tmp"/t.*; do
		[ ! -e "$file" ] || right "$file" || failed=1
	done >"$tmp/out" 2>&1
	[ -z "$failed" ] && [ -s "$tmp/out" ]
	check "$about"
}

cat include/nap/*.h src/*/*.c >"$tmp/text"
traced "a loop over files" "$build/nap-demo" words include src
traced "tasks that sort, and forks that do" "$build/nap-demo" sort 100000
traced "forks in every call" "$build/nap-demo" fib 24
traced "forks and results" "$build/nap-demo" nqueens 8
traced "a loop from outside" "$tmp/grep" struct src
traced "loops with sums" "$tmp/kmeans" 200000 8
traced "a loop of unequal rows" "$tmp/mandelbrot" 600 400
traced "fibers and channels" "$tmp/pipeline"
traced "classes" "$tmp/classes"
traced "fibers, a semaphore and sleep" "$tmp/downloads" 100 10
traced "a serial queue" "$tmp/slow"
traced "timers, files, and fibers that wait for a stack" "$tmp/due"
"$trace" --most=1000 "$tmp/t" >"$tmp/out" && grep -Eq '^tick +10 .* due.c:' "$tmp/out" && grep -Eq '^once +1 ' "$tmp/out" &&
	grep -Eq '^answers ' "$tmp/out" && grep -Eq '^sleeps +16 ' "$tmp/out" && ! grep -q nap__timer_run "$tmp/out" &&
	grep -Eq ' (tick|once|sleeps) was due, until worker [01] had time' "$tmp/out"
check "what a timer runs has the name of its function, and how long it waited since it was due"
