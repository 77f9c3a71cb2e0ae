#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Run parts of the checks one after the other and end with the totals:
#
#	MAKE=make tools/check.sh PART...
#
# For each: tools/setup.sh --only PART, then `make part-PART`, whose test runs append to $TALLY. A
# part that fails does not stop the others. One that cannot be set up has run nothing, and failed.

set -u
cd "$(dirname "$0")/.." || exit 1
TALLY=$(mktemp) || exit 1
export TALLY
trap 'rm -f "$TALLY"' EXIT
trap 'exit 130' INT TERM HUP

# All at once first: one installation, or one message with the one command for everything.
set_up=0
if [ $# -gt 1 ]; then
	tools/setup.sh $(printf -- '--only %s ' "$@")
	set_up=$?
fi

for part; do
	if ! { [ $set_up = 0 ] && [ $# -gt 1 ]; } && ! message=$(tools/setup.sh --only "$part"); then
		[ $# -gt 1 ] || printf '%s\n' "$message"
		echo "$part: failed: packages are lacking"
		echo "0 1 0 $part" >>"$TALLY"
		continue
	fi
	before=$(wc -l <"$TALLY")
	if ! $MAKE --no-print-directory "part-$part"; then
		echo "$part: failed: make part-$part did not get through"
		echo "0 1 0 $part" >>"$TALLY"
	elif [ "$(wc -l <"$TALLY")" -eq "$before" ]; then
		echo "$part: failed: ran nothing"
		echo "0 1 0 $part" >>"$TALLY"
	fi
done

awk '{ passed += $1; failed += $2; skipped += $3; if ($2) parts = parts "\n    " $0 }
	END {
		if (parts)
			print "failed (passed, failed, skipped):" parts
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed != 0
	}' "$TALLY"
