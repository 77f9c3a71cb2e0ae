#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Counts how many scenarios of each kind are explored in full, and how many are samples or bounded,
# and checks that the table in a document, section "What is explored", has these numbers.
#
#	tests/model/explored.sh DIR "PROTOCOL..." "SHARED..." "BARE..." "OTHER..." DOCUMENT
#
# The programs are DIR/NAME. The programs of SHARED are built for every protocol, as DIR/NAME for
# the first and as DIR/NAME-PROTOCOL for each other. Those of BARE are built as the bare library is.
# KTAP.

dir=$1 protocols=$2 shared=$3 bare=$4 others=$5 document=$6
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# count KIND PROGRAM...: prints "KIND full in-part", the numbers of scenarios under C11's model
count()
{
	kind=$1
	shift
	for program; do
		# One execution is enough: its line says whether the scenario is sampled or bounded.
		"$dir/$program" --quiet --model=rc11 --max-executions=1
	done | awk -v kind="$kind" '
		/^(not )?ok / { if (/ (sampled|bounded)/) part++; else full++ }
		/^1\.\./ { planned += substr($0, 4) }
		END { if (full + part != planned) kind = kind "(" planned " planned)"; print kind, full + 0, part + 0 }'
}

with()
{
	for program in $shared; do
		printf '%s ' "$program$1"
	done
}

{
	under=
	for protocol in $protocols; do
		count "$protocol" $(with "$under${under:+$protocol}")
		under=-
	done
	count bare $bare
	count others $others
} >"$tmp/counted"
awk '/^===/ && last == "What is explored" { on = 1; next }
	on && $2 ~ /^[0-9]+$/ { print tolower($1), $2, $3 }
	on && /^---|^===.*[a-z]/ { exit }
	{ last = $0 }' "$document" >"$tmp/written"

echo "TAP version 13"
echo "1..2"
if awk '$2 + $3 < 20 { exit 1 } END { exit NR < 5 }' "$tmp/counted"; then
	echo "ok 1 scenarios were counted"
else
	echo "not ok 1 scenarios were counted"
	sed 's/^/# /' "$tmp/counted"
fi
if diff "$tmp/written" "$tmp/counted" >"$tmp/diff"; then
	echo "ok 2 $document says how many are explored in full"
else
	echo "not ok 2 $document says how many are explored in full"
	sed 's/^/# /' "$tmp/diff"
	exit 1
fi
