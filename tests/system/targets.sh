#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	targets.sh [all | TARGET...]
#
# Tests each target of the Makefile as the first command in a fresh clone, `make -j8 TARGET`. The
# command succeeds, and no two of its makes make the same file, because one make could use the file
# while the other writes it. Without arguments the script tests the targets that take seconds; with
# "all" each target in the head of the Makefile, in an hour or two; with TARGETs these, where "ONE
# TWO" is a command line with several goals. Parameters are as small as can be. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL TALLY MADE_LOG

# Prints the parameters of a target; fails if the target is unknown.
parameters()
{
	case $1 in
	abi | all | bare | bench-nap | build/* | check | check-* | coverage | dist | faults | html | install-check | lab | litmus | model | page) ;;
	appliance) echo "CPUS=2" ;;
	bench | bench-quick) echo "BENCH_ARGS='--works outside-one --repetitions 1'" ;;
	# Without the peers whose packages only some machines have.
	bench-peers) echo "BENCH_WITHOUT='omp tbb rayon tokio go uv glib urcu ck omp-new tbb-new rayon-new tokio-new'" ;;
	deb) echo "DEBEMAIL=nap@debian.test" ;;
	demo) echo "PATHS=tests" ;;
	fuzz) echo "MINUTES=1 FUZZ=api" ;;
	image) echo "CPUS=1" ;;
	install | uninstall | uninstall-check) echo "DESTDIR=$tmp/dest" ;;
	model-one) echo "ONLY=ring" ;;
	mutants) echo "ONLY=^10-steal" ;;
	mutate) echo "ONLY=ring MUTATE=ring" ;;
	mutate-random) echo "N=1 SEED=1" ;;
	sim) echo "SIM_CPUS=1,2 SIM_POOLS=nap SIM_WORKS=burst" ;;
	soak) echo "TASKS=1000" ;;
	*) return 1 ;;
	esac
}

# of_head: prints the targets that the head of the Makefile names, a line each
of_head()
{
	sed -n '/^$/q; s/^# make  *\([a-z-]*\)  .*/\1/p' Makefile | grep .
}

# clone: copies the files of this tree, without built ones, to $tmp/clone
clone()
{
	rm -rf "$tmp/clone" && mkdir "$tmp/clone" || return
	if git ls-files -z >"$tmp/files" 2>/dev/null && [ -s "$tmp/files" ]; then
		tar -c --null -T "$tmp/files" | tar -x -C "$tmp/clone"
	else
		tar -c --exclude=./build . | tar -x -C "$tmp/clone"
	fi
}

# twice: prints the files that two makes have made
twice()
{
	sort -u "$tmp/made" | awk '{ sub(/^[0-9]+ /, "") } n[$0]++ == 1' | grep "^$tmp/clone/build/" |
		grep -v '/flags$\|\.built$'
}

# done_by TARGET: checks what TARGET has done, where its exit status does not tell
done_by()
{
	[ "$1" != bench-peers ] || for peer in builtin serial-std gomp pthread static-nap; do
		[ -x "$tmp/clone/build/bench/$peer" ] || echo "no $peer"
	done
}

# try TARGETS: tests them as one command line
try()
{
	what=
	for target in $1; do
		of_target=$(parameters "$target") || { echo "what is $target?" >"$tmp/out"; return 1; }
		what="$what $of_target"
	done
	clone >"$tmp/out" 2>&1 || return
	: >"$tmp/made"
	begun=$(date +%s)
	(cd "$tmp/clone" && eval "MADE_LOG=\$tmp/made make -j8 $1 $what") >"$tmp/said" 2>&1 </dev/null
	status=$?
	took=$(($(date +%s) - begun))
	{
		twice
		for target in $1; do done_by "$target"; done
	} >"$tmp/out"
	[ $status = 0 ] && [ ! -s "$tmp/out" ] && return
	{ echo "exit status $status"; tail -n 30 "$tmp/said"; } >>"$tmp/out"
	return 1
}

case ${1-} in
all)	set -- all $(of_head | grep -vx 'check\|check-full') bench-nap bench-peers litmus model-one ;;
'')	set -- all demo 'install install-check' bare litmus soak 'bench-nap bench-peers' bench-peers \
		'check-pairs check-listing' 'demo build/tests/unit/cpus build/tests/unit/spawn' ;;
esac
echo "TAP version 13"
echo "1..$(($# + 1))"
for target in $(of_head); do
	parameters "$target" >/dev/null || echo "$target"
done >"$tmp/out"
[ ! -s "$tmp/out" ] && [ "$(of_head | grep -c .)" -gt 15 ]
check "each target of the Makefile's head is known here ($(of_head | grep -c .))"
for targets; do
	try "$targets"
	check "make -j8 $targets ($took s)"
done
