#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tools/setup.sh where nothing can be installed: without root, without a network, and without
# Debian's tools. The script must say what is lacking, and use the tests' own harness in place of
# the kernel's. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1

echo "TAP version 13"
# Unpacking the kernel's source takes long.
echo "1..$([ -n "${NAP_SHORT:-}" ] && echo 6 || echo 7)"

# A tree with nothing in build/, and a machine with few programs.
mkdir -p "$tmp/tree/tools" "$tmp/bin" && cp tools/setup.sh "$tmp/tree/tools/"
for tool in sh awk sed sort tr grep ls tail mkdir mv rm dirname tar cat gcc make ld id; do
	ln -s "$(command -v $tool)" "$tmp/bin/$tool"
done
header=$tmp/tree/build/kselftest/kselftest_harness.h
# gives STATUS ARGUMENT...: whether tools/setup.sh exits with STATUS in this tree and with these
# programs only
gives()
{
	want=$1
	shift
	PATH=$tmp/bin "$tmp/bin/sh" "$tmp/tree/tools/setup.sh" "$@" >"$tmp/out" 2>&1
	[ $? = "$want" ]
}
gives 1 --lacks --only aarch64 && [ "$(cat "$tmp/out")" = 'gcc-aarch64-linux-gnu gdb-multiarch qemu-user ' ] && [ ! -e "$header" ]
check "what is lacking is known by its programs, where there is no dpkg"
gives 0 --lacks --only native
check "a part that needs a compiler alone lacks nothing"
gives 1 --only valgrind && grep -q '^Not a Debian system.* valgrind' "$tmp/out"
check "where nothing can be installed it says so"
rm -rf "$tmp/tree/build"
gives 0 --only native && grep -q 'the tests run on tests/plain' "$tmp/out" && grep -q 'plain/kselftest_harness.h' "$header"
check "where the kernel's harness cannot be had, the tests run on their own"
gives 0 --only native && [ -e "$header" ]
check "once more, the same"

# A Debian system without a network and without lists of packages.
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/dpkg-query"
for tool in sudo apt-cache apt-get; do cp "$tmp/bin/dpkg-query" "$tmp/bin/$tool"; done
printf '#!/bin/sh\necho 0\n' >"$tmp/id"
printf '#!/bin/sh\n' >"$tmp/bin/sleep"
rm "$tmp/bin/id" && mv "$tmp/id" "$tmp/bin/id"
chmod +x "$tmp"/bin/dpkg-query "$tmp"/bin/sudo "$tmp"/bin/apt-* "$tmp/bin/id" "$tmp/bin/sleep"
ln -s "$(command -v env)" "$tmp/bin/env"
gives 1 --only valgrind && grep -q '^That failed' "$tmp/out" && gives 1 --lacks --only valgrind && grep -q valgrind "$tmp/out"
check "so does it where the network is lacking"

[ -z "${NAP_SHORT:-}" ] || exit 0
set -- /usr/src/linux-source-*.tar.xz
if [ -e "$1" ] && command -v xz >/dev/null; then
	rm "$tmp/bin/dpkg-query" && ln -s "$(command -v xz)" "$tmp/bin/xz"
	gives 0 --only native && grep -q TEST_HARNESS_MAIN "$header" && [ -e "$tmp/tree/build/kselftest/kselftest.h" ]
	check "the kernel's harness takes that place as soon as it can be had"
else
	nr=$((nr + 1))
	echo "ok $nr the kernel's harness takes that place # SKIP needs package linux-source"
fi
