#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the service of tools/example/ with AddressSanitizer and LeakSanitizer, and with
# ThreadSanitizer: no report, even with clients that leave early, and at the service's end. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/system/hashd/service.inc
client=$tmp/client

echo "TAP version 13"
echo "1..4"

# run COMMAND...: runs the service with every kind of client once, and ends it
run()
{
	limits 1000 300000 60000
	begin 0 "$@" && load 8 1000 65536 8 && load 32 100 300000 2 && "$client" $port leave 2 300000 &&
		"$client" $port refused 10 300000 && "$client" $port text 'GET /metrics HTTP/1.0' | grep -q '^nap_' || return
	in_back "$tmp/half" "$client" $port half
	half=$!
	"$client" $port load 8 1000000 100000 8 >/dev/null 2>&1 &
	killed=$!
	until_true grep -q there "$tmp/half" && load 4 200 20000 8
	status=$?
	kill -9 $killed
	kill -s HUP $pid
	until_true has_said 'those of the file' 2 && load 4 200 20000 8 && end 0 0 || status=1
	wait $half $killed
	[ $status = 0 ] && ! grep -q Sanitizer "$tmp/says"
}

# As run(), but the time for the end is over while there is work.
run_out()
{
	limits 1000 300000 0
	begin 0 "$@" || return
	"$client" $port load 64 1000000 300000 4 >/dev/null 2>&1 &
	load=$!
	until_true has_replies
	end '0 1' '[0-9]*'
	status=$?
	wait $load
	[ $status = 0 ] && ! grep -q Sanitizer "$tmp/says"
}
has_replies() { [ "$(counter 'hashd_replies{status="ok"}')" -ge 100 ]; }

build client gcc "$client_sources"
for sanitizer in address thread; do
	dir=${NAP_BUILD:-build}/system-hashd-$sanitizer
	${MAKE:-make} --no-print-directory B="$dir" ATOMICS=c11 SANITIZE=$sanitizer "$dir/libnap.a" >"$tmp/out" 2>&1
	before=
	[ $sanitizer = address ] || ! setarch -R true 2>/dev/null || before='setarch -R'
	build_service "gcc -fsanitize=$sanitizer" "$dir/libnap.a" && run $before "$service"
	check "hashd: $sanitizer"
	run_out $before "$service"
	check "hashd: $sanitizer, with no time to end"
done
