#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves that each rule of tools/pairs.sh can fail, on small trees. Called by pairs.sh --self-test.

pairs=$(realpath "$1")
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/arch" "$tree/src/queue" "$tree/include/nap" "$tree/Documentation"
nr=0

# expect NAME RULES: whether exactly RULES fail on the tree as it is; RULES are names with a space
# after each
expect()
{
	nr=$((nr + 1))
	got=$(sh "$pairs" "$tree" | awk '/^not ok/ { printf "%s ", $3 }')
	if [ "$got" = "$2" ]; then
		echo "ok $nr $1"
	else
		echo "# rules that failed: $got, expected: $2"
		echo "not ok $nr $1"
	fi
}

# Makes the tree in which nothing is wrong.
good()
{
	cat >"$tree/src/queue/ring.h" <<-'END'
		/* nap_load_acquire(x) in a comment is no call. */
		static void push(void)
		{
			nap_store_release(&tail, 1); /* pairs with pop() [R1] */
			nap_store_relaxed(&x, "nap_load_acquire(");
			/*
			 * Pairs with pop() [R1],
			 * and with itself.
			 */
			if (!nap_cmpxchg_acq_rel(&head, &old,
						 new))
				nap__lock_acquire(&x);
		}
	END
	cat >"$tree/src/pool.c" <<-'END'
		static void pop(void)
		{
			/* the store-load pair [F1] and [R1, F2] */
			nap_fence_seq_cst();
			x = nap_load_acquire(&tail); // [R1]
			nap_fence_seq_cst(); /* [F1,F2] */
		}
	END
	cat >"$tree/include/nap/fork.h" <<-'END'
		/* __atomic_store_n(p, v, __ATOMIC_RELEASE) in a comment is no call. */
		static inline void fork(void)
		{
			__atomic_store_n(p, 1, __ATOMIC_RELEASE); /* [M1] */
			__atomic_signal_fence(__ATOMIC_SEQ_CST); /* [M2] */
			x = __atomic_load_n(&q, __ATOMIC_RELAXED);
		}
	END
	cat >"$tree/src/deque.h" <<-'END'
		static void force(void (*heavy)(void))
		{
			nap__os_membarrier_init();
			heavy(); /* [M2] */
			x = nap_load_acquire(p); /* [M1] */
		}
	END
	echo 'nap_load_acquire(x)' >"$tree/src/arch/atomic.h"
	printf '``[R1]`` ring\n* ``[F1]``, ``[F2]`` fences; see ``[Z9]``\n``[M1]`` ``[M2]`` forks\n' >"$tree/Documentation/ordering.rst"
}

# with FILE SED-SCRIPT: makes the good tree with one change
with()
{
	good
	sed -i "$2" "$tree/$1"
}

echo 'TAP version 13'
echo '1..20'
good
expect 'a good tree passes' ''
with src/pool.c 's,the store-load pair,&\n\n\n\n\n,; s,\[F1\] and,,'
sed -i 's,\[R1\, F2\],,' "$tree/src/pool.c"
expect 'a tag in no comment nearby' '1 2 '
with src/pool.c '/store-load/s,$,\n\n\n\n,'
expect 'a tag 5 lines above' '1 2 '
with src/pool.c '/store-load/s,$,\n\n\n,'
expect 'a tag 4 lines above' ''
with src/pool.c 's,\[F1\,F2\],[F1],'
expect 'a tag at one access' '2 '
with src/pool.c 's,nap_fence_seq_cst(),nap_load_acquire(\&x),'
expect 'a tag that only acquires' '3 '
with src/pool.c 's,nap_fence_seq_cst(),nap_store_release(\&x\, 1),'
expect 'a tag that only releases' '4 '
with Documentation/ordering.rst '/R1/d'
expect 'a tag that is not explained' '5 '
with Documentation/ordering.rst '$s,$,\n``[Q7]`` gone,'
expect 'an explanation of nothing' '6 '
good
rm "$tree/Documentation/ordering.rst"
expect 'no document' '5 '
good
echo 'y = nap_load_seq_cst(&y);' >>"$tree/src/queue/ring.h"
expect 'one more access without a tag' '1 '
good
echo 'y = nap_load_acquire(&tid); /* pairs with its clearing [kernel] */' >>"$tree/src/queue/ring.h"
expect 'one whose partner is the kernel' ''
good
printf '/* [kernel] */\n\n\n\n\ny = nap_load_acquire(&tid);\n' >>"$tree/src/pool.c"
expect 'one 5 lines below the word of the kernel' '1 '
good
printf '/* [kernel] */\ny = nap_load_acquire(&tid); /* [R9] */\n' >>"$tree/src/pool.c"
expect 'a tag beside the word of the kernel' '2 3 5 '
with include/nap/fork.h '/RELEASE/s,\[M1\],,'
expect 'a builtin in a public header without a tag' '1 2 3 '
with include/nap/fork.h 's,_RELEASE,_RELAXED,'
expect 'a builtin whose order is gone' '2 3 '
with include/nap/fork.h '/signal_fence/d'
expect 'a membarrier without a light side' '2 7 '
with src/deque.h 's,heavy(),light(),'
expect 'a light side without a membarrier' '2 7 '
with src/deque.h 's,heavy(),nap_fence_seq_cst(),'
expect 'a light side with a full fence only' '7 '
with src/deque.h 's,heavy(),nap__os_membarrier(),'
expect 'a membarrier by its name' ''
