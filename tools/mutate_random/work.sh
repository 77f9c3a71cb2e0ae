#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A worker, one of several that try the changes of OUT/list, each in a copy of its own,
# OUT/slot-SLOT:
#
#	tools/mutate_random/work.sh OUT SLOT
#
# Prints a line for each change, and appends one to OUT/results: VERDICT FILE FUNCTION STATEMENT NTH
# NAME MESSAGE, with tabs between. VERDICT is killed, model (killed by the model), broken,
# equivalent or survived.

set -u
out=$1 slot=$2
tree=$out/slot-$slot
tab=$(printf '\t')
. tools/mutate_random/variants.inc
. tools/verdict.inc
# limits the output of a test that never stops printing
ulimit -f 1000000

# Restores the tree: changed files are removed, or copied from the base.
restore()
{
	find "$tree" -newer "$out/base-done" ! -type d | while read -r file; do
		kept=$out/base${file#"$tree"}
		rm -f "$file"
		[ ! -e "$kept" ] || cp -p "$kept" "$file"
	done
}

# made VARIANT TARGET...: builds the targets; fails if the build fails
made()
{
	variables=$(variables_of "$1")
	shift
	$MAKE -s -C "$tree" $variables "$@" >"$tree/build.log" 2>&1 </dev/null
}

same()
{
	cmp -s "$tree/$1" "$out/base/$1"
}

# hung: whether the program on the unchanged tree ends within $limit seconds
hung()
{
	(run "$out/base" "slot-$slot.log" "$limit" </dev/null; [ $verdict = passes ])
}

# try VARIANT PROGRAM SECONDS: sets $noticed if the program notices, $differs, and $undecided
try()
{
	variant=$1 program=$2
	command=$(command_of "$variant" "$(build_of "$variant")" "$program")
	if ! made "$variant" $(targets "$variant" "$(build_of "$variant")" "$program"); then
		noticed=broken message="does not build for $variant $program"
		return
	fi
	case $variant in
	model) ;;	# no comparison: line numbers and the directory are in a model program
	system) same build/libnap.a && return; differs=yes ;;
	*) same "$command" && return; differs=yes ;;
	esac
	limit=$(awk -v seconds="$3" -v more="${MUTANT_SECONDS:-5}" \
		'BEGIN { printf "%d", more + (seconds > 8 ? 72 + seconds : 10 * seconds) + 1 }')
	for again in yes ''; do
		run "$tree" mutant.log "$limit" </dev/null
		case $variant-$verdict in
		*-passes) return ;;
		model-hangs) undecided="$undecided $program"; return ;;
		model-*)
			if ! grep -q '^not ok' "$tree/mutant.log" || grep -q '^not ok .*: found: ' "$tree/mutant.log" ||
				grep -qF "undecided: the bound on an execution's length" "$tree/mutant.log"; then
				noticed=model message="killed by the model's $program: $message"
			else
				undecided="$undecided $program"
			fi
			return ;;
		*-hangs)
			if hung; then
				noticed=killed message="hangs $variant $program: $message"
				return
			fi ;;
		*)
			noticed=killed message="killed by $variant $program: $message"
			return ;;
		esac
	done
	undecided="$undecided $program"
}

# Whether the library differs, though no program does.
libraries_differ()
{
	for variant in native debug bare; do
		library=$(build_of $variant)/libnap.a
		[ -e "$out/base/$library" ] || continue
		if ! made $variant "$library"; then
			noticed=broken message="does not build for $variant"
			return
		fi
		same "$library" || differs=yes
	done
}

# Tries the change, which the variables of its line describe: sets $noticed and $message
judge()
{
	noticed='' differs='' undecided='' message=''
	(cd "$tree" && changes -v apply="$index" -- "$file") >"$tree/changed"
	cp "$tree/changed" "$tree/$file"
	awk -v file="$file" -v function_name="$function" -v first="$first" -v last="$last" \
		-f $parts/select.awk "$out/all" "$out/programs" "$out/reached" |
		sort -n -k 1,1 -k 2,2 | cut -d ' ' -f 3- >"$tree/runs"
	while [ -z "$noticed" ] && read -r variant program seconds; do
		if [ "$variant" = model ] && [ -z "$differs" ]; then
			libraries_differ
			[ -n "$differs" ] || break
		fi
		try "$variant" "$program" "$seconds"
	done <"$tree/runs"
	[ -z "$noticed$differs" ] && libraries_differ
	[ -z "$noticed" ] || return
	noticed=survived message="SURVIVED the $(wc -l <"$tree/runs") programs that execute it${undecided:+, undecided in$undecided}"
	if [ -z "$differs" ]; then
		noticed=equivalent message='the same object code'
	elif [ ! -s "$tree/runs" ]; then
		message='SURVIVED, for no program executes it'
	fi
}

if [ ! -d "$tree" ]; then
	cp -a "$out/base" "$tree.new" && mv "$tree.new" "$tree" || exit 2
fi
number=0 of=$(wc -l <"$out/asked")
while IFS=$tab read -r file function first last statement nth kind name reason index; do
	number=$((number + 1))
	mkdir "$out/running/$number" 2>/dev/null || continue
	restore
	judge
	message=$(printf %s "$message" | cut -c 1-160)
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' $noticed "$file" "$function" "$statement" "$nth" "$name" "$message" \
		>>"$out/results"
	printf '%d/%d %s:%d %s() %s, %s: %s\n' $number "$of" "$file" "$first" "$function" "$statement" "$name" "$message"
done <"$out/asked"
