#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks collections of programs that others wrote for their checkers, and compares with the
# verdicts that come with them. Nothing of the collections is part of this tree: name directories
# with checkouts. (tools/litmus/corpus.sh does this with litmus tests.)
#
#	corpus.sh NAP-CHECK DIRECTORY...
#
#	MPI-SWS/genmc				tests/
#	hernanponcedeleon/Dat3M			the whole of it
#	sosy-lab/sv-benchmarks			c/pthread and the like: *.yml
#	mc-imperial/sctbench			benchmarks/concurrent-software-benchmarks
#	esbmc/esbmc				regression/esbmc-unix and the like: test.desc
#	open-s4c/libvsync			the whole of it
#	computersforpeace/model-checker		test/
#
# Each collection has its verdicts in a place of its own:
#
#	NAME.yml		the expected_verdicts of SV-COMP: of unreach-call, and of no-data-race
#	correct/, wrong/	above variants/NAME.c; the first line of args.rc11.mo.in beside has options
#	test.desc		VERIFICATION SUCCESSFUL or FAILED
#	NAME_ok.c, NAME_bad.c
#	*Test.java		{"NAME", C11, PASS} or FAIL (or IMM), for benchmarks/FOLDER/NAME.c
#	verify/NAME.c		fine, all of these
#	none			programs with user_main(): the script only counts what they come to
#
# Some verdicts are about assertions alone. For such a program a data race that nap-check finds is
# no difference.
#
# Prints the totals, each difference, and the most frequent refusals. tools/check/corpus.known
# explains differences. Its lines have a program's path in its collection, or the first part of the
# path; a tab; and the reason. Exit status 1: a difference is not explained. SECONDS_EACH (10):
# seconds of CPU time for each program. KEEP: a file that gets a line for each program.

check=$1
known=${KNOWN:-$(dirname "$0")/corpus.known}
[ $# -ge 2 ] && [ -x "$check" ] || { echo "usage: $0 NAP-CHECK DIRECTORY..." >&2; exit 2; }
shift
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
seconds=${SECONDS_EACH:-10}

# The list has a line for each program: its verdict, its path, options.

# Faults that nap-check finds, and for which other checkers do not look. A verdict has them behind a
# "/".
always='live-lock|dead-lock'
races="$always|data.race|use.of.memory.whose|never.written"
others="$always|assertion|reach_error|use.of.|freed|out.of.bounds|signal|NULL"

# SV-COMP: a file has a verdict for each of several properties. nap-check knows two of these
# properties, and its search ends with the first fault of either kind. So their two verdicts become
# one.
list_yml()
{
	find "$1" -name '*.yml' -type f | sort | while read -r yml; do
		awk -v directory="${yml%/*}" -v races="$races" -v others="$others" '
			/^input_files:/ { gsub(/[\047"\[\]]/, ""); file = $2 }
			/property_file:/ { property = $0 }
			/expected_verdict:/ && property ~ /unreach-call|no-data-race/ {
				verdict = verdict == "false" ? verdict : $2
				of_races += property ~ /race/
				of_calls += property ~ /reach/
			}
			END {
				source = file
				sub(/[.]i$/, ".c", source)
				if ((getline line <(directory "/" source)) > 0)
					file = source	# .i: preprocessed for a 32-bit machine
				if (file ~ /[.][ci]$/ && verdict != "")
					print verdict "/" (of_races ? of_calls ? "live-lock|dead-lock" : others : races), directory "/" file,
						"--compat=svcomp --nondet=2"
			}' "$yml"
	done
}

list_genmc()
{
	find "$1" -path '*/variants/*' -name '*.c*' -type f | grep -E '/(correct|wrong)/' | sort |
		while read -r file; do
		case $file in */correct/*) verdict=true ;; *) verdict=false ;; esac
		arguments=${file%/variants/*}/args.rc11.mo.in options= not=$always
		if [ -e "$arguments" ]; then
			! grep -q -e -disable-race-detection "$arguments" || not=$races
			options=$(head -n 1 "$arguments" | tr '|' ' ' | tr ' ' '\n' |
				sed -n "s/^-unroll=/--unroll=/p; s/^-D/-D/p; s,^-I[./]*tests/,-I${file%%/tests/*}/tests/,p" |
				tr '\n' ' ')
		fi
		case $file in */liveness/*) options="$options --stuck" ;; esac
		echo "$verdict/$not $file --compat=genmc --nondet=2 -I${file%/variants/*} $options"
	done
}

list_desc()
{
	find "$1" -name test.desc -type f | sort | while read -r desc; do
		verdict=$(sed -n 's/.*VERIFICATION SUCCESSFUL.*/true/p; s/.*VERIFICATION FAILED.*/false/p' "$desc" |
			head -n 1)
		file=${desc%/*}/$(sed -n 2p "$desc" | tr -d '\r')
		[ -n "$verdict" ] && grep -qs pthread_create "$file" &&
			echo "$verdict/$races $file --compat=svcomp --nondet=2 $(sed -n 3p "$desc" | tr ' ' '\n' |
			grep -E '^-[DI]' | tr '\n' ' ')"
	done
}

list_named()
{
	find "$1" -name '*_ok.c' -type f | sort | sed "s@.*@true/$races & --compat=svcomp --nondet=2@"
	find "$1" -name '*_bad.c' -type f | sort | sed 's/.*/false & --compat=svcomp --nondet=2/'
}

# Takes the verdicts for those of Dartagnan's models that have C11's rules, of files on which these
# models agree.
list_java()
{
	find "$1" -name '*Test.java' -type f | sort | xargs -r awk -v root="${1%/}/benchmarks/" '
		FNR == 1 { folder = "" }
		match($0, /getTestResourcePath\("[a-z0-9]+\//) { folder = substr($0, RSTART + 21, RLENGTH - 21) }
		/^[ \t]*\{"[^"]*", *(C11|IMM), *(PASS|FAIL)/ && folder != "" {
			split($0, part, "\"")
			file = root folder part[2] ".c"
			n[file]++
			passes[file] += /PASS/
		}
		END {
			for (file in n)
				if (!passes[file] || passes[file] == n[file])
					print passes[file] ? "true" : "false", file
		}' /dev/null | sort -k 2 | while read -r verdict file; do
		[ -e "$file" ] && echo "$verdict/$races $file --compat=dat3m --nondet=2 -I${file%/*}"
	done
}

list_verify()
{
	find "$1/verify" -name '*.c' -type f 2>/dev/null | sort | while read -r file; do
		echo "true $file --compat=dat3m -I$1/include -I$1/verify/include -I$1/test/include" \
			"-I$1/vatomic/include -I${file%/*} -DVSYNC_VERIFICATION"
	done
}

list_user_main()
{
	grep -lrs '\<user_main(' "$1" --include='*.c' --include='*.cc' | sort | while read -r file; do
		echo "none $file --compat=cds -I${file%/*}"
	done
}

status=0
for directory; do
	directory=${directory%/}
	for form in yml genmc desc named java verify user_main; do
		list_$form "$directory"
	done >"$tmp/list"
	[ -s "$tmp/list" ] || { echo "$directory: no programs with verdicts" >&2; exit 2; }
	while read -r want file options; do
		# shellcheck disable=SC2086
		timeout $((seconds * 3 + 30)) "$check" --quiet --max-seconds="$seconds" -w $options "$file" \
			>"$tmp/out" 2>"$tmp/err" </dev/null
		code=$?
		case $code in
		0 | 1 | 3) said=$(sed -n 's/^\(not \)*ok [0-9]* .*, [0-9.]* s: //p' "$tmp/out" | head -n 1) ;;
		*) said=$(grep -E 'error:|not modelled|undefined reference|fatal|nap-check' "$tmp/err" | head -n 1) ;;
		esac
		printf '%s\t%s\t%s\t%s\n' "$want" "$code" "${file#"$directory"/}" "$said"
	done <"$tmp/list" >"$tmp/judged"
	echo "$directory:"
	awk -F '\t' -v known="$known" '
		BEGIN {
			while ((getline line <known) > 0)
				if (line !~ /^#/ && split(line, part, "\t") > 1)
					reason[part[1]] = part[2]
		}
		function why(   key)
		{
			for (key in reason)
				if ($3 == key || index($3, key "/") == 1)
					return reason[key]
			return $1 ~ /^false/ && $4 ~ /^no fault, with/ ? "not all of it was explored, as it says" : ""
		}
		{ programs++ }
		$2 == 3 || $2 == 124 { undecided++; print "  undecided: " $3 ": " $4; next }
		$2 != 0 && $2 != 1 { refused++; next }
		$1 == "none" { bare[$2]++; next }
		{
			judged++
			split($1, want, "/")
		}
		(want[1] == "true") == ($2 == 0) { agree++; next }
		want[2] != "" && want[1] == "true" && $4 ~ want[2] { beside++; next }
		{
			text = why()
			explained += text != ""
			differ++
			printf "  %s: %s; its own verdict is %s%s\n", $3, $4, want[1], text != "" ? " (known: " text ")" : ""
		}
		END {
			printf "  %d programs, %d read, %d refused, %d undecided; %d judged with a verdict of their own: %d agree, %d with a fault that it is not about, %d differ, %d of these known\n",
				programs, programs - refused, refused, undecided, judged, agree, beside, differ, explained
			if (bare[0] + bare[1])
				printf "  without a verdict of their own: %d no fault, %d a fault\n", bare[0], bare[1]
			exit differ > explained
		}' "$tmp/judged" || status=1
	cp "$tmp/judged" "${KEEP:-/dev/null}"
	awk -F '\t' '$2 == 2 || $2 == 4 { print $4 }' "$tmp/judged" |
		sed 's/^[^:]*:[0-9]*:[0-9]*: //; s/.*undefined reference/undefined reference/' |
		sort | uniq -c | sort -rn | head -n 12 | sed 's/^/  refused/'
done
exit $status
