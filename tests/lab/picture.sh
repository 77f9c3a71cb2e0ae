#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests pictures (nap-litmus --svg, tools/picture/): they are well-formed, their boxes and labels do
# not overlap (picture.py), they show what is asked for, and they are the same bytes each time.
# KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
lab=$PWD/build/nap-litmus
brute=build/litmus/tests/brute

# draws DIRECTORY OPTIONS...: draws pictures there; fails if nap-litmus says something is wrong
draws()
{
	directory=$tmp/$1
	shift
	mkdir -p "$directory"
	$lab --quiet --svg="$directory" "$@" >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ]
}

# is_sound DIRECTORY NUMBER: whether DIRECTORY has at least NUMBER pictures, all well-formed and
# laid out well
is_sound()
{
	nr_pictures=$(ls "$tmp/$1" | wc -l)
	[ "$nr_pictures" -ge "$2" ] && xmllint --noout "$tmp/$1"/*.svg >"$tmp/out" 2>"$tmp/err" &&
		python3 tests/lab/picture.py "$tmp/$1"/*.svg >"$tmp/out" 2>"$tmp/err"
}

# has PICTURE PATTERN...: whether the picture has each of the patterns
has()
{
	picture=$tmp/$1
	shift
	for pattern; do
		grep -q -- "$pattern" "$picture" || { echo "$picture has no $pattern" >"$tmp/out"; return 1; }
	done
}

# edges PICTURE KIND: prints the edges of a kind, as from-to, on one line
edges()
{
	sed -n "s/.*class=\"nap-edge[^>]* data-edge=\"$2\" data-from=\"\\([^\"]*\\)\" data-to=\"\\([^\"]*\\)\".*/\\1-\\2/p" \
		"$tmp/$1" | sort | tr '\n' ' ' | sed 's/ $//'
}

echo "TAP version 13"
echo "1..22"

# ---- sound, whatever is drawn

draws gallery build/gallery tests/litmus && is_sound gallery 110
check "the gallery and tests/litmus: $nr_pictures pictures"
for model in armv8; do
	draws gallery-$model --model=$model tests/litmus && is_sound gallery-$model 19
	check "the same under $model: $nr_pictures pictures"
done
for model in tso rc11 lkmm; do
	mkdir "$tmp/random-$model"
	$brute $model 7 25 "$tmp/random-$model" >"$tmp/out" 2>"$tmp/err" &&
		draws of-random-$model --model=$model "$tmp/random-$model" && is_sound of-random-$model 20
	check "random programs under $model: $nr_pictures pictures"
done
cat >"$tmp/long.litmus" <<'END'
C long
{}
P0(int *a, int *b, int *c, int *d)
{
	WRITE_ONCE(*a, 1);
	smp_wmb();
	WRITE_ONCE(*b, 1);
	int r0 = READ_ONCE(*c);
	WRITE_ONCE(*d, r0);
	smp_mb();
	int r1 = READ_ONCE(*d);
	int r2 = READ_ONCE(*b);
}
P1(int *a, int *b, int *c, int *d)
{
	int r0 = smp_load_acquire(b);
	int r1 = READ_ONCE(*a);
	if (r1)
		WRITE_ONCE(*c, 1);
	smp_mb();
	int r2 = READ_ONCE(*d);
	WRITE_ONCE(*a, 2);
	smp_rmb();
	int r3 = READ_ONCE(*c);
}
P2(int *a, int *b, int *c, int *d)
{
	int r0 = xchg(c, 2);
	int r1 = READ_ONCE(*a);
	WRITE_ONCE(*b, 2);
	smp_wmb();
	WRITE_ONCE(*d, 3);
	smp_store_release(a, 3);
	int r2 = READ_ONCE(*b);
}
P3(int *a, int *b, int *c, int *d)
{
	int r0 = READ_ONCE(*d);
	smp_rmb();
	int r1 = READ_ONCE(*a);
	WRITE_ONCE(*c, 4);
	smp_mb();
	int r2 = READ_ONCE(*b);
	WRITE_ONCE(*d, r2 + 4);
	WRITE_ONCE(*a, 4);
}
exists (0:r0=4 /\ 1:r3=4 /\ 2:r1=4 /\ 3:r1=1 /\ 0:r2=2)
END
draws long "$tmp/long.litmus" && is_sound long 1
check "four threads of eight instructions"
printf 'C <odd> & "\303\244\377\001"\n{ x=0; }\nP0(int *x) { int r0 = READ_ONCE(*x); if (r0 < 1) { } }\nexists (0:r0=0)\n' \
	>"$tmp/odd.litmus"
draws odd "$tmp/odd.litmus" && is_sound odd 1 && grep -q '&lt;odd&gt;' "$tmp"/odd/*.svg
check "what XML has signs for, and bytes that are no text"

# ---- what is in them

draws again build/gallery tests/litmus && diff -r "$tmp/gallery" "$tmp/again" >"$tmp/out" 2>"$tmp/err"
check "the same bytes again"
[ "$(edges gallery/SB.lkmm.svg fr)" = 'b-c d-a' ] && [ "$(edges gallery/SB.lkmm.svg rf)" = 'init-b init-d' ] &&
	[ "$(edges gallery/SB.lkmm.svg po)" = 'a-b c-d' ] && ! grep -q 'class="nap-[a-z -]* nap-red"' "$tmp/gallery/SB.lkmm.svg" &&
	has gallery/SB.lkmm.svg '>Sometimes<' '>allowed: 0:r0=0; 1:r0=0;<'
check "Sometimes: the execution that shows it, nothing red"
has gallery/SB+mbs.lkmm.svg '>Never<' '>forbidden by propagation: a cycle<' '>pb: fr</text>' \
	'the cycle that propagation forbids' &&
	[ "$(grep -c 'class="nap-edge[^"]* nap-red"' "$tmp/gallery/SB+mbs.lkmm.svg")" -eq 6 ]
check "Never: the cycle in red, the parts of the model on it"
has gallery-armv8/parking-dekker+mbs.armv8.svg '>\[M\]; fenced(sy); \[M\]</text>' '>fre</text>'
check "a part of a model in its own words"
has gallery/SB.lkmm.svg '>exists (0:r0=0 /\\ 1:r0=0)<' '>WRITE_ONCE(\*x, 1)</text>' '>line 17</text>' '>P1</text>'
check "the question, the instructions, their lines, the threads"
has gallery/exclusives.armv8.svg 'nap-edge nap-rmw nap-red' '>LDXR W1,\[X0\]</text>' &&
	[ "$(edges gallery/exclusives.armv8.svg co)" = 'b-d' ]
check "exclusives: what atomicity forbids, and the order of writes"
draws fences --model=armv8 build/gallery/MP+wmb+po.litmus build/gallery/SB+wmbs.litmus build/gallery/SB+mb+po.litmus &&
	[ "$(edges fences/MP+wmb+po.armv8.svg fence)" = a-c ] && [ "$(edges fences/SB+wmbs.armv8.svg fence)" = '' ] &&
	[ "$(edges fences/SB+mb+po.armv8.svg fence)" = a-c ]
check "a fence's order is what the model makes of it"
draws dependencies build/gallery/MP+wmb+addr.litmus build/gallery/S+wmb+data.litmus build/gallery/LB+ctrls.litmus &&
	[ "$(edges dependencies/MP+wmb+addr.lkmm.svg addr)" = d-e ] &&
	[ "$(edges dependencies/S+wmb+data.lkmm.svg data)" = d-e ] &&
	[ "$(edges dependencies/LB+ctrls.lkmm.svg ctrl)" = 'a-b c-d' ]
check "dependencies"

# ---- nap-check's counterexamples

mkdir "$tmp/check"
for example in blocking_queue.c lazy.cc; do
	build/model/nap-check --quiet --svg="$tmp/check/$example.svg" -DSEEDED_FAULT tools/check/example/$example
done >"$tmp/out" 2>"$tmp/err"
is_sound check 2 && [ "$(edges check/lazy.cc.svg sync)" = '#1-#7' ] && [ "$(edges check/lazy.cc.svg rf)" = \
	'#5-#7 init-#2 init-#3 init-#4' ] && has check/lazy.cc.svg ' load made: heap+0x80 acquire</text>' '>lazy.cc:45:[0-9]*</text>'
check "those of two examples' seeded faults"
cat >"$tmp/long.c" <<'END'
#include <stdatomic.h>
#include <nap/check.h>
static atomic_int x, y;
static void counts(void *arg)
{
	(void)arg;
	for (int i = 0; i < 170; i++)
		atomic_fetch_add(&x, 1);
}
static void looks(void *arg)
{
	(void)arg;
	for (int i = 0; i < 170; i++) {
		atomic_fetch_add(&y, 1);
		CHECK(atomic_load(&x) < 170);
	}
}
CHECK_SCENARIO(longer, .threads = { { counts }, { looks } });
END
mkdir "$tmp/longer"
build/model/nap-check --quiet --random=50 --svg="$tmp/longer/1.svg" "$tmp/long.c" >"$tmp/out" 2>"$tmp/err"
is_sound longer 1 && has longer/1.svg '>the last 160 of [0-9]* events; the fault is at ' &&
	[ "$(grep -c 'class="nap-event' "$tmp/longer/1.svg")" -ge 160 ]
check "a counterexample of very many events: the last ones"

# ---- for screen readers, in dark mode, and without other files

has gallery/SB+mbs.lkmm.svg '<svg [^>]*role="img"' '<title id="nap-title">SB+mbs under lkmm: Never</title>' \
	'<desc id="nap-desc">exists (0:r0=0 /\\ 1:r0=0)\. forbidden by propagation' 'aria-labelledby="nap-title nap-desc"' \
	'Thread P0\. a: W x = 1, WRITE_ONCE(\*x, 1), line 16\.' 'In red, the cycle that propagation forbids: ' \
	'aria-label="a: W x = 1, WRITE_ONCE(\*x, 1), line 16"' 'pb: fr from c to d'
check "in words, for a screen reader"
has gallery/SB.lkmm.svg '@media screen and (prefers-color-scheme:dark)' &&
	! grep -qE '<script|@import|url\(|href|<image|@font-face' "$tmp"/gallery/*.svg &&
	[ "$(grep -o 'http[^"]*' "$tmp/gallery/SB.lkmm.svg")" = http://www.w3.org/2000/svg ]
check "light and dark, and nothing from elsewhere"
grep -h '^#include "' tools/picture/*.[ch] | grep -v '"picture/' >"$tmp/out"
[ ! -s "$tmp/out" ] && nm -u build/litmus/picture/*.o | awk 'NF == 2 { print $2 }' | sort -u >"$tmp/used" &&
	nm build/litmus/picture/*.o | awk '$2 ~ /^[A-Z]$/ { print $3 }' | sort -u | comm -23 "$tmp/used" - |
	grep -vE '^(calloc|free|fputs|fputc|putc|fwrite|fprintf|mem[a-z]+|str[a-z]+|__[a-z_]+|_GLOBAL_OFFSET_TABLE_)$' >"$tmp/out"
[ ! -s "$tmp/out" ]
check "tools/picture/ uses nothing but the C library"
! $lab --svg="$tmp/nowhere" build/gallery/SB.litmus >"$tmp/out" 2>&1 && grep -q 'No such file or directory' "$tmp/out"
check "a directory that is not there"

# ---- the checks of the layout find what they are for

# spoiled MESSAGE SED: whether picture.py prints MESSAGE for a picture that SED has spoiled
spoiled()
{
	sed "$2" "$tmp/gallery/SB+mbs.lkmm.svg" >"$tmp/spoiled.svg"
	! python3 tests/lab/picture.py "$tmp/spoiled.svg" >"$tmp/out" 2>"$tmp/err" && grep -q -- "$1" "$tmp/out"
}
y=$(sed -n 's/.*data-event="b".*nap-box" x="[0-9]*" y="\([0-9]*\)".*/\1/p' "$tmp/gallery/SB+mbs.lkmm.svg")
spoiled 'is on box' "/data-event=\"a\"/s/y=\"[0-9]*\"/y=\"$y\"/" &&
	spoiled 'label pb: fr is on' '/nap-label.*data-from="c"/s/\(nap-back" x=\)"[0-9]*" y="[0-9]*"/\1"40" y="60"/' &&
	spoiled 'is not within the view' 's/viewBox="0 0 [0-9]*/viewBox="0 0 100/' &&
	spoiled 'is not within its box' 's/>WRITE_ONCE(\*x, 1)</>WRITE_ONCE(*x, 1) WRITE_ONCE(*x, 1)</' &&
	spoiled 'goes through box' '/nap-edge.*data-from="c"/s/d="M[0-9]* [0-9]*/d="M30 160/' &&
	spoiled 'the legend has' 's/data-edge="rf"/data-edge="co"/' &&
	spoiled 'no cycle' 's/\(nap-edge.*\)data-from="c"/\1data-from="b"/'
check "a picture that is wrong is found: boxes, labels, texts, edges, the legend, the cycle"
