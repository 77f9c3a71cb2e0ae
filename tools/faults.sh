#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The fault campaign: runs every program of tests/fault/, natively and then with AddressSanitizer
# and LeakSanitizer, and prints the effect of each fault:
#
#	MAKE=make tools/faults.sh
#
# Each test that reports a fault (tests/fault/report.h) has a line. From the native run the line has
# how often the fault was injected, how many tasks were scheduled then, and how many of them were
# lost; from both runs, the hangs (reported by the watchdog, by a time-out, or because a test was
# killed); from the second run, the memory leaks, or "-" if the test was not built with
# AddressSanitizer (tests that fork). Most tests that start threads or map memory also compare
# threads and mappings before and after, natively (tests/fault/footprint.h).
#
# Exits 1 if anything was lost, hung, leaked or failed.

set -u
cd "$(dirname "$0")/.." || exit 1
tools/setup.sh --only native || exit 1

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
TALLY=$work/tally
export TALLY FAULT_LOGS

FAULT_LOGS=$work/native
$MAKE --no-print-directory part-faults || echo '0 1 0 native' >>"$TALLY"
FAULT_LOGS=$work/leaks
$MAKE --no-print-directory part-faults ATOMICS=c11 SANITIZE=address || echo '0 1 0 asan' >>"$TALLY"

echo
awk '
function row(label) {
	labels[++nr_rows] = label
	row_of[test] = row_of[test] ? row_of[test] : nr_rows
	return nr_rows
}
# a fault that is not in the table gets a line of its own
function this_row() { return row_of[test] ? row_of[test] : row(test) }

function end_test(ok,	r) {
	if (test == "")
		return
	if (hang)
		hangs[this_row()]++
	if (leak)
		leaks[this_row()]++
	if (!ok)
		failed[this_row()]++
	if (mode == "leaks" && row_of[test])
		looked[row_of[test]] = 1
	test = ""
}

FNR == 1 {
	end_test(0)	# the program ended in the middle of a test: a failure
	program = FILENAME
	sub(/.*\//, "", program)
	sub(/\.log$/, "", program)
}
/^# +RUN / { test = program ": " $3; hang = leak = 0 }
/^# FAULT / && mode == "native" {
	label = $0
	sub(/^# FAULT [0-9]+ [0-9]+ -?[0-9]+ /, "", label)
	r = row(label)
	injected[r] = $3
	tasks[r] = $4
	lost[r] = $5
}
/^# FAULT / && mode == "leaks" && $5 != 0 { lost[this_row()] += $5 }
/^# HANG:/ || /Test terminated by timeout/ || /Test terminated unexpectedly by signal/ { hang = 1 }
/LeakSanitizer: detected memory leaks/ { leak = 1 }
/^ok / { end_test(1) }
/^not ok / { end_test(0) }

function print_line(label, a, b, c, d, e, note) {
	printf "%-46s %10s %11s %6s %6s %6s%s\n", label, a, b, c, d, e, note
}

END {
	end_test(0)
	print_line("fault", "injected", "tasks", "lost", "hangs", "leaks", "")
	for (r = 1; r <= nr_rows; r++) {
		print_line(labels[r], injected[r] + 0, tasks[r] + 0, lost[r] + 0, hangs[r] + 0,
			   looked[r] ? leaks[r] + 0 : "-", failed[r] ? "  FAILED" : "")
		all_injected += injected[r]
		all_tasks += tasks[r]
		all_lost += lost[r] < 0 ? -lost[r] : lost[r]
		all_hangs += hangs[r]
		all_leaks += leaks[r]
		all_failed += failed[r]
	}
	print_line("total", all_injected + 0, all_tasks + 0, all_lost + 0, all_hangs + 0,
		   all_leaks + 0, "")
	exit !nr_rows || all_lost || all_hangs || all_leaks || all_failed
}' mode=native $(cat "$work/native") mode=leaks $(cat "$work/leaks")
status=$?

# Other failures: a program that was not built, or that ran fewer tests than it planned.
awk '!/^\t/ { failed += $2 } END { if (failed) print failed " failed"; exit failed != 0 }' "$TALLY" || status=1
exit $status
