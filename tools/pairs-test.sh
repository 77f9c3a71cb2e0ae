#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves that each rule of tools/pairs.sh can fail, on small trees. Called by pairs.sh --self-test.

pairs=$(realpath "$1")
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/queue" "$tree/Documentation"
nr=0

# expect NAME RULES: the rules that fail on the tree as it is, a space after each, are RULES
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

# The tree in which nothing is wrong; then one thing is changed.
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
	echo 'nap_load_acquire(x)' >"$tree/src/atomic.h"
	printf '``[R1]`` ring\n* ``[F1]``, ``[F2]`` fences; see ``[Z9]``\n' >"$tree/Documentation/ordering.rst"
}

# with FILE SED-SCRIPT: the good tree with one change
with()
{
	good
	sed -i "$2" "$tree/$1"
}

echo 'TAP version 13'
echo '1..14'
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
