#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs x86-64 tests by nap-litmus and by litmus7, in turns, and prints how many outcomes each had a
# second, and how often it saw what each test asks for.
#
#	beside.sh NAP-LITMUS LITMUS7 [SECONDS [ROUNDS [TEST...]]]
#
# LITMUS7 is the program of herd/herdtools7, with its libdir beside it or set by `-set-libdir`, as
# in "litmus7 -set-libdir DIRECTORY". It is run with its settings for this machine (-mach x86_64),
# and once more with its threads started by the clock, and with prefetching (-barrier timebase
# -preload custom). SECONDS (10): of each run; ROUNDS (3): runs of each. In the environment: BEFORE,
# an older nap-litmus, which is run, too; RUNNER, a command that runs the programs, such as "chrt -f
# 1" on a machine that others use. TEST: a cycle of edges and a name, as "PodWR Fre PodWR Fre=SB".
# Without any TEST the script runs those that it lists below.

lab=$1 litmus7=$2 seconds=${3:-10} rounds=${4:-3}
[ $# -ge 2 ] || { sed -n '/^#\t/s/^#\t//p' "$0" >&2; exit 2; }
[ $# -le 4 ] || shift 4
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
[ $# -gt 0 ] && [ "$1" != "$lab" ] || set -- 'PodWR Fre PodWR Fre=SB' 'PodWW Rfe PodRR Fre=MP' 'PodRW Rfe PodRW Rfe=LB' \
	'Rfe PodRR Fre Rfe PodRR Fre=IRIW' 'PodWW Coe PodWR Fre=R' 'PodWW Coe PodWW Coe=2+2W' \
	'PodWR Fre MFencedWR Fre=SB+mfence+po' 'Rfi PodRR Fre Rfi PodRR Fre=SB+rfi-pos' 'PodWR Fre PodWR Fre PodWR Fre=3.SB' \
	'Rfe PodRR Fre PodWR Fre=RWC' 'PodWW Rfe PodRR Fre PodWR Fre=W+RWC' 'PodWR Fre PodWR Fre PodWR Fre PodWR Fre=4.SB'

# ours NAP-LITMUS: prints "outcomes seconds asked"
ours()
{
	"$1" --run=1G --seconds="$seconds" --quiet ${RUNNER:+--runner="$RUNNER"} "$tmp/test.litmus" |
		sed -n 's/.* seen \([0-9]*\) of \([0-9]*\) (.*) *\([0-9.]*\) M outcomes.*/\2 \3 \1/p' |
		awk '{ print $1, $1 / ($2 * 1e6 + 1), $3 }'
}

# theirs OPTION...: prints the same for litmus7, whose number of runs is raised until they fill the
# seconds.
theirs()
{
	rm -rf "$tmp/made" && mkdir "$tmp/made"
	$litmus7 "$@" -o "$tmp/made" "$tmp/test.litmus" >"$tmp/said" 2>&1 && (cd "$tmp/made" && sh comp.sh) >>"$tmp/said" 2>&1 ||
		{ tail -n 1 "$tmp/said" >&2; echo "0 1 0"; return; }
	program=$(ls "$tmp"/made/*.exe | head -n 1)
	rm -f "$tmp/outcomes"
	begin=$(date +%s.%N)
	r=10
	while :; do
		timeout $((seconds * 4 + 20)) ${RUNNER:-} "$program" -s 5000 -r $r >"$tmp/printed" 2>&1
		end=$(date +%s.%N)
		awk -v time="$(sed -n 's/^Time [^ ]* //p' "$tmp/printed")" '/^Histogram/ { on = 1; next }
			on && /^ *[0-9]+ *[:*]>/ { n = $0; sub(/[:*]>.*/, "", n); all += n; if ($0 ~ /\*>/) asked += n }
			END { print all + 0, time + 0, asked + 0 }' "$tmp/printed" >>"$tmp/outcomes"
		left=$(awk -v s="$seconds" '{ t += $2 } END { print t < s }' "$tmp/outcomes")
		[ "$left" = 1 ] && [ "$(echo "$end $begin" | awk -v s="$seconds" '{ print $1 - $2 < 3 * s + 10 }')" = 1 ] || break
		r=$(awk -v s="$seconds" '{ t += $2; n += $1 } END { want = t > 0 ? n / t * (s - t) / 5000 : 1000; print int(want < 10 ? 10 : want > 200000 ? 200000 : want) }' "$tmp/outcomes")
	done
	awk '{ n += $1; t += $2; a += $3 } END { print n, t, a }' "$tmp/outcomes"
}

printf '%-14s %-16s %12s %14s %14s   load\n' test program 'M outcomes/s' asked/s 'part asked'
for one; do
	name=${one##*=}
	"$lab" --generate="${one%=*}" --dialect=x86_64 --name="$name" >"$tmp/test.litmus" || exit 2
	round=0
	: >"$tmp/rows"
	while [ $round -lt "$rounds" ]; do
		[ -z "${BEFORE:-}" ] || echo "before $(ours "$BEFORE")" >>"$tmp/rows"
		echo "nap-litmus $(ours "$lab")" >>"$tmp/rows"
		echo "litmus7 $(theirs -mach x86_64 -a "$(nproc)")" >>"$tmp/rows"
		echo "litmus7-clock $(theirs -mach x86_64 -a "$(nproc)" -barrier timebase -preload custom)" >>"$tmp/rows"
		round=$((round + 1))
	done
	awk -v name="$name" -v load="$(cut -d ' ' -f 1 /proc/loadavg)" '
		!($1 in n) { order[++nr] = $1 }
		{ n[$1] += $2; t[$1] += $3; a[$1] += $4 }
		END { for (i = 1; i <= nr; i++) { k = order[i]; t[k] = t[k] > 0 ? t[k] : 1e-9
			printf "%-14s %-16s %12.2f %14.1f %14.3g   %s\n", name, k, n[k] / t[k] / 1e6, a[k] / t[k], n[k] ? a[k] / n[k] : 0, load } }' "$tmp/rows"
done
