#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs one command that prints KTAP, and prints one line about it:
#
#	tools/ktap.sh NAME LOG COMMAND...
#
# The whole output of the command goes to LOG. The output of failed tests is printed, and the
# reason of skipped ones. "PASSED FAILED SKIPPED NAME" is appended to the file $TALLY, with up to
# ten lines after a tab each that say what failed. A command has failed if it crashes, takes
# longer than $NAP_TEST_TIMEOUT seconds (600), prints no plan, runs fewer tests than it planned,
# numbers them wrongly or skips one without a reason; each test that was not run has failed. With
# CI=true a skip because of a missing package is a failure. "SECONDS NAME", the seconds of CPU, is
# appended to the file $TIMES.
#
# The limit tells a test that hangs from a slow one, on a machine where two processes want each CPU.
# Where more processes want each CPU, the limit is as many times longer, six times at most. The
# command gets that number as $NAP_TEST_PATIENCE, for limits of its own (tests/harness.h).
#
# Always exits 0: the tally is the result.

# This script starts few processes, because `make check` runs it 600 times.

. "${0%/*}/plain.inc"
. "${0%/*}/cpu.inc"
name=$1 log=$2
shift 2
read -r load others 2>/dev/null <"${NAP_TEST_LOADAVG:-/proc/loadavg}" || load=0
load=${load%.*} NAP_TEST_PATIENCE=1
if [ "$load" -ge 4 ]; then
	NAP_TEST_PATIENCE=$((load / $(nproc) / 2))
	[ $NAP_TEST_PATIENCE -ge 1 ] || NAP_TEST_PATIENCE=1
	[ $NAP_TEST_PATIENCE -le 6 ] || NAP_TEST_PATIENCE=6
fi
export NAP_TEST_PATIENCE
limit=$((${NAP_TEST_TIMEOUT:-600} * NAP_TEST_PATIENCE))
case $log in
*/*) [ -d "${log%/*}" ] || mkdir -p "${log%/*}" ;;
esac

# Ends what remains of the session $pid, because tests fork, and have process groups of their own.
clean_up()
{
	left=$(sed -n "s/^\([0-9]*\) .*) [^Z] [0-9]* [0-9]* $pid .*/\1/p" /proc/[0-9]*/stat 2>/dev/null)
	[ -z "$left" ] || kill -9 $left 2>/dev/null
}

# Runs the command in the background, so that Ctrl-C interrupts this script while it waits. Unless
# env resets its handlers, a background child ignores SIGINT, and the signals that were ignored at
# the start (nohup, some services).
read -r begin others </proc/uptime
setsid timeout -k 5 "$limit" env -u TIMES --default-signal "$@" >"$log" 2>&1 </dev/null &
pid=$!
trap 'clean_up; exit 130' INT TERM HUP
wait $pid 2>/dev/null
status=$?
read -r end others </proc/uptime
cpu_spent "$name"
clean_up

exec awk -v name="$name" -v log_name="$log" -v status=$status -v limit="$limit" \
	-v begin="$begin" -v end="$end" -v tally="${TALLY:-/dev/null}" -v ci="${CI:-}" '
function fail(n, why) { failed += n; notes[++nr_notes] = why; whys[++nr_whys] = why }

/^1\.\.[0-9]+/ {
	planned = substr($1, 4) + 0
	has_plan = 1
	if (!planned && /# *SKIP/)
		skip($0)
}
# the harness names the test in this line, but not in its line about a skip
/^# +RUN / { current = $3 }
/^ok [0-9]+/ {
	count($2)
	if (/# *SKIP/)
		skip($0)
	else
		passed++
}
/^not ok [0-9]+/ {
	count($3)
	failed++
	whys[++nr_whys] = $0
}
/^Bail out!/ { fail(1, $0) }
# lines to print when something failed
!/^ok / && !/^# +(RUN|OK) / && !/^TAP version/ { shown[++nr_shown] = $0 }

function count(number) {
	ran++
	if (number + 0 != ran && !disorder++)
		fail(1, "test " ran " has the number " number)
}

function skip(line,	reason) {
	reason = line
	sub(/.*# *SKIP */, "", reason)
	if (reason == "") {
		fail(1, "skipped without a reason: " line)
		return
	}
	if (ci == "true" && reason ~ /^needs package/)
		fail(1, "skipped for want of a package: " reason)
	else
		skips[++skipped] = (line ~ /^ok [0-9]+ # SKIP/ && current != "" ? current ": " : "") reason
}

END {
	if (status == 124 || (status == 137 && end - begin >= limit))
		fail(0, "timed out after " limit " s")
	else if (status > 128)
		fail(0, "killed by signal " status - 128)
	if (!has_plan)
		fail(1, "printed no plan")
	else if (!planned && !skipped)
		fail(1, "planned no tests and gave no reason")
	else if (ran < planned)
		fail(planned - ran, "planned " planned " tests, ran " ran + 0)
	else if (ran > planned)
		fail(1, "planned " planned " tests, ran " ran)
	# the harness exits with status 4 when all tests are skipped
	if (status && !failed && !(status == 4 && skipped))
		fail(1, "exit status " status)

	printf "%-36s %4d passed %3d failed %3d skipped %7.1f s\n", name, passed, failed, skipped,
		end - begin
	for (i = 1; i <= skipped; i++)
		print "    skipped: " skips[i]
	if (failed) {
		for (i = 1; i <= nr_notes; i++)
			print "    " notes[i]
		for (i = nr_shown > 100 ? nr_shown - 99 : 1; i <= nr_shown; i++)
			print "    | " shown[i]
		print "    (all of it: " log_name ")"
	}
	print passed + 0, failed + 0, skipped + 0, name >> tally
	for (i = 1; failed && i <= nr_whys && i <= 10; i++)
		print "\t" whys[i] >> tally
}' "$log"
