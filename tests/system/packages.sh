#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the descriptions of packages for other distributions, as far as Debian can: rpm and Alpine's
# shell read them, they have the version of the headers, and each installed file is in one of the
# packages. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CC
build=${NAP_BUILD:-build}

echo "TAP version 13"
echo "1..6"

skip()
{
	nr=$((nr + 1))
	echo "ok $nr $1 # SKIP $2"
}
version=$(echo NAP_VERSION_STRING | gcc -E -P -include include/nap/version.h - | tail -n 1 | tr -d '" ')
if command -v rpmspec >/dev/null; then
	rpmspec -P tools/rpm/nap.spec >"$tmp/spec" 2>"$tmp/out" && [ ! -s "$tmp/out" ] &&
		rpmspec -q --qf '%{name} %{version}\n' tools/rpm/nap.spec >"$tmp/out" &&
		[ "$(tr '\n' ' ' <"$tmp/out")" = "nap $version nap-devel $version nap-tools $version " ]
	check "rpm reads its file, and finds three packages of version $version"
	sed 's/^%build/%%build/; s/^%files devel/%files develop/' tools/rpm/nap.spec >"$tmp/wrong.spec"
	! rpmspec -q "$tmp/wrong.spec" >"$tmp/out" 2>&1 && grep -q develop "$tmp/out"
	check "and would find a fault"

	# Takes the paths after %files as patterns. Each file of an installation, which is made as
	# the spec file says, has to match one.
	stage=$tmp/stage
	${MAKE:-make} --no-print-directory B="$build" all >"$tmp/out" 2>&1 &&
		${MAKE:-make} --no-print-directory B="$build" install DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib64 >>"$tmp/out" 2>&1
	sed -n '/^%files/,$p' "$tmp/spec" | sed -n 's/^\(%exclude \)*\(\/[^ ]*\)$/\2/p' | sort -u >"$tmp/patterns"
	(cd "$stage" && find . ! -type d) | sed 's/^\.//' | while read -r file; do
		while read -r pattern; do
			# shellcheck disable=SC2254
			case $file in $pattern | ${pattern%/}/*) continue 2 ;; esac
		done <"$tmp/patterns"
		echo "$file is in no package"
	done >"$tmp/out"
	[ ! -s "$tmp/out" ] && [ "$(find "$stage" ! -type d | wc -l)" -gt 100 ]
	check "each file that is installed is in one of them ($(find "$stage" ! -type d | wc -l))"
else
	for what in 'rpm reads its file' 'and would find a fault' 'each file that is installed is in one of them'; do
		skip "$what" 'needs package rpm'
	done
fi
if command -v busybox >/dev/null; then
	busybox ash -n tools/alpine/APKBUILD >"$tmp/out" 2>&1 &&
		busybox ash -c '. tools/alpine/APKBUILD && echo "$pkgname $pkgver $license" && type build check package' >"$tmp/out" 2>&1 &&
		[ "$(head -n 1 "$tmp/out")" = "nap $version MIT" ]
	check "Alpine's shell reads its file: version $version, and the three functions"
else
	skip "Alpine's shell reads its file" 'needs package busybox'
fi
grep -A 1 "^$(echo "$version" | sed 's/\./\\./g')\$" Documentation/changes.rst | grep -q '^=====' 2>"$tmp/out"
check "changes.rst has a section of the version"
for step in 'make check-full' 'make dist' 'make deb' 'make abi' changes.rst; do
	grep -q "$step" Documentation/releasing.rst || echo "no $step"
done >"$tmp/out"
[ ! -s "$tmp/out" ]
check "releasing.rst names the steps"
