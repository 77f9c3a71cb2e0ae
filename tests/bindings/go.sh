#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs go vet on the package of tools/bindings/go. Then runs the package's tests, also under Go's
# race detector, and its example. Nothing is downloaded. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1

echo "TAP version 13"
if ! command -v go >/dev/null; then
	echo "1..0 # SKIP there is no go (Debian: golang-go)"
	exit 0
fi
echo "1..6"
library=$(realpath "$build")
export CGO_ENABLED=1 CGO_CFLAGS="-I$PWD/include -O1 -g" CGO_LDFLAGS="-L$library" LD_LIBRARY_PATH="$library"
export GOCACHE="$tmp/cache" GOPATH="$tmp/path" GOPROXY=off GOFLAGS=-mod=mod GOTOOLCHAIN=local
fixed=
setarch -R true 2>/dev/null && fixed='setarch -R'
sources=$PWD/README.md\ $(echo "$PWD"/src/sched/*.c)
cp -r tools/bindings/go "$tmp/go" && cd "$tmp/go" || exit 1

go vet ./... >"$tmp/out" 2>&1
check "go vet finds nothing ($(go version | cut -d ' ' -f 3))"
[ -z "$(gofmt -l . 2>&1)" ] && [ -n "$(printf 'package a\nvar  a = 1\n' | gofmt -l)" ]
check "the sources are as gofmt has them"
timeout 300 go test -count=1 -v . >"$tmp/out" 2>&1 && grep -qx PASS "$tmp/out"
check "the tests pass ($(grep -c '^--- PASS' "$tmp/out"))"
printf 'package main\nfunc main() {}\n' >"$tmp/race.go"
if go build -race -o "$tmp/race" "$tmp/race.go" >"$tmp/out" 2>&1; then
	timeout 300 $fixed go test -race -count=1 . >"$tmp/out" 2>&1 && grep -q ^ok "$tmp/out"
	check "and under Go's race detector"
else
	nr=$((nr + 1))
	echo "ok $nr and under Go's race detector # SKIP go has none here"
fi
# shellcheck disable=SC2086
go build -o "$tmp/lines" ./example/lines >"$tmp/out" 2>&1 && wc -l $sources | sed 's/^ *//' >"$tmp/want" &&
	timeout 60 "$tmp/lines" $sources | diff "$tmp/want" - >"$tmp/out" 2>&1
check "the example prints what wc prints"
! "$tmp/lines" /nowhere >"$tmp/out" 2>&1 && grep -q 'no such file' "$tmp/out"
check "and which file is not there"
