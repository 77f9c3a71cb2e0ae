#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the service of tools/example/ under load from a client that computes every digest itself.
# Clients go, are killed, send no frames or half of one, do not read, read late, close a half, or
# reset. Other tests are of memory and descriptors, deadlines, new limits under load, the start,
# and ends within their time or not. KTAP. hashd_sanitized.sh and hashd_faults.sh test the service
# under sanitizers, and with failing calls. NAP_SHORT=1: fewer requests in the two loads that hash most.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/system/hashd/service.inc
nap=${NAP_BUILD:-build}/libnap.a
client=$tmp/client
many=10000 late=640
[ -z "${NAP_SHORT:-}" ] || many=2000 late=192

echo "TAP version 13"
echo "1..27"

build client clang "$client_sources" && build client gcc "$client_sources"
check "the client compiles"

replies() { counter 'hashd_replies{status="ok"}'; }
has_replies() { now=$(replies) && [ -n "$now" ] && [ "$now" -ge "$1" ]; }
has_canceled() { "$client" $port leave 5 1000000 && [ "$(counter hashd_canceled)" -gt 0 ]; }

# Serves beside a client that takes no reply, and one that sends half of a request.
odd_clients()
{
	in_back "$tmp/mute" "$client" $port mute 0
	mute=$!
	in_back "$tmp/half" "$client" $port half
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

half_closed() { "$client" $port shut 60 >"$tmp/out" 2>&1 && load 4 500 20000 8; }
resets() { "$client" $port reset 300 50000 >"$tmp/out" 2>&1 && load 4 500 20000 8; }
slow() { timeout 200 "$client" $port slow >"$tmp/out" 2>&1 && load 4 500 20000 8; }

resident() { awk '/^VmRSS/ { print $2 }' /proc/$pid/status; }

# Each client sends what it can, and reads nothing: the service uses no more memory for the client
# than for one request.
greedy_clients()
{
	before=$(resident)
	greedy=
	for i in 1 2 3 4 5 6 7 8; do
		in_back "$tmp/greedy$i" "$client" $port mute $((i * 300))
		greedy="$greedy $!"
	done
	for i in 1 2 3 4 5 6 7 8; do
		until_true grep -q there "$tmp/greedy$i"
	done && load 4 500 20000 8
	status=$?
	after=$(resident)
	kill $greedy
	wait $greedy
	echo "$before kB, then $after" >>"$tmp/out"
	[ $status = 0 ] && [ "$after" -le $((before + 8 * 1000 + 4 * 1000 + 8000)) ]
}

ticks() { awk '{ print $14 + $15 }' /proc/$pid/stat; }

# Of forty clients most find no descriptor. The service waits for one, without using its CPU. When
# there are as many descriptors as before, the waiting clients get their replies.
no_descriptors()
{
	prlimit --nofile=$(($(ls /proc/$pid/fd | wc -l) + 4)): --pid $pid || return
	halves=
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		in_back "$tmp/half$i" "$client" $port half
		halves="$halves $!"
	done
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		until_true grep -q there "$tmp/half$i"
	done
	loads=
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		in_back "$tmp/load$i" timeout 60 "$client" $port load 1 1 1000 1
		loads="$loads $!"
	done
	sleep 0.3
	before=$(ticks)
	sleep 2
	used=$(($(ticks) - before))
	kill $halves
	wait $halves
	nr_served=0
	for load in $loads; do
		wait $load && nr_served=$((nr_served + 1))
	done
	prlimit --nofile=1024: --pid $pid || return
	echo "$used ticks, $nr_served served" >>"$tmp/out"
	[ $nr_served = 20 ] && [ $used -lt $((2 * $(getconf CLK_TCK) / 2)) ] && load 4 500 20000 8
}

# Of 64 requests of a megabyte most wait for one of two workers longer than 1 ms.
deadlines()
{
	"$client" $port load 64 $late 1000000 8 1 >"$tmp/out" 2>"$tmp/err" &&
		awk -v all=$late '{ exit !($4 > 0 && $2 + $4 == all && $6 + $8 + $10 == 0) }' "$tmp/out"
}

# in_background CONNECTIONS REQUESTS BYTES AHEAD: starts the load, and waits until some requests
# are done
in_background()
{
	was=$(replies)
	"$client" $port load "$@" >"$tmp/load" 2>"$tmp/err" &
	load=$!
	until_true has_replies $((was + 100))
}

reloads()
{
	in_background 8 20000 20000 8 || return
	for i in 1 2 3 4 5 6 7 8 9 10; do
		reload $((4 + i)) 20000 $((1000 + i)) || return
	done
	echo nonsense >"$tmp/limits"
	reload_says 'stay as they were' && wait $load &&
		grep -qx 'ok 20000 late 0 refused 0 wrong 0 lost 0' "$tmp/load" &&
		"$client" $port refused 10 20000 && load 4 100 20000 8
}

# Wrong limits: none of them takes effect, and none stops the loop.
bad_limits()
{
	reload 5 20000 1001 || return
	for text in '' 'clients 5' 'clients 5 bytes 5 drain_ms 5 more' 'clients 5 bytes 5 drain_ms 5s' \
		'clients 0 bytes 5 drain_ms 5' 'clients -1 bytes 5 drain_ms 5' 'clients 5 bytes -5 drain_ms 5' \
		'clients 5 bytes 4294967297 drain_ms 5' 'clients 5 bytes 4294967295 drain_ms 5' \
		'clients 99999999999999999999 bytes 5 drain_ms 5' 'clients 5 bytes 5 drain_ms 4294967295' \
		'bytes 5 clients 5 drain_ms 5' "clients 5 bytes 5 drain_ms 5 $(printf '%300s')"; do
		printf '%s\n' "$text" >"$tmp/limits"
		reload_says 'stay as they were' || return
	done
	rm "$tmp/limits" && reload_says 'stay as they were' && mkfifo "$tmp/limits" &&
		reload_says 'stay as they were' && rm "$tmp/limits" && load 5 500 20000 8
}

# new_load: starts a load of one request, for which there is no place yet
new_load()
{
	in_back "$tmp/load" timeout 60 "$client" $port load 1 1 1000 1
	load=$!
	sleep 0.3
	[ ! -s "$tmp/load" ]
}

# A waiting client is accepted when the limit rises, though no client goes.
more_clients()
{
	reload 1 20000 1000 || return
	in_back "$tmp/half" "$client" $port half
	half=$!
	until_true grep -q there "$tmp/half" && new_load && reload 2 20000 1000 && wait $load
	status=$?
	kill $half
	wait $half
	return $status
}

# The very next client has the new limits; older clients keep theirs.
next_client()
{
	reload 3 1000 1000 && reload 3 5000 1000 && "$client" $port zeros 5000 >"$tmp/out" || return
	in_back "$tmp/half" "$client" $port half
	half=$!
	in_back "$tmp/later" "$client" $port later 5000
	later=$!
	until_true grep -q there "$tmp/half" && until_true has_stopped $later && reload 3 10 1000 &&
		! "$client" $port zeros 11 && reload 2 1000 1000 && new_load && reload 3 1000 1000 && wait $load
	status=$?
	kill -s CONT $later
	wait $later || status=1
	kill $half
	wait $half
	return $status
}

# Four clients send requests and go before their work has begun, while the work of all other
# clients is queued.
gone_clients()
{
	limits 64 4000000 1000
	begin 0 "$service" || return
	before=$(resident)
	"$client" $port held 60 4000000 >"$tmp/err" 2>&1 &
	held=$!
	until_true has_stopped $held
	rude=
	for i in 1 2 3 4; do
		"$client" $port rude 300 4000000 &
		rude="$rude $!"
	done
	sleep 0.3
	kill -s CONT $held
	wait $held && wait $rude
	lost=$?
	most=$(awk '/^VmHWM/ { print $2 }' /proc/$pid/status)
	echo "$before kB, then $most" >>"$tmp/err"
	end 0 0 && [ $lost = 0 ] && [ "$most" -le $((before + 64 * 4008192 / 1024 + 2500)) ]
}

# The load loses requests that were not read, and no reply is wrong.
drains()
{
	in_background 8 1000000 20000 8 && end 0 0
	status=$?
	wait $load
	[ $status = 0 ] && grep -q 'wrong 0' "$tmp/load"
}

stands_still()
{
	was=$(replies)
	sleep 0.3
	[ "$(replies)" = "$was" ]
}

# Ends at once, while one client takes no reply, and works of other clients may be running.
time_is_over()
{
	limits 1000 1048576 0
	begin 0 "$service" || return
	in_back "$tmp/mute" "$client" $port mute 0
	mute=$!
	until_true grep -q there "$tmp/mute" && until_true stands_still &&
		in_background 64 1000000 1000000 8 && end 1 '[1-9][0-9]*'
	status=$?
	kill $mute
	wait $mute $load
	return $status
}

# no_socket CONDITION: whether no line of /proc/net/tcp satisfies the awk CONDITION, in which `here`
# is the end of the service's address
no_socket() { awk -v here="$(printf ':%04X$' "$port")" "$1 { exit 1 }" /proc/net/tcp; }

# The service has accepted all connections, and read all that was sent.
all_is_read() { no_socket '$2 ~ here && $5 !~ /:00000000$/ || $3 ~ here && $5 !~ /^00000000:/'; }

# The kernel knows that each client has gone: no connection of the service is ESTABLISHED (1).
all_have_gone() { no_socket '$2 ~ here && $4 == "01"'; }

# The service finds all in one iteration: last bytes, clients that have gone, and a signal.
nobody_is_left()
{
	for i in 1 2 3 4 5; do
		limits 100 1000000 0
		begin 0 "$service" || return
		"$client" $port gone 30 1000000 &
		gone=$!
		until_true has_stopped $gone && until_true all_is_read || return
		kill -s STOP $pid
		kill -s CONT $gone
		wait $gone
		until_true all_have_gone || return
		kill $pid
		kill -s CONT $pid
		end 0 0 || return
	done
}

# The process that reads the port sends a signal at once, and then reads nothing more.
port_is_said()
{
	[ -p "$tmp/log" ] || mkfifo "$tmp/log"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		"$service" 0 2>"$tmp/log" &
		pid=$!
		read -r said <"$tmp/log"
		kill -s HUP $pid
		"$client" ${said#hashd: port } zeros 10 >"$tmp/out" 2>&1
		status=$?
		kill $pid
		wait $pid && [ $status = 0 ] || return
	done
}

answers() { "$client" $port zeros 10 >"$tmp/out" 2>&1; }

# A service without standard streams, on the port of the last service. Its messages are lost. They
# must not go to a client, whose connection could have the number of a missing stream.
no_streams()
{
	"$service" "$port" <&- >&- 2>&- &
	pid=$!
	until_true answers && kill -s HUP $pid && load 8 1000 20000 8
	status=$?
	streams=$(readlink /proc/$pid/fd/0 /proc/$pid/fd/1 /proc/$pid/fd/2 | sort -u)
	kill $pid
	wait $pid && [ $status = 0 ] && [ "$streams" = /dev/null ]
}

# The service says why it cannot begin; with status 127 the loader says why.
cannot_begin()
{
	for wanted in '' abc -1 70000 80x ' 80' 4294967377; do
		timeout 10 "$service" "$wanted" 2>"$tmp/says"
		[ $? = 2 ] && grep -q '^hashd: PORT: ' "$tmp/says" || return
	done
	for n in 5 6 7 8 9 10 11 12 13 14 15 16; do
		limits 1000 1000000 1000
		if begin 0 prlimit --nofile=$n: "$service"; then
			end 0 0 || return
		else
			wait $pid
			status=$?
			[ $status = 127 ] || { [ $status = 2 ] && grep -q '^hashd: .*: ' "$tmp/says"; } || return
		fi
	done
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

# No thread of the service runs for half a second: each has ended its work.
sleeps()
{
	was=$(switches)
	sleep 0.5
	[ "$(switches)" = "$was" ]
}

# Two clients are there, one with half a request, and all workers were busy before.
idle()
{
	load 8 500 20000 8 || return
	in_back "$tmp/half" "$client" $port half
	half=$!
	until_true grep -q there "$tmp/half" && until_true sleeps
	before=$(switches)
	sleep 5
	after=$(switches)
	kill $half
	wait $half
	echo "$before, then $after context switches" >>"$tmp/out"
	[ "$before" -gt 0 ] && [ "$before" = "$after" ] && load 8 500 20000 8 && [ "$(switches)" -gt "$after" ]
}

build_service clang "$nap" && build_service gcc "$nap"
check "hashd compiles"
limits 1000 1000000 60000
begin 0 "$service" && load 8 $many 65536 8
check "hashd: $many requests, each verified"
[ "$("$client" $port zeros 100000)" = "$(head -c 100000 /dev/zero | sha256sum)" ]
check "hashd: a digest is that of sha256sum"
"$client" $port refused 50 1000000 && load 4 100 20000 8
check "hashd: bytes that are no frame are refused, after the frames before them have their replies"
until_true has_canceled && load 4 500 20000 8
check "hashd: who has gone has its works canceled"
killed_clients
check "hashd: clients are killed, others lose nothing"
odd_clients
check "hashd: nor beside who does not read, or sends half of it"
half_closed
check "hashd: who closes a half of it is not waited for"
resets
check "hashd: nor who resets it, also while a reply is sent"
slow
check "hashd: who reads late gets each reply whole, and in order"
greedy_clients
check "hashd: memory is bounded, whatever a client sends"
no_descriptors
check "hashd: without descriptors it waits for one"
deadlines
check "hashd: late requests are told so"
idle
check "hashd: 5 s without a context switch"
reloads
check "hashd: other limits under load, and none from a file that is not good"
bad_limits
check "hashd: no limits from any such file"
more_clients
check "hashd: who waits is taken when the limits are others"
next_client
check "hashd: who comes next has other limits, who is there has not"
reload 1000 1000000 60000
drains
check "hashd: SIGTERM: what was read has its reply"
time_is_over
check "hashd: time is over: it says how many have none"
gone_clients
check "hashd: memory is bounded, whoever goes"
nobody_is_left
check "hashd: nor has who has gone any"
port_is_said
check "hashd: a signal as soon as it says its port, and a log that nobody reads"
is_killed && end 0 0
check "hashd: SIGKILL, and again on the same port"
no_streams
check "hashd: without standard streams"
cannot_begin
check "hashd: it says why it cannot begin"
