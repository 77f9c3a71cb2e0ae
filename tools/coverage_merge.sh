#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Adds up the counts of processes without a libc (tests/coverage_bare.c), and puts the sums where
# gcov looks for them:
#
#	tools/coverage_merge.sh DIR
#
# DIR has a directory for each process. These directories are merged two at a time, because
# gcov-tool cannot merge more. The files of the last sum then go where their names say, with '#' for
# '/'. At the end DIR is empty.

set -u
cd "${1:?usage: tools/coverage_merge.sh DIR}" || exit 1

round=0
while set -- */ && [ $# -gt 1 ]; do
	round=$((round + 1))
	while [ $# -gt 1 ]; do
		gcov-tool merge -o "$round-${1%/}" "$1" "$2" || exit 1
		rm -r "$1" "$2"
		shift 2
	done
done
[ -e "$1" ] || { echo "no process has counted anything" >&2; exit 1; }
for file in "$1"*.gcda; do
	mv "$file" "$(basename "$file" | tr '#' '/')" || exit 1
done
rmdir "$1"
