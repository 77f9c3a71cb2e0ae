#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the laboratory's page: the engine under node, against nap-litmus; the page in headless
# Chromium (litmus.js). With PICTURES=directory the pictures stay there. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
page=$PWD/build/page
steps="opens wrong mended explained stepped heard drawn red hovered exported shared broken hostile modelled
	model_wrong made opened_from_a_cycle told_apart mendable not_kept elsewhere taught stopped overtaken seen seen_broken seen_of_others older RCU timed phone dark print
	without_JavaScript quiet"

echo "TAP version 13"
echo "1..$((4 + $(echo "$steps" | wc -w)))"

# ---- the engine: the same verdicts, states and flags as natively

ls build/gallery/*.litmus tests/litmus/*.litmus tools/litmus/questions/*.litmus >"$tmp/files"
build/nap-litmus --json --model=sc --model=tso --model=armv8 --model=rvwmo --model=rc11 --model=c20 --model=lkmm \
	--files="$tmp/files" >"$tmp/native" 2>"$tmp/refused"
[ "$(wc -l <"$tmp/native")" -gt 400 ]
check "nap-litmus judges the gallery, the questions, and the tests of nap"
xargs node tests/page/engine.js tools/litmus/page/host.js "$page/nap-litmus.wasm" "$tmp/native" <"$tmp/files" >"$tmp/out" 2>&1
check "the engine says the same: $(tail -n 1 "$tmp/out")"

# ---- the page

size=$(wc -c <"$page/nap-litmus.html")
[ "$size" -gt 100000 ] && [ "$size" -lt 3000000 ]
check "one file of less than 3 MB: $size bytes"
! grep -nE '(src|href)="?https?:|url\(|@import|fetch\(|XMLHttp|WebSocket' "$page/nap-litmus.html" >"$tmp/out"
check "there is nothing in it that asks a server"

[ -z "${PICTURES:-}" ] || pictures=$(cd "$PICTURES" && pwd)
build/nap-litmus --run=20k --bundle="$tmp/bundle" build/gallery/X86_64-SB.litmus build/gallery/X86_64-MP.litmus >"$tmp/out" 2>&1 &&
	(unset MAKEFLAGS MFLAGS MAKELEVEL && make -C "$tmp/bundle" run) >"$tmp/out" 2>&1
sed '/movl .1,(x)/s/(/ /' "$tmp/bundle/results.txt" >"$tmp/bundle/results.txt.broken"
timeout 520 node tests/page/litmus.js "$page/nap-litmus.html" "$tmp/profile" "$tmp/bundle/results.txt" ${pictures:+"$pictures"} >"$tmp/all" 2>&1
for step in $steps; do
	name=$(echo "$step" | tr _ ' ')
	grep '^not ok' "$tmp/all" >"$tmp/out"
	grep -q "^ok $name #" "$tmp/all"
	check "$(sed -n "s/^ok $name # \(.\{1,110\}\).*/$name: \1/p" "$tmp/all" | grep . || echo "$name")"
done
