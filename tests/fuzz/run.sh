#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs a fuzzer, or the inputs of its corpus as tests:
#
#	tests/fuzz/run.sh fuzz PROGRAM CORPUS DIRECTORY MINUTES	searches for inputs, into DIRECTORY
#	tests/fuzz/run.sh merge PROGRAM CORPUS DIRECTORY	adds found inputs to CORPUS
#	tests/fuzz/run.sh check PROGRAM CORPUS DIRECTORY	prints KTAP: a test for 20 inputs
#
# CORPUS is a text; tests/fuzz/pack.sh unpacks it into DIRECTORY.

set -u
mode=$1 program=$2 text=$3 directory=$4 minutes=${5:-}
corpus=$directory/corpus
# no input should take a second: one that takes a minute counts as hung
options="-print_final_stats=1 -timeout=60 -max_len=300 -artifact_prefix=$directory/"

"$(dirname "$0")/pack.sh" unpack "$text" "$corpus" || exit 1
case $mode in
fuzz)
	case $minutes in
	'' | *[!0-9]* | ?????*)
		echo "MINUTES=$minutes: a number from 1 to 9999 is needed" >&2
		exit 2
		;;
	esac
	if [ "$minutes" -eq 0 ]; then
		echo "MINUTES=0: a number from 1 to 9999 is needed" >&2
		exit 2
	fi
	mkdir -p "$directory/new"
	exec "$program" $options -max_total_time=$((minutes * 60)) \
		"$directory/new" "$corpus"
	;;
merge)
	# Only edges count, not how often they are hit: with threads this number differs from run to run.
	"$program" $options -merge=1 -use_counters=0 "$corpus" "$directory/new" &&
		exec "$(dirname "$0")/pack.sh" pack "$corpus" "$text"
	;;
check)
	set -- "$corpus"/*
	[ -e "$1" ] || { echo "Bail out! no inputs in $text"; exit 1; }
	echo "TAP version 13"
	echo "1..$((($# + 19) / 20))"
	nr=0 failed=0
	while [ $# -gt 0 ]; do
		nr=$((nr + 1)) n=0 files=
		while [ $# -gt 0 ] && [ $n -lt 20 ]; do
			files="$files $1" n=$((n + 1))
			shift
		done
		if output=$("$program" -timeout=60 $files 2>&1) &&
			[ "$(echo "$output" | grep -c '^Executed ')" -eq $n ]; then
			echo "ok $nr $n inputs of the corpus"
		else
			echo "$output" | sed 's/^/# /'
			echo "not ok $nr $n inputs of the corpus"
			failed=1
		fi
	done
	exit $failed
	;;
esac
