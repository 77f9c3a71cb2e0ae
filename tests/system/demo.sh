#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests nap-demo as a person would use it: right counts on real files, with many workers, with one,
# and with none (a seccomp filter answers EAGAIN to clone and clone3); errors that name what is
# wrong; Ctrl-C. KTAP.

build=${NAP_BUILD:-build}
demo=$build/nap-demo
noclone=$build/tests/system/noclone_main
. "$(dirname "$0")/check.inc"

run()
{
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
}

echo "TAP version 13"
echo "1..19"

mkdir -p "$tmp/tree/deep/er" "$tmp/empty"
printf 'one two two three three three\n' >"$tmp/tree/a"
printf 'three_x four4 four4 four4 four4' >"$tmp/tree/deep/b"
printf 'h\303\251 h\303\251 "quoted", (words)\n' >"$tmp/tree/deep/er/c"
printf 'a\000binary one\n' >"$tmp/tree/binary"
ln -s a "$tmp/tree/link"
ln -s . "$tmp/tree/loop"
mkfifo "$tmp/tree/fifo"

# Counts the same words with other tools: runs of letters, digits, underscore, bytes >= 0x80.
for file in "$tmp/tree/a" "$tmp/tree/deep/b" "$tmp/tree/deep/er/c"; do
	cat "$file"
	echo
done |	LC_ALL=C tr -c 'A-Za-z0-9_\200-\377' '\n' | grep -a . >"$tmp/words"
words=$(wc -l <"$tmp/words")
distinct=$(LC_ALL=C sort -u "$tmp/words" | wc -l)

run timeout 60 "$demo" words --workers 4 "$tmp/tree"
check "words exits 0 on a small tree"
grep -Eq "(^|[^0-9])4 files|files[^0-9]+4([^0-9]|\$)" "$tmp/out"
check "it counts 4 regular files and follows no link"
grep -Eiq "words[^0-9]+$words([^0-9]|\$)|(^|[^0-9])$words words" "$tmp/out"
check "it counts $words words, as tr and wc do"
grep -Eiq "distinct[^0-9]+$distinct([^0-9]|\$)|(^|[^0-9])$distinct distinct" "$tmp/out"
check "it counts $distinct distinct words, as sort does"
grep -Eq "four4" "$tmp/out"
check "it names the most frequent word"

run timeout 120 "$noclone" "$demo" words --workers 2 "$tmp/tree" && grep -Eiq "no worker" "$tmp/out" "$tmp/err" &&
	grep -Eiq "words[^0-9]+$words([^0-9]|\$)|(^|[^0-9])$words words" "$tmp/out"
check "with no worker it finishes, with right results, and says so"
run timeout 300 "$noclone" "$demo" sort 200000
check "with no worker sort finishes and is verified"

run timeout 60 "$demo" words --no-such-option "$tmp/tree"
[ $? -eq 2 ] && grep -q no-such-option "$tmp/err"
check "an unknown option is an error that names it"
run timeout 60 "$demo" words "$tmp/missing"
[ $? -eq 2 ] && grep -q "$tmp/missing" "$tmp/err"
check "a missing path is an error that names it"
run timeout 60 "$demo" words --workers 99999 "$tmp/tree"
[ $? -eq 2 ] && grep -q 99999 "$tmp/err"
check "a number out of range is an error that names it"

# A signal in the middle of the work, when its workers exist: nap-demo stops, prints how much is
# left to do, and exits with 128 + the signal. The work is 2,000 files of a megabyte, all except
# one of them links.
mkdir -p "$tmp/many/0"
awk 'BEGIN { for (i = 0; i < 70000; i++) print "word" i % 5000, i }' >"$tmp/many/0/0"
i=0
while [ $((i += 1)) -lt 40 ]; do ln "$tmp/many/0/0" "$tmp/many/0/$i"; done
i=0
while [ $((i += 1)) -lt 50 ]; do cp -rl "$tmp/many/0" "$tmp/many/$i"; done
interrupted()
{
	env --default-signal="$1" "$demo" words --workers 2 "$tmp/many" >"$tmp/out" 2>"$tmp/err" </dev/null &
	pid=$!
	tries=0
	while [ -d /proc/$pid ] && [ "$(ls /proc/$pid/task | wc -l)" -lt 3 ] && [ $tries -lt 600 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	signal_it "$1" $pid nap-demo
	wait $pid
	[ $? -eq "$2" ] && grep -Eq "stopped by SIG$1.*left: [0-9]" "$tmp/err"
}
interrupted INT 130
check "Ctrl-C stops it, it says what was left and exits 130"
interrupted TERM 143
check "so does SIGTERM, with 143"
rm -r "$tmp/many"

run timeout 60 "$demo" words "$tmp/empty"
check "an empty directory is no error"

LC_ALL=C sort "$tmp/words" | uniq -c | LC_ALL=C sort -k1,1nr -k2 | awk '{ print $1, $2 }' | head -10 >"$tmp/top"
run timeout 60 "$demo" words "$tmp/tree" &&
	awk '/^most frequent/ { on = 1; next } on && NF != 2 { exit } on { print $1, $2 }' "$tmp/out" |
	diff "$tmp/top" - >>"$tmp/err"
check "the ten most frequent words are those of sort and uniq, in order"
run timeout 60 "$demo" words "$tmp/tree" && grep -q "the results are equal" "$tmp/out"
check "it says that the results are equal"

# Unreadable files are counted, and named with -v (as root, with one capability dropped).
chmod 000 "$tmp/tree/a"
without=
[ "$(id -u)" != 0 ] || without='setpriv --bounding-set -dac_override,-dac_read_search'
run timeout 60 $without "$demo" words -v "$tmp/tree" && grep -q "1 more unreadable" "$tmp/out" &&
	grep -q "$tmp/tree/a" "$tmp/err"
check "an unreadable file is counted, and named with -v"
chmod 644 "$tmp/tree/a"

run timeout 120 "$demo" sort --workers 3 300000 && grep -Eiq "sorted|verified|right" "$tmp/out"
check "sort on three workers is verified"
run timeout 60 "$demo" --help && grep -q -- "--workers N" "$tmp/out" && grep -q -- "--stack KIB" "$tmp/out"
check "--help names the options"
timeout 60 "$demo" words "$tmp/tree" >/dev/full 2>"$tmp/err"
[ $? -eq 1 ] && [ -s "$tmp/err" ]
check "a full standard output is an error"
