#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the counts that tools/ktap.sh makes of a command's KTAP, also where the command prints none.
# KTAP.

. "$(dirname "$0")/check.inc"

echo "TAP version 13"
echo "1..17"

tab=$(printf '\t')
says() { sed 1d "$tmp/tally" | grep -qx "$tab$1"; }

# tallies "PASSED FAILED SKIPPED" TEXT [COMMAND]: whether tools/ktap.sh has these counts for a
# command that prints TEXT, and then runs COMMAND
tallies()
{
	printf '%s\n' "$2" >"$tmp/text"
	: >"$tmp/tally"
	echo "$load 0 0 1/1 1" >"$tmp/loadavg"
	TALLY=$tmp/tally CI=$ci NAP_TEST_TIMEOUT=${limit:-60} NAP_TEST_LOADAVG=$tmp/loadavg tools/ktap.sh it "$tmp/log" \
		sh -c "cat '$tmp/text'; ${3:-:}" >"$tmp/out" 2>"$tmp/err"
	[ $? = 0 ] && [ "$(head -n 1 "$tmp/tally")" = "$1 it" ] && ! sed 1d "$tmp/tally" | grep -v "^$tab"
}

ci= load=0.10
tallies '2 0 0' '1..2
ok 1 a
ok 2 b'
check "what passes"
tallies '1 1 0' '1..2
ok 1 a
not ok 2 b' && grep -q '| not ok 2 b' "$tmp/out" && says 'not ok 2 b'
check "what fails is shown"
tallies '1 0 1' '1..2
ok 1 a
ok 2 # SKIP it is cold' && grep -q 'skipped: it is cold' "$tmp/out"
check "a skip is shown with its reason"
tallies '1 1 0' '1..2
ok 1 a
ok 2 # SKIP' && grep -q 'skipped without a reason' "$tmp/out"
check "one without a reason has failed"
tallies '0 0 1' '1..0 # SKIP it is cold'
check "all may be skipped, with a reason"
tallies '0 1 0' '1..0'
check "nothing may not be planned without one"
tallies '1 2 0' '1..3
ok 1 a'
check "what was not run has failed"
tallies '2 1 0' '1..1
ok 1 a
ok 2 b'
check "more than was planned is a fault"
tallies '2 1 0' '1..2
ok 1 a
ok 1 a'
check "so is a number that comes twice"
tallies '0 1 0' 'hello'
check "a command that prints no plan has failed"
tallies '1 1 0' '1..1
ok 1 a' 'exit 3' && grep -q 'exit status 3' "$tmp/out"
check "one that says so at its end, too"
tallies '1 1 0' '1..2
ok 1 a' 'kill -9 $$' && grep -q 'killed by signal 9' "$tmp/out"
check "one that is killed, too"
limit=1
tallies '1 1 0' '1..2
ok 1 a' 'sleep 100' && grep -q 'timed out after 1 s' "$tmp/out" && says 'timed out after 1 s'
check "one that takes too long, too"
load=$(($(nproc) * 6)).50
tallies '1 1 0' '1..2
ok 1 a' 'sleep 100' && grep -q 'timed out after 3 s' "$tmp/out"
check "where six processes want each CPU, after three times as long"
limit= load=9999.00
tallies '1 0 0' '1..1
ok 1 a' 'echo "# patience $NAP_TEST_PATIENCE"' && grep -q '^# patience 6$' "$tmp/log"
check "the command is told, and it is six times at most"
load=0.10
tallies '0 0 1' '1..1
ok 1 # SKIP needs package cow'
check "a package may be lacking"
ci=true
tallies '0 1 0' '1..1
ok 1 # SKIP needs package cow'
check "but not in CI"
