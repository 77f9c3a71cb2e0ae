#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/image/kernel.sh MACHINE [faults] [OPTION=n]... : builds a kernel for x86_64, aarch64 or
# riscv64 that has what nap calls and little else. The build takes some minutes, and is made of
# Debian's linux-source with kernel.config of this directory. The kernel stays in
# build/kernel/MACHINE[-faults][-no-OPTION...]/. "faults" adds the options that kernel.config has
# for image.sh --faults; OPTION=n leaves CONFIG_OPTION out. The last line of the output is the
# path of the image.
#
# Progress and errors go to standard error. Exits 1 if something is missing or fails.

set -eu
here=$(dirname "$0")
cd "$here/../.."
. tools/image/machines.inc

machine=${1:?usage: tools/image/kernel.sh x86_64|aarch64|riscv64 [faults] [OPTION=n]...}
shift
machine_facts "$machine"
fragment=tools/image/kernel.config
name=$machine faults=
if [ "${1-}" = faults ]; then
	name=$name-faults faults=faults
	shift
fi
for option; do
	case $option in
	*=n) name=$name-no-$(echo "${option%=n}" | tr 'A-Z_' 'a-z-') ;;
	*) echo "kernel.sh: $option: expected OPTION=n" >&2; exit 2 ;;
	esac
done
out=build/kernel/$name
image=$out/$kernel_image
mkdir -p "$out"
exec 9>build/kernel/lock
if ! flock -n 9; then
	echo "kernel.sh: $name: waiting for another kernel that is being built" >&2
	flock 9
fi

# If the arguments or the version of the kernel change, the build begins anew.
archive=$(ls /usr/src/linux-source-*.tar.xz 2>/dev/null | sort -V | tail -n 1)
if [ -z "$archive" ]; then
	echo "kernel.sh: no /usr/src/linux-source-*.tar.xz (Debian: linux-source)" >&2
	exit 1
fi
wanted=$out/wanted
{
	ls -L --full-time "$archive"
	awk -v machine="$machine" -v faults="$faults" -v without="$*" '
		BEGIN {
			n = split(without, names, /=n */)
			for (i = 1; i <= n; i++) off["CONFIG_" names[i]]
			if ("CONFIG_SMP" in off) off["CONFIG_NR_CPUS"]
		}
		$1 == machine || $1 == faults { $0 = $2 }
		/^CONFIG/ && split($0, option, "=") && !(option[1] in off)' $fragment
	for option; do echo "# CONFIG_${option%=n} is not set"; done
} >"$wanted.new"
if [ -e "$image" ] && cmp -s "$wanted" "$wanted.new"; then
	echo "$image"
	exit 0
fi

# The unpacked source: some 600 MB, without the documents, and without drivers that no image has.
source=build/kernel/source
if ! ls -L --full-time "$archive" | cmp -s - $source/unpacked; then
	echo "kernel.sh: unpacking $archive" >&2
	rm -rf $source
	mkdir -p $source
	xz -dc -T0 "$archive" | tar -x -C $source --strip-components=1 \
		--exclude='*/Documentation/*/*' --exclude='*/tools/testing/*' \
		--exclude='*/drivers/gpu/drm/*/*.[ch]' --exclude='*/drivers/media/*.[ch]' \
		--exclude='*/drivers/net/*/*.[ch]' --exclude='*/drivers/staging/*.[ch]' \
		--exclude='*/sound/*.[ch]' --exclude='*.dts' --exclude='*.dtsi'
	ls -L --full-time "$archive" >$source/unpacked
fi

run_make()
{
	make -s -C $source O="$PWD/$out" ARCH="$kernel_arch" \
		CROSS_COMPILE="$cross" "$@" >>"$out/log" 2>&1 9>&- && return
	tail -n 20 "$out/log" >&2
	echo "kernel.sh: make $* failed; all of it is in $out/log" >&2
	exit 1
}

# Objects of the machine's other kernel (with or without "faults") are copied and used again. make
# compiles anew those whose options differ.
if [ "$name" != "$machine" ] && [ -e "build/kernel/$machine/wanted" ] && [ ! -e "$out/.config" ]; then
	cp -a "build/kernel/$machine/." "$out.copy"
	mv "$wanted.new" "$out.copy/wanted.new"
	rm -rf "$out"
	mv "$out.copy" "$out"
fi
echo "kernel.sh: $name: building; $out/log" >&2
rm -f "$wanted" "$image"
: >"$out/log"
run_make tinyconfig
cat "$wanted.new" | sed 1d >>"$out/.config"
run_make olddefconfig

# Kconfig silently drops an option that another option rules out. A test would notice that late, or
# not at all.
sed 1d "$wanted.new" | grep . | while read -r line; do
	grep -qx "$line" "$out/.config" && continue
	option=$(echo "$line" | sed 's/^# //; s/[= ].*//; s/^CONFIG_//')
	echo "kernel.sh: $name: wanted '$line', has '$(grep -w "CONFIG_$option" "$out/.config")'" >&2
	exit 1
done || exit 1

run_make -j"$(nproc)" "$kernel_target"
mv "$wanted.new" "$wanted"
echo "$image"
