#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The part of tools/mutate_random.sh that runs once for a tree: copies the tree, builds and runs
# there the programs that may notice a change, and measures what each program executes.
#
#	tools/mutate_random/base.sh OUT
#
# OUT/wanted has the programs, a line each: "native|system|debug|bare|model NAME". Writes OUT/base,
# and
#
#	OUT/programs	VARIANT NAME SECONDS, of those that pass
#	OUT/reached	VARIANT NAME FILE LINE, or FUNCTION() of a model program
#
# gcov counts lines in the builds of `make coverage`. A model program is built with a call at the
# entry of each function, and with entered.c, because the checker restores the memory in which gcov
# counts before every execution.

set -u
out=$1
jobs=${MUTANT_JOBS:-2}
. tools/mutate_random/variants.inc

# wanted VARIANT: prints the names of the variant's programs
wanted()
{
	awk -v variant="$1" '$1 == variant { print $2 }' "$out/wanted"
}

# build VARIANT BUILD VARIABLE...: builds the wanted programs of the variant
build()
{
	variant=$1 dir=$2 names=$(wanted "$1")
	shift 2
	[ -n "$names" ] || return 0
	$MAKE -s -j"$jobs" -C "$out/base" "$@" $(targets $variant "$dir" $names) >"$out/base.log" 2>&1 && return
	echo "does not build as it is: $variant" >&2
	tail -n 20 "$out/base.log" >&2
	exit 1
}

# measure VARIANT PARALLEL WHAT: measures each program of the variant
measure()
{
	wanted "$1" | xargs -r -P "$2" -n 1 sh tools/mutate_random/measure.sh "$out" "$1" "$3"
}

mkdir -p "$out/base/build" "$out/facts" || exit 2
cp -a Makefile arch include src tests tools Documentation "$out/base/" || exit 2
cp -a build/kselftest "$out/base/build/" || exit 2
gcc -O2 -shared -fPIC -o "$out/entered.so" tools/mutate_random/entered.c || exit 2

for variant in native system debug bare model; do
	build $variant "$(build_of $variant)" $(variables_of $variant)
	measure $variant "$jobs" seconds
done
for variant in native debug bare; do
	$MAKE -s -j"$jobs" -C "$out/base" $(variables_of $variant) "$(build_of $variant)/libnap.a" >"$out/base.log" || exit 1
done
for variant in native system debug; do
	build $variant "$(cover_build_of $variant)" $(cover_variables_of $variant)
	measure $variant "$jobs" lines
done
# without a libc all programs count in the same files, so they run one at a time
build bare "$(cover_build_of bare)" $(cover_variables_of bare)
measure bare 1 lines
build model "$(cover_build_of model)" $(cover_variables_of model) \
	MODEL_CFLAGS_gcc="$($MAKE -s print-model-flags) -finstrument-functions"
measure model "$jobs" functions

rm -rf "$out/base/build/entered" "$out/base/build/coverage" "$out/base/build/coverage-debug" "$out/base/build/bare-coverage"
cat "$out"/facts/*.seconds >"$out/programs"
cat "$out"/facts/*.reached >"$out/reached"
rm -rf "$out/facts"
touch "$out/base-done"
