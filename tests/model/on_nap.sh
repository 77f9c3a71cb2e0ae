#!/bin/sh
# SPDX-License-Identifier: MIT
#
# nap-check --nap, on the programs of on_nap/:
#
#	on_nap.sh			tests the specification: it finds the fault of each program in faults/,
#					and none when the program is built without the fault; each program in
#					outcomes/ comes to those outcomes that its first comment names and that
#					are not under "never"
#	on_nap.sh PROTOCOL...		tests the library, too: it has the same faults; and the specification
#					allows each outcome that the library has under a protocol
#
# The library is too large to be explored. It is run in the orders in which no thread is preempted,
# for ON_NAP_SECONDS (8), and in a sample of all orders. KTAP.

check=${NAP_MODEL:-build/model}/nap-check
programs=${NAP_MODEL:-build/model}/on_nap
seconds=${ON_NAP_SECONDS:-8}
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
rm -rf "$programs" && mkdir -p "$programs/faults" "$programs/outcomes" &&
	awk -v directory="$programs/faults" -f tools/cut.awk tests/model/on_nap/faults.programs &&
	awk -v directory="$programs/outcomes" -f tools/cut.awk tests/model/on_nap/outcomes.programs || exit 1
nr_faults=$(ls "$programs/faults" | grep -c 'c$')
nr_outcomes=$(ls "$programs/outcomes" | grep -c 'c$')
echo "TAP version 13"
echo "1..$((2 * nr_faults + nr_outcomes + 5 + $# * (nr_faults + nr_outcomes)))"

# said FILE WORD: what the first comment of the file says behind the word
said()
{
	sed -n "s/^ \* $2 //p" "$1"
}

# run OPTION...: checks, with its output in $tmp/out
run()
{
	timeout 120 "$check" --quiet "$@" >"$tmp/out" 2>&1 </dev/null
}

# found FILE: whether the fault of this program was found
found()
{
	grep -Eq "^not ok 1 main .*: found: .*($(said "$1" fault))" "$tmp/out"
}

for file in "$programs"/faults/*.c; do
	name=$(basename "$file" .c)
	run --nap=spec "$file"
	grep -q '^ok 1 main .*: no fault$' "$tmp/out"
	check "spec: $name: no fault"
	run --nap=spec -DFAULT "$file"
	found "$file"
	check "spec: $name: the fault is found"
	for protocol; do
		run --nap=$protocol -DFAULT --preemptions=0 --max-seconds=$seconds "$file"
		found "$file" || { run --nap=$protocol -DFAULT --random=300 "$file"; found "$file"; }
		check "$protocol: $name: the fault is found"
	done
done

# outcomes NAP FILE OPTIONS OPTIONS: prints those outcomes of the program that there are, with these options or those
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

# but LIST LIST: the first without the second
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

# ---- what is not there is said by its name

cat >"$tmp/other.c" <<'END'
#include <nap/nap.h>
static int body(size_t begin, size_t end, void *arg)
{
	(void)begin;
	(void)end;
	(void)arg;
	return 0;
}
static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .flags = FLAGS);
static void run(struct nap_task *task) { (void)task; }
static struct nap_task task = NAP_TASK_INIT(run);
int main(void)
{
#ifdef LOOP
	nap_for(&pool, 0, 3, body, NULL);
#endif
	(void)body;
	nap_schedule(&pool, &task);
	return nap_pool_join(&pool, NULL);
}
END
run --nap=spec -DFLAGS=0 -DLOOP "$tmp/other.c"
[ $? -eq 2 ] && grep -q '^nap-check: not in the specification of nap: nap_for$' "$tmp/out"
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
