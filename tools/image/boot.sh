#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/image/boot.sh MACHINE KERNEL INITRAMFS [OPTION]...: runs a machine by qemu-system, with its
# serial line on standard input and output, until the machine switches itself off.
#
#	--cpus N	how many CPUs (1)
#	--memory MIB	(512)
#	--append TEXT	for the kernel's command line; NAME=value there is /init's environment
#	--seconds N	switches off a machine that is still on then (3600); exit code 124
#
# The kernel prints only errors, so that the serial line has only the program's output.

set -eu
. "$(dirname "$0")/machines.inc"

if [ $# -lt 3 ] || [ ! -r "$2" ] || [ ! -r "$3" ]; then
	echo "usage: tools/image/boot.sh MACHINE KERNEL INITRAMFS [OPTION]... (two files that can be read)" >&2
	exit 2
fi
machine=$1 kernel=$2 initramfs=$3
shift 3
cpus=1 memory=512 append= seconds=3600
while [ $# -gt 0 ]; do
	[ $# -gt 1 ] || { echo "boot.sh: $1: what?" >&2; exit 2; }
	case $1 in
	--cpus) cpus=$2 ;;
	--memory) memory=$2 ;;
	--append) append=$2 ;;
	--seconds) seconds=$2 ;;
	*) echo "boot.sh: $1: not an option" >&2; exit 2 ;;
	esac
	shift 2
done
machine_facts "$machine"
if ! command -v "$emulator" >/dev/null; then
	echo "boot.sh: no $emulator (Debian: $emulator_package)" >&2
	exit 1
fi
exec timeout --foreground -k 5 "$seconds" "$emulator" $emulator_args -accel tcg,thread=multi -smp "$cpus" \
	-m "$memory" -nodefaults -no-user-config -display none -monitor none -serial stdio -no-reboot \
	-kernel "$kernel" -initrd "$initramfs" -append "console=$console quiet panic=-1 $append"
