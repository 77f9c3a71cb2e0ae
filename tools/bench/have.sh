#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Lists the peers, and whether they can be measured here:
#
#	tools/bench/have.sh		their names
#	tools/bench/have.sh PEER	exit 0, and its version; or exit 1, and the package that is missing
#	tools/bench/have.sh omp-new path	the compiler
#
# BENCH_WITHOUT="PEER...": as if those were not installed.
#
# A peer PEER-new is PEER, built with compilers and libraries that are not the distribution's:
# Rust as peers/rust.inc says, oneTBB below the prefix $TBB, another clang ($CLANG, or the newest
# clang-N) with its libomp. libdill is in no distribution of today: it is below the prefix $DILL, or
# pkg-config finds it.

peers='builtin serial-std serial-rust gomp omp tbb rayon tokio go uv glib urcu ck dill pthread'
peers="$peers omp-new tbb-new rayon-new tokio-new serial-rust-new"
. "$(dirname "$0")/peers/rust.inc"

missing()
{
	echo "apt-get install $*"
	exit 1
}

# of_pkg MODULE PACKAGE: prints the version of the module, or names the missing package
of_pkg()
{
	command -v pkg-config >/dev/null || missing pkg-config "$2"
	pkg-config --modversion "$1" 2>/dev/null || missing "$2"
}

of_rust()
{
	rust_find "$1" || exit 1
	rust_said "$(rust_version "$crate" "$kind" "$crates")"
}

# openmp_by CLANG: whether this compiler builds programs with OpenMP
openmp_by()
{
	echo 'int main(void){}' | "$1" -fopenmp -x c -o /dev/null - 2>/dev/null
}

# Prints the path of another clang than "clang", which builds programs with OpenMP.
other_clang()
{
	for clang in ${CLANG:-$(for v in 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15; do
			command -v clang-$v || command -v /usr/lib/llvm-$v/bin/clang; done)}; do
		[ "$("$clang" -dumpversion 2>/dev/null)" != "$(clang -dumpversion 2>/dev/null)" ] &&
			openmp_by "$clang" && echo "$clang" && return
	done
	return 1
}

# Prints the version of oneTBB below the prefix $TBB.
tbb_there()
{
	[ -f "${TBB:-}/include/oneapi/tbb/version.h" ] &&
		sed -n 's/^#define TBB_VERSION_M[AI][JN]OR //p' "$TBB/include/oneapi/tbb/version.h" |
		paste -sd.
}

# Prints the version of the interface of the libdill below the prefix $DILL.
dill_there()
{
	[ -f "${DILL:-}/include/libdill.h" ] &&
		sed -n 's/^#define DILL_VERSION_[CRA][A-Z]* //p' "$DILL/include/libdill.h" | paste -sd.
}

case ${1:-} in '') echo "$peers"; exit ;; esac
case " $peers " in *" $1 "*) ;; *) echo "no peer $1; there are: $peers" >&2; exit 2 ;; esac
case " ${BENCH_WITHOUT:-} " in *" $1 "*) echo "left out (BENCH_WITHOUT)"; exit 1 ;; esac

case $1 in
builtin | gomp | pthread) command -v gcc >/dev/null || missing gcc
	gcc -dumpfullversion ;;
omp) command -v clang >/dev/null || missing clang libomp-dev
	openmp_by clang || missing libomp-dev
	clang -dumpversion ;;
omp-new) found=$(other_clang) || { echo "no other clang with OpenMP in PATH, nor CLANG="; exit 1; }
	[ "${2:-}" = path ] && echo "$found" || "$found" -dumpversion ;;
serial-std) command -v g++ >/dev/null || missing g++
	g++ -dumpfullversion ;;
tbb) command -v g++ >/dev/null || missing g++ libtbb-dev
	of_pkg tbb libtbb-dev ;;
tbb-new) tbb_there || { echo "no oneTBB below TBB="; exit 1; } ;;
rayon | tokio | serial-rust | rayon-new | tokio-new | serial-rust-new) of_rust "$1" ;;
go) command -v go >/dev/null || missing golang-go
	go env GOVERSION 2>/dev/null ;;
uv) of_pkg libuv libuv1-dev ;;
dill) dill_there || pkg-config --modversion libdill 2>/dev/null ||
		{ echo "no libdill below DILL=, nor by pkg-config"; exit 1; } ;;
glib) of_pkg glib-2.0 libglib2.0-dev ;;
urcu) of_pkg liburcu liburcu-dev ;;
ck) of_pkg ck libck-dev ;;
esac
