#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that Prometheus can read the text of nap/metrics.h: by the text's grammar, and by the parser
# of Prometheus's own client for Python where this is installed. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1

# grammar PAGE: each name has a line # HELP, then one # TYPE, then its samples, and stands nowhere
# else; counters, and nothing else, end in _total. In each series of a histogram the buckets only
# rise, and the last one, +Inf, is equal to _count. Fails if a line is wrong.
grammar()
{
	awk '
		function labels(line) { sub(/^[a-z_]+\{/, "", line); sub(/(,le="[^"]*")?\} [0-9.]+$/, "", line); return line }
		/^# HELP [a-z_]+ [^ ].*\.$/ && !($3 in helped) { name = $3; helped[name] = 1; state = 1; next }
		/^# TYPE [a-z_]+ (counter|gauge|histogram)$/ && $3 == name && state == 1 &&
			($4 == "counter") == ($3 ~ /_total$/) { state = 2; type = $4; n++; next }
		type == "histogram" && state == 2 && substr($0, 1, index($0, "{") - 1) == name "_bucket" &&
			/,le="([0-9]+(\.[0-9]*[1-9])?|\+Inf)"\} [0-9]+$/ && (series != labels($0) || $NF >= count) {
			series = labels($0); count = $NF; last = $0; next }
		type == "histogram" && state == 2 && substr($0, 1, index($0, "{") - 1) == name "_sum" &&
			series == labels($0) && /\} [0-9]+(\.[0-9]*[1-9])?$/ { next }
		type == "histogram" && state == 2 && substr($0, 1, index($0, "{") - 1) == name "_count" &&
			series == labels($0) && $NF == count && last ~ /le="\+Inf"/ { series = ""; next }
		/^[a-z_]+\{(pool|submitter)="([^"\\]|\\\\|\\"|\\n)*"(,nr="[0-9]+")?\} [0-9]+$/ && state == 2 &&
			substr($0, 1, index($0, "{") - 1) == name { next }
		{ print "line " NR ": " $0 }
		END { if (n < 30) print n + 0 " names" }' "$1" >"$tmp/out"
	[ ! -s "$tmp/out" ]
}

echo "TAP version 13"
echo "1..5"
gcc -std=gnu11 -O2 -Wall -Wextra -Werror -Iinclude -o "$tmp/metrics" tests/system/metrics.c "$build/libnap.a" \
	-pthread >"$tmp/out" 2>&1 && "$tmp/metrics" >"$tmp/page" 2>"$tmp/err"
check "a program writes a page"
sed 's/^# TYPE nap_parks_total.*//' "$tmp/page" >"$tmp/wrong"
! grammar "$tmp/wrong"
check "a line that lacks is found"
sed '/^nap_task_run_seconds_count/s/ [0-9]*$/ 11/' "$tmp/page" >"$tmp/wrong"
! grammar "$tmp/wrong" && sed '/^nap_wake_seconds_bucket.*+Inf/d' "$tmp/page" >"$tmp/wrong" && ! grammar "$tmp/wrong"
check "so are a count that is not the last bucket's, and a histogram without one"
grammar "$tmp/page"
check "the page is as the format has it ($(grep -c '^# TYPE' "$tmp/page") names)"
# The first python that has the client.
for python in python3 /usr/bin/python3; do
	$python -c 'import prometheus_client.parser' 2>/dev/null && break
done
if $python -c 'import prometheus_client.parser' 2>/dev/null; then
	$python - "$tmp/page" >"$tmp/out" 2>&1 <<'END'
import sys
from prometheus_client.parser import text_string_to_metric_families as families

page = open(sys.argv[1], encoding="utf-8").read()
found = {s.name: s for f in families(page) for s in f.samples if s.labels.get("pool") == "one"}
odd = {s.labels.get("pool") for f in families(page) for s in f.samples}
assert found["nap_tasks_run_total"].value + found["nap_tasks_helped_total"].value == 10, found
hist = {f.name: f for f in families(page) if f.type == "histogram"}
assert sorted(hist) == ["nap_queue_length", "nap_task_run_seconds", "nap_task_wait_seconds", "nap_wake_seconds"], hist
assert found["nap_task_wait_seconds_count"].value == found["nap_task_run_seconds_count"].value == 10, found
assert found["nap_queue_length_count"].value == 10 and found["nap_task_run_seconds_sum"].value > 0, found
assert found["nap_queued_injected"].value == 0 and found["nap_workers_limit"].value == 2, found
all_of = [(s.name, tuple(sorted(s.labels.items()))) for f in families(page) for s in f.samples]
assert len(all_of) == len(set(all_of)), "a series twice"
assert "no \ufffd\ufffd UTF-8" in odd and "nap" in odd, odd
assert 'an "odd" \\ name\n' in odd, odd
assert len(list(families(page))) == page.count("# TYPE "), page
END
	check "Prometheus's client for Python reads it"
else
	nr=$((nr + 1))
	echo "ok $nr Prometheus's client for Python reads it # SKIP needs package python3-prometheus-client"
fi
