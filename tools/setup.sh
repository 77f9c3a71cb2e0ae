#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs what the checks need and the machine lacks: Debian packages, and the kernel's test
# harness in build/kselftest. `make check` calls this first; by hand:
#
#	tools/setup.sh				for everything
#	tools/setup.sh --only clang		for `make check-clang`; may be repeated
#	tools/setup.sh --print ...		change nothing, print what would be run
#
# Installs as root or with a sudo that asks for no password; otherwise prints the one command to
# run, and exits 1. Prints nothing if nothing is missing. Needs sh and awk only.

set -u
cd "$(dirname "$0")/.." || exit 1

headers=build/kselftest
all='native clang musl fuzz aarch64 riscv64 bare valgrind compare system bindings page model lab'
parts=
print=

while [ $# -gt 0 ]; do
	case $1 in
	--only) parts="$parts ${2:?--only needs a part}"; shift ;;
	--print) print=1 ;;
	*) echo "usage: tools/setup.sh [--print] [--only PART]..." >&2; exit 2 ;;
	esac
	shift
done

# Prints the packages that a part needs. A part that is not named here is one more build on this
# machine.
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
	bindings) echo python3
		[ "$1" = bindings-short ] || echo rustc golang-go ;;
	compare) echo liburcu-dev pkg-config ;;
	mutate_random) echo util-linux ;;
	system) [ "$1" = system-short ] || echo cmake meson debhelper fakeroot lintian reuse gcc-11 clang-13 qemu-user
		echo clang gdb g++ mandoc abigail-tools musl-tools util-linux pkg-config lcov python3 strace valgrind libc6-dbg python3-prometheus-client protobuf-compiler systemtap-sdt-dev bpftrace \
		liburing-dev libuv1-dev libglib2.0-dev nettle-dev gcc-aarch64-linux-gnu ;;
	mutants) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross \
		qemu-user clang musl-tools systemtap-sdt-dev gdb ;;
	esac
	[ "$1" = kselftest ] || echo gcc libc6-dev make binutils
	# 140 MB for two headers, so only if the headers are not there yet
	[ "$1" = tree ] || { [ -e $headers/kselftest_harness.h ] && [ -e $headers/kselftest.h ]; } ||
		set -- "$1" /usr/src/linux-source-*.tar.xz
	[ $# -eq 1 ] || { echo xz-utils tar; [ -e "$2" ] || echo linux-source; }
}

lacking()
{
	packages=$(for part in ${parts:-$all}; do packages_of "$part"; done | tr -s ' ' '\n' | sort -u)
	[ -n "$packages" ] || return 0
	if ! command -v dpkg-query >/dev/null; then
		echo "not a Debian system: make sure that it has what these packages hold:" $packages >&2
		return 0
	fi
	{ echo "$packages"; echo; dpkg-query -W -f '${Package} ${db:Status-Status}\n' $packages 2>&1; } |
		awk '!NF { have = 1; next }
		     !have { want[$1] = 1; next }
		     $2 == "installed" { delete want[$1] }
		     END { for (p in want) print p }' | sort | tr '\n' ' '
}

# Runs apt-get, and tries again if it fails, because networks fail now and then.
# install_packages() updates the package lists first, because those of a fresh machine are empty.
apt()
{
	set -- env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"
	$sudo "$@" || { sleep 5; $sudo "$@"; }
}

install_packages()
{
	command="apt-get update && apt-get install --no-install-recommends -y $*"
	sudo=
	if [ -n "$print" ]; then
		echo "$command"
		exit 1
	fi
	if [ "$(id -u)" != 0 ]; then
		sudo="sudo -n"
		if ! sudo -n true 2>/dev/null; then
			echo "Some packages are lacking. Run this as root, then try again:"
			echo "	$command"
			exit 1
		fi
	fi
	echo "installing $*"
	log=build/setup.log
	mkdir -p build
	if ! { apt update && apt install --no-install-recommends -y "$@"; } >$log 2>&1; then
		tail -n 20 $log
		echo "That failed (all of it is in $log). Run this as root, then try again:"
		echo "	$command"
		exit 1
	fi
}

# Unpacks into a separate directory first, so that a build at the same time sees both headers or
# none.
unpack_kselftest()
{
	[ -e $headers/kselftest_harness.h ] && [ -e $headers/kselftest.h ] && return
	source=$(ls /usr/src/linux-source-*.tar.xz 2>/dev/null | sort -V | tail -n 1)
	if [ -z "$source" ]; then
		echo "no /usr/src/linux-source-*.tar.xz to take kselftest_harness.h from"
		exit 1
	fi
	[ -z "$print" ] || return 0
	echo "unpacking kselftest from $source"
	tmp=build/kselftest.$$
	mkdir -p $tmp $headers
	xz -dc -T0 "$source" | tar -x -C $tmp --strip-components=4 --wildcards \
		'*/tools/testing/selftests/kselftest.h' \
		'*/tools/testing/selftests/kselftest_harness.h'
	mv $tmp/kselftest.h $tmp/kselftest_harness.h $headers/
	status=$?
	rm -rf $tmp
	[ $status = 0 ] || exit 1
}

lacking=$(lacking)
[ -z "$lacking" ] || install_packages $lacking
case " ${parts:-$all} " in
' pairs ' | ' tree ') ;;
*) unpack_kselftest ;;
esac
