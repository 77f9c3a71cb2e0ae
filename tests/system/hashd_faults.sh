#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the service of tools/example/ when the k-th thread cannot be started, or the k-th mapping,
# the k-th eventfd or the k-th write to one fails, for every k that there is (strace). Either the
# service says at its start that it cannot run, or it serves: then only refused clients lose
# replies, no reply is wrong, and no client waits for ever. HASHD_FAULTS=n: the first n of each;
# of mappings, only those after the loader. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/system/hashd/service.inc
nap=${NAP_BUILD:-build}/libnap.a
client=$tmp/client
most=${HASHD_FAULTS:-1000}
only=

echo "TAP version 13"
if ! command -v strace >/dev/null; then
	echo "1..0 # SKIP needs package strace"
	exit 0
fi
if ! strace -o "$tmp/trace" true 2>"$tmp/err"; then
	echo "1..0 # SKIP processes may not be traced here (ptrace(2))"
	exit 0
fi
echo "1..5"

# serves: whether every request has a reply, and no reply is wrong
serves()
{
	timeout 60 "$client" $port load 4 100 200000 4 >"$tmp/out" 2>"$tmp/err"
	[ $? != 124 ] && grep -q 'wrong 0' "$tmp/out" || return
	grep -q '^ok 100 .* lost 0$' "$tmp/out" || grep -q '^ok.* refused [1-9]' "$tmp/out" || return
	# Only one call has failed: the next load has all its replies.
	load 4 50 20000 4 && end 0 0
}

# fault CALL ERROR WHEN: runs the service with the WHEN-th call failing
fault()
{
	limits 1000 1000000 10000
	# shellcheck disable=SC2086
	begin 0 strace -D -f -qq -o "$tmp/trace" $only -e trace="$1" -e signal=none -e inject="$1:error=$2:when=$3" "$service" &&
		serves && return
	if until_true has_ended; then
		# The service has said why, and has not crashed.
		wait $pid
		status=$?
		[ $status -lt 128 ] && [ $status != 0 ] && grep -q "^hashd: .*: " "$tmp/says" && return
		echo "exit status $status" >>"$tmp/says"
	fi
	cat "$tmp/says" >>"$tmp/err"
	cat "$tmp/out" >>"$tmp/err"
	echo "with $1 $3" >>"$tmp/err"
	kill -9 $pid 2>/dev/null
	return 1
}

# campaign CALL ERROR FIRST: lets one call of CALL fail with ERROR: in the first run call number
# FIRST, in each later run the next call, until a run makes fewer calls
campaign()
{
	k=$3
	while [ $k -lt $(($3 + most)) ]; do
		fault "$1" "$2" $k || return
		grep -q INJECTED "$tmp/trace" || break
		k=$((k + 1))
	done
	nr_faults=$((k - $3))
	[ $nr_faults -gt 0 ]
}

# Counts the calls of the loader, which may crash. The loader is done when it unmaps its cache.
count_of_loader()
{
	limits 1000 1000000 10000
	begin 0 strace -D -f -qq -o "$tmp/trace" -e trace=mmap,munmap -e signal=none "$service" && end 0 0
	of_loader=$(sed '/munmap/q' "$tmp/trace" | grep -c 'mmap(')
}

build client gcc "$client_sources"
check "the client compiles"
build_service gcc "$nap"
campaign clone3 EAGAIN 1
check "hashd: threads ($nr_faults)"
count_of_loader && campaign mmap ENOMEM $((of_loader + 1))
check "hashd: mappings ($nr_faults)"
campaign eventfd2 EMFILE 1
check "hashd: eventfds ($nr_faults)"
only='-P anon_inode:[eventfd]' campaign write EINTR 1
check "hashd: writes ($nr_faults)"
