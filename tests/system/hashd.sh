#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The service of tools/example/ on each of its loops, under load from a client that computes every
# digest itself: clients that go, are killed, send no frames, half of one, or do not read; deadlines,
# other limits under load, its end within a time, and one that it does not get. KTAP.
# hashd_sanitized.sh, hashd_faults.sh: the same under sanitizers, and what it needs failing.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/system/hashd/service.inc
nap=${NAP_BUILD:-build}/libnap.a
client=$tmp/client

echo "TAP version 13"
echo "1..40"

build client clang 'tests/system/hashd/client.c tests/system/hashd/load.c' && build client gcc 'tests/system/hashd/client.c tests/system/hashd/load.c'
check "the client compiles"

replies() { counter 'hashd_replies{status="ok"}'; }
has_replies() { now=$(replies) && [ -n "$now" ] && [ "$now" -ge "$1" ]; }
has_canceled() { "$client" $port leave 5 1000000 && [ "$(counter hashd_canceled)" -gt 0 ]; }

# Beside one that takes no reply, and one that sends half of a request.
odd_clients()
{
	"$client" $port mute 0 >"$tmp/mute" &
	mute=$!
	"$client" $port half >"$tmp/half" &
	half=$!
	until_true grep -q there "$tmp/mute" && until_true grep -q there "$tmp/half" && load 8 2000 20000 8
	status=$?
	kill $mute $half
	wait $mute $half
	return $status
}

killed_clients()
{
	killed=
	for i in 1 2 3 4; do
		"$client" $port load 8 1000000 200000 8 >/dev/null 2>&1 &
		killed="$killed $!"
	done
	was=$(replies)
	until_true has_replies $((was + 500))
	kill -9 $killed
	wait $killed
	load 4 1000 20000 8
}

# Of 64 requests of a megabyte most wait longer than 1 ms for two workers.
deadlines()
{
	"$client" $port load 64 640 1000000 8 1 >"$tmp/out" 2>"$tmp/err" &&
		awk '{ exit !($4 > 0 && $2 + $4 == 640 && $6 + $8 + $10 == 0) }' "$tmp/out"
}

# in_background CONNECTIONS REQUESTS BYTES AHEAD: and some of it is done
in_background()
{
	was=$(replies)
	"$client" $port load "$@" >"$tmp/load" 2>"$tmp/err" &
	load=$!
	until_true has_replies $((was + 100))
}

has_said() { [ "$(grep -c "$1" "$tmp/says")" = "$2" ]; }

reloads()
{
	in_background 8 20000 20000 8 || return
	for i in 1 2 3 4 5 6 7 8 9 10; do
		limits $((4 + i)) 20000 $((1000 + i))
		kill -s HUP $pid
		until_true has_said 'those of the file' $((i + 1)) || return
	done
	echo nonsense >"$tmp/limits"
	kill -s HUP $pid
	wait $load && until_true has_said 'stay as they were' 1 &&
		grep -qx 'ok 20000 late 0 refused 0 wrong 0 lost 0' "$tmp/load" &&
		"$client" $port refused 10 20000 && load 4 100 20000 8
}

# The load loses what was not read, and nothing is wrong.
drains()
{
	in_background 8 1000000 20000 8 && end 0 0
	status=$?
	wait $load
	[ $status = 0 ] && grep -q 'wrong 0' "$tmp/load"
}

# With no time at all, until it ends while there are works.
time_is_over()
{
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		limits 1000 1048576 0
		begin 0 "$service" && in_background 64 1000000 1000000 8 || return
		end 1 '[1-9][0-9]*'
		status=$?
		wait $load
		[ $status != 0 ] || return 0
		grep -q 'ended, 0 replies left' "$tmp/says" || return 1
	done
	return 1
}

is_killed()
{
	limits 1000 1048576 5000
	begin 0 "$service" && in_background 8 1000000 20000 8 || return
	kill -9 $pid
	wait $pid $load
	begin "$port" "$service" && load 8 1000 20000 8
}

switches()
{
	cat /proc/$pid/task/*/status | awk '/ctxt_switches:/ { n += $2 } END { print n + 0 }'
}

# Two clients are there, one with half a request, and all workers were busy before.
idle()
{
	load 8 500 20000 8 || return
	"$client" $port half >"$tmp/half" &
	half=$!
	until_true grep -q there "$tmp/half"
	sleep 0.5
	before=$(switches)
	sleep 5
	after=$(switches)
	kill $half
	wait $half
	echo "$before, then $after context switches" >>"$tmp/out"
	[ "$before" -gt 0 ] && [ "$before" = "$after" ] && load 8 500 20000 8 && [ "$(switches)" -gt "$after" ]
}

for loop in hashd hashd_uring hashd_uv; do
	case $loop in
	hashd) library= ;;
	hashd_uring) library=-luring ;;
	hashd_uv) library=-luv ;;
	esac
	service=$tmp/$loop
	build $loop clang tools/example/$loop.c "$nap" $library && build $loop gcc tools/example/$loop.c "$nap" $library
	check "$loop compiles"
	limits 1000 1000000 60000
	begin 0 "$service" && load 8 10000 65536 8
	check "$loop: 10,000 requests, each verified"
	[ "$("$client" $port zeros 100000)" = "$(head -c 100000 /dev/zero | sha256sum)" ]
	check "$loop: a digest is that of sha256sum"
	"$client" $port refused 50 1000000 && load 4 100 20000 8
	check "$loop: what is no frame is refused, behind those that are"
	until_true has_canceled && load 4 500 20000 8
	check "$loop: who has gone has its works canceled"
	killed_clients
	check "$loop: clients are killed, others lose nothing"
	odd_clients
	check "$loop: nor beside who does not read, or sends half of it"
	deadlines
	check "$loop: late requests are told so"
	idle
	check "$loop: 5 s without a context switch"
	reloads
	check "$loop: other limits under load, and none from a file that is not good"
	drains
	check "$loop: SIGTERM: what was read has its reply"
	time_is_over
	check "$loop: time is over: it says how many have none"
	is_killed && end 0 0
	check "$loop: SIGKILL, and again on the same port"
done
