#!/bin/sh
# SPDX-License-Identifier: MIT
#
# nap-check's page of a counterexample (--html), and a shorter counterexample (--minimise). KTAP.
# page.py tests what a page has to be, and xmllint, if it is there, that the page is well-formed.

check=${NAP_MODEL:-build/model}/nap-check
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
page=$tmp/page.html

# gives CODE TEXT COMMAND...: whether COMMAND exits with CODE, and prints TEXT, an extended
# regular expression
gives()
{
	code=$1 text=$2
	shift 2
	timeout 120 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	[ $? -eq "$code" ] && grep -Eq -- "$text" "$tmp/out" "$tmp/err"
}

# is_whole: whether $page is what a page has to be
is_whole()
{
	if python3 -c '' 2>/dev/null; then
		python3 -B tests/model/page.py "$page" >"$tmp/out" 2>&1 || return 1
	fi
	if command -v xmllint >/dev/null; then
		xmllint --noout "$page" >"$tmp/out" 2>&1 || return 1
	fi
	grep -q '^</html>$' "$page"
}

# explains CODE OPTION...: makes the page, which has to be whole
explains()
{
	rm -f "$page"
	gives 1 "^# explained in $page\$" "$check" --html="$page" "$@" && is_whole
}

# text: prints the page's text without the tags, in one line
text()
{
	sed -n '/<body>/,$p' "$page" | sed 's/<[^>]*>/ /g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' |
		tr -s ' \n' '  '
}

# says TEXT...: whether the page has each of these texts
says()
{
	text >"$tmp/text"
	for wanted; do
		grep -Fq -- "$wanted" "$tmp/text" || { echo "not in the page: $wanted" >"$tmp/out"; return 1; }
	done
}

echo "TAP version 13"
echo "1..21"

cat >"$tmp/message.c" <<'END_OF_C'
#include <stdatomic.h>
#include <nap/check.h>
static atomic_int flag;
static int data;
static void writer(void *arg)
{
	data = 42;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
}
static void reader(void *arg)
{
	if (atomic_load_explicit(&flag, memory_order_acquire))
		CHECK(data == 42);
}
CHECK_SCENARIO(message, .about = "a flag publishes", .threads = { { writer }, { reader } });
END_OF_C
explains "$tmp/message.c" && says 'message, under rc11' 'data race: write by T0 and read by T1 of data' \
	'First: T0 at message.c:7: write data = 42 ( p1 )' 'Second: T1 at message.c:13: read data: 42 ( p2 )' \
	'T1 has read #1 at #2 , but #1 is relaxed: it does not publish what T0 has done before.' \
	'With release at #1 the first would happen before the second.'
check "a race: its two accesses with their values, why they have no order, and which order would have made one"
[ "$(grep -c '^<tr id="p[12]" class="plain wrong">' "$page")" -eq 2 ] && [ "$(grep -c '^<tr id="f0l[0-9]*" class="wrong">' "$page")" -eq 2 ] &&
	grep -q '^<tr id="f0l7" class="wrong">.*<a class="t0" href="#p1">p1</a>.*<code>	data = 42;</code>' "$page" &&
	grep -q '^<tr id="p1".*<a href="#f0l7">message.c:7</a> <code>data = 42;</code>' "$page"
check "both are red, there and in the source, with links both ways"

cat >"$tmp/sb.c" <<'END_OF_C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int seen;

static void *left(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_release);
	seen = atomic_load_explicit(&y, memory_order_acquire);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, left, NULL);
	atomic_store_explicit(&y, 1, memory_order_release);
	int r = atomic_load_explicit(&x, memory_order_acquire);
	pthread_join(thread, NULL);
	assert(seen || r);
	return 0;
}
END_OF_C
explains "$tmp/sb.c" && says 'assertion failed' 'Why it may read this: #' 'has stored a newer x.' \
	'No order of running explains this: #' 'A seq_cst fence directly before each of #' 'would forbid this.'
check "store buffering: no order of running explains it, fences would forbid it"
sed 's/memory_order_release/memory_order_seq_cst/; s/memory_order_acquire/memory_order_seq_cst/' "$tmp/sb.c" >"$tmp/sc.c"
gives 0 ': no fault' "$check" "$tmp/sc.c"
check "with what is said to forbid it there is no fault"

cat >"$tmp/old.c" <<'END_OF_C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready, value;

static void *writer(void *arg)
{
	atomic_store_explicit(&value, -7, memory_order_relaxed);
	atomic_store_explicit(&ready, 1, RELEASE);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, writer, NULL);
	if (atomic_load_explicit(&ready, ACQUIRE))
		assert(atomic_load_explicit(&value, memory_order_relaxed) == -7);
	pthread_join(thread, NULL);
	return 0;
}
END_OF_C
r=-DRELEASE=memory_order_release a=-DACQUIRE=memory_order_acquire
explains "$r" -DACQUIRE=memory_order_relaxed "$tmp/old.c" && says 'store value = -7 relaxed' 'load value: 0 relaxed <- start' \
	'has stored a newer value.' 'it does not bring with it what' 'With acquire at #' 'this read would be forbidden.' &&
	explains "$a" -DRELEASE=memory_order_relaxed "$tmp/old.c" && says 'With release at #' 'this read would be forbidden.' &&
	explains -DACQUIRE=memory_order_relaxed -DRELEASE=memory_order_relaxed "$tmp/old.c" &&
	says 'With release at #' 'and acquire at #' 'this read would be forbidden.' &&
	gives 0 ': no fault' "$check" "$r" "$a" "$tmp/old.c"
check "an old value: the order that lacks is named, of the write, of the read, or of both"

cat >"$tmp/dead.c" <<'END_OF_C'
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *left(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, left, NULL);
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return pthread_join(thread, NULL);
}
END_OF_C
explains "$tmp/dead.c" && says 'main waits for ever for the mutex a, which T1 has taken at #' \
	'T1 waits for ever for the mutex b, which main has taken at #' 'and not given back.' \
	'So main waits for T1, and T1 waits for main: a circle, in which nobody can go on.' &&
	[ "$(grep -c '^<tr id="e[0-9]*" class="event wrong">' "$page")" -eq 2 ]
check "a dead-lock: who waits for what, who has it, and the circle"

cat >"$tmp/live.c" <<'END_OF_C'
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop;

static void *wait(void *arg)
{
	while (!atomic_load(&stop))
		;
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait, NULL);
	return pthread_join(thread, NULL);
}
END_OF_C
explains "$tmp/live.c" && says 'T1 spins for ever, last on stop: it reads what was there at the start, and no write will come.' \
	'main waits for ever for T1 to end.'
check "a live-lock: what is read again and again"

explains -DSEEDED_FAULT tools/check/example/futex_lock.c && says 'T1 waits for ever to be woken, at word; the last write there is #7 , by main.' \
	'dead-lock: main waits for ever for T1 to end ' && ! grep -Fq 'T0' "$tmp/text"
check "a futex: who sleeps, and who has written there last"

cat >"$tmp/free.c" <<'END_OF_C'
#include <pthread.h>
#include <stdlib.h>

static int *p;

static void *use(void *arg)
{
	*p = 3;
	return arg;
}

int main(void)
{
	pthread_t thread;

	p = malloc(sizeof(*p));
	*p = 1;
	pthread_create(&thread, NULL, use, NULL);
	free(p);
	return pthread_join(thread, NULL);
}
END_OF_C
explains "$tmp/free.c" && says 'use of freed memory' 'free heap+' 'Freed by main at free.c:19: free heap+' 'Allocated at free.c:16.' 'Used by T1 at free.c:8.' 'so the two can happen at the same time.'
check "memory that is used and freed: both, and that nothing orders them"

explains -DSEEDED_FAULT tools/check/example/lazy.cc && says 'use of memory whose allocation by main does not happen before' \
	'Allocated by main at' 'Used by T1 at' 'With release at #'
check "a C++ program, whose pointer is published too weakly"

explains -DSEEDED_FAULT tools/check/example/queue_check.c tools/check/example/queue.c handed_over &&
	says 'write items[0].payload = 42' 'write queue.cells[0].item = items' 'store queue.cells[0].turn = 1 relaxed' \
		'load queue.head: 0 relaxed'
check "members and elements have their names"

cat >"$tmp/copy.c" <<'END_OF_C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct three { long a, b, c; };
static struct three shared;
static atomic_int ready;

static void fill(struct three *p)
{
	p->a = 3;
	p->b = 5;
	p->c = 7;
}

static void *reader(void *arg)
{
	if (atomic_load(&ready))
		assert(__atomic_load_n(&shared.b, __ATOMIC_RELAXED) == 6);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	struct three own;

	pthread_create(&thread, NULL, reader, NULL);
	fill(&own);
	shared = own;
	atomic_store(&ready, 1);
	return pthread_join(thread, NULL);
}
END_OF_C
explains "$tmp/copy.c" && says 'store shared.b = 5 plain' 'write shared.c = 7' 'load shared.b: 5 relaxed'
check "a structure that is copied, with the values that the copy leaves"

mkdir -p "$tmp/a <b> & 'c"
printf '/* <script>alert("&amp;")</script> \377\300\200 \033 ]]> */\n' >"$tmp/a <b> & 'c/d\"<i>&.c"
sed 's/data = 42;/data = 42; \/* <b> \&lt; "q" *\//' "$tmp/message.c" >>"$tmp/a <b> & 'c/d\"<i>&.c"
cp "$tmp/a <b> & 'c/d\"<i>&.c" "$tmp/hostile.c"
explains "$tmp/hostile.c" && says 'data = 42; /* <b> &lt; "q" */' && ! grep -q '<b> &lt;\|<script' "$page"
check "what HTML gives a meaning to is text in the source"
printf '#line 1 "%s"\n' "$tmp/a <b> & c.c" | cat - "$tmp/message.c" >"$tmp/line.c"
cp "$tmp/message.c" "$tmp/a <b> & c.c"
explains "$tmp/line.c" && says 'a <b> & c.c' && ! grep -q '<caption>[^<]*<b>' "$page"
check "and in the name of a file"
printf '#line 1 "/nowhere/gone.c"\n' | cat - "$tmp/message.c" >"$tmp/line.c"
gives 1 '^# explained in' "$check" --html="$page" "$tmp/line.c" && says 'the file cannot be read' 'gone.c:7'
check "source that cannot be read is named"

rm -f "$page"
gives 2 "No such file or directory: $tmp/nowhere/a.html" "$check" --html="$tmp/nowhere/a.html" "$tmp/message.c" &&
	! grep -q '^not ok' "$tmp/out" && gives 2 "Is a directory: $tmp" "$check" --html="$tmp" "$tmp/message.c" &&
	! grep -q '^not ok' "$tmp/out" && gives 0 ': no fault' "$check" --html="$page" "$tmp/sc.c" && [ ! -e "$page" ]
check "where no page could be written nothing is searched; without a counterexample there is none"

# ---- shorter ones

cat >"$tmp/long.c" <<'END_OF_C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, other;

static void *busy(void *arg)
{
	for (int i = 0; i < 3; i++)
		atomic_fetch_add_explicit(&other, 1, memory_order_relaxed);
	return arg;
}

static void *writer(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_store_explicit(&other, 9, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t thread[2];

	pthread_create(&thread[0], NULL, busy, NULL);
	pthread_create(&thread[1], NULL, writer, NULL);
	atomic_load_explicit(&other, memory_order_relaxed);
	int r = atomic_load_explicit(&y, memory_order_relaxed);
	assert(!r || atomic_load_explicit(&x, memory_order_relaxed));
	pthread_join(thread[0], NULL);
	return 0;
}
END_OF_C
rows_of()
{
	sed -n 's/^# *\([0-9][0-9]*\)  .*/\1/p' "$tmp/out" | tail -n 1
}
gives 1 '^not ok 1 main rc11: .*found: assertion failed' "$check" --keep="$tmp/long" "$tmp/long.c" && was=$(rows_of) &&
	grep '^not ok' "$tmp/out" | sed 's/ [0-9.]* s: / s: /' >"$tmp/verdict" &&
	gives 1 '^# minimised: 7 events of 2 threads; the first that was found needed [0-9]* events of [23] threads; tried (all )?[0-9]* more executions?, [0-9]* with this fault$' \
		"$tmp/long/check" --turns=state --minimise --trace="$tmp" && [ "$(rows_of)" -eq 7 ] && [ "$was" -gt 7 ] &&
	grep '^not ok' "$tmp/out" | sed 's/ [0-9.]* s: / s: /' | diff "$tmp/verdict" - >"$tmp/err"
check "--minimise shows a shorter one, and the verdict is the same"
grep -v '^not ok\|^# saved' "$tmp/out" >"$tmp/one" && gives 1 '^# minimised' "$tmp/long/check" --turns=state --minimise &&
	grep -v '^not ok' "$tmp/out" | diff "$tmp/one" - >"$tmp/err"
check "each run finds the same"
gives 1 '^not ok 1 main rc11: .*found: assertion failed' "$tmp/long/check" --turns=state --replay="$tmp/main.rc11.trace" \
	--html="$page" && [ "$(rows_of)" -eq 7 ] && is_whole && ! grep -q '^# minimised' "$tmp/out"
check "it is saved, run again and explained"
gives 1 '^not ok' "$tmp/long/check" --turns=state --minimise=0 --html="$page" && [ "$(rows_of)" -eq "$was" ] &&
	! grep -q '^# minimised' "$tmp/out" && gives 2 'not a number: few' "$tmp/long/check" --minimise=few &&
	gives 2 'not with --all-faults' "$tmp/long/check" --minimise --all-faults
check "--minimise=0 does not; a number that is none is refused, and so is --all-faults"
gives 1 '^# minimised: .*; not searched on, in several processes$' "$tmp/long/check" --turns=yields -j2 --grain=0 --minimise
check "in several processes events are left out only"
