#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The checker's models do not have load buffering. Lists the loads of src/ that load buffering could
# concern, and checks that a document's section "Loads before stores" argues each function that has
# such a load:
#
#	tools/check/buffering.sh DIR "PROGRAM..." DOCUMENT
#
# The programs are DIR/PROGRAM. A sample of each scenario's executions is taken. The list stays in
# DIR/pairs.list, for tests/lab/pairs.sh. KTAP.

dir=$1 programs=$2 document=$3
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

for p in $programs; do
	echo "$p"
done | xargs -P "$(nproc)" -I {} sh -c \
	"'$dir/{}' --pairs --quiet --model=rc11 --random=${SAMPLE:-1000} >'$tmp/run-{}' 2>&1"
cat "$tmp"/run-* | awk '$2 == "pair" && $3 ~ /^src\// && $6 ~ /^src\// { print $4, $3, $7, $6 }' |
	sort -u >"$tmp/pairs"
cp "$tmp/pairs" "$dir/pairs.list"
awk '/^===/ && last == "Loads before stores" { on = 1; next }
	/^===/ { on = 0 }
	on
	{ last = $0 }' "$document" >"$tmp/argued"

echo "TAP version 13"
echo "1..2"
nr=$(wc -l <"$tmp/pairs")
if [ "$nr" -gt 0 ] && [ -s "$tmp/argued" ]; then
	echo "ok 1 $nr pairs of a load and a store that nothing orders were listed"
else
	echo "not ok 1 pairs were listed, and $document has the section"
fi
cut -d ' ' -f 1 "$tmp/pairs" | sort -u | while read -r function; do
	grep -qF "\`\`$function()\`\`" "$tmp/argued" ||
		grep "^$function " "$tmp/pairs" | sed 's/^/# not argued: /'
done >"$tmp/lacking"
cat "$tmp/lacking"
if [ -s "$tmp/lacking" ]; then
	echo "not ok 2 every load is argued in $document"
	exit 1
fi
echo "ok 2 every load is argued in $document"
[ "$nr" -gt 0 ] && [ -s "$tmp/argued" ]
