#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A search that is ended and resumed later (--save, --resume) prints the same lines as a search that
# is not ended, except the seconds. Tested with each program of verdicts/ that is in C, ended about
# three times, by one process and by several (--grain=0: divided as often as can be). Arguments
# choose the texts of verdicts/. Tests then what else can end a search, and what can be wrong with
# the file. KTAP.

check=${NAP_MODEL:-build/model}/nap-check
programs=${NAP_MODEL:-build/model}/saved
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
. tests/model/programs.inc
cut_texts "$programs" "$@" || exit 1
set -- "$programs"/*.c
echo "TAP version 13"
echo "1..$(($# + 22))"

# in_steps STEP JOBS PROGRAM OPTION...: searches STEP executions at a time, now in 1 process and now
# in JOBS, until the search has ended for another reason than this bound
in_steps()
{
	step=$1 jobs=$2 searcher=$3 steps=0
	shift 3
	rm -f "$tmp/saved"
	for j in 1 $jobs $jobs 1 1 $jobs 1 1 $jobs $jobs 1 1; do
		resume=
		[ ! -e "$tmp/saved" ] || resume=--resume=$tmp/saved
		timeout 120 "$searcher" -j$j --grain=0 --save="$tmp/saved" $resume --max-executions=$step "$@" >"$tmp/last" 2>&1 </dev/null
		status=$?
		steps=$((steps + 1))
		grep -q 'undecided: the bound on executions' "$tmp/last" || return $status
	done
	echo "no end after $steps steps" >>"$tmp/last"
	return 9
}

# is_same FILE: whether the last search has printed the lines of FILE
is_same()
{
	plain "$1" >"$tmp/was" && plain "$tmp/last" | diff "$tmp/was" - >"$tmp/out" && [ -s "$tmp/was" ]
}

# third_of FILE: prints one more than a third of the number of graphs of the largest search in FILE
third_of()
{
	awk '/^(not )?ok / && match($0, /[0-9]+ executions/) {
			n = substr($0, RSTART) + 0
			if (match($0, /[0-9]+ blocked/))
				n += substr($0, RSTART) + 0
			if (match($0, /[0-9]+ with a fault/))
				n += substr($0, RSTART) + 0
			most = n > most ? n : most
		}
		END { print int(most / 3) + 1 }' "$1"
}

resumed=0
for file; do
	options=$(sed -n 's/^ \* options //p' "$file")
	arguments=$(sed -n 's/^ \* arguments //p' "$file")
	case " $options" in *" --sites"* | *" --pairs"* | *" --distinct"* | *" --random"* | *" --max"*)
		[ -s "$file" ]
		check "${file##*/}: is not saved"
		continue ;;
	esac
	eval "timeout 120 \"\$check\" --quiet \$options --keep=\"\$tmp/program\" \"\$file\" -- $arguments" >"$tmp/one" 2>&1 </dev/null
	was=$?
	if [ ! -x "$tmp/program/check" ] || ! grep -q '^ok\|^not ok' "$tmp/one"; then
		[ $was -ne 0 ]
		check "${file##*/}: is not run"
		rm -rf "$tmp/program"
		continue
	fi
	turns=
	case $options in *-O*) ;; *) turns=--turns=state ;; esac
	compat=$(echo " $options" | sed 's/ -[^- ][^ ]*//g')
	third=$(third_of "$tmp/one")
	eval "in_steps $third 3 \"\$tmp/program/check\" \$turns --quiet \$compat -- $arguments" </dev/null
	status=$?
	case $options in
	*--twice*) [ $status -eq $was ] ;;	# prints the first byte that differs, which depends on the order
	*) [ $status -eq $was ] && is_same "$tmp/one" ;;
	esac
	check "${file##*/}: in $steps steps"
	[ $steps -lt 2 ] || resumed=$((resumed + 1))
	rm -rf "$tmp/program"
done
[ $resumed -gt $(($# / 3)) ]
check "many were resumed: $resumed"

# ---- what ends a search

{ heavy; echo "CHECK_SCENARIO(short, .threads = { { first }, { second } });"; } >"$tmp/heavy.c"
"$check" --keep="$tmp/heavy" --list "$tmp/heavy.c" >"$tmp/out" 2>&1 &&
	"$check" --keep="$tmp/seeded" -DSEEDED_FAULT --list "$tmp/heavy.c" >"$tmp/out" 2>&1 || exit 1
heavy="$tmp/heavy/check --turns=state" seeded="$tmp/seeded/check --turns=state"

# whole OPTION...: prints what $program prints with these options when nothing ends it early
whole()
{
	timeout 120 $program "$@" >"$tmp/one" 2>&1 </dev/null
	was=$?
}

program=$heavy
whole --outcomes
in_steps 150 3 $heavy --outcomes && is_same "$tmp/one" && [ $steps -gt 4 ]
check "--outcomes, by one process and three by turns: all executions, once each, in $steps steps"
whole --preemptions=1
in_steps $(third_of "$tmp/one") 1 $heavy --preemptions=1 && is_same "$tmp/one" && [ $steps -gt 2 ]
check "so with a bound on preemptions, in $steps steps"
program=$seeded
whole --all-faults
in_steps 500 3 $seeded --all-faults
[ $? -eq 1 ] && is_same "$tmp/one" && [ $steps -gt 4 ]
check "--all-faults: each as often, in $steps steps"
whole
in_steps 60 2 $seeded
[ $? -eq 1 ] && is_same "$tmp/one" && [ $steps -gt 2 ]
check "the first fault is the same, in $steps steps"
timeout 120 $seeded --resume="$tmp/saved" >"$tmp/last" 2>&1
[ $? -eq 1 ] && is_same "$tmp/one"
check "a search that has come to its end prints the same again"

# end_by SIGNAL COMMAND...: has COMMAND, a search, ended by SIGNAL three times, each time when it
# has saved something new and has far to go; then lets it come to its end. Counts these ends in
# $ended, and in $said the ends that the search has reported.
end_by()
{
	signal=$1 ended=0 said=0 resume=
	shift
	rm -f "$tmp/saved"
	for round in 1 2 3; do
		before=$(cksum "$tmp/saved" 2>/dev/null)
		rm -f "$tmp/last"
		"$@" --save="$tmp/saved" --save-every=0 $resume >"$tmp/last" 2>&1 </dev/null &
		pid=$!
		while kill -0 $pid 2>/dev/null && [ "$(cksum "$tmp/saved" 2>/dev/null)" = "$before" ]; do
			sleep 0.1
		done
		kill -s $signal $pid 2>/dev/null && ended=$((ended + 1))
		wait $pid 2>/dev/null
		! grep -q 'undecided: a signal' "$tmp/last" || said=$((said + 1))
		resume=--resume=$tmp/saved
	done
	rm -f "$tmp/last"
	timeout 120 "$@" --save="$tmp/saved" $resume >"$tmp/last" 2>&1 </dev/null
}

# A fourth thread makes some 147,000 executions, which take a second or two.
sed 's/^THREAD(third.*/&\nTHREAD(fourth, b, a, c)/; s/{ last }/{ fourth }/' "$tmp/heavy.c" >"$tmp/long.c"
"$check" --keep="$tmp/long" --list "$tmp/long.c" >"$tmp/out" 2>&1 || exit 1
program="$tmp/long/check --turns=state"
whole --outcomes
end_by TERM $program --outcomes
[ $? -eq 0 ] && is_same "$tmp/one" && [ $said -eq 3 ]
check "SIGTERM leaves what is left: $said times"
end_by TERM $program --outcomes -j3
[ $? -eq 0 ] && is_same "$tmp/one" && [ $said -eq 3 ]
check "also of three processes: $said times"
end_by KILL $program --outcomes
[ $? -eq 0 ] && is_same "$tmp/one" && [ $ended -eq 3 ]
check "SIGKILL loses what was not yet saved, and no more: $ended times"
end_by KILL $program --outcomes -j3
[ $? -eq 0 ] && is_same "$tmp/one" && [ $ended -eq 3 ]
check "also of three processes: $ended times"

# Siblings stand for each other until an execution shows that one of them may write after a store of
# another thread. So the number of executions shows whether a resumed search still knows what it
# learnt of siblings.
cat >"$tmp/siblings.c" <<'END_OF_C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n, x, y;
static void *run(void *arg)
{
	atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return arg;
}
static void *store(void *arg)
{
	if (atomic_load_explicit(&x, memory_order_relaxed))
		atomic_store_explicit(&n, 5, memory_order_relaxed);
	atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);
	return arg;
}
int main(void)
{
	pthread_t threads[4];

	pthread_create(&threads[0], NULL, store, NULL);
	for (int i = 1; i < 4; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END_OF_C
"$check" --keep="$tmp/siblings" --list "$tmp/siblings.c" >"$tmp/out" 2>&1 || exit 1
program="$tmp/siblings/check --turns=state --symmetry"
whole
in_steps $(third_of "$tmp/one") 3 $program && is_same "$tmp/one" && [ $steps -gt 2 ]
check "--symmetry: what was learnt of siblings is saved, by one process and three by turns, in $steps steps"
end_by TERM $program
[ $? -eq 0 ] && is_same "$tmp/one" && [ $said -eq 3 ]
check "--symmetry: also where SIGTERM ends it: $said times"

# Of a loop that waits, what is left out depends on the executions before, so -j divides no such
# search. A resumed search knows this only from what was saved. Processes would have noted other
# states of the loops, mostly without another number of executions in the end.
cat >"$tmp/waits.c" <<'END_OF_C'
#include <nap/check.h>
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared;
static void look(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	CHECK(shared == 0 || shared == 1);
	pthread_rwlock_unlock(&lock);
}
static void change(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	shared++;
	pthread_rwlock_unlock(&lock);
}
CHECK_SCENARIO(readers, .threads = { { look }, { look }, { change } });
END_OF_C
"$check" --keep="$tmp/waits" --list "$tmp/waits.c" >"$tmp/out" 2>&1 || exit 1
program="$tmp/waits/check --turns=state"

# resumed_by JOBS: searches in two steps, the second one in JOBS processes, and prints what is saved
# then, without seconds, sizes and sums
resumed_by()
{
	rm -f "$tmp/saved"
	$program --save="$tmp/saved" --max-executions=100 >"$tmp/last" 2>&1
	$program -j$1 --grain=0 --save="$tmp/saved" --resume="$tmp/saved" --max-executions=100 >"$tmp/last" 2>&1
	grep -q 'undecided: the bound on executions' "$tmp/last" && sed '/^seconds /d; /^scenario /d; /^end /d' "$tmp/saved"
}

resumed_by 1 >"$tmp/one" && grep -q '^waits [1-9]' "$tmp/one" && grep -q '^path ' "$tmp/one" &&
	resumed_by 3 >"$tmp/three" && diff "$tmp/one" "$tmp/three" >"$tmp/out" && grep -q '^# in one process: a loop waits' "$tmp/last"
check "a loop that waits: resumed by three processes, it is searched by one, in the same order"

# ---- what can be wrong with the file

$heavy --save="$tmp/good" --max-executions=99 >"$tmp/out" 2>&1
cp "$tmp/good" "$tmp/first"

# refused TEXT PROGRAM OPTION...: whether the resumption is refused, by one line that has TEXT
refused()
{
	text=$1
	shift
	timeout 60 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	[ $? -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q -- "$text" "$tmp/err"
}

refused 'No such file' $heavy --resume="$tmp/none"
check "no file"
echo "int x;" >"$tmp/other" && refused 'not a search' $heavy --resume="$tmp/other" && : >"$tmp/empty" &&
	refused 'cut off' $heavy --resume="$tmp/empty" && refused 'not a file' $heavy --resume="$tmp"
check "a file that is something else, or empty, or a folder"
size=$(wc -c <"$tmp/good") wrong=0
for n in 1 10 19 40 70 100 200 300 $((size / 2)) $((size - 22)) $((size - 1)); do
	head -c $n "$tmp/good" >"$tmp/cut"
	refused 'cut off' $heavy --resume="$tmp/cut" || wrong=$((wrong + 1))
done
[ $wrong -eq 0 ]
check "one that is cut off, wherever"
wrong=0
for n in 20 50 90 120 200 300 $((size / 2)) $((size - 30)) $((size - 5)); do
	{ head -c $n "$tmp/good" && printf '\377' && tail -c +$((n + 2)) "$tmp/good"; } >"$tmp/bad"
	refused damaged $heavy --resume="$tmp/bad" || wrong=$((wrong + 1))
done
[ $wrong -eq 0 ] && [ "$(wc -c <"$tmp/bad")" -eq "$size" ]
check "one with another byte, wherever"
refused 'of another program' $seeded --resume="$tmp/good" && sed 's/memory_order_acquire/memory_order_relaxed/' \
	"$tmp/heavy.c" >"$tmp/changed.c" && "$check" --keep="$tmp/changed" --list "$tmp/changed.c" >"$tmp/list" 2>&1 &&
	refused 'of another program' "$tmp/changed/check" --turns=state --resume="$tmp/good" &&
	"$check" -O1 --keep="$tmp/changed" --list "$tmp/heavy.c" >"$tmp/list" 2>&1 &&
	refused 'of another program' "$tmp/changed/check" --turns=state --resume="$tmp/good"
check "one of another program, or compiled otherwise"
refused "saved with other options: '--turns=state', not '--turns=state --model=sc'" $heavy --model=sc --resume="$tmp/good" &&
	refused 'with other options' $heavy --all-faults --resume="$tmp/good" &&
	refused 'with other options' "$tmp/heavy/check" --resume="$tmp/good" && refused 'with other options' $heavy --resume="$tmp/good" heavy
check "one with other options, another model, other scenarios"
timeout 60 $heavy --save="$tmp/heavy.c" >"$tmp/out" 2>&1
[ $? -eq 2 ] && grep -q 'no saved search: ' "$tmp/out" && grep -q '^CHECK_SCENARIO' "$tmp/heavy.c" &&
	{ timeout 60 $heavy --save=/dev/null --max-executions=9 >"$tmp/out" 2>&1; [ $? -eq 2 ]; } && [ -c /dev/null ] &&
	{ timeout 60 $heavy --save="$tmp/s" --random=9 >"$tmp/out" 2>&1; [ $? -eq 2 ]; }
check "no other file is written over, and what cannot be saved is refused"
rm -rf "$tmp/good.new" && mkdir "$tmp/good.new" && cp "$tmp/good" "$tmp/before"
timeout 60 $heavy --save="$tmp/good" --resume="$tmp/good" --max-executions=9 >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'not saved: Is a directory' "$tmp/err" && cmp "$tmp/before" "$tmp/good" && rmdir "$tmp/good.new"
check "where a file cannot be written the older one stays as it was, and status 2 says so"
cat >"$tmp/full.sh" <<'END_OF_SH'
mount -t tmpfs -o size=20k none "$1/full" && cp "$1/good" "$1/full/saved" || exit 77
dd if=/dev/zero of="$1/full/fill" bs=1k count=11 2>/dev/null
$2 --outcomes --save="$1/full/outcomes" --max-executions=700
status=$?
ls "$1/full"
$2 --save="$1/full/saved" --resume="$1/full/saved" --max-executions=9
echo "$status, then $?"
cmp "$1/good" "$1/full/saved" && exit 5
exit 0
END_OF_SH
mkdir "$tmp/full"
timeout 120 unshare -rm sh "$tmp/full.sh" "$tmp" "$heavy" >"$tmp/out" 2>"$tmp/err"
status=$?
if [ $status -eq 77 ] || [ $status -eq 1 ]; then
	nr=$((nr + 1))
	echo "ok $nr where the disk is full nothing is lost # SKIP no file system can be mounted"
else
	[ $status -eq 0 ] && grep -q 'outcomes: not saved: No space left on device' "$tmp/err" && grep -q '^2, then 3$' "$tmp/out" &&
		! grep -q '^outcomes' "$tmp/out"
	check "where the disk is full nothing is lost, and a smaller file is written later"
fi
