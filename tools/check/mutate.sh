#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Weakens every ordered access and fence of src/ and include/nap/ by one step, one at a time, at run
# time, and finds the scenario that notices:
#
#	tools/check/mutate.sh DIR "PROGRAM..." EXPLAINED [PATTERN]
#
# The programs are DIR/PROGRAM. Only scenarios are run that execute the access and find nothing in
# the unchanged source, the quickest first. EXPLAINED is a text with the orders that no scenario can
# show necessary, each with its reason, as
#
#	``FUNCTION() OPERATION ORDER -> WEAKER``
#
# A membarrier becomes a full fence of its thread; its light side (a signal fence) becomes nothing.
# A pause (nap_cpu_relax()) is a signal fence in the programs, too, but orders nothing, and stays.
#
# PATTERN: only mutations that match this extended regular expression. Prints a line for each:
#
#	FILE:LINE FUNCTION() OPERATION ORDER -> WEAKER: killed by SCENARIO (FAULT)
#
# MUTATE_OUT (build/mutate) keeps the results, so that a run goes on where another has ended. A
# scenario's time and a kill stay valid while their program is the same, to the byte. A survival
# stays valid while all programs and explanations are the same. `rm -r MUTATE_OUT` to try all.
#
# A mutation is undecided if a scenario ran into a bound (MUTATE_SECONDS of CPU time, 60), no
# scenario killed the mutation, and the mutation has no reason. Exits 1 if a mutation is undecided,
# or survives without an explanation, or is explained but killed; also if no program executes an
# ordered access that is in the programs.

dir=$1 programs=$2 explained=$3 pattern=${4:-.}
jobs=${MUTATE_JOBS:-$(nproc)}
seconds=${MUTATE_SECONDS:-60}
out=${MUTATE_OUT:-build/mutate}
mkdir -p "$out" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

grep -rn 'nap_cpu_relax()' src include/nap | cut -d : -f 1,2 >"$tmp/pauses"

# Sums of the programs as they are now: "PROGRAM SUM". The last, "all", is of the explanations, too.
for p in $programs; do
	echo "$p $(cksum <"$dir/$p" | tr ' ' -)"
done >"$tmp/sums"
{ cat "$tmp/sums"; echo "$seconds"; grep -o '``[a-z0-9_]*() [a-z]* [a-z_]* -> [a-z_]*``' "$explained" | sort; } >"$tmp/all"
echo "all $(cksum <"$tmp/all" | tr ' ' -)" >>"$tmp/sums"

# Lists which scenario executes which access, and how long each takes: "S" and "T" lines.
while read -r p sum; do
	[ $p = all ] || [ -e "$out/base-$p-$sum" ] || echo "$p $sum"
done <"$tmp/sums" | xargs -r -P "$jobs" -n 2 sh -c '
	rm -f "'"$out"'/base-$0-"[0-9]*-[0-9]*
	"'"$dir"'/$0" --sites --quiet --model=rc11 --max-seconds=300 >"'"$tmp"'/base-$0" 2>&1
	[ $? -gt 128 ] || mv "'"$tmp"'/base-$0" "'"$out"'/base-$0-$1"'
while read -r p sum; do
	[ ! -e "$out/base-$p-$sum" ] || ln -s "$(realpath "$out/base-$p-$sum")" "$tmp/base-$p"
done <"$tmp/sums"
for p in $programs; do
	awk -v program="$p" -v pauses="$tmp/pauses" '
	BEGIN {
		while ((getline place <pauses) > 0)
			is_pause[place] = 1
	}
	$1 == "#" && $2 == "site" && !($3 in is_pause) && ($6 == "membarrier" ||
			$3 ~ "^(src|include/nap)/") {
		print "S", program, $8, $3, $4, $5, $6, $7
	}
	/^ok [0-9]+ .* rc11: / && !/: found: / && !/ (allowed|forbidden)$/ {
		for (i = 5; i <= NF; i++)
			if ($i == "s:")
				print "T", program, $3, $(i - 1), ($6 ~ /sampled|bounded/ ? 1 : 0)
	}' "$tmp/base-$p"
done >"$tmp/facts"

# Lists accesses that no program has executed: their orders were not tried.
for p in $programs; do
	objdump -d --no-show-raw-insn "$dir/$p" | awk '
		after { sub(/:$/, "", $1); print "0x" $1; after = 0 }
		/call .*<__tsan_atomic/ { after = 1 }' >"$tmp/calls"
	while read -r pc; do
		printf '0x%x\n' $((pc - 1))
	done <"$tmp/calls" | addr2line -a -i -e "$dir/$p" | awk '
		/^0x/ { open = 1; next }
		open && !/atomic\.h:/ {
			open = 0
			if (sub(/^.*\/src\//, "src/") || sub(/^.*\/include\/nap\//, "include/nap/")) {
				sub(/ .*/, "")
				print
			}
		}'
done | sort -u >"$tmp/present"
awk '$1 == "S" { print $4 }' "$tmp/facts" | sort -u >"$tmp/met"
comm -23 "$tmp/present" "$tmp/met" | while IFS=: read -r file line; do
	# a relaxed access has no order to lose
	sed -n "${line}p" "$file" | grep -E '_(acquire|release|acq_rel|seq_cst|ACQUIRE|RELEASE|SEQ_CST)' >/dev/null &&
		echo "$file:$line: executed by no scenario"
done >"$tmp/never"
cat "$tmp/never"

# One line for each mutation: its key, then the scenarios to run, the quickest first.
awk -v pattern="$pattern" '
BEGIN {
	weaker["fence seq_cst"] = "acq_rel"
	weaker["fence membarrier"] = "seq_cst"; weaker["fence signal"] = "relaxed"
	weaker["load seq_cst"] = "acquire"; weaker["load acquire"] = "relaxed"
	weaker["store seq_cst"] = "release"; weaker["store release"] = "relaxed"
	weaker["rmw seq_cst"] = "acq_rel"; weaker["rmw acq_rel"] = "acquire release"
	weaker["rmw acquire"] = "relaxed"; weaker["rmw release"] = "relaxed"
}
$1 == "T" { time[$2 "/" $3] = $4 + 1000 * $5; next }
{
	n = split(weaker[$6 " " $7], to, " ")
	for (i = 1; i <= n; i++) {
		key = $4 " " $5 "() " $6 " " $7 " -> " to[i]
		if (key !~ pattern)
			continue
		keys[key] = to[i]
		name = $2 "/" $3
		pcs[key, name] = pcs[key, name] (pcs[key, name] ? "," : "") $8
		if (!index(" " runs[key], " " name " "))
			runs[key] = runs[key] name " "
	}
}
END {
	for (key in keys) {
		n = split(runs[key], run, " ")
		m = 0
		for (i = 1; i <= n; i++)
			if (run[i] in time)
				sorted[++m] = run[i]
		for (i = 2; i <= m; i++)
			for (k = i; k > 1 && time[sorted[k]] < time[sorted[k - 1]]; k--) {
				t = sorted[k]; sorted[k] = sorted[k - 1]; sorted[k - 1] = t
			}
		line = key "|" keys[key] "|"
		for (i = 1; i <= m; i++)
			line = line sorted[i] "=" pcs[key, sorted[i]] " "
		print line
	}
}' "$tmp/facts" | sort -t : -k 1,1 -k 2,2n >"$tmp/mutations"

# The verdicts of earlier runs, "PROGRAM SUM VERDICT". They hold if the program is the same.
touch "$out/known"
awk 'FILENAME == ARGV[1] { sum[$1] = $2; next } sum[$1] == $2' "$tmp/sums" "$out/known" >"$tmp/known"
cut -d ' ' -f 3- "$tmp/known" >"$tmp/verdicts"
awk -F '|' 'FILENAME == ARGV[1] { sub(/^[^ ]* /, ""); known[substr($0, 1, index($0, ": ") - 1)]; next }
	!($1 in known)' "$tmp/verdicts" "$tmp/mutations" >"$tmp/new"
# Mutations with a reason come last: nothing kills them, so all their scenarios are run.
grep -o '``[a-z0-9_]*() [a-z]* [a-z_]* -> [a-z_]*``' "$explained" | tr -d '`' >"$tmp/reasons"
awk -F '|' 'FILENAME == ARGV[1] { reason[$0]; next }
	{ key = $1; sub(/^[^ ]* /, "", key); if (key in reason) last = last $0 "\n"; else print }
	END { printf "%s", last }' "$tmp/reasons" "$tmp/new" >"$tmp/asked"
sed 's/^[^ ]* //' "$tmp/verdicts"

cat >"$tmp/one.sh" <<'END'
dir=$1 explained=$2 seconds=$3 tmp=$4 keep=$5 line=$6
# verdict PROGRAM TEXT: prints the verdict, and keeps it
verdict()
{
	echo "$2"
	echo "$1 $(sed -n "s/^$1 //p" "$tmp/sums") $2" >>"$keep/known"
}
key=${line%%|*} rest=${line#*|}
to=${rest%%|*} runs=${rest#*|}
undecided=
for run in $runs; do
	name=${run%%=*}
	out=$("$dir/${name%%/*}" --model=rc11 --quiet --max-seconds=$seconds \
		--weaken="${run#*=}:$to" "${name#*/}" 2>&1)
	case $? in
	0) ;;
	1)
		fault=$(echo "$out" | sed -n 's/^not ok .*: found: \(.*\) (not expected)$/\1/p')
		[ -n "$fault" ] || { undecided="$undecided ${name#*/}(failed)"; continue; }
		verdict "${name%%/*}" "killed $key: killed by ${name#*/} ($fault)"
		exit ;;
	*)
		# No execution of the unchanged source is this long, so this one has no end.
		if echo "$out" | grep -qF "undecided: the bound on an execution's length"; then
			verdict "${name%%/*}" "killed $key: killed by ${name#*/} (an execution without an end)"
			exit
		fi
		undecided="$undecided ${name#*/}" ;;
	esac
done
if grep -qF "\`\`${key#* }\`\`" "$explained"; then
	verdict all "explained $key: explained${undecided:+ (undecided in$undecided)}"
elif [ -n "$undecided" ]; then
	verdict all "undecided $key: undecided in$undecided"
else
	verdict all "SURVIVED $key: survived${runs:+ }$(echo "$runs" | sed 's/=[^ ]*//g')"
fi
END
tr '\n' '\0' <"$tmp/asked" |
	xargs -0 -P "$jobs" -I {} sh "$tmp/one.sh" "$dir" "$explained" "$seconds" "$tmp" "$out" {} |
	tee -a "$tmp/verdicts" | sed -u 's/^[^ ]* //'

# An explained mutation must not be killed: its explanation would be wrong.
grep '^killed ' "$tmp/verdicts" | while read -r verdict place key; do
	key=${key%%: killed by*}
	grep -qF "\`\`$key\`\`" "$explained" && echo "$place $key: killed, although explained"
done >"$tmp/wrong"
cat "$tmp/wrong"

awk -v wrong="$(wc -l <"$tmp/wrong")" -v never="$(wc -l <"$tmp/never")" '
{ n[$1]++ }
END {
	if (n["SURVIVED"])
		print "survived without an explanation: " n["SURVIVED"]
	if (never)
		print "ordered, but executed by no scenario: " never
	if (wrong)
		print "explained, but killed: " wrong
	printf "killed %d, explained %d, undecided %d\n", n["killed"], n["explained"],
		n["undecided"]
	exit (n["SURVIVED"] || n["undecided"] || wrong || never || !n["killed"]) ? 1 : 0
}' "$tmp/verdicts"
