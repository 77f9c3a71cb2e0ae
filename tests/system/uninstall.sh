#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests what `make install` and `make uninstall` do with two libraries in one directory, with directories that end in a
# slash, and under a umask that lets nobody else read. Nothing is compiled: empty files stand for the libraries. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CC

echo "TAP version 13"
echo "1..4"

umask 077
mkdir -p "$tmp/o/debug"
touch "$tmp/o/libnap.a" "$tmp/o/libnap.so.1" "$tmp/o/debug/libnap.a" "$tmp/o/debug/libnap.so.1"
headers=$tmp/dest/usr/include/nap

# make_here GOAL [OPTION]: with directories as people write them
make_here()
{
	${MAKE:-make} --no-print-directory O="$tmp/o" DESTDIR="$tmp/dest" PREFIX=/usr/ LIBDIR=/usr/lib/some/ "$@" >"$tmp/out" 2>&1
}

make_here install && make_here install DEBUG=1 && [ -e "$tmp/dest/usr/lib/some/pkgconfig/nap-debug.pc" ] &&
	find "$tmp/dest" '(' -type d ! -perm -o=rx -o ! -type l ! -perm -o=r ')' >"$tmp/out" && [ ! -s "$tmp/out" ]
check "everybody may read what is installed, whatever the umask is"
make_here uninstall && [ -e "$headers/nap.h" ] && [ ! -e "$tmp/dest/usr/lib/some/libnap.a" ] &&
	grep -q 'headers and manual stay' "$tmp/out"
check "the debug library alone keeps headers and manual"
make_here install && make_here uninstall DEBUG=1 && [ -e "$headers/nap.h" ] &&
	[ ! -e "$tmp/dest/usr/lib/some/libnap-debug.a" ] && grep -q 'headers and manual stay' "$tmp/out"
check "and so does the other alone"
make_here uninstall && find "$tmp/dest" ! -type d >"$tmp/out" && [ ! -s "$tmp/out" ] && [ ! -e "$headers" ]
check "no file is left after the last of them"
