#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that every file that names nap's version names the version in include/nap/version.h. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1

echo "TAP version 13"
echo "1..4"

# of HEADER: prints the version that the header has, by the compiler
of()
{
	echo NAP_VERSION_STRING | gcc -E -P -include "$1" - | tail -n 1 | tr -d '" '
}

# named VERSION FILE...: whether each of the files names this version wherever it names one for nap
named()
{
	version=$1
	shift
	for file; do
		sed -nE "s/^project\('nap'.* version: '([0-9.]*)'.*/\1/p; s/^\.TH .* \"nap ([0-9.]+)\" .*/\1/p
			s/^(Version:|pkgver=) *([0-9.]+)$/\2/p; s/^.*find_package\(nap ([0-9]+\.[0-9]+) CONFIG\).*/\1 series/p" "$file" >"$tmp/names"
		sed "s/^${version%.*} series$/$version/" "$tmp/names" | grep -vxF "$version" | sed "s|^|$file: |"
		cat "$tmp/names" >>"$tmp/all"
	done >"$tmp/out"
	[ ! -s "$tmp/out" ]
}

version=$(of include/nap/version.h)
expr "$version" : '[0-9]*\.[0-9]*\.[0-9]*$' >"$tmp/out"
check "the header has a version ($version)"
${MAKE:-make} --no-print-directory -n dist | sed -n 's/^echo .*nap-\(.*\)\.tar\.gz$/\1/p' >"$tmp/out"
[ "$(cat "$tmp/out")" = "$version" ]
check "the Makefile has the same"
: >"$tmp/all"
files=$(ls meson.build Documentation/*.rst Documentation/man/*.[17] tools/*/*.spec tools/*/APKBUILD 2>/dev/null)
# shellcheck disable=SC2086
named "$version" $files && [ "$(wc -l <"$tmp/all")" -ge 6 ]
check "and so has what cannot ask one of them ($(wc -l <"$tmp/all") places)"
sed 's/^#define NAP_VERSION_MINOR .*/#define NAP_VERSION_MINOR 77/' include/nap/version.h >"$tmp/version.h"
later=$(of "$tmp/version.h")
# shellcheck disable=SC2086
[ "$later" != "$version" ] && ! named "$later" $files && [ "$(wc -l <"$tmp/out")" -ge 6 ]
check "a version that one of them lacks is found"
