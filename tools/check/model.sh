#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs every program of scenarios, as each compiler has built it, and compares their counts:
#
#	tools/check/model.sh DIR "COMPILER..." "PROGRAM..."
#
# The programs are DIR/COMPILER/PROGRAM. Prints KTAP: a line for each scenario and model, then a
# line for each program, whether all compilers' builds have the same numbers; ends with the totals.
# Exits 1 if something is not as it should be, 3 if the worst result is "undecided".
#
# MODEL_SAMPLES: how many executions a sample has at most. The scenarios MODEL_SAMPLED, which are
# otherwise explored in full, are then sampled, too; their lines say so. MODEL_LEFT_OUT: scenarios
# that do not run. Each named one has to exist.

dir=$1 compilers=$2 programs=$3
jobs=${MODEL_JOBS:-$(nproc)}
out=$dir/out
rm -rf "$out"
mkdir -p "$out"

for cc in $compilers; do
	for p in $programs; do
		echo "$cc $p"
	done
done >"$out/list"

# The status goes into the output: a program that crashes prints no totals.
begin=$(date +%s)
printf '%s\n' ${MODEL_SAMPLED:-} >"$out/sampled"
printf '%s\n' ${MODEL_LEFT_OUT:-} >"$out/left-out"
xargs -P "$jobs" -n 2 sh -c '
	run()
	{
		timeout -k 5 ${NAP_MODEL_TIMEOUT:-600} "$@" '"${MODEL_OPTIONS:-}"' </dev/null
		echo "# status $?"
	}
	program='"$dir"'/$0/$1
	fewer=${MODEL_SAMPLES:+--samples=$MODEL_SAMPLES}
	names=$($program --list | cut -d" " -f1)
	sampled=$(echo "$names" | grep -Fx -f "'"$out"'/sampled")
	left_out=$(echo "$names" | grep -Fx -f "'"$out"'/left-out")
	if [ -z "$sampled$left_out" ]; then
		run $program $fewer
	else
		others=$(echo "$names" | grep -Fxv -f "'"$out"'/sampled" -f "'"$out"'/left-out")
		[ -z "$others" ] || run $program $fewer $others
		[ -z "$sampled" ] || run $program --random=$MODEL_SAMPLES $sampled
	fi >"'"$out"'/$0-$1" 2>&1
	printf "%s\n" $sampled $left_out >>"'"$out"'/known"' <"$out/list"
end=$(date +%s)

while read -r cc p; do
	echo "# program $cc $p"
	cat "$out/$cc-$p"
done <"$out/list" >"$out/all"
cat "$out/sampled" "$out/left-out" | grep . | grep -Fxv -f "$out/known" >"$out/not-there"

awk -v seconds=$((end - begin)) -v not_there="$out/not-there" -v compilers="$compilers" -v programs="$programs" '
function test(ok, text) { print (ok ? "ok " : "not ok ") ++n " " text; if (!ok) failed++ }

BEGIN { print "TAP version 13" }
$1 == "#" && $2 == "program" { cc = $3; program = $4; planned = ran = 0; text = ""; next }
/^1\.\.[0-9]+$/ { planned += substr($0, 4); next }
/^TAP version/ { next }
/^(not )?ok [0-9]+ / {
	good = !sub(/^not /, "")
	sub(/^ok [0-9]+ /, "")
	if (!good)
		printf "%s", text
	text = ""
	undecided += /: undecided: /
	test(good, cc " " program " " $0)
	ran++
	executions += $3
	for (i = 4; i <= NF; i++)
		if ($i == "blocked,")
			blocked += $(i - 1)
	# the counts of a search that a fault has ended are not compared, nor are those of samples
	counts[program, cc] = counts[program, cc] $1 " " $2 " " (/: found: / ? "found" : /sampled|bounded/ ? "sampled" : $3) "\n"
	next
}
$1 == "#" && $2 == "status" {
	if (($3 != 0 && $3 != 1 && $3 != 3) || ran != planned || !ran) {
		printf "%s", text
		test(0, cc " " program ": ran " ran + 0 " of " planned + 0 " scenarios, status " $3)
	}
	next
}
{ text = text $0 "\n" }
END {
	nr = split(programs, p)
	nr_cc = split(compilers, c)
	for (i = 1; nr_cc > 1 && i <= nr; i++) {
		same = counts[p[i], c[1]] != ""
		for (k = 2; k <= nr_cc; k++)
			same = same && counts[p[i], c[k]] == counts[p[i], c[1]]
		if (!same)
			for (k = 1; k <= nr_cc; k++) {
				m = split(counts[p[i], c[k]], line, "\n")
				for (l = 1; l < m; l++)
					print "# " c[k] ": " line[l]
			}
		test(same, p[i] ": the same executions as " compilers " have built it")
	}
	while ((getline scenario <not_there) > 0)
		test(0, scenario ": no program has it")
	print "1.." n
	printf "# %d executions, %d blocked, %d s\n", executions, blocked, seconds
	printf "%d passed, %d failed, %d of those undecided\n", n - failed, failed, undecided
	exit failed ? failed > undecided ? 1 : 3 : 0
}' "$out/all"
