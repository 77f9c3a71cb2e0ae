#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/image/image.sh [OPTION]... [MACHINE]: builds a kernel and an archive whose /init runs tests
# (tests/image/init.c), boots them, and prints their results. MACHINE: x86_64, aarch64 or riscv64;
# this machine by default. Options:
#
#	--cpus 'N...'	boot once with each number of CPUs ('1 2 8')
#	--memory MIB	of the machine (512)
#	--without NAME	a kernel without CONFIG_NAME; may be repeated
#	--faults	also run the fault tests that need a libc, on a kernel that has filters;
#			qemu-user would hand these tests' calls to its host
#	--only TEXT	programs whose paths have TEXT in them
#	--build		build, and boot nothing
#
# Missing tools are installed where this is allowed, or named: tools/setup.sh --only image-MACHINE.
# Exits 0 if everything passed. All output is in build/image/MACHINE/.

set -eu
cd "$(dirname "$0")/../.."
. tools/image/machines.inc

usage()
{
	sed -n '4,/^$/ { /^#/!q; s/^# \{0,1\}//p }' tools/image/image.sh
	exit "$1"
}

cpus='1 2 8' memory=512 without= only= faults= build= machine=
while [ $# -gt 0 ]; do
	case $1 in
	--help) usage 0 ;;
	--cpus | --memory | --without | --only)
		[ -n "${2-}" ] || { echo "image.sh: $1: what?" >&2; exit 2; }
		case $1 in
		--cpus) cpus=$2 ;;
		--memory) memory=$2 ;;
		--without) without="$without $2=n" ;;
		--only) only=$2 ;;
		esac
		shift ;;
	--faults) faults=1 ;;
	--build) build=1 ;;
	-*) echo "image.sh: $1: not an option" >&2; usage 2 >&2 ;;
	*)
		[ -z "$machine" ] || { echo "image.sh: one machine at a time, not $machine and $1" >&2; exit 2; }
		machine=$1 ;;
	esac
	shift
done
machine=${machine:-$(uname -m)}
machine_facts "$machine"
make=${MAKE:-make}

tools/setup.sh --only "image-$machine"
kernel=$(tools/image/kernel.sh "$machine" ${faults:+faults} $without | tail -n 1)
[ -e "$kernel" ]
kernel_dir=${kernel%/arch/*}
dir=build/image/$machine
mkdir -p "$dir"

# ---- programs

echo "image.sh: $machine: programs"
build_programs()
{
	$make --no-print-directory -j"$(nproc)" IMAGE=1 ARCH="$machine" "$@" image-programs >"$dir/programs.log" 2>&1 && return
	grep -E 'error|Error|undefined' "$dir/programs.log" | head -n 20 >&2
	echo "image.sh: that failed; all of it is in $dir/programs.log" >&2
	exit 1
}

build_programs BARE=1
bare=build/$([ "$machine" = "$(uname -m)" ] || printf '%s-' "$machine")bare-image
hosted=build/$([ "$machine" = "$(uname -m)" ] || printf '%s-' "$machine")image
lists=$bare/tests/programs
if [ -n "$faults" ]; then
	build_programs
	lists="$lists $hosted/tests/programs"
fi

# ---- the archive

strip=${cross}strip
rm -rf "$dir/root"
mkdir -p "$dir/root"
cp "$bare/tests/image/init" "$dir/root/init"
$strip "$dir/root/init"
{
	echo 'dir /dev 755 0 0'
	echo 'nod /dev/console 600 0 0 c 5 1'
	echo 'nod /dev/null 666 0 0 c 1 3'
	echo 'dir /proc 755 0 0'
	echo "file /init $dir/root/init 755 0 0"
	echo "file /programs $dir/root/programs 644 0 0"
	echo 'dir /bare 755 0 0'
	echo 'dir /libc 755 0 0'
} >"$dir/archive"
: >"$dir/root/programs"
for program in $(cat $lists); do
	case $program in
	$bare/*) path=bare/$(echo "${program#"$bare"/tests/}" | tr / -) ;;
	*) path=libc/$(echo "${program#"$hosted"/tests/}" | tr / -) ;;
	esac
	case /$path in *"$only"*) ;; *) continue ;; esac
	mkdir -p "$dir/root/${path%/*}"
	$strip -o "$dir/root/$path" "$program"
	echo "file /$path $dir/root/$path 755 0 0" >>"$dir/archive"
	echo "/$path" >>"$dir/root/programs"
done
if [ ! -s "$dir/root/programs" ]; then
	echo "image.sh: no program has '$only' in its path" >&2
	exit 2
fi
"$kernel_dir/usr/gen_init_cpio" "$dir/archive" >"$dir/initramfs.cpio"

size() { stat -c %s "$1"; }
echo "image.sh: $machine: kernel $(size "$kernel") bytes, /init $(size "$dir/root/init")," \
	"$(wc -l <"$dir/root/programs") programs, archive $(size "$dir/initramfs.cpio")"
if [ -n "$build" ]; then
	echo "	tools/image/boot.sh $machine $kernel $dir/initramfs.cpio --cpus 2"
	exit 0
fi

# ---- the machines

failed=0
for n in $cpus; do
	name=$machine-$n-cpus$(echo "$without" | sed 's/ /-no-/g; s/=n//g' | tr 'A-Z_' 'a-z-')
	[ -z "$faults" ] || name=$name-faults
	[ "$memory" = 512 ] || name=$name-$memory-mib
	[ -z "$only" ] || name=$name-only-$(echo "$only" | tr / -)
	log=$dir/$name.log
	echo "image.sh: $name: booting"
	tools/image/boot.sh "$machine" "$kernel" "$dir/initramfs.cpio" --cpus "$n" --memory "$memory" \
		--append 'NAP_TEST_SCALE=30 NAP_TEST_SLOW=1' </dev/null >"$log" 2>&1 ||
		echo "image.sh: $name: the machine did not switch itself off" >>"$log"
	awk -v name="$name" -f tools/image/totals.awk "$log" || failed=1
done
exit $failed
