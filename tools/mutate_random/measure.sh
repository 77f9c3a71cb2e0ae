#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures one program, for base.sh:
#
#	tools/mutate_random/measure.sh OUT VARIANT seconds|lines|functions NAME

set -u
out=$1 variant=$2 what=$3 name=$4
. tools/mutate_random/variants.inc
fact=$out/facts/$variant-$(echo "$name" | tr / -)
prefix=$fact.gcov
command=$(command_of "$variant" "$(cover_build_of "$variant")" "$name")

# count COMMAND...: counts what the command executes, even if the command fails because counting
# makes it slower
count()
{
	(cd "$out/base" && TALLY=/dev/null CI= tools/ktap.sh "$variant $name" "$fact.log" "$@" >/dev/null)
}

# Prints the executed lines of src/, from the records of gcov.
lines()
{
	(cd "$out/base" && gcov -t "$@" 2>/dev/null) | awk -F : -v program="$variant $name" '
		$2 + 0 == 0 { if ($3 == "Source") file = $4; next }
		file ~ /^src\// && $1 + 0 > 0 && !seen[file, $2 + 0]++ { print program, file, $2 + 0 }'
}

case $what in
seconds)
	# Runs the program again if it fails, because under load it may fail once.
	for again in yes ''; do
		summary=$(cd "$out/base" && TALLY=/dev/null CI= tools/ktap.sh "$variant $name" "$fact.log" \
			$(command_of "$variant" "$(build_of "$variant")" "$name"))
		case $summary in
		*" 0 failed"*)
			echo "$summary" | awk -v program="$variant $name" \
				'NR == 1 { print program, $(NF - 1) }' >"$fact.seconds"
			break ;;
		esac
		[ -n "$again" ] || echo "$summary"
	done ;;
lines)
	if [ "$variant" = bare ]; then
		prefix=$out/base/$(cover_build_of bare)
		count $command
		sh tools/coverage_merge.sh "$prefix/gcov" >/dev/null
	else
		count env NAP_LDFLAGS=--coverage GCOV_PREFIX="$prefix" GCOV_PREFIX_STRIP="$(echo "$out/base" | tr -cd / | wc -c)" $command
		# gcov wants the compiler's notes beside its records
		(cd "$prefix" && find . -name '*.gcda') | sed 's|\.gcda$|.gcno|' | while read -r note; do
			ln -s "$out/base/$note" "$prefix/$note"
		done
	fi
	lines $(find "$prefix" -name '*.gcda') >"$fact.reached"
	find "$prefix" -name '*.gcda' -exec rm {} + ;;
functions)
	count env LD_PRELOAD="$out/entered.so" ENTERED="$fact.entered" $command
	tr -d '\0' <"$fact.entered" | addr2line -f -e "$out/base/$command" |
		sed "s|$out/base/||" | awk -v program="model $name" '
			NR % 2 { function_name = $1; next }
			sub(/:.*/, "") && /^src\// { print program, $0, function_name "()" }' >"$fact.reached" ;;
esac
