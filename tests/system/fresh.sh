#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the Debian packages on a fresh system that has never seen the source (debootstrap): they are
# installed, the README's program is compiled by pkg-config, CMake and meson and runs, the packages'
# own tests pass (autopkgtest), and after their removal the system has the files that it had before.
# Needs root and Debian's archive. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CC
export DEBEMAIL=nap@debian.test DEBFULLNAME='nap packager' DEBIAN_FRONTEND=noninteractive

echo "TAP version 13"
for tool in debootstrap autopkgtest dh fakeroot git; do
	command -v $tool >/dev/null || lacks="$lacks $tool"
done
if [ -n "$lacks" ]; then
	echo "1..0 # SKIP needs packages of$lacks"
	exit 0
fi
if [ "$(id -u)" != 0 ] || ! git rev-parse --git-dir >/dev/null 2>&1; then
	echo "1..0 # SKIP needs root, and a clone"
	exit 0
fi
root=${ROOT:-$tmp/root}
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
if [ -z "${ROOT:-}" ] && ! debootstrap --variant=minbase "$release" "$root" >"$tmp/out" 2>&1; then
	tail -n 3 "$tmp/out" | sed 's/^/# /'
	echo "1..0 # SKIP debootstrap makes no system here: no network, or mounts are forbidden"
	exit 0
fi
echo "1..8"

in_root()
{
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}
# files: prints the files of the system, without those of mounts, of caches and logs, and of the
# package manager
files()
{
	(cd "$root" && find . -path ./proc -prune -o -path ./sys -prune -o -path ./tmp -prune -o -path ./var/cache -prune -o \
		-path ./var/log -prune -o -path ./var/lib/apt -prune -o -path ./var/lib/dpkg -prune -o -print) | sort
}

built=${DEBS:-$tmp/o/deb}
[ -n "${DEBS:-}" ] || ${MAKE:-make} --no-print-directory O="$tmp/o" deb >"$tmp/out" 2>&1
check "make deb${DEBS:+: earlier}"
debs=$(cd "$built" && ls ./*.deb | grep -v dbgsym)
packages=$(echo "$debs" | sed 's/^\.\///; s/_.*//')
mkdir -p "$root/tmp/debs" && cp "$built"/*.deb "$root/tmp/debs/"
# What the tests and autopkgtest need, so that the lists below differ by the packages alone.
tests=$(sed -n 's/^Depends: //p' tools/debian/tests/control | tr ',' '\n' | tr -d ' ' | sort -u | grep -vxF "$packages")
# shellcheck disable=SC2086
in_root apt-get -qq update >"$tmp/out" 2>&1 && in_root apt-get -qq -y --no-install-recommends install $tests dpkg-dev apt-utils >>"$tmp/out" 2>&1
check "a fresh system, with a compiler ($release)"
files >"$tmp/before"
# as_before: removes the packages, and compares the files with those that were there before
as_before()
{
	# shellcheck disable=SC2086
	in_root dpkg --purge $(in_root dpkg-query -W -f '${Package}\n' $packages autopkgtest-satdep 2>/dev/null) >"$tmp/out" 2>&1 &&
		files | diff "$tmp/before" - >"$tmp/differ"
	status=$?
	head -n 40 "$tmp/differ" >>"$tmp/out"
	[ $status = 0 ] && [ "$(wc -l <"$tmp/before")" -gt 1000 ]
}
# shellcheck disable=SC2086
in_root sh -c "cd /tmp/debs && apt-get -qq -y --no-install-recommends install $(echo $debs)" >"$tmp/out" 2>&1
check "the packages are installed ($(echo $packages))"
in_root sh -c 'cd /tmp && zcat -f /usr/share/doc/libnap-dev/README.md* | awk "/^\`\`\`c\$/ { on = 1; next } /^\`\`\`\$/ { on = 0 } on" >p.c &&
	cc -Wall -Wextra -Werror p.c $(pkg-config --cflags --libs nap) -o p && ./p' >"$tmp/out" 2>&1
[ "$(cat "$tmp/out")" = 49 ]
check "the README's program is compiled as the README says, and runs"
as_before
check "after their removal there is no file more or less ($(wc -l <"$tmp/before"))"
# autopkgtest installs the packages by itself, and tests them by pkg-config, CMake and meson.
autopkgtest --no-built-binaries --output-dir="$tmp/auto" "$built"/*.deb "$built"/*.dsc -- chroot "$root" >"$tmp/out" 2>&1
status=$?
sed -n 's/ .*PASS/ passes/p' "$tmp/auto/summary" | sed 's/^/# /'
[ $status = 0 ] && [ "$(grep -c ' PASS' "$tmp/auto/summary")" = "$(grep -c '^Tests:' tools/debian/tests/control)" ]
check "the packages' own tests pass there"
grep -q 'cmake/user runs' "$tmp"/auto/*stdout && grep -q 'meson/user runs' "$tmp"/auto/*stdout && grep -q 'static runs' "$tmp"/auto/*stdout
check "by pkg-config, CMake and meson, shared and static"
as_before
check "nor after these tests"
