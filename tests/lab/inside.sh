#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	inside.sh [N [SEED]]	What a machine does is within what its language allows: N (400) random
#				programs in the kernel's C, with locks, and in C11 (inside.py). No
#				enumerator judges a machine's model on C. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
nr_programs=${1:-400} seed=${2:-1}

# judge DIALECT MODEL...: draws programs of a dialect, and judges them by the models
judge()
{
	dialect=$1
	shift
	mkdir "$tmp/$dialect"
	python3 tests/lab/inside.py draw "$dialect" "$nr_programs" "$seed" "$tmp/$dialect" >"$tmp/out" 2>"$tmp/err" &&
		build/nap-litmus --csv "$@" "$tmp/$dialect" >"$tmp/$dialect.csv" 2>"$tmp/err" && [ ! -s "$tmp/err" ] &&
		[ "$(wc -l <"$tmp/$dialect.csv")" -eq $((nr_programs * $#)) ]
}

# inside DIALECT A B: whether B allows each state that A allows
inside()
{
	python3 tests/lab/inside.py compare "$tmp/$1.csv" "$2" "$3" >"$tmp/out" 2>"$tmp/err"
}

echo "TAP version 13"
if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP needs python3"
	exit 0
fi
echo "1..16"
judge kernel --model=sc --model=tso --model=armv8 --model=rvwmo --model=lkmm --model=lkmm61
check "the kernel's C: $nr_programs random programs, seed $seed"
for model in tso armv8 rvwmo lkmm lkmm61; do
	inside kernel sc $model
	check "the kernel's C: $(tail -n 1 "$tmp/out"), beside $model"
done
for model in tso armv8 rvwmo; do
	inside kernel $model lkmm
	check "the kernel's C: $(tail -n 1 "$tmp/out"), beside lkmm"
done
judge c11 --model=sc --model=tso --model=armv8 --model=rvwmo --model=rc11 --model=c20
check "C11: $nr_programs random programs, seed $seed"
inside c11 tso rc11
check "C11: $(tail -n 1 "$tmp/out"), beside rc11"
inside c11 rc11 c20
check "C11: $(tail -n 1 "$tmp/out"), beside c20"
for model in tso armv8 rvwmo; do
	inside c11 $model c20
	check "C11: $(tail -n 1 "$tmp/out"), beside c20"
done
! inside kernel lkmm sc && grep -q ': lkmm allows .* and sc does not$' "$tmp/out"
check "a model that allows more is told from it"
