#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the laboratory's page: the engine under node, against nap-litmus. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
page=build/page

echo "TAP version 13"
echo "1..2"

# ---- the engine: the same verdicts, states and flags as natively

ls build/gallery/*.litmus tests/litmus/*.litmus >"$tmp/files"
build/nap-litmus --json --model=sc --model=tso --model=armv8 --model=rvwmo --model=rc11 --model=c20 --model=lkmm \
	--files="$tmp/files" >"$tmp/native" 2>"$tmp/refused"
[ "$(wc -l <"$tmp/native")" -gt 400 ]
check "nap-litmus judges the gallery and the tests of nap"
xargs node tests/page/engine.js tools/litmus/page/host.js "$page/nap-litmus.wasm" "$tmp/native" <"$tmp/files" >"$tmp/out" 2>&1
check "the engine says the same: $(tail -n 1 "$tmp/out")"
