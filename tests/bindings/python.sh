#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tools/bindings/python/nap.py in Python's development mode, where a warning is an error: futures, the ends
# of pools and of the interpreter, children of forks, functions of C. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1

echo "TAP version 13"
if ! python3 -c 'import ctypes, sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
	echo "1..0 # SKIP there is no python3 of 3.9 or later with ctypes (Debian: python3)"
	exit 0
fi
echo "1..8"
NAP_LIBRARY=$(realpath "$build")/libnap.so.1 WORKS=$tmp/works.so PYTHONPATH=tools/bindings/python
LD_LIBRARY_PATH=$(realpath "$build")
export NAP_LIBRARY WORKS PYTHONPATH LD_LIBRARY_PATH
cc=${CC:-gcc}
test=tests/bindings/python_test.py

$cc -shared -fPIC -O1 -Wall -Wextra -Werror -Iinclude -o "$WORKS" tests/bindings/works.c -L"$build" -lnap >"$tmp/out" 2>&1 &&
	$cc -Iinclude -o "$tmp/layout" tests/bindings/layout.c >>"$tmp/out" 2>&1 && "$tmp/layout" >"$tmp/want"
check "functions of C compile"
# nap.py declares only the first fields of struct nap_config.
python3 -B $test layout >"$tmp/have" 2>"$tmp/err" && [ "$(wc -l <"$tmp/have")" = 3 ] &&
	while read -r line; do grep -qE "^$line( [0-9 ]*)?$" "$tmp/want" || echo "$line"; done <"$tmp/have" >"$tmp/out" && [ ! -s "$tmp/out" ]
check "nap.py has the structures as the headers have them"
for class in Callables Ends Interpreter Forks Works; do
	timeout 300 python3 -X dev -W error -B $test $class >"$tmp/out" 2>&1
	check "$class ($(sed -n 's/^Ran \([0-9]* tests\).*/\1/p' "$tmp/out"))"
done
sha256sum README.md src/sched/*.c >"$tmp/want"
python3 -X dev -W error -B tools/bindings/python/example/sums.py README.md src/sched/*.c 2>"$tmp/err" | diff "$tmp/want" - >"$tmp/out" &&
	! python3 -B tools/bindings/python/example/sums.py /nowhere >"$tmp/out" 2>"$tmp/err" && grep -q 'No such file' "$tmp/err"
check "the example prints what sha256sum prints, and which file is not there"
