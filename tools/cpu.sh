#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs one command, and appends "SECONDS NAME", its seconds of CPU, to the file $TIMES.
#
#	tools/cpu.sh NAME COMMAND...

. "${0%/*}/cpu.inc"
name=$1
shift
# A signal to the whole group ends the command. This script only waits for that end.
trap : INT TERM HUP
"$@"
status=$?
cpu_spent "$name"
exit $status
