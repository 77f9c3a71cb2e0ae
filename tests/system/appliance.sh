#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the example appliance as a process of this machine, on a pseudo-terminal, with the client
# of `make appliance`, which boots the appliance. The appliance runs in a PID namespace of its
# own, where power off is the end of the namespace. With the argument "alone" it runs under a
# filter that forbids threads. KTAP.

cd "$(dirname "$0")/../.." || exit 1
. tools/plain.inc
usable_tmp
program=build/bare/nap-appliance
${MAKE:-make} --no-print-directory -s BARE=1 $program >&2 || exit 1
size=$(stat -c %s $program)
echo "# $program: $size bytes"
[ "$size" -lt 65536 ] || { echo "Bail out! $program has 64 KiB or more"; exit 1; }
alone=
if [ "${1-}" = alone ]; then
	alone=build/tests/system/noclone_main
	${MAKE:-make} --no-print-directory -s $alone >&2 || exit 1
fi
user=$(namespaces true)
if [ -z "$user" ]; then
	echo "1..0 # SKIP no namespaces may be made here"
	exit 0
fi
exec tests/image/appliance.py --process \
	unshare $user --pid --fork --kill-child tests/image/on_pty.py $alone $program
