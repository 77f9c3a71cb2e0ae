#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the examples that run on several machines, tools/example/mpi_*.c, with ranks on this one:
# what 1, 2 and 4 ranks write is what sort(1) and uniq(1) write. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}

# By default Open MPI refuses root, more ranks than CPUs, and a host name that it does not find.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_oob_tcp_if_include=lo

echo "TAP version 13"
echo "1..21"

if ! command -v mpicc >/dev/null || ! command -v mpirun >/dev/null; then
	for i in $(seq 21); do
		echo "ok $i # SKIP there is no Open MPI (libopenmpi-dev, openmpi-bin)"
	done
	exit 0
fi

for name in mpi_sort mpi_histogram; do
	OMPI_CC=clang mpicc -O2 -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$tmp/$name" "tools/example/$name.c" \
		"$build/libnap.a" -pthread -lm >"$tmp/out" 2>"$tmp/err" &&
	OMPI_CC=gcc mpicc -O2 -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$tmp/$name" "tools/example/$name.c" \
		"$build/libnap.a" -pthread -lm >"$tmp/out" 2>"$tmp/err"
	check "$name compiles"
done

# run RANKS PROGRAM ARGUMENT...: runs the program with RANKS ranks; its output is in $tmp/out and
# $tmp/err
run()
{
	ranks=$1 program=$2
	shift 2
	timeout 120 mpirun -n "$ranks" --bind-to none "$tmp/$program" "$@" >"$tmp/out" 2>"$tmp/err"
}

# bytes N: prints N bytes as octal escapes, the same on each machine; one byte in five is a 7
bytes()
{
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++) {
			x = (x * 16807 + 12345) % 2147483647
			printf "\\%03o", x % 5 ? int(x / 128) % 256 : 7
		}
	}'
}
for size in 0 8 24 1200000; do
	# shellcheck disable=SC2059 # the format is what is to be written
	printf "$(bytes $size)" >"$tmp/$size"
	od -An -v -tu8 -w8 "$tmp/$size" | tr -d ' ' | sort -n >"$tmp/sorted"
	od -An -v -tu2 -w2 "$tmp/$size" | sort -n | uniq -c | awk '{ print $2, $1 }' >"$tmp/counted"
	for ranks in 1 2 4; do
		echo before >"$tmp/numbers"
		run $ranks mpi_sort "$tmp/$size" "$tmp/numbers" &&
			od -An -v -tu8 -w8 "$tmp/numbers" | tr -d ' ' | cmp - "$tmp/sorted" >"$tmp/out" &&
			run $ranks mpi_histogram "$tmp/$size" && cmp "$tmp/out" "$tmp/counted" >"$tmp/err"
		check "$size bytes, $ranks ranks: sorted and counted as by sort(1) and uniq(1)"
	done
done

# refused WORD PROGRAM ARGUMENT...: whether the run fails, with WORD in its message
refused()
{
	word=$1
	shift
	run 2 "$@"
	[ $? -ne 0 ] && grep -q "$word" "$tmp/err"
}
printf '123456789' >"$tmp/odd"
refused 'odd: the size is no multiple of 8 bytes' mpi_sort "$tmp/odd" "$tmp/numbers"
check "mpi_sort: a size that is no multiple of 8"
refused 'odd: an odd number of bytes' mpi_histogram "$tmp/odd"
check "mpi_histogram: an odd size"
refused 'none: No such file' mpi_sort "$tmp/none" "$tmp/numbers" && refused 'none: No such file' mpi_histogram "$tmp/none"
check "a file that is not there"
refused 'no/numbers: No such file' mpi_sort "$tmp/24" "$tmp/no/numbers"
check "mpi_sort: a place that cannot be written"
echo kept >"$tmp/numbers"
refused 'none: No such file' mpi_sort "$tmp/none" "$tmp/numbers" && [ "$(cat "$tmp/numbers")" = kept ]
check "mpi_sort: what the target has stays, if the numbers cannot be read"
refused '^usage: mpirun mpi_sort NUMBERS SORTED' mpi_sort && refused '^usage: mpirun mpi_histogram NUMBERS' mpi_histogram
check "no arguments"
timeout 120 mpirun -n 1 --bind-to core "$tmp/mpi_sort" "$tmp/24" "$tmp/numbers" >"$tmp/out" 2>"$tmp/err" &&
	grep -q ', 1 CPUs in the first;' "$tmp/out"
check "a rank that mpirun binds to one CPU has a pool for one"
