#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs parts of the checks in parallel, one more than there are CPUs (some tests wait), and ends
# with the totals:
#
#	MAKE=make tools/check.sh PART...
#
# For each part: tools/setup.sh --only PART, then `make part-PART`, whose test runs append to
# $TALLY. The output of a part is printed when the part has ended. While several parts run, a line
# says when each begins and ends. A part that fails does not stop the others. A part whose end was
# not seen has failed. A part whose packages are lacking and cannot be installed does not run. The
# last lines say how many parts did not run, and why; the exit status is 1, as if one part had
# failed.
#
# Before the first part begins, one make makes what several parts use (`make shared`), so that no
# part reads a file that another writes. Each make logs to $MADE_LOG what it makes; a file that two
# makes have made is a failure. Parts that run the same programs (SAME_PROGRAMS) do not run at the
# same time. CHECK_LANES: how many parts run in parallel; with 1 the output of a part is printed at
# once.
#
# The file $CHECK_TIMES (build/times) has the seconds of CPU that each part took, and that each of its
# tests and builds took, the dearest first. The file says where the time goes. Nothing is judged by
# it.

set -u
cd "$(dirname "$0")/.." || exit 2
. tools/plain.inc
usable_tmp
# Settings in the environment do not count; those on make's own command line do.
unset CC CXX CPP CFLAGS CXXFLAGS CPPFLAGS LDFLAGS ARCH
cpus=$(nproc)
lanes=${CHECK_LANES:-$((cpus > 1 ? cpus + 1 : 1))}
case $#-$lanes in
0-* | *-*[!0-9]*)
	echo "usage: [CHECK_LANES=N] tools/check.sh PART..." >&2
	exit 2 ;;
esac
[ "$lanes" -le $# ] || lanes=$#
SAME_PROGRAMS=' native native-short valgrind '
tmp=$(mktemp -d) || exit 2

# A part is a session of its own, and is ended as a whole. A signal interrupts the wait for the
# part.
child=
pids=
end()
{
	trap - INT TERM HUP
	[ -z "$child" ] || kill -s TERM -- "-$child" 2>/dev/null
	[ -z "$pids" ] || kill -s TERM $pids 2>/dev/null
	wait
	exit 130
}
trap 'rm -rf "$tmp"' EXIT
trap end INT TERM HUP

# Sets up all parts before the first one runs, so that there is one installation, or one message
# with one command, for all of them.
set_up=0
if [ $# -gt 1 ]; then
	tools/setup.sh $(printf -- '--only %s ' "$@")
	set_up=$?
fi

if [ $# -gt 1 ] && [ $set_up = 0 ]; then
	TIMES=$tmp/times.shared setsid tools/cpu.sh '' $MAKE --no-print-directory shared >"$tmp/out.shared" 2>&1 &
	child=$!
	wait $child || { echo 'what parts share was not built:'; tail -n 20 "$tmp/out.shared"; }
	child=
fi

# $1: the part; $2: the number of parts
run_part()
{
	part=$1
	TALLY=$tmp/tally.$part MADE_LOG=$tmp/made.$part TIMES=$tmp/times.$part
	export TALLY MADE_LOG TIMES
	: >"$TALLY"
	lacks=
	if [ "$2" -gt 1 ]; then
		[ $set_up = 0 ] || lacks=$(tools/setup.sh --lacks --only "$part")
	else
		tools/setup.sh --only "$part" || lacks=$(tools/setup.sh --lacks --only "$part")
	fi
	if [ -n "$lacks" ]; then
		echo "$part: does not run: it needs $lacks"
		echo "    $part: needs $lacks" >"$tmp/lacks.$part"
		: >"$tmp/done.$part"
		return
	fi
	setsid tools/cpu.sh '' $MAKE --no-print-directory "part-$part" &
	child=$!
	wait $child
	status=$?
	child=
	if [ $status != 0 ]; then
		echo "$part: failed: make part-$part did not get through"
		echo "0 1 0 $part" >>"$TALLY"
	elif ! awk '!/^\t/ { ran += $1 + $2 } END { exit !ran }' "$TALLY"; then
		echo "$part: failed: ran nothing"
		echo "0 1 0 $part" >>"$TALLY"
	fi
	: >"$tmp/done.$part"
}

# take LOCK: waits until it can make the directory LOCK; fails if $tmp is gone, because then all
# notes are gone
take()
{
	until mkdir "$tmp/$1" 2>/dev/null; do
		[ -d "$tmp" ] || return 1
		sleep 0.1
	done
}

# Claims the next part that may run, and waits while none of the remaining parts may run; fails if
# none remains.
next_part()
{
	while [ -d "$tmp" ]; do
		left=
		for part; do
			[ ! -e "$tmp/claim.$part" ] || continue
			left=1
			case $SAME_PROGRAMS in
			*" $part "*) mkdir "$tmp/same_programs" 2>/dev/null || continue ;;
			esac
			mkdir "$tmp/claim.$part" 2>/dev/null && return
			case $SAME_PROGRAMS in
			*" $part "*) rmdir "$tmp/same_programs" ;;
			esac
		done
		[ -n "$left" ] || return 1
		sleep 0.5
	done
	return 1
}

run_lane()
{
	trap end INT TERM HUP
	pids=
	while next_part "$@"; do
		echo "# $part begins"
		begun=$(date +%s)
		run_part "$part" $# >"$tmp/out.$part" 2>&1
		take printing || return
		cat "$tmp/out.$part"
		echo "# $part has ended after $(($(date +%s) - begun)) s"
		rmdir "$tmp/printing"
		case $SAME_PROGRAMS in
		*" $part "*) rmdir "$tmp/same_programs" ;;
		esac
	done
	return 0
}

if [ "$lanes" -le 1 ]; then
	while next_part "$@"; do
		run_part "$part" $#
		rmdir "$tmp/same_programs" 2>/dev/null
	done
else
	while [ "$lanes" -gt 0 ]; do
		run_lane "$@" &
		pids="$pids $!"
		lanes=$((lanes - 1))
	done
	for pid in $pids; do
		wait "$pid" && continue
		# Gives back the locks of the lane that has ended: otherwise no other lane would
		# get them.
		echo "a lane of tools/check.sh has ended before its work"
		rmdir "$tmp/same_programs" "$tmp/printing" 2>/dev/null
	done
fi

# seconds PART...: prints "SECONDS PART: NAME" for each named line of the part's file. The line
# without a name has the sum of the part. Prints also this sum, and what the named lines leave of
# it.
seconds()
{
	for part; do
		[ -s "$tmp/times.$part" ] || continue
		awk -v part="$part" '{ spent = $1; sub(/^[^ ]* /, "") }
			$0 == "" { all = spent; next }
			{ named += spent; printf "%8.1f %s: %s\n", spent, part, $0 }
			END { printf "%8.1f %s: all of it\n", all, part
				printf "%8.1f %s: what has no line of its own\n", all - named, part }' "$tmp/times.$part"
	done | sort -rn | uniq
}

[ -d "$tmp" ] || { echo "$tmp is gone, and with it the results"; exit 2; }
for part; do
	[ -e "$tmp/done.$part" ] || echo "0 1 0 $part: its end was not seen" >>"$tmp/tally.$part"
	# Files that make always checks again, and marks of a run, do not count as made twice.
	[ ! -e "$tmp/made.$part" ] || sed 's/^[0-9]* //' "$tmp/made.$part" | grep "^$PWD/build/" |
		grep -v '/flags$\|\.built$' | sed "s|\$| $part|"
done | sort -u >"$tmp/made"
awk '{ parts[$1] = parts[$1] " " $2 } n[$1]++ == 1 { twice[$1] }
	END { for (file in twice) print "0 1 0 " file " was made by" parts[file] }' "$tmp/made" >"$tmp/tally."
cat "$tmp"/lacks.* 2>/dev/null >"$tmp/lacks"
times=${CHECK_TIMES:-build/times}
mkdir -p "$(dirname "$times")" && seconds shared "$@" >"$times"
awk -v file="$times" '/: all of it$/ { n += $1 } END { printf "# %d s of CPU; where they went: %s\n", n, file }' "$times"
awk -v all=$# -v lacks="$tmp/lacks" '/^\t/ { parts = parts "\n" $0; next }
	{ passed += $1; failed += $2; skipped += $3; if ($2) parts = parts "\n    " $0 }
	END {
		if (parts)
			print "failed (passed, failed, skipped):" parts
		while ((getline line <lacks) > 0) {
			if (!idle++)
				print "did not run, for want of packages:"
			print line
		}
		printf "%d passed, %d failed, %d skipped%s\n", passed, failed, skipped,
			idle ? ", " idle " of " all " parts did not run" : ""
		exit failed || idle
	}' "$tmp"/tally.*
