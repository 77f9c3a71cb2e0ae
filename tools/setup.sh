#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs what the checks need and the machine lacks: Debian packages, and the kernel's test
# harness in build/kselftest. `make check` calls this first; by hand:
#
#	tools/setup.sh				for everything
#	tools/setup.sh --only clang		for `make check-clang`; may be repeated
#	tools/setup.sh --print ...		change nothing, print what would be run
#	tools/setup.sh --lacks ...		change nothing, print the packages that are lacking; exits 1 if any is
#
# Installs as root or with a sudo that asks for no password; otherwise prints the one command to
# run, and exits 1. Prints nothing if nothing is missing. Where the kernel's harness cannot be had,
# the tests' own is taken (tests/plain), which is no failure. Needs sh and awk only.

set -u
cd "$(dirname "$0")/.." || exit 1

headers=build/kselftest
all='native clang musl fuzz aarch64 riscv64 bare valgrind compare system bindings page model lab'
parts=
print=
lacks=

while [ $# -gt 0 ]; do
	case $1 in
	--only) parts="$parts ${2:?--only needs a part}"; shift ;;
	--print) print=1 ;;
	--lacks) lacks=1 ;;
	*) echo "usage: tools/setup.sh [--print | --lacks] [--only PART]..." >&2; exit 2 ;;
	esac
	shift
done

# Prints the packages that a part needs. A part that is not named here is one more build on this
# machine, and needs no packages of its own.
packages_of()
{
	case ${1%%-*} in
	pairs) return ;;
	tree) echo clang mandoc abigail-tools ;;
	kselftest) ;;
	musl) echo musl-tools util-linux ;;
	clang | fuzz) echo clang libclang-rt-14-dev ;;
	model) echo clang
		[ "$1" = model-short ] || echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
			gcc-riscv64-linux-gnu libc6-dev-riscv64-cross ;;
	lab) [ "$1" = lab-short ] || echo linux-source xz-utils tar
		echo python3 libxml2-utils clang gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu \
			libc6-dev-riscv64-cross qemu-user ;;
	aarch64) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
		[ "$1" = aarch64-short ] || echo gdb-multiarch ;;
	riscv64) echo gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user gdb-multiarch ;;
	listing) echo clang gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
		gcc-riscv64-linux-gnu libc6-dev-riscv64-cross ;;
	image) case $1 in
		image-aarch64) echo qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
		image-riscv64) echo qemu-system-misc gcc-riscv64-linux-gnu libc6-dev-riscv64-cross ;;
		*) echo qemu-system-x86 libelf-dev ;;
		esac
		echo linux-source xz-utils tar flex bison bc python3 util-linux ;;
	page) echo chromium nodejs clang wasi-libc libclang-rt-14-dev-wasm32 lld-14 ;;
	bare) echo clang gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu qemu-user file util-linux python3 ;;
	valgrind) echo valgrind libc6-dbg ;;
	coverage) echo lcov ;;
	bindings) echo python3 rustc golang-go ;;
	compare) echo liburcu-dev pkg-config ;;
	mutate_random) echo util-linux ;;
	system) [ "$1" = system-short ] || echo cmake meson debhelper dh-python fakeroot lintian reuse gcc-11 clang-13 qemu-user python3-docutils rpm busybox \
		debootstrap autopkgtest libopenmpi-dev openmpi-bin
		echo clang gdb g++ mandoc abigail-tools musl-tools util-linux pkg-config lcov python3 strace valgrind libc6-dbg python3-prometheus-client protobuf-compiler systemtap-sdt-dev bpftrace \
		liburing-dev libuv1-dev libglib2.0-dev nettle-dev gcc-aarch64-linux-gnu ;;
	mutants) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross \
		qemu-user clang musl-tools systemtap-sdt-dev gdb ;;
	esac
	[ "$1" = kselftest ] || echo gcc libc6-dev make binutils
}

# Prints the packages that are needed to unpack the kernel's harness. These packages are 140 MB for
# two headers, so none is printed if the headers are there already.
packages_of_harness()
{
	! has_kselftest || return 0
	set -- /usr/src/linux-source-*.tar.xz
	[ -e "$1" ] || echo linux-source
	echo xz-utils tar
}

has_kselftest()
{
	[ -e $headers/kselftest.h ] && grep -q TEST_HARNESS_MAIN $headers/kselftest_harness.h 2>/dev/null
}

# Where dpkg is missing, a package counts as installed if its program is there: prints the program.
# A package without a program counts as installed.
known_by()
{
	case $1 in
	gcc-*-linux-gnu) echo "$(echo "${1#gcc-}" | tr - _ | sed 's/_linux_gnu/-linux-gnu/')-gcc" ;;
	qemu-user) echo qemu-aarch64 ;;
	qemu-system-x86) echo qemu-system-x86_64 ;;
	musl-tools) echo musl-gcc ;;
	binutils) echo ld ;;
	util-linux) echo unshare ;;
	debhelper) echo dh ;;
	abigail-tools) echo abidiff ;;
	protobuf-compiler) echo protoc ;;
	rustc | cmake | meson | fakeroot | lintian | reuse | gcc* | g++ | clang* | make | mandoc | pkg-config | lcov | python3 | \
	strace | valgrind | bpftrace | gdb* | flex | bison | bc | file | chromium | tar) echo "$1" ;;
	golang-go) echo go ;;
	xz-utils) echo xz ;;
	esac
}

# lacking PACKAGE...: prints the packages that are not installed
lacking()
{
	if ! command -v dpkg-query >/dev/null; then
		for package; do
			program=$(known_by "$package")
			[ -z "$program" ] || command -v "$program" >/dev/null || printf '%s ' "$package"
		done
		return
	fi
	{ printf '%s\n' "$@"; echo; dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>&1; } |
		awk '!NF { have = 1; next }
		     !have { want[$1] = 1; next }
		     $2 == "installed" { delete want[$1] }
		     END { for (p in want) print p }' | sort | tr '\n' ' '
}

# known PACKAGE...: prints the packages that apt knows; fails if it knows none of them
known()
{
	for package; do
		! apt-cache show "$package" >/dev/null 2>&1 || echo "$package"
	done | grep .
}

install_packages()
{
	command="apt-get update && apt-get install --no-install-recommends -y $*"
	sudo=
	if [ -n "$print" ]; then
		echo "$command"
		exit 1
	fi
	if ! command -v apt-get >/dev/null; then
		echo "Not a Debian system. What these packages of Debian hold is lacking: $*"
		return 1
	fi
	if [ "$(id -u)" != 0 ]; then
		sudo="sudo -n"
		if ! sudo -n true 2>/dev/null; then
			echo "Some packages are lacking. Run this as root, then try again:"
			echo "	$command"
			return 1
		fi
	fi
	echo "installing $*"
	log=build/setup.log
	mkdir -p build
	if ! { apt update && known=$(known "$@") && apt install --no-install-recommends -y $known; } >$log 2>&1; then
		tail -n 20 $log
		echo "That failed (all of it is in $log). Run this as root, then try again:"
		echo "	$command"
		return 1
	fi
}

# Unpacks into a separate directory first, so that a build at the same time sees both headers or
# none.
unpack_kselftest()
{
	[ -z "$print$lacks" ] && ! has_kselftest || return
	source=$(ls /usr/src/linux-source-*.tar.xz 2>/dev/null | sort -V | tail -n 1)
	tmp=build/kselftest.$$
	mkdir -p $tmp $headers
	if [ -n "$source" ] && echo "unpacking kselftest from $source" &&
			xz -dc -T0 "$source" | tar -x -C $tmp --strip-components=4 --wildcards \
			'*/tools/testing/selftests/kselftest.h' \
			'*/tools/testing/selftests/kselftest_harness.h'; then
		mv $tmp/kselftest.h $tmp/kselftest_harness.h $headers/
	elif [ ! -e $headers/kselftest_harness.h ]; then
		echo "no kselftest_harness.h of the kernel's (Debian: linux-source): the tests run on tests/plain"
		echo '#include "plain/kselftest_harness.h"' >$tmp/kselftest_harness.h
		mv $tmp/kselftest_harness.h $headers/
	fi
	rm -rf $tmp
	[ -e $headers/kselftest_harness.h ] || exit 1
}

wanted=$(for part in ${parts:-$all}; do packages_of "$part"; done | tr -s ' ' '\n' | sort -u)
# shellcheck disable=SC2086
lacking=$([ -z "$wanted" ] || lacking $wanted)
if [ -n "$lacks" ]; then
	[ -z "$lacking" ] && exit
	echo "$lacking"
	exit 1
fi
case " ${parts:-$all} " in
' pairs ' | ' tree ') harness= ;;
*) harness=1 ;;
esac
# shellcheck disable=SC2046,SC2086
wished=$(set -- ${harness:+$(packages_of_harness)} && [ $# = 0 ] || lacking "$@")
status=0
# shellcheck disable=SC2086
if [ -n "$lacking$wished" ]; then
	install_packages $lacking $wished
	[ -z "$(lacking $wanted)" ] || status=1
fi
[ -z "$harness" ] || unpack_kselftest
exit $status
