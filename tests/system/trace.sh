#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that NAP_TRACE traces a program that knows nothing of it: which files there are, what they
# hold, and for which programs the variable has no effect. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
main=$tmp/main

# traced MODE [FILE]: runs the program with NAP_TRACE=$tmp/t, in an empty $tmp/here
traced()
{
	NAP_TRACE=$tmp/t "$main" "$@" >"$tmp/did" 2>"$tmp/err"
}

# holds FILE WHAT: whether "main read" prints WHAT for the file
holds()
{
	"$main" read "$1" >"$tmp/out" 2>&1 && [ "$(cat "$tmp/out")" = "$2" ]
}

anew()
{
	rm -f "$tmp"/t "$tmp"/t.* "$tmp"/target
}

echo "TAP version 13"
echo "1..24"
gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude -o "$main" tests/system/trace/main.c "$build/libnap.a" \
	-pthread ${NAP_LDFLAGS:-} >"$tmp/out" 2>&1
check "the program compiles"

"$main" join >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ] && ! ls "$tmp"/t* >/dev/null 2>&1
check "without the variable there is no file"
traced join && [ ! -s "$tmp/err" ] && holds "$tmp/t" 'whole 10' && [ "$(stat -c %a "$tmp/t")" = 600 ]
check "the join writes the file, for the user alone"
traced join && [ "$(wc -l <"$tmp/err")" = 1 ] && holds "$tmp/t" 'whole 10' && [ "$(cat "$tmp/err")" = \
	"nap: NAP_TRACE: this pool is not traced, because $tmp/t cannot be created: it is there already, and is not overwritten; remove it, or name another file" ]
check "a file that is there stays, one line says so, which and what to do, and the program goes on"
NAP_TRACE=$tmp/ "$main" join 2>"$tmp/err" >"$tmp/did" &&
	grep -q ': it is a directory; name a file in it$' "$tmp/err" &&
	NAP_TRACE=$tmp/$(printf '%0300d' 0) "$main" join 2>"$tmp/err" >"$tmp/did" &&
	grep -q ': its name is too long; name another file$' "$tmp/err"
check "so does one for a directory, and for a name that is too long"
anew
ln -s "$tmp/target" "$tmp/t"
traced join && grep -q '^nap: ' "$tmp/err" && [ ! -e "$tmp/target" ]
check "a symbolic link is not followed"
anew
traced exit && holds "$tmp/t" 'whole 10'
check "the exit writes the file of a pool that nobody has joined"
anew
traced _exit && [ -e "$tmp/t" ] && [ ! -s "$tmp/t" ]
check "_exit leaves it empty"
anew
traced two && holds "$tmp/t" 'whole 10' && holds "$tmp/t.2" 'whole 10' && [ "$(ls "$tmp"/t* | wc -l)" = 2 ]
check "a second pool has a file of its own"
anew
traced child && holds "$tmp/t" 'whole 10' && holds "$tmp/t.$(cat "$tmp/did")" 'whole 10' &&
	[ "$(ls "$tmp"/t* | wc -l)" = 2 ]
check "the child of a fork writes no file of its parent's, and one for its own pool"
anew
traced fork && holds "$tmp/t" 'whole 10' && [ "$(ls "$tmp"/t* | wc -l)" = 1 ]
check "nor does one that only exits"
anew
traced gone && holds "$tmp/t" 'whole 10'
check "nor does one in which the pool's memory is gone"
anew
traced late && holds "$tmp/t" 'whole 10'
check "a join after the exit's files adds nothing"
anew
NAP_TRACE=$tmp/t "$main" print >&- 2>"$tmp/err" && holds "$tmp/t" 'whole 10'
check "nor what the program prints without a standard output"
anew
rm -f "$tmp/own"
traced own "$tmp/own" && holds "$tmp/t" 'whole 20' && holds "$tmp/own" 'whole 20'
check "the program traces the same pool into a file of its own, which stays open"
anew
NAP_TRACE_EVENTS=64 traced join && holds "$tmp/t" 'whole 10' && [ "$(stat -c %s "$tmp/t")" -lt 20000 ]
check "NAP_TRACE_EVENTS is the size of the rings"
right=0
for events in 0 -1 12x 16777217; do
	anew
	NAP_TRACE_EVENTS=$events traced join && [ "$(grep -c NAP_TRACE_EVENTS "$tmp/err")" = 1 ] &&
		holds "$tmp/t" 'whole 10' && right=$((right + 1))
done
[ $right = 4 ]
check "a wrong number is one line, and the default"
anew
NAP_TRACE=/nowhere/t "$main" join >"$tmp/out" 2>"$tmp/err" &&
	[ "$(grep -c '^nap: NAP_TRACE.*/nowhere/t.*its directory is not there' "$tmp/err")" = 1 ]
check "so is a directory that is not there"
ln -s loop "$tmp/loop"
NAP_TRACE=$main/t "$main" join >"$tmp/out" 2>"$tmp/err" &&
	grep -q "$main/t cannot be created: its directory is not there; make it, or name another one\$" "$tmp/err" &&
	NAP_TRACE=$tmp/loop/t "$main" join >"$tmp/out" 2>"$tmp/err" &&
	grep -q "$tmp/loop/t cannot be created: errno 40\$" "$tmp/err" &&
	NAP_TRACE=$tmp/new/ "$main" join >"$tmp/out" 2>"$tmp/err" &&
	grep -q "$tmp/new/ cannot be created: it is a directory; name a file in it\$" "$tmp/err"
check "so is a directory that is a file, one for which there is no text but its number, and a directory"
# long N: a name of N bytes, in a directory that is not there
long()
{
	printf '/nowhere/%0*d' $(($1 - 9)) 0 | sed 's|00|x/|g'
}
NAP_TRACE=$(long 4063) "$main" join >"$tmp/out" 2>"$tmp/err" && grep -q ': its directory is not there' "$tmp/err" &&
	NAP_TRACE=$(long 4064) "$main" join >"$tmp/out" 2>"$tmp/err" &&
	[ "$(cat "$tmp/err")" = "nap: NAP_TRACE is too long a name" ]
check "a name that no buffer holds is one line, too"
anew
NAP_TRACE_EVENTS=1 traced join && [ ! -s "$tmp/err" ] && [ -s "$tmp/t" ]
check "the least number of events is no mistake"
anew
(ulimit -v 1000000 && NAP_TRACE_EVENTS=16777216 traced join) && [ "$(cat "$tmp/err")" = "nap: NAP_TRACE: no memory" ] &&
	[ ! -s "$tmp/t" ]
check "nor is the largest, for which there may be no memory"
anew
NAP_TRACE= "$main" join >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ]
check "an empty variable is none"
anew
cp "$main" "$tmp/privileged" && chown 65534 "$tmp/privileged" 2>/dev/null && chmod 4755 "$tmp/privileged" && chmod 777 "$tmp"
if [ "$(id -u)" != 0 ] || findmnt -no OPTIONS -T "$tmp" 2>/dev/null | grep -q nosuid; then
	nr=$((nr + 1))
	echo "ok $nr a set-user-ID program ignores it # SKIP not root, or no set-user-ID there"
else
	NAP_TRACE=$tmp/t "$tmp/privileged" join >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ] && [ ! -e "$tmp/t" ]
	check "a set-user-ID program ignores it"
fi
