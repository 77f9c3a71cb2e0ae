#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests `make dist` and `make deb`: another path, umask or time of day makes the same bytes; lintian
# has no complaint; the packages' own test passes on the files in them; HOST= makes a library for
# another machine; each file has its licence (reuse). KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CC
export DEBEMAIL=nap@debian.test DEBFULLNAME='nap packager'

echo "TAP version 13"
if ! git rev-parse --git-dir >/dev/null 2>&1 || ! command -v dh >/dev/null || ! command -v lintian >/dev/null; then
	echo "1..0 # SKIP no clone, or no debhelper and lintian"
	exit 0
fi
echo "1..9"

# make_in DIRECTORY ARGUMENT...: runs make, which builds in DIRECTORY
make_in()
{
	into=$1
	shift
	${MAKE:-make} --no-print-directory O="$into" "$@" >"$tmp/out" 2>&1
}
make_in "$tmp/one" dist && cp "$tmp"/one/nap-*.tar.gz "$tmp/first.tar.gz" && sleep 1 && make_in "$tmp/one" dist &&
	cmp "$tmp/first.tar.gz" "$tmp"/one/nap-*.tar.gz
check "make dist makes the same archive twice"
! (unset DEBEMAIL && make_in "$tmp/one" deb) && grep -q 'DEBEMAIL=address' "$tmp/out"
check "make deb asks who answers for the packages"
make_in "$tmp/one" deb && ls "$tmp/one/deb" >"$tmp/names" &&
	[ "$(sed 's/_.*//' "$tmp/names" | sort -u | tr '\n' ' ')" = "build.log libnap-dev libnap1 libnap1-dbgsym nap nap-tools nap-tools-dbgsym python3-nap " ]
check "make deb makes the packages"
lintian --allow-root --fail-on error,warning "$tmp"/one/deb/*.changes >"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]
check "lintian has nothing to say of them"
mkdir "$tmp/two-with-a-longer-name"
(umask 077 && export TZ=Pacific/Auckland TMPDIR="$tmp/two-with-a-longer-name" && make_in "$tmp/two" deb)
for deb in "$tmp"/one/deb/*.deb; do
	cmp "$deb" "$tmp/two/deb/${deb##*/}"
done >"$tmp/out" 2>&1
[ ! -s "$tmp/out" ]
check "the same bytes from another path, umask and time zone"

for package in libnap1 libnap-dev nap-tools python3-nap; do
	dpkg-deb -x "$tmp"/one/deb/${package}_*.deb "$tmp/root" || break
done >"$tmp/out" 2>&1
lib=$tmp/root/usr/lib/$(gcc -print-multiarch)
readelf -d "$lib/libnap.so.1" | grep -q 'BIND_NOW' && [ -e "$tmp/root/usr/share/man/man3/nap_schedule.3.gz" ] &&
	[ -e "$tmp/root/usr/share/doc/libnap-dev/tutorial.rst.gz" ]
check "they hold the library, hardened, and its manual"
zcat -f "$tmp"/root/usr/share/doc/libnap-dev/README.md* | readme_program >"$tmp/program.c"
gcc -Wall -Wextra -Werror -I"$tmp/root/usr/include" -o "$tmp/program" "$tmp/program.c" -L"$lib" -lnap >"$tmp/out" 2>&1 &&
	[ "$(LD_LIBRARY_PATH=$lib "$tmp/program")" = 49 ] && (AUTOPKGTEST_TMP=$(mktemp -d -p "$tmp") PATH=$tmp/root/usr/bin:$PATH &&
	export AUTOPKGTEST_TMP PATH && sh tools/debian/tests/tools && LD_LIBRARY_PATH=$lib PYTHONDONTWRITEBYTECODE=1 \
	PYTHONPATH=$tmp/root/usr/lib/python3/dist-packages sh tools/debian/tests/python) >"$tmp/out" 2>&1
check "a program runs on what they hold, and so do the tools, and a program of Python"
if command -v aarch64-linux-gnu-gcc >/dev/null; then
	make_in "$tmp/arm" deb HOST=arm64 && dpkg-deb -x "$tmp"/arm/deb/libnap1_*_arm64.deb "$tmp/arm/root" &&
		readelf -h "$tmp/arm/root/usr/lib/aarch64-linux-gnu/libnap.so.1" | grep -q AArch64 && ! ls "$tmp"/arm/deb/nap-tools_* "$tmp"/arm/deb/python3-nap_* 2>/dev/null
	check "HOST=arm64 makes the library's for AArch64"
else
	nr=$((nr + 1))
	echo "ok $nr HOST=arm64 makes the library's for AArch64 # SKIP no aarch64-linux-gnu-gcc"
fi
if command -v reuse >/dev/null; then
	reuse lint >"$tmp/out" 2>&1
	check "every file has its licence (reuse lint)"
else
	nr=$((nr + 1))
	echo "ok $nr every file has its licence # SKIP no reuse"
fi
