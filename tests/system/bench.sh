#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that the benchmarks work: their arithmetic, the smallest sizes of nap rows, and messages
# about a missing peer, a failing program and wrong options. No time is judged. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"

echo "TAP version 13"
if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP needs package python3"
	exit 0
fi
echo "1..20"

# run OPTION...: runs the benchmarks; output goes to $tmp/out, errors to $tmp/err
run()
{
	python3 -B tools/bench/run --programs "$build/bench" --out "$tmp/results" "$@" \
		>"$tmp/out" 2>"$tmp/err"
}

# fails STATUS MESSAGE COMMAND...: whether COMMAND ends with STATUS, and a line of its output has
# MESSAGE
fails()
{
	want=$1 message=$2
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err"
	[ $? -eq "$want" ] && grep -q -- "$message" "$tmp/err" && ! grep -q Traceback "$tmp/err"
}

arithmetic()
{
	python3 -B tests/system/bench/arithmetic.py "$1" >"$tmp/out" 2>&1
}

# broken FILE FROM TO: whether the test of the arithmetic fails when FROM is changed to TO
broken()
{
	rm -rf "$tmp/run" && cp -r tools/bench/run "$tmp/run" &&
		sed "s|$2|$3|" "tools/bench/run/$1" >"$tmp/run/$1" &&
		! cmp -s "tools/bench/run/$1" "$tmp/run/$1" && ! arithmetic "$tmp/run" &&
		grep -q '^FAILED' "$tmp/out"
}

# holds PYTHON: whether the expression is true of the results, r
holds()
{
	python3 -B -c "
import json
r = json.load(open('$tmp/results/results.json'))
cells = set((s['work'], s['peer']) for s in r['samples'])
assert ($1), (r['failures'], sorted(cells))" >"$tmp/out" 2>&1
}

arithmetic tools/bench/run
check "the arithmetic of the runner"
broken figures.py 'quantile(values, 0.5)' 'quantile(values, 0.6)'
check "its test notices a median that is none"
broken figures.py 'distance <= 1.0' 'distance >= 1.0'
check "and a target that is met when it is missed"
broken noise.py '2 \* bad' '9 * bad'
check "and noise that is seen where there is none"

env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -j2 B="$build" bench-nap >"$tmp/out" 2>&1
check "nap's programs build"
"$build/bench/nap" --list >"$tmp/rows" && [ "$(sort -u "$tmp/rows" | wc -l)" -ge 30 ]
check "they have rows ($(wc -l <"$tmp/rows"))"
run --tiny --peers nap,futex,serial && ! grep -q '^failed:' "$tmp/out"
check "each of their works runs"
python3 -B tools/bench/run --list >"$tmp/list"
holds "all((line.split()[0], 'nap') in cells for line in open('$tmp/list') if 'nap' in line.split()) and
	{('fib-calls', 'serial'), ('trip-1', 'futex')} <= cells and len(cells) >= 60"
check "and has its samples"
holds "all(s['wall'] >= 0 and s['n'] > 0 for s in r['samples']) and r['c_ns'] > 0 and r['machine']['kernel']"
check "the results are JSON, with what they were measured on"
python3 -B -c "
import glob, sys, xml.dom.minidom as dom
found = glob.glob('$tmp/results/*.svg')
sys.exit(not found or any(not dom.parse(f).getElementsByTagName('text') for f in found))" 2>"$tmp/err"
check "the plots are XML"
cp "$tmp/results/results.json" "$tmp/first" && run --again "$tmp/first" &&
	python3 -B -c "import json; a, b = (json.load(open(f)) for f in ('$tmp/first', '$tmp/results/results.json')); assert a == b"
check "what was measured can be read again"

BENCH_WITHOUT=tbb run --tiny --peers tbb --works outside-one &&
	grep -qx 'peer tbb not measured: left out (BENCH_WITHOUT)' "$tmp/out"
check "a peer that is missing is named"
BENCH_REGISTRY=/nonexistent sh tools/bench/have.sh rayon >"$tmp/out"
[ $? -eq 1 ] && grep -q '^apt-get install .*librust-rayon-dev$' "$tmp/out"
check "with the package that it wants"
run --tiny --peers serial --works fib-calls && grep -q '^peers: nap, serial' "$tmp/out"
check "those that are there are named, too"
RUSTC=/nonexistent sh tools/bench/have.sh rayon-new >"$tmp/out"
[ $? -eq 1 ] && grep -q 'RUSTC=' "$tmp/out"
check "a second peer says what it wants"

mkdir "$tmp/programs"
printf '#!/bin/sh\ncase $1 in spin | c | due-bound) exec "%s/bench/nap" "$@" ;; esac\necho nonsense\n' \
	"$(cd "$build" && pwd)" >"$tmp/programs/nap"
chmod +x "$tmp/programs/nap"
run --tiny --programs "$tmp/programs" --peers nap --works outside-one
[ $? -eq 1 ] && grep -q '^failed: outside-one, nap: not a sample: nonsense' "$tmp/out"
check "a program that fails is named, and is a failure"

sed -i 's/^echo nonsense/kill -INT $PPID; sleep 20/' "$tmp/programs/nap"
run --tiny --programs "$tmp/programs" --peers nap --works outside-one
[ $? -eq 130 ] && grep -q '^interrupted: ' "$tmp/out" && holds "r['run'] == 'tiny, interrupted' and r['works'] == ['c']"
check "a run that is interrupted writes what it has measured"

fails 2 'no work nonsense' run --works nonsense && fails 2 'no peer nonsense' run --peers nonsense &&
	fails 2 'is 1 to 100' run --repetitions 0 && fails 2 'make bench-nap' run --programs /nonexistent &&
	fails 2 'not allowed with' run --quick --full
check "options that are wrong end with 2 and a reason"
fails 2 usage "$build/bench/nap" outside && fails 2 'has no row' "$build/bench/nap" nonsense 1 1 1 &&
	fails 2 usage "$build/bench/nap" outside 0 1 1 && fails 2 usage "$build/bench/nap" outside 1 x 1
check "so do those of a program"
fails 2 'no peer nonsense' sh tools/bench/have.sh nonsense
check "and a peer that nobody knows"
