#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Judges collections of litmus tests that others wrote, and compares with the verdicts that come
# with them. Nothing of the collections is part of this tree: name directories with checkouts.
#
#	corpus.sh NAP-LITMUS DIRECTORY...
#
#	herd/herdtools7			catalogue/ and herd/tests/
#	the kernel's source		tools/memory-model/litmus-tests, Documentation/litmus-tests
#	paulmckrcu/litmus
#	litmus-tests/litmus-tests-riscv
#
# A test's own verdict is in the first of these that exists:
#
#	NAME.litmus.expected	herd7's output
#	NAME.litmus		a line "Result:"; with DATARACE there is a race, and no verdict
#	*kinds.txt		beside the tests: Allowed, Forbidden or Required
#	*.log, *.logs		below the directory: herd7's output
#
# Prints the totals, each difference, and why tests were refused. A difference that
# tools/litmus/corpus.known explains is printed with its reason. Exit status 1: a difference that is
# not known.

lab=$1
known=$(dirname "$0")/corpus.known
[ $# -ge 2 ] && [ -x "$lab" ] || { echo "usage: $0 NAP-LITMUS DIRECTORY..." >&2; exit 2; }
shift
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# A line "key verdict" for each test of herd7's output. The key is the file, or @ and the name.
observed='
	/^Observation / {
		key = "@" $2
		if (FILENAME ~ /[.]litmus[.]expected$/)
			key = substr(FILENAME, 1, length(FILENAME) - 9)
		print key, $3
	}'
# The same for "Result:" lines, of which the first of each file counts.
results='
	FNR == 1 { done = 0 }
	!done && match($0, /Result: *(Never|Sometimes|Always)/) {
		n = split(substr($0, RSTART, RLENGTH), word, " ")
		print FILENAME, /DATARACE/ ? "Race" : word[n]
		done = 1
	}'
kinds='
	$2 ~ /^(Allow|Forbid|Require)/ {
		directory = FILENAME
		sub(/[^\/]*$/, "", directory)
		print directory $1 ".litmus", $2 ~ /^A/ ? "Allowed" : $2 ~ /^F/ ? "Never" : "Always"
	}'

# each PATTERN PROGRAM: runs awk's PROGRAM over the files whose names fit the PATTERN
each()
{
	find "$directory" -name "$1" -type f -print0 | sort -z | xargs -0 -r awk "$2" /dev/null
}

status=0
for directory; do
	find "$directory" -name '*.litmus' -type f | sort >"$tmp/files"
	[ -s "$tmp/files" ] || { echo "$directory: no *.litmus files" >&2; exit 2; }
	{
		each '*.litmus.expected' "$observed"
		each '*.litmus' "$results"
		each '*kinds.txt' "$kinds"
		each '*.log' "$observed"
		each '*.logs' "$observed"
	} >"$tmp/wanted"
	"$lab" --csv --timeout=10 --files="$tmp/files" >"$tmp/judged" 2>"$tmp/refused"
	awk -F, '{ sub(/,.*/, ""); print }' "$tmp/judged" >"$tmp/judged.files"
	echo "$directory:"
	awk -v known="$known" '
		BEGIN {
			while ((getline line <known) > 0)
				if (line !~ /^#/ && line != "") {
					name = line
					sub(/[ \t].*/, "", name)
					sub(/^[^ \t]*[ \t]*/, "", line)
					reason[name] = line
				}
		}
		FILENAME == ARGV[1] {
			if (!($1 in wanted))
				wanted[$1] = $2
			next
		}
		FILENAME == ARGV[2] { tests++; next }
		FILENAME == ARGV[3] { refused++; next }
		{
			split($0, field, ",")
			path = field[1]
			verdict = field[3]
			race = verdict ~ /!data-race/
			sub(/!.*/, "", verdict)
			name = path
			sub(/.*\//, "", name)
			sub(/\.litmus$/, "", name)
			judged++
			want = path in wanted ? wanted[path] : ("@" name) in wanted ? wanted["@" name] : ""
			if (want == "")
				next
			own++
			if (want == verdict || (want == "Race" && race) ||
			    (want == "Allowed" && verdict ~ /Sometimes|Always/)) {
				agree++
				next
			}
			if (name in reason)
				explained++
			printf "  %s: %s, its own verdict is %s%s\n", path, verdict, want,
				name in reason ? " (known: " reason[name] ")" : ""
		}
		END {
			printf "  %d tests, %d judged, %d refused; %d judged with a verdict of their own: %d agree, %d differ, %d of these known\n",
				tests, judged, refused, own, agree, own - agree, explained
			exit own - agree > explained
		}' "$tmp/wanted" "$tmp/files" "$tmp/refused" "$tmp/judged" || status=1
	# Why: the messages without their places, names and numbers.
	sed 's/^[^:]*:[0-9]*:[0-9]*: //; s/, not .*//; s/ is not modelled: .*/ is not modelled/
		s/: .* is none$//; s/ \(to\|at\|of\) [^ ]*,* .*mixed sizes/ mixed sizes/
		s/[0-9][0-9]*/N/g' "$tmp/refused" | sort | uniq -c | sort -rn | head -n 12 |
		sed 's/^/  refused/'
done
exit $status
