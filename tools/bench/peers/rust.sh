#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/bench/peers/rust.sh PEER DIRECTORY: build rayon or tokio as DIRECTORY/PEER with Debian's crates and
# compiler, without a network. What cargo wants beside them is written to DIRECTORY/rust-PEER.

set -eu
peer=$1 out=$2
here=$(cd "$(dirname "$0")/rust" && pwd)
work=$out/rust-$peer
case $peer in
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
[dependencies]
libc = "0.2"
$wants
[[bin]]
name = "$peer"
path = "$here/$peer.rs"
[profile.release]
debug = false
EOF
cat >"$work/.cargo/config.toml" <<EOF
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "${BENCH_REGISTRY:-/usr/share/cargo/registry}"
[net]
offline = true
EOF
cd "$work"
RUSTC=/usr/bin/rustc CARGO_HOME=$PWD/home /usr/bin/cargo build -q --release --offline -j2
cp "target/release/$peer" "../$peer"
