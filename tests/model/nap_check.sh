#!/bin/sh
# SPDX-License-Identifier: MIT
#
# nap-check as its user meets it: the example and its seeded fault, with both compilers; every kind of
# fault by its name; wrong use and undecided cases, which must differ from faults; a counterexample
# that is run again; and verdicts, which must not say more than what was explored. NAP_SHORT=1: clang's builds
# only of the first example, of accesses of two sizes, and of C++. KTAP.

check=${NAP_MODEL:-build/model}/nap-check
source=tests/model/user/faults.c
. "$(dirname "$0")/../system/check.inc"

# gives CODE TEXT COMMAND...: whether COMMAND exits with CODE, and prints TEXT, an extended
# regular expression
gives()
{
	code=$1 text=$2
	shift 2
	timeout 120 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	[ $? -eq "$code" ] && grep -Eq -- "$text" "$tmp/out" "$tmp/err"
}

# line_of FILE PATTERN: prints the number of FILE's line with PATTERN
line_of()
{
	grep -n -- "$2" "$1" | cut -d : -f 1
}

echo "TAP version 13"
compilers='gcc clang'
[ -z "${NAP_SHORT:-}" ] || compilers=gcc
echo "1..$((72 + 19 * $(echo $compilers | wc -w)))"

# ---- the example

example=tools/check/example
race_at=$(line_of $example/queue.c 'cell->item = item;')
for cc in gcc clang; do
	gives 0 '^ok .*: no fault$' "$check" --cc=$cc $example/queue_check.c $example/queue.c &&
		! grep -q '^not ok' "$tmp/out" && grep -q ', 0 not as expected, 0 undecided$' "$tmp/out"
	check "$cc: the example's scenarios pass"
	sed 's/ [0-9.]* s:/ s:/' "$tmp/out" >"$tmp/out-$cc"

	gives 1 '^# data race: write by .* and read by .* of queue' \
		"$check" --cc=$cc -DSEEDED_FAULT $example/queue_check.c $example/queue.c &&
		grep -q "queue\.c:$race_at\$" "$tmp/out"
	check "$cc: the seeded fault is found, and where: queue.c:$race_at"
done
diff "$tmp/out-gcc" "$tmp/out-clang" >"$tmp/out"
check "gcc's and clang's builds of the example have the same executions"

# ---- the other examples: each has no fault, and with its seeded fault the one named here

while read -r file fault; do
	for cc in $compilers; do
		gives 0 '^ok .*: no fault$' "$check" --cc=$cc $example/$file && ! grep -q '^not ok' "$tmp/out" &&
			gives 1 "^not ok .*: found: $fault" "$check" --cc=$cc -DSEEDED_FAULT $example/$file
		check "$cc: $file, and its seeded fault"
	done
done <<END_OF_LIST
seqlock.c assertion failed: .*: a == b
spsc_ring.c data race: read by T1 and write by T0 of slots
blocking_queue.c dead-lock: .* waits for ever
futex_lock.c dead-lock: .* waits for ever
lazy.cc use of memory whose allocation by .* does not happen before
END_OF_LIST

# ---- every kind of fault, by its name

race_at=$(line_of $source 'the race')
used_at=$(line_of $source 'the use')
crash_at=$(line_of $source 'the crash')
for cc in $compilers; do
	gives 1 '^TAP version' "$check" --cc=$cc --keep="$tmp/a b/$cc" -Wno-unused $source race
	check "$cc: --keep leaves the program, also below a name with a space"
	faults="$tmp/a b/$cc/check"

	gives 1 '^not ok 1 race rc11: .*: found: data race: write by T0 and read by T1 of data' "$faults" race &&
		grep -q "^#   second: tests/model/user/faults\.c:$race_at\$" "$tmp/out"
	check "$cc: a data race, with both places"
	gives 1 'found: .*faults\.c:[0-9]+: .*flag.* == 0' "$faults" assertion
	check "$cc: a failed CHECK, as file:line and condition"
	gives 1 'found: dead-lock: T0 waits for ever to be woken' "$faults" dead_lock
	check "$cc: a dead-lock"
	gives 1 'found: live-lock: T0 spins for ever' "$faults" live_lock
	check "$cc: a live-lock"
	gives 1 'found: use of freed memory: ' "$faults" use_after_free &&
		grep -q "faults\.c:$used_at\$" "$tmp/out"
	check "$cc: a use after free, and where"
	gives 1 'found: freed twice: ' "$faults" double_free
	check "$cc: a double free"
	gives 1 'found: access through NULL: 4 bytes at 0' "$faults" crash &&
		grep -q "faults\.c:$crash_at\$" "$tmp/out"
	check "$cc: a crash, and where"
	gives 0 '^ok 1 malloced rc11: 2 executions, .*: no fault$' "$faults" malloced
	check "$cc: memory from malloc is the program's, anew in every execution"

	gives 1 '^TAP version' "$check" --cc=$cc --keep="$tmp/stacks-$cc" -Wno-unused tests/model/user/stacks.c
	stacks=$tmp/stacks-$cc/check
	gives 1 '^not ok 1 stack_overflow rc11: .*: found: stack overflow: T1 has used up its stack, 2048 KiB' \
		"$stacks" stack_overflow && grep -Eq '^#   at tests/model/user/stacks\.c:[0-9]+$' "$tmp/out"
	check "$cc: a stack that is used up, whose, and where"
	gives 1 'found: stack overflow: T1 has used up its stack' "$stacks" stack_stepped_over
	check "$cc: also by one frame that is larger than a stack"
	gives 0 '^ok 1 large_frames rc11: 2 executions, .*: no fault$' "$stacks" large_frames
	check "$cc: a frame of 100 KiB is none"
	gives 0 '^ok 1 long_walk tso: 200 executions sampled, .*: no fault in this sample$' "$stacks" long_walk
	check "$cc: nor does the checker use it up, however long the execution"
	gives 0 '^ok 1 long_walk tso: 50 executions sampled, ' "$stacks" --samples=50 long_walk &&
		gives 0 '^ok 1 malloced rc11: 2 executions, .*: no fault$' "$faults" --samples=1 malloced
	check "$cc: --samples is how many at most, of what is sampled"
done

gives 0 '^ok 1 race_expected rc11: .*: found: data race' "$faults" race_expected
check "a fault that the scenario says is found is a success"
gives 1 '^not ok 1 other_expected rc11: .*: found: data race' "$faults" other_expected
check "another one than it says is not"
gives 1 '^not ok 1 none_is_there rc11: .*: not found: data race' "$faults" none_is_there
check "nor is finding none"

# ---- models

gives 1 '^ok 1 sb sc: 3 executions, .*: no fault$' "$faults" sb &&
	grep -Eq '^not ok 2 sb tso: .*: found: .*seen' "$tmp/out" &&
	grep -Eq '^not ok 3 sb rc11: .*: found: .*seen' "$tmp/out"
check "store buffering fails under tso and rc11, not under sc"
gives 0 '^ok 1 sb_exists sc: 3 executions, .*: forbidden$' "$faults" sb_exists &&
	grep -Eq '^ok 2 sb_exists tso: 4 executions, .*: allowed$' "$tmp/out" &&
	grep -Eq '^ok 3 sb_exists rc11: 4 executions, .*: allowed$' "$tmp/out"
check "as a litmus test it is forbidden under sc, allowed under tso and rc11"
gives 0 '^1\.\.1$' "$faults" --model=sc sb && grep -q '^ok 1 sb sc: ' "$tmp/out"
check "--model=sc is that one only"

# ---- threads that stop

printf '%s\n' 'stops 9' 'reader_stops 30' 'both_stop 22' >"$tmp/by-hand"
gives 0 '^ok 3 both_stop rc11: .*: no fault$' "$faults" stops reader_stops both_stop &&
	awk '/^ok / { print $3, $5 }' "$tmp/out" | diff "$tmp/by-hand" - >"$tmp/err"
check "a thread that may stop does so once at each of its operations and at its end, or not"
gives 0 '^ok 3 both_stop rc11: .*: no fault within' "$faults" --preemptions=99 --distinct stops reader_stops both_stop &&
	sed -n 's/^ok [0-9]* \([a-z_]*\) .* \([0-9]*\) distinct,.*/\1 \2/p' "$tmp/out" |
	diff "$tmp/by-hand" - >"$tmp/err"
check "all interleavings come to as many graphs"
gives 1 '^not ok 1 nobody_there rc11: .*: T2 may stop, and never does' "$faults" nobody_there
check "one that is to stop and is never there is no success"
gives 0 '^ok 1 stops rc11: 3 executions, ' "$faults" --may-stop=0 stops &&
	gives 0 '^ok 1 malloced rc11: 13 executions, ' "$faults" --may-stop=3 malloced
check "--may-stop is instead of what the scenario says"
gives 1 '^not ok 1 spins rc11: .*: found: live-lock: T1 spins for ever, T0 has stopped' "$faults" spins &&
	grep -Eq '^# .* stops for ever ' "$tmp/out"
check "who spins for what a stopped thread has is named, and so is that"
gives 1 '^not ok 1 waits rc11: .*: found: dead-lock: T1 waits for ever to be woken, T0 has stopped' "$faults" waits &&
	gives 0 '^ok 1 waits rc11: .*: no fault$' "$faults" --may-stop=2 waits
check "so is who sleeps; that a sleeper stops holds up nobody"
gives 1 '^# saved in ' "$faults" --trace="$tmp" waits && cp "$tmp/out" "$tmp/first" &&
	gives 1 'found: dead-lock' "$faults" --replay="$tmp/waits.rc11.trace" &&
	grep -v "^# .*scenarios,\|^# saved\|^not ok" "$tmp/first" >"$tmp/was" &&
	grep -v "^# .*scenarios,\|^not ok" "$tmp/out" | diff "$tmp/was" - >"$tmp/err"
check "--replay stops the thread where it has stopped"
gives 1 "^# saved in " "$faults" --may-stop=2 --trace="$tmp" spins &&
	gives 1 "found: live-lock: T0 spins for ever, T1 has stopped" "$faults" --replay="$tmp/spins.rc11.trace"
check "also one that only --may-stop has found"
gives 1 '^not ok 1 spins rc11: .*: found: live-lock: T. spins for ever, T. has stopped' "$faults" --random=500 --may-stop=3 spins
check "a sample has threads that stop, too"

# ---- explorations of a part of the executions, and undecided ones

for mode in --random=20 --preemptions=9; do
	gives 0 'sampled.*: no fault in this sample$|bounded.*: no fault within the bound$' \
		"$faults" $mode malloced && ! grep -Eq 'no fault$' "$tmp/out"
	check "$mode says so, and not just 'no fault'"
	gives 0 ': not met ' "$faults" $mode --model=sc sb_exists && ! grep -q forbidden "$tmp/out"
	check "$mode does not say 'forbidden'"
	gives 1 'found: data race' "$faults" $mode race
	check "$mode finds the data race"
done
gives 0 '^ok 1 sampled rc11: 9 executions sampled, .*: no fault in this sample$' "$faults" sampled bounded &&
	grep -Eq '^ok 2 bounded rc11: [0-9]+ executions bounded, .*: no fault within the bound$' "$tmp/out"
check "so does a scenario that is always explored like that"
gives 0 '^ok 1 sampled rc11: 2 executions, .*: no fault$' "$faults" --exhaustive sampled bounded &&
	grep -Eq '^ok 2 bounded rc11: 2 executions, .*: no fault$' "$tmp/out"
check "unless --exhaustive"
gives 0 '^ok .* full ' "$check" --without=retries $example/queue_check.c $example/queue.c handed_over full &&
	awk '/^ok / { print $3, $4, $5 }' "$tmp/out" >"$tmp/explored" &&
	gives 0 ' distinct, ' "$check" --preemptions=99 --distinct $example/queue_check.c $example/queue.c handed_over full &&
	sed -n 's/^ok [0-9]* \([a-z_]* [a-z0-9]*:\) .* \([0-9]*\) distinct,.*/\1 \2/p' "$tmp/out" |
	diff "$tmp/explored" - >"$tmp/err" && [ "$(wc -l <"$tmp/explored")" -eq 6 ]
check "all interleavings come to as many distinct graphs as there are executions"

gives 3 '^not ok 1 malloced rc11: 1 executions, .*: undecided: the bound on executions' \
	"$faults" --max-executions=1 malloced
check "--max-executions: undecided, exit status 3"
gives 3 '^not ok .*: undecided: .*check_yield\(\)' "$faults" no_yield
check "a loop that spins without saying so is undecided, and told what it lacks"

# ---- a counterexample is run again

mkdir "$tmp/traces"
gives 1 '^# saved in ' "$faults" --trace="$tmp/traces" race && cp "$tmp/out" "$tmp/first" &&
	gives 1 'found: data race' "$faults" --replay="$tmp/traces/race.rc11.trace" &&
	grep -v '^# saved' "$tmp/first" | sed 's/ [0-9.]* s:/ s:/' >"$tmp/was" &&
	sed 's/ [0-9.]* s:/ s:/' "$tmp/out" | diff "$tmp/was" - >"$tmp/err"
check "--replay repeats what --trace has saved, line by line"
gives 1 'found: ' "$faults" --trace="$tmp/traces" membarrier signal_fence &&
	gives 1 'found: .*seen' "$faults" --replay="$tmp/traces/signal_fence.rc11.trace"
check "also after a scenario that the replay leaves out"
for mode in --random=20 --preemptions=9; do
	gives 1 '^# saved in ' "$faults" $mode --model=tso --trace="$tmp/traces" sb &&
		gives 1 '^not ok 1 sb tso: .*found: .*seen' "$faults" --replay="$tmp/traces/sb.tso.trace"
	check "also one that $mode has found"
done

gives 0 ': no fault$' "$faults" --no-reuse comes_back &&
	gives 0 ': no fault$' "$faults" --compat=genmc comes_back
check "memory that is freed does not come back with --no-reuse, nor in another checker's programs"
for jobs in 1 2; do
	gives 1 '^# saved in ' "$faults" -j $jobs --trace="$tmp/traces" comes_back &&
		grep -q '^reuse$' "$tmp/traces/comes_back.rc11.trace" &&
		gives 1 '^not ok 1 comes_back rc11: .*: found: .*flag.* == before' \
			"$faults" --replay="$tmp/traces/comes_back.rc11.trace"
	check "else it does where a pointer is compared, and in the replay: -j $jobs"
done
gives 1 '^# saved in ' "$faults" --no-reuse --trace="$tmp/traces" race &&
	! grep -q '^reuse$' "$tmp/traces/race.rc11.trace"
check "a counterexample without it does not say so"

gives 1 "^# drawn in $tmp/first\.svg" "$faults" --svg="$tmp/first.svg" race assertion &&
	[ "$(grep -c '^# drawn in' "$tmp/out")" -eq 1 ] &&
	grep -q '<title id="nap-title">race under rc11: fault</title>' "$tmp/first.svg" &&
	grep -q 'data-event="#1" data-thread="T0"' "$tmp/first.svg" && grep -q ' the fault</text>' "$tmp/first.svg" &&
	grep -q '>data race: write by T0 and read by T1 of data</text>' "$tmp/first.svg"
check "--svg draws the first counterexample"
gives 2 "No such file or directory: $tmp/nowhere/first.svg" "$faults" --svg="$tmp/nowhere/first.svg"
check "where no picture could be drawn nothing is searched"

sed "2s/.*/of 1/" "$tmp/traces/race.rc11.trace" >"$tmp/traces/other" &&
	gives 2 "of another program" "$faults" --replay="$tmp/traces/other"
check "no execution of another program is run again"
gives 2 "No such file or directory: $tmp/nowhere" "$faults" --trace="$tmp/nowhere"
check "where no trace could be saved nothing is searched"
trace=$tmp/traces/race.rc11.trace
broken=$tmp/traces/broken
: >"$broken.1"
echo 'something else' >"$broken.2"
sed '$d' "$trace" >"$broken.3"
sed 's/ 4$/ 0/' "$trace" >"$broken.4"
sed '2s/.*/0 w/' "$trace" >"$broken.5"
(for i in 1 2 3 4 5; do
	gives 2 "broken\.$i:[0-9]+: not a counterexample" "$faults" --replay="$broken.$i" || exit 1
done)
check "a file that is no counterexample, or is cut short, is named with the line"
gives 2 'nowhere: No such file' "$faults" --replay="$tmp/nowhere"
check "so is one that is not there"
sed 's/ race / elsewhere /' "$trace" >"$broken.6"
gives 2 'no such scenario: elsewhere' "$faults" --replay="$broken.6"
check "and one of another program"

# ---- wrong use of the tool

gives 0 '^race  *a flag that publishes nothing$' "$check" --list $source &&
	[ "$(wc -l <"$tmp/out")" -eq "$(grep -c '^CHECK_SCENARIO' $source)" ]
check "--list names every scenario and its claim"
gives 2 '--no-such-option' "$check" --no-such-option $source && gives 2 'what is -z\?' "$check" -z a.c
check "an unknown option is an error that names it"
gives 2 'no such scenario: nothing' "$check" $source nothing
check "an unknown scenario is an error that names it"
gives 2 'there is no main\(\) to have an argument: word' "$check" $source -- word
check "arguments for scenarios are refused"
gives 2 'missing\.c: cannot be read' "$check" "$tmp/missing.c"
check "a missing file is an error that names it"
echo 'int x = ;' >"$tmp/bad.c"
gives 2 'bad\.c:1:' "$check" "$tmp/bad.c"
check "a file that does not compile: the compiler's words, and exit status 2"
cat >"$tmp/own.c" <<'END_OF_C'
int index(int at, int of);
static int place;

int main(void)
{
	place = index(1, 2);
	return place - 3;
}
END_OF_C
echo 'int index(int at, int of) { return at + of; }' >"$tmp/own_index.c"
gives 0 '^ok 1 main rc11: 1 executions, .*: no fault$' "$check" "$tmp/own.c" "$tmp/own_index.c"
check "a function of the program's is not taken for the library's of that name"
kept=${check%/*}/names-gcc
echo 'another libc' >"$kept"
gives 0 '^ok 1 main rc11: 1 executions, .*: no fault$' "$check" --cc=gcc "$tmp/own.c" "$tmp/own_index.c" &&
	head -n 1 "$kept" | grep -q '/libnapcheck\.so [0-9]* [0-9]* .*/libc\.so\.6 ' && [ "$(wc -l <"$kept")" -gt 999 ]
check "names that were kept of other libraries are read anew"
echo 'int x;' >"$tmp/none.c"
gives 4 'nothing was executed' "$check" "$tmp/none.c"
check "a program without a scenario is no success"
cat >"$tmp/idle.c" <<'END_OF_C'
#include <nap/check.h>

static void idle(void *arg)
{
}

CHECK_SCENARIO(idle, .threads = { { idle }, { idle } });
END_OF_C
gives 1 '^not ok 1 idle rc11: .*: nothing was executed' "$check" "$tmp/idle.c"
check "a scenario of which the checker sees no access is no success"

# ---- messages: what is undecided is shown, who waits is said with place and object, C++ is the user's

cat >"$tmp/sizes.c" <<'END_OF_C'
#include <pthread.h>
#include <stdint.h>

static union { uint64_t all; uint32_t half[2]; } word;

static void *run(void *arg)
{
	__atomic_store_n(&word.half[1], 1, __ATOMIC_RELAXED);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	return __atomic_load_n(&word.all, __ATOMIC_RELAXED) == 7;
}
END_OF_C
for cc in gcc clang; do
	gives 3 'undecided: atomic accesses of different sizes at one address: 8 bytes at word, 4 bytes at word\+0x4; use one size' \
		"$check" --cc=$cc "$tmp/sizes.c" && grep -q '^# undecided: atomic accesses of different sizes' "$tmp/out" &&
		grep -q '^#  *1  starts T1 .* sizes\.c:16$' "$tmp/out" && grep -q '^#   first:  sizes\.c:17$' "$tmp/out" &&
		grep -q '^#   second: sizes\.c:8$' "$tmp/out" && grep -q '^not ok .*, at sizes\.c:8$' "$tmp/out"
	check "$cc: accesses of two sizes are refused with both places, what to do, and the execution"
done
cat >"$tmp/long.c" <<'END_OF_C'
static _Atomic int n;

int main(void)
{
	for (;;)
		n++;
}
END_OF_C
gives 3 'undecided: .*, at long\.c:6$' "$check" "$tmp/long.c" &&
	grep -Eq '^#      \.\.\. [0-9]+ operations$' "$tmp/out" && [ "$(grep -c fetch_add "$tmp/out")" -eq 60 ]
check "of a long execution the end is shown"
cat >"$tmp/wide.c" <<'END_OF_C'
static struct { _Alignas(16) long a; long b; } pair;

int main(void)
{
	static __typeof__(pair) seen;

	__atomic_load(&pair, &seen, __ATOMIC_RELAXED);
	return 0;
}
END_OF_C
gives 3 'undecided: an atomic access of 16 bytes, .*, at wide\.c:7$' "$check" "$tmp/wide.c" -latomic
check "an access of two words is refused with its place"

cat >"$tmp/stuck.c" <<'END_OF_C'
#include <pthread.h>

static pthread_barrier_t gate;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&gate);
	return arg;
}

int main(void)
{
	pthread_t thread[2];

	pthread_barrier_init(&gate, NULL, 3);
	pthread_create(&thread[0], NULL, run, NULL);
	pthread_create(&thread[1], NULL, run, NULL);
	pthread_join(thread[0], NULL);
	return 0;
}
END_OF_C
gives 1 '^not ok .*found: dead-lock: main waits for ever for T[12] to end, at stuck\.c:20 ' "$check" "$tmp/stuck.c" &&
	grep -A 1 '^# dead-lock: T[12] waits for ever for others to come to the barrier gate$' "$tmp/out" |
	grep -q '^#   at stuck\.c:9$' &&
	grep -A 1 '^# dead-lock: T[12] waits for ever for the mutex lock$' "$tmp/out" | grep -q '^#   at stuck\.c:8$'
check "each thread that waits for ever is told of: where, and for what"

cat >"$tmp/user.cc" <<'END_OF_C'
#include <atomic>
#include <thread>
#include <vector>

namespace mine {
std::atomic<int> flag;
std::vector<int> list;
}

static void add(int n)
{
	mine::list.push_back(n);
}

int main()
{
	mine::list.reserve(8);
	std::thread t([] {
		add(1);
		mine::flag.store(1, std::memory_order_relaxed);
	});
	if (mine::flag.load(std::memory_order_relaxed))
		add(2);
	t.join();
}
END_OF_C
for cc in gcc clang; do
	gives 1 'found: data race: .* mine::list' "$check" --cc=$cc "$tmp/user.cc" &&
		grep -Eq '^# +[0-9]+ +store mine::flag = 1 relaxed +user\.cc:20$' "$tmp/out" &&
		grep -Eq '^# +[0-9]+ +load mine::flag: 1 relaxed <- #[0-9]+ +user\.cc:22$' "$tmp/out" &&
		grep -Eq '^#   first:  user\.cc:12:[0-9]+$' "$tmp/out" && grep -Eq '^#   second: user\.cc:12:[0-9]+$' "$tmp/out" &&
		! grep -q 'include/c++' "$tmp/out"
	check "$cc: in C++ the lines are the program's, not its library's, and calls have columns"
done

# ---- the checker's own end

cat >"$tmp/end.c" <<'END_OF_C'
#include <stdio.h>
#include <unistd.h>

static int n;

__attribute__((destructor)) static void bye(void)
{
	_exit(77);
}

int main(void)
{
	n++;
#ifdef BREAKS
	for (char *p = (char *)stdout; p < (char *)stdout + sizeof(FILE); p++)
		*p = -1;
#endif
	return 0;
}
END_OF_C
gives 2 'unrecognized option' "$check" --no-such-option "$tmp/end.c"
check "wrong use ends without the program's destructors"
gives 0 '^main ' "$check" --list "$tmp/end.c"
check "so does --list"
timeout 60 "$check" -DBREAKS "$tmp/end.c" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 4 ] && grep -q 'nap-check: main: Segmentation fault' "$tmp/err"
check "a crash within the checker's last words ends it"

printf '%s\n' 'typedef unsigned int size_t;' 'extern int sem_post(void *);' 'int main(void) { return sem_post(0); }' >"$tmp/narrow.i"
gives 2 'narrow\.i: preprocessed for a machine of 32 bits, whose locks' "$check" "$tmp/narrow.i" &&
	sed 's/return sem_post(0)/return 0/' "$tmp/narrow.i" >"$tmp/wide.i" &&
	gives 1 'nothing was executed' "$check" "$tmp/wide.i"
check "what was preprocessed for 32 bits is refused, if it has locks"

for i in $(seq 0 19); do
	printf 'static __thread int n;\nint count_%s(void);\nint count_%s(void) { return ++n; }\n' $i $i >"$tmp/count.c"
	gcc -shared -fPIC -o "$tmp/libcount$i.so" "$tmp/count.c" || exit 1
done
{
	echo '#include <assert.h>'
	echo '#include <pthread.h>'
	printf 'int count_%s(void);\n' $(seq 0 19)
	echo 'static void *run(void *unused)'
	echo '{'
	printf '	assert(count_%s() == 1);\n' $(seq 0 19)
	echo '	return unused;'
	echo '}'
	echo 'int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); run(0); pthread_join(t, 0); return 0; }'
} >"$tmp/local.c"
LD_LIBRARY_PATH=$tmp gives 0 '^ok .*: no fault$' "$check" "$tmp/local.c" -L"$tmp" $(seq -f -lcount%g 0 19)
check "thread-local variables of twenty libraries are each thread's own"

# Before sets of states had several ways, half of the runs lost a loop of this program.
"$check" --keep="$tmp/either" --random=1 tests/model/user/either.c >"$tmp/out" 2>&1
lost=0
for i in $(seq 12); do
	gives 0 '^ok 1 main rc11: 10 executions sampled, ' "$tmp/either/check" --turns=state --random=10 || lost=$((lost + 1))
done
[ $lost -eq 0 ]
check "loops are recognised, whatever addresses the system gives in 12 runs"

# ---- collections of programs

mkdir -p "$tmp/collection/svcomp"
cat >"$tmp/collection/races_ok.c" <<'END_OF_C'
#include <pthread.h>
static int n;
static void *run(void *arg) { n++; return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); n++; return 0; }
END_OF_C
printf 'extern void reach_error(void);\nstatic int n;\nint main(void) { n++; reach_error(); }\n' \
	>"$tmp/collection/reached_bad.c"
cp "$tmp/collection/races_ok.c" "$tmp/collection/svcomp/race.c"
printf "input_files: 'race.c'\nproperties:\n  - property_file: no-data-race.prp\n    expected_verdict: false\n" \
	>"$tmp/collection/svcomp/race.yml"
gives 0 '^  3 programs, 3 read, 0 refused, 0 undecided; 3 judged with a verdict of their own: 2 agree, 1 with a fault that it is not about, 0 differ' \
	sh tools/check/corpus.sh "$check" "$tmp/collection"
check "corpus.sh: programs come out as their collection says, or with a fault that is no matter of its verdict"
sed -i 's/false/true/' "$tmp/collection/svcomp/race.yml"
gives 1 '^  svcomp/race\.c: found: data race: .*; its own verdict is true$' sh tools/check/corpus.sh "$check" "$tmp/collection" &&
	grep -q ' 1 differ, 0 of these known$' "$tmp/out"
check "corpus.sh: a difference is told of, and a failure"
printf 'svcomp/race.c\tit is seeded\n' >"$tmp/known"
KNOWN=$tmp/known gives 0 '; its own verdict is true \(known: it is seeded\)$' sh tools/check/corpus.sh "$check" "$tmp/collection"
check "corpus.sh: unless it is known"
