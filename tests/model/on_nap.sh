#!/bin/sh
# SPDX-License-Identifier: MIT
#
# nap-check --nap, on the programs of on_nap/:
#
#	on_nap.sh			tests the specification: nap-check finds the fault of each
#					program in faults/ and more/, and no fault when the
#					program is built without its fault; each program in
#					outcomes/ has the outcomes that its first comment lists
#					and that are not under "never"
#	on_nap.sh PROTOCOL...		tests the library, too: nap-check finds the faults of faults/; and the
#					specification allows each outcome that the library has under a protocol
#
# Most programs are too large to be explored with the library. So up to four searches look for a
# fault, each for ON_NAP_SECONDS (8): in all orders, in the orders in which no thread is preempted,
# and in two samples. KTAP.

check=${NAP_MODEL:-build/model}/nap-check
programs=${NAP_MODEL:-build/model}/on_nap
seconds=${ON_NAP_SECONDS:-8}
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
rm -rf "$programs" && mkdir -p "$programs/faults" "$programs/outcomes" &&
	awk -v directory="$programs/faults" -f tools/cut.awk tests/model/on_nap/faults.programs &&
	mkdir -p "$programs/more" &&
	awk -v directory="$programs/more" -f tools/cut.awk tests/model/on_nap/more.programs &&
	awk -v directory="$programs/outcomes" -f tools/cut.awk tests/model/on_nap/outcomes.programs || exit 1
nr_faults=$(ls "$programs/faults" | grep -c 'c$')
nr_more=$(ls "$programs/more" | grep -c 'c$')
nr_outcomes=$(ls "$programs/outcomes" | grep -c 'c$')
echo "TAP version 13"
echo "1..$((2 * nr_faults + 2 * nr_more + nr_outcomes + 8 + $# * (nr_faults + nr_outcomes)))"

# said FILE WORD: prints what the first comment of the file says behind the word
said()
{
	sed -n "s/^ \* $2 //p" "$1"
}

# run OPTION...: runs nap-check, whose output goes to $tmp/out
run()
{
	timeout 120 "$check" --quiet "$@" >"$tmp/out" 2>&1 </dev/null
}

# found FILE: whether the last run has found the fault of this program
found()
{
	grep -Eq "^not ok 1 main .*: found: .*($(said "$1" fault))" "$tmp/out"
}

# by_specification FILE: tests that nap-check finds the fault of FILE, and none without -DFAULT
by_specification()
{
	run --nap=spec "$1"
	grep -q '^ok 1 main .*: no fault$' "$tmp/out"
	check "spec: $(basename "$1" .c): no fault"
	run --nap=spec -DFAULT "$1"
	found "$1"
	check "spec: $(basename "$1" .c): the fault is found"
}

for file in "$programs"/more/*.c; do
	by_specification "$file"
done
for file in "$programs"/faults/*.c; do
	name=$(basename "$file" .c)
	by_specification "$file"
	for protocol; do
		run --nap=$protocol -DFAULT --max-seconds=$seconds "$file"
		for bound in --preemptions=0 --random=300 --random=3000; do
			found "$file" || run --nap=$protocol -DFAULT $bound --max-seconds=$seconds "$file"
		done
		found "$file"
		check "$protocol: $name: the fault is found"
	done
done

# outcomes NAP FILE OPTIONS MORE_OPTIONS: prints the outcomes that the search finds with OPTIONS or
# with MORE_OPTIONS
outcomes()
{
	of=$1 file=$2
	rm -rf "$tmp/kept"
	"$check" --keep="$tmp/kept" --quiet --nap=$of "$file" -- - >"$tmp/built" 2>&1 </dev/null
	for one in $(said "$file" outcomes); do
		"$tmp/kept/check" --turns=state --quiet $3 main -- $one >"$tmp/one" 2>&1 </dev/null
		grep -q ': found: ' "$tmp/one" || [ -z "$4" ] ||
			"$tmp/kept/check" --turns=state --quiet $4 main -- $one >"$tmp/one" 2>&1 </dev/null
		if grep -q ': found: the program ends with status 1 ' "$tmp/one"; then
			echo $one
		else
			grep -E ': found: |nap-check: ' "$tmp/one" | sed 's/ /_/g'
			[ $of != spec ] || grep -q ': no fault$' "$tmp/one" || echo undecided
		fi
	done | tr '\n' ' ' | sed 's/ $//'
}

# but LIST LIST: prints the words of the first list that are not in the second
but()
{
	for one in $1; do
		case " $2 " in *" $one "*) ;; *) echo $one ;; esac
	done | tr '\n' ' ' | sed 's/ $//'
}

for file in "$programs"/outcomes/*.c; do
	name=$(basename "$file" .c)
	allowed=$(outcomes spec "$file")
	echo "allowed: $allowed" >"$tmp/out"
	[ -n "$allowed" ] && [ "$allowed" = "$(but "$(said "$file" outcomes)" "$(said "$file" never)")" ]
	check "spec: $name: the outcomes are $allowed"
	for protocol; do
		has=$(outcomes $protocol "$file" "--preemptions=0 --max-seconds=$seconds" --random=300)
		echo "the library has: $has; the specification allows: $allowed" >"$tmp/out"
		[ -n "$has" ] && [ -z "$(but "$has" "$allowed")" ] &&
			[ -z "$(but "$(but "$allowed" "$has")" "$(said "$file" more)")" ]
		check "$protocol: $name: the outcomes are $has, and the specification allows more: $(but "$allowed" "$has")"
	done
done

# ---- a dead-lock is told by its circle: which thread waits for what, and which thread has that

run --nap=spec -DFAULT "$programs/faults/grep.c"
grep -Eq ': dead-lock: (T[0-9]) waits for ever for the group parts, below (T[0-9]) on its worker; \2 for the mutex output, which \1 has' "$tmp/out"
check "spec: a dead-lock is told by its circle"
cat >"$tmp/circle.c" <<'END'
#include <nap/nap.h>
#include <pthread.h>
static struct nap_mutex first = NAP_MUTEX_INIT, second = NAP_MUTEX_INIT;
static void *other(void *arg)
{
	nap_mutex_lock(&second);
	nap_mutex_lock(&first);
	nap_mutex_unlock(&first);
	nap_mutex_unlock(&second);
	return arg;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, other, NULL);
	nap_mutex_lock(&first);
	nap_mutex_lock(&second);
	nap_mutex_unlock(&second);
	nap_mutex_unlock(&first);
	return pthread_join(thread, NULL);
}
END
run --nap=spec "$tmp/circle.c"
grep -q ': dead-lock: main waits for ever for the mutex second, which T1 has; T1 for the mutex first, which main has' "$tmp/out"
check "spec: and so is one of two threads from outside"
cat >"$tmp/spins.c" <<'END'
#include <nap/nap.h>
static int never;
int main(void)
{
	while (!__atomic_load_n(&never, __ATOMIC_RELAXED))
		;
	return nap_deadline(0) == 0;
}
END
run --nap=spec "$tmp/spins.c"
grep -q ': live-lock: main spins for ever' "$tmp/out"
check "spec: a loop of the program that never ends is a live-lock"

# ---- what is not there is said by its name

cat >"$tmp/other.c" <<'END'
#include <nap/nap.h>
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .flags = FLAGS);
static void run(struct nap_task *task) { (void)task; }
static struct nap_task task = NAP_TASK_INIT(run);
int main(void)
{
#ifdef LOOP
	nap_for_2d(&pool, NULL, NULL, 0, 0, NULL, NULL);
#endif
	nap_schedule(&pool, &task);
	return nap_pool_join(&pool, NULL);
}
END
run --nap=spec -DFLAGS=0 -DLOOP "$tmp/other.c"
[ $? -eq 2 ] && grep -q '^nap-check: not in the specification of nap: nap_for_2d$' "$tmp/out"
check "a function that the specification has not is refused by its name"
run --nap=spec -DFLAGS=NAP_NO_WORKERS "$tmp/other.c"
grep -q ': found: the specification has no .*NAP_NO_WORKERS' "$tmp/out"
check "and so is a flag"
run --nap=rust -DFLAGS=0 "$tmp/other.c"
[ $? -eq 2 ] && grep -q '^nap-check: --nap=rust: not there .*; there is: .*spec' "$tmp/out"
check "another name than these is refused"
run --nap=spec --nap-workers=99 -DFLAGS=0 "$tmp/other.c"
[ $? -eq 2 ] && grep -q '^nap-check: --nap-workers=99: a number from 0 to 16$' "$tmp/out"
check "too many workers are refused"
run --nap=spec -DFLAGS=0 "$tmp/other.c"
grep -q '^ok 1 main .*: no fault$' "$tmp/out"
check "the same program without these is checked"
