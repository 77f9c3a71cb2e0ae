#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests `make install` and `make uninstall` with two libraries in one directory, with directories
# that end in a slash or go by way of .., and under a umask that lets no other user read. Nothing is
# compiled: empty files stand for the libraries. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CC

echo "TAP version 13"
echo "1..7"

umask 077
mkdir -p "$tmp/o/debug"
touch "$tmp/o/libnap.a" "$tmp/o/libnap.so.1" "$tmp/o/debug/libnap.a" "$tmp/o/debug/libnap.so.1"
headers=$tmp/dest/usr/include/nap

# make_here GOAL [OPTION]: makes the GOAL; the directories are written as people write them
make_here()
{
	${MAKE:-make} --no-print-directory O="$tmp/o" DESTDIR="$tmp/dest" PREFIX=/usr/ LIBDIR=/usr/lib/turn/../some/ "$@" >"$tmp/out" 2>&1
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
! grep -rF /turn "$tmp/dest" >"$tmp/out" && [ ! -e "$tmp/dest/usr/lib/turn" ] &&
	grep -qx libdir=/usr/lib/some "$tmp/dest/usr/lib/some/pkgconfig/nap.pc"
check "a directory that a path turns back from is neither made nor named"
mkdir "$tmp/bin" && printf '#!/bin/sh\necho "unrecognized option: $1" >&2\nexit 1\n' >"$tmp/bin/realpath" && chmod 755 "$tmp/bin/realpath"
! PATH=$tmp/bin:$PATH make_here install && grep -q 'realpath --relative-to gives no path' "$tmp/out"
check "a realpath that knows no relative paths ends the installation, which says so"
touch -d 2000-01-01 "$tmp/o/libnap.a" "$tmp/o/libnap.so.1"
! make_here install && grep -q 'is newer than' "$tmp/out"
check "a library that is older than its sources is not installed"
make_here uninstall && find "$tmp/dest" ! -type d >"$tmp/out" && [ ! -s "$tmp/out" ] && [ ! -e "$headers" ]
check "but removed: no file is left after the last of them"
