#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/bench/peers/rust.sh PEER DIRECTORY OBJECT...: build rayon, tokio, serial-rust, or one
# of them with -new (peers/rust.inc), as DIRECTORY/PEER and, except serial-rust, DIRECTORY/static-PEER.
# That needs no network, and is as users build a release: with link-time optimisation, in one unit.
# The objects are those of the works in C (tools/works). DIRECTORY/PEER.version has the versions of
# crate and compiler. Everything else that cargo writes goes to DIRECTORY/rust-PEER.

set -eu
peer=$1 out=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/rust.inc"
rust_find "$peer" >&2
work=$out/rust-$peer
source=$crate
case $crate in
libc) wants= source=serial ;;
rayon) wants='rayon = "1"' ;;
tokio) wants='tokio = { version = "1", features = ["io-util", "net", "rt-multi-thread", "sync", "time"] }' ;;
*) echo "no peer $peer in Rust" >&2; exit 2 ;;
esac
mkdir -p "$work/.cargo"
cat >"$work/Cargo.toml" <<EOF
[package]
name = "$peer-bench"
version = "0.0.0"
edition = "2021"
build = "build.rs"
[dependencies]
libc = "0.2"
$wants
[[bin]]
name = "$peer"
path = "$here/rust/$source.rs"
[profile.release]
strip = "symbols"
lto = "fat"
codegen-units = 1
debug = false
EOF
[ $source = serial ] || cat >>"$work/Cargo.toml" <<EOF
[[bin]]
name = "static-$peer"
path = "$here/../static/$crate.rs"
EOF
cat >"$work/build.rs" <<EOF
fn main() {
    for object in "$*".split(' ') {
        println!("cargo:rustc-link-arg-bin=$peer={}", object);
    }
    println!("cargo:rustc-link-arg-bin=$peer=-lm");
}
EOF
echo '[net]
offline = true' >"$work/.cargo/config.toml"
home=$work/home
case $kind in
home) home=$crates ;;
dir) cat >>"$work/.cargo/config.toml" <<EOF
[source.crates-io]
replace-with = "here"
[source.here]
directory = "$crates"
EOF
esac
cd "$work"
RUSTC=$rustc CARGO_HOME=$home "$cargo" build -q --release --offline -j2 --bin "$peer"
cp "target/release/$peer" "../$peer"
version=$(sed -n "/^name = \"$crate\"\$/{n;s/^version = \"\(.*\)\"/\1/p;q}" Cargo.lock)
rust_said "$version" >"../$peer.version"
[ $source != serial ] || exit 0

# The least program, static, where a static one can be built.
target=$("$rustc" -vV | sed -n 's/^host: //p')
RUSTC=$rustc CARGO_HOME=$home RUSTFLAGS="-C target-feature=+crt-static" \
	"$cargo" build -q --release --offline -j2 --target "$target" --bin "static-$peer" &&
	cp "target/$target/release/static-$peer" "../static-$peer" || rm -f "../static-$peer"
