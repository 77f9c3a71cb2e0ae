#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Lists the peers, and whether they can be measured here:
#
#	tools/bench/have.sh		their names
#	tools/bench/have.sh PEER	exit 0, and its version; or exit 1, and the package that is missing
#
# BENCH_WITHOUT="PEER...": as if those were not installed.

peers='builtin serial-std gomp omp tbb rayon tokio go uv glib urcu ck'
registry=${BENCH_REGISTRY:-/usr/share/cargo/registry}

missing()
{
	echo "apt-get install $*"
	exit 1
}

# of_pkg MODULE PACKAGE
of_pkg()
{
	command -v pkg-config >/dev/null || missing pkg-config "$2"
	pkg-config --modversion "$1" 2>/dev/null || missing "$2"
}

# of_crate NAME PACKAGE: Debian's crates, and Debian's compiler, which can read them
of_crate()
{
	[ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ] || missing cargo rustc "$2"
	set -- "$1" "$2" "$registry/$1"-[0-9]*
	[ -d "$3" ] || missing "$2"
	echo "${3##*-}"
}

case ${1:-} in '') echo "$peers"; exit ;; esac
case " $peers " in *" $1 "*) ;; *) echo "no peer $1; there are: $peers" >&2; exit 2 ;; esac
case " ${BENCH_WITHOUT:-} " in *" $1 "*) echo "left out (BENCH_WITHOUT)"; exit 1 ;; esac

case $1 in
builtin | gomp) command -v gcc >/dev/null || missing gcc
	gcc -dumpfullversion ;;
omp) command -v clang >/dev/null || missing clang libomp-dev
	echo 'int main(void){}' | clang -fopenmp -x c -o /dev/null - 2>/dev/null || missing libomp-dev
	clang -dumpversion ;;
serial-std) command -v g++ >/dev/null || missing g++
	g++ -dumpfullversion ;;
tbb) command -v g++ >/dev/null || missing g++ libtbb-dev
	of_pkg tbb libtbb-dev ;;
rayon) of_crate rayon librust-rayon-dev ;;
tokio) of_crate tokio librust-tokio-dev ;;
go) command -v go >/dev/null || missing golang-go
	go env GOVERSION 2>/dev/null ;;
uv) of_pkg libuv libuv1-dev ;;
glib) of_pkg glib-2.0 libglib2.0-dev ;;
urcu) of_pkg liburcu liburcu-dev ;;
ck) of_pkg ck libck-dev ;;
esac
