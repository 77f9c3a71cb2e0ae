#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the kernel's functions that nap-litmus reads: a thread calls some of them, and its final
# state is the same when nap-litmus judges the source and when it judges the compiled code. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
lab=build/nap-litmus

# calls PREFIX TYPE SUFFIX: prints a call of each function of the type with the suffix, a line each; @ is the object
calls()
{
	for name in add sub and or xor andnot; do
		printf '%s\n' "$1fetch_$name$3(3, @)" "$1${name}_return$3(5, @)"
	done
	for name in inc dec; do
		printf '%s\n' "$1fetch_$name$3(@)" "$1${name}_return$3(@)" "$1${name}_and_test$3(@)"
	done
	printf '%s\n' "$1sub_and_test$3(2, @)" "$1add_negative$3(-90, @)" "$1xchg$3(@, 7)" "$1cmpxchg$3(@, 7, 9)" \
		"$1cmpxchg$3(@, 7, 9)" "$1try_cmpxchg$3(@, &e, 4)" "$1try_cmpxchg$3(@, &e, 6)" "$1read(@)" "$1read_acquire(@)"
}

# loops PREFIX: prints a call of each function that repeats a compare-exchange until it succeeds
loops()
{
	printf '%s\n' "$1fetch_add_unless(@, 2, 5)" "$1fetch_add_unless_acquire(@, 2, 4)" "$1add_unless(@, 1, 50)" \
		"$1add_unless(@, 1, 5)" "$1inc_not_zero(@)"
}

# tests TYPE [N]: makes a test of every N (4) calls on standard input. With more calls in a test,
# registers would be saved on a stack.
tests()
{
	awk -v type="$1" -v most="${2:-4}" -v directory="$tmp/tests" '
		function end() {
			if (!nr)
				return
			file = directory "/" type "-" ++made ".litmus"
			printf "C %s-%d\n\n{ x=5; }\n\nP0(%s *x)\n{\n\tint e = 2;\n%s%s}\n\nlocations [x; 0:e%s]\nexists (x=1)\n", type, made, substr(type, 1, index(type "-", "-") - 1),
				declared, body, shown >file
			close(file)
			nr = 0
			declared = body = shown = ""
		}
		{
			gsub(/@/, "x")
			declared = declared "\tint r" nr ";\n"
			body = body "\tr" nr " = " $0 ";\n"
			shown = shown "; 0:r" nr
			if (++nr == most)
				end()
		}
		END { end() }'
}

# same TARGET: whether each test has the same final states as source and as compiled code
same()
{
	$lab --compare --model=lkmm --compile="$1" "$tmp/tests" >"$tmp/out" 2>"$tmp/err"
	[ ! -s "$tmp/err" ] && grep -q "^$nr_tests tests, 0 could not be read; $((2 * nr_tests)) judged:.*; 0 differ\$" "$tmp/out"
}

# agree TARGET MODEL TEST: whether the test has the same final states under the model as source and
# as compiled code
agree()
{
	$lab --csv --model="$2" --compile="$1" "$tmp/$3.litmus" >"$tmp/out" 2>"$tmp/err"
	[ "$(wc -l <"$tmp/out")" = 2 ] && [ "$(cut -d, -f3- "$tmp/out" | sort -u | wc -l)" = 1 ]
}

echo "TAP version 13"
echo "1..5"
mkdir "$tmp/tests"
calls atomic_ atomic_t '' | tests atomic_t
calls atomic_ int _acquire | tests int
calls atomic_long_ atomic_long_t _release | tests atomic_long_t
loops atomic_ | tests atomic_t-loops 1
printf '%s\n' 'atomic64_xchg_relaxed(@, 2)' 'atomic64_sub_return_relaxed(1, @)' | tests atomic64_t
printf '%s\n' 'xchg(@, 2)' 'cmpxchg_relaxed(@, 2, 3)' 'try_cmpxchg(@, &e, 6)' | tests long
nr_tests=$(ls "$tmp/tests" | wc -l)
[ "$nr_tests" -gt 25 ] && same gcc:x86_64
check "$nr_tests tests of the kernel's functions, by gcc for x86-64"
rm "$tmp"/tests/atomic_long_t* "$tmp"/tests/int*
nr_tests=$(ls "$tmp/tests" | wc -l)
same clang:aarch64+lse
check "$nr_tests of them by clang for AArch64"

# ---- arguments are evaluated once; functions that C11 has, too, keep C11's arguments

cat >"$tmp/once.litmus" <<'END'
C once
{ y=1; }
P0(atomic_t *x, int *y) { int r0; r0 = atomic_add_return(xchg_relaxed(y, 5), x); }
locations [x; y; 0:r0]
exists (0:r0=1 /\ x=1)
END
agree gcc:x86_64 lkmm once
check "an argument is taken once"
cat >"$tmp/c11.litmus" <<'END'
C c11
{}
P0(atomic_int *x) { int r0; r0 = atomic_fetch_add(x, 1); r0 = atomic_exchange(x, r0 + 7); }
locations [x; 0:r0]
exists (x=7 /\ 0:r0=1)
END
agree gcc:x86_64 rc11 c11
check "C11's atomic_fetch_add() has C11's arguments"
cat >"$tmp/wait.litmus" <<'END'
C wait
{}
P0(int *x, int *y) { int r0; while (!smp_load_acquire(x)) cpu_relax(); r0 = READ_ONCE(*y); }
P1(int *x, int *y) { WRITE_ONCE(*y, 1); smp_store_release(x, 1); }
exists (0:r0=0)
END
agree gcc:aarch64 lkmm wait
check "a loop that waits with cpu_relax()"
