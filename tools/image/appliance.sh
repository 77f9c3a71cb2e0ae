#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/image/appliance.sh MACHINE [CPUS]: builds the example appliance and a kernel for it, boots
# them, and talks to the appliance (tests/image/appliance.py).

set -eu
cd "$(dirname "$0")/../.."
. tools/image/machines.inc

machine=${1:?usage: tools/image/appliance.sh MACHINE [CPUS]}
machine_facts "$machine"
tools/setup.sh --only "image-$machine"
kernel=$(tools/image/kernel.sh "$machine" | tail -n 1)
[ -e "$kernel" ]
dir=build/image/$machine
build=build/$([ "$machine" = "$(uname -m)" ] || printf '%s-' "$machine")bare
mkdir -p "$dir"
${MAKE:-make} --no-print-directory -s BARE=1 ARCH="$machine" "$build/nap-appliance" >"$dir/appliance.log" 2>&1 || {
	cat "$dir/appliance.log" >&2
	exit 1
}
cat >"$dir/appliance.archive" <<EOF
dir /dev 755 0 0
nod /dev/console 600 0 0 c 5 1
file /init $build/nap-appliance 755 0 0
EOF
"${kernel%/arch/*}/usr/gen_init_cpio" "$dir/appliance.archive" >"$dir/appliance.cpio"
echo "# $machine: kernel $(stat -c %s "$kernel") bytes, appliance $(stat -c %s "$build/nap-appliance")"
exec tests/image/appliance.py tools/image/boot.sh "$machine" "$kernel" "$dir/appliance.cpio" \
	--cpus "${2:-2}" --append loglevel=0 --seconds 580
