#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the crates of tools/bindings/rust by rustc alone: what they do, which programs they make
# rustc refuse, and that their structures are laid out like those of the headers. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
rust=tools/bindings/rust
rustc=${RUSTC:-rustc}

echo "TAP version 13"
if ! command -v "$rustc" >/dev/null; then
	echo "1..0 # SKIP there is no rustc (Debian: rustc)"
	exit 0
fi
echo "1..16"
library=$(realpath "$build")
# One of the tests ends a process by abort(), which must not leave a core file.
ulimit -c 0
export RUST_BACKTRACE=0 LD_LIBRARY_PATH="$library"

# compile ARGUMENT...: runs rustc, which finds the crates in $tmp
compile()
{
	"$rustc" --edition 2021 -C debuginfo=1 -D warnings -L "$tmp" -L "$library" --out-dir "$tmp" "$@"
}
compile --crate-type rlib --crate-name nap_sys $rust/nap-sys/src/lib.rs >"$tmp/out" 2>&1 &&
	compile --crate-type rlib --crate-name nap --extern "nap_sys=$tmp/libnap_sys.rlib" $rust/nap/src/lib.rs >>"$tmp/out" 2>&1
check "the crates compile without a warning and without a registry ($("$rustc" --version | cut -d ' ' -f 2))"

compile --extern "nap_sys=$tmp/libnap_sys.rlib" $rust/nap-sys/examples/layout.rs >"$tmp/out" 2>&1 &&
	${CC:-gcc} -Iinclude -o "$tmp/layout-c" tests/bindings/layout.c >>"$tmp/out" 2>&1 &&
	"$tmp/layout-c" >"$tmp/want" && "$tmp/layout" | diff "$tmp/want" - >>"$tmp/out" 2>&1
check "nap-sys has the structures and the errors as the headers have them"

for name in pool join scope queue fork stress; do
	compile --test --extern "nap=$tmp/libnap.rlib" $rust/nap/tests/$name.rs >"$tmp/out" 2>&1 &&
		timeout 120 "$tmp/$name" >"$tmp/out" 2>&1 </dev/null
	check "tests/$name.rs passes ($(sed -n 's/^test result: ok. \([0-9]* passed\).*/\1/p' "$tmp/out"))"
done

# refused FILE: whether rustc refuses FILE, and every error is the one that the file's second line
# names
refused()
{
	! "$rustc" --edition 2021 --emit metadata --out-dir "$tmp" -L "$tmp" --extern "nap=$tmp/libnap.rlib" "$1" >"$tmp/err" 2>&1 &&
		grep '^error' "$tmp/err" | grep -v '^error: aborting' >"$tmp/errors" &&
		! grep -vF "$(sed -n '2s,^// ,,p' "$1")" "$tmp/errors" >>"$tmp/err"
}
printf '// SPDX-License-Identifier: MIT\n// error[E0277]\nfn main() { nap::Pool::new().unwrap().spawn(|| ()).unwrap(); }\n' >"$tmp/right.rs"
! refused "$tmp/right.rs"
check "a program that is right compiles"
# all_refused PATTERN: whether rustc refuses each program of tests/refused whose name matches
all_refused()
{
	n=0
	for file in $rust/nap/tests/refused/$1; do
		refused "$file" || { echo "$file"; cat "$tmp/err"; }
		n=$((n + 1))
	done >"$tmp/out" 2>&1
	[ ! -s "$tmp/out" ]
}
all_refused 's*.rs'
check "closures that are not Send, borrow what goes, or leave their scope are refused ($n)"
all_refused '[j]*.rs' && all_refused 'w*er*.rs' && all_refused 'c*.rs'
check "so are jobs and calls that are not Send, and a worker that leaves its thread"
all_refused 'q*.rs' && all_refused 'work_*.rs'
check "and works that are not Send or borrow, and a second loop"
rm -f "$tmp/err"

compile --extern "nap=$tmp/libnap.rlib" $rust/nap/examples/lines.rs >"$tmp/out" 2>&1
ls README.md src/sched/*.c | timeout 60 "$tmp/lines" 2>>"$tmp/out" | sort >"$tmp/have"
{ wc -l README.md src/sched/*.c | sed 's/^ *//'; } | sort | cmp - "$tmp/have" >>"$tmp/out" 2>&1
check "the example counts lines as wc does"
{ printf 'README.md\n/nowhere' | timeout 60 "$tmp/lines"; } >"$tmp/out" 2>&1 &&
	grep -q '^/nowhere: No such file' "$tmp/out" && grep -q ' total$' "$tmp/out"
check "and says which file is not there"

# Takes the rustdoc and the cargo that belong to this rustc, because several may be installed.
rustdoc=$(command -v "$rustc") && cargo=${rustdoc%rustc}cargo rustdoc=${rustdoc%rustc}rustdoc
if [ ! -x "$rustdoc" ]; then
	echo "ok 15 # SKIP there is no rustdoc"
	nr=15
else
	"$rustdoc" --edition 2021 --test --crate-name nap -L "$tmp" -L "$library" --extern "nap=$tmp/libnap.rlib" \
		--extern "nap_sys=$tmp/libnap_sys.rlib" $rust/nap/src/lib.rs >"$tmp/out" 2>&1 &&
		"$rustdoc" --edition 2021 -D warnings --crate-name nap -L "$tmp" --extern "nap_sys=$tmp/libnap_sys.rlib" -o "$tmp/doc" \
			$rust/nap/src/lib.rs >>"$tmp/out" 2>&1
	check "the documentation's program runs, and its links are whole"
fi
if [ ! -x "$cargo" ]; then
	echo "ok 16 # SKIP there is no cargo"
else
	cp -r $rust "$tmp/rust" && (cd "$tmp/rust" && NAP_LIB_DIR=$library CARGO_HOME="$tmp/cargo" RUSTC=$(command -v "$rustc") timeout 300 \
		"$cargo" build --offline -q -p nap) >"$tmp/out" 2>&1
	check "cargo builds the crates offline"
fi
