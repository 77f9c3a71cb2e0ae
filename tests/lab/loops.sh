#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	loops.sh [N [SEED]]	Tests nap-litmus on loops. On the programs of loops.tests: which loops end
#				by themselves, which do not, and which wait for ever; and the final states
#				are those of a search that follows every turn up to a larger bound. On
#				N (100) random programs a model, each with a loop: the states are those of
#				the brute-force enumerator, with and without the turns that change
#				nothing. KTAP.

. "$(dirname "$0")/../system/check.inc"
. "$(dirname "$0")/agree.inc"
cd "$(dirname "$0")/../.." || exit 1
lab=$PWD/build/nap-litmus
nr_programs=${1:-100} seed=${2:-1}
brute=build/litmus/tests/brute
models='sc tso armv8 rvwmo rc11 c20 lkmm'

mkdir "$tmp/loops"
awk -v directory="$tmp/loops" -f tools/cut.awk tests/lab/loops.tests
nr_loops=$(find "$tmp/loops" -name '*.litmus' | wc -l)

# line FILE OPTIONS...: prints the verdict with its marks, and the states
line()
{
	file=$1
	shift
	$lab --csv "$@" "$file" 2>>"$tmp/err" | cut -d, -f3-
}

states()
{
	line "$@" | cut -d, -f2-
}

# marks FILE: prints "ended" or "bounded", then "stuck" if a thread may go round for ever, and the
# flags, in the form of the program's comment
marks()
{
	line "$1" | cut -d, -f1 | tr '!' '\n' | awk 'NR > 1 && $0 != "bounded" && $0 != "stuck" { flags = flags " " $0 }
		$0 == "bounded" { bounded = 1 } $0 == "stuck" { stuck = " stuck" }
		END { printf "%s%s%s\n", bounded ? "bounded" : "ended", stuck, flags ? "; flags" flags : "" }'
}

wanted()
{
	tr '\n' ' ' <"$1" | sed 's/.*Loop: \([a-z ]*[a-z]\)\(\. Flags: \([-a-z]*\)\)\{0,1\} *\*).*/\1; flags \3/; s/; flags $//'
}

echo "TAP version 13"
echo "1..$((nr_loops + 18))"
for file in "$tmp"/loops/*.litmus; do
	: >"$tmp/err"
	want=$(wanted "$file") got=$(marks "$file")
	here=$(states "$file")
	cp "$tmp/err" "$tmp/wrong"
	# A loop that never ends may have too many events, so errors of the next two searches do
	# not count.
	all=$(states "$file" --all-turns --unroll=4) few=$(states "$file" --all-turns)
	# If the search was bounded, it finds at least the states that are found when every turn is
	# followed up to the same bound.
	case $want in
	bounded*) { echo "$here"; echo "$few"; } | awk -F' \\| ' 'NR == 1 { for (i = 1; i <= NF; i++) has[$i] = 1 }
			NR == 2 { for (i = 1; i <= NF; i++) if (!($i in has)) bad = 1 } END { exit bad }' ;;
	*) [ "$here" = "$all" ] ;;
	esac
	equal=$?
	echo "wanted: $want; got: $got; states: $here; with all turns: $all" >"$tmp/out"
	[ $equal -eq 0 ] && [ "$got" = "$want" ] && [ ! -s "$tmp/wrong" ]
	check "$(basename "$file" .litmus): $want"
done

# ---- who waits, and how

run()
{
	$lab "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

says()
{
	[ $status -eq "$1" ] && grep -qF -- "$2" "$tmp/out"
}

run "$tmp/loops/await-each-other.litmus"
says 0 'Never        0 states' && says 0 'nothing is reachable  stuck: P0 (line 5), P1 (line 6)'
check "a dead lock: nothing ends, and who waits in which line"
run --states "$tmp/loops/await-maybe.litmus"
says 0 '    stuck: a last turn, repeated for ever: P1 (line 6)' && says 0 'P1 R x = 2'
check "--states: how a thread comes to wait for ever"
run --json "$tmp/loops/await-maybe.litmus"
says 0 '"stuck":[{"thread":1,"line":6}],'
check "--json: who waits"
run --model=lkmm --model=sc "$tmp/loops/await-maybe.litmus"
says 0 'Always~' && says 0 '~ a thread may wait in a loop for ever'
check "a table: the sign of it"
run --all-turns "$tmp/loops/await.litmus"
says 1 'bounded'
check "--all-turns: a loop that waits is cut at the bound"
# This model asks for a fence between two accesses. If turns of the loop are left out, their fences
# are missing, and the model might forbid an execution for that reason. So under such a model all
# turns are followed.
cat >"$tmp/between.model" <<'E'
acyclic po-loc | rf | co | fr
empty [R]; (po \ fenced(F)); [W]
E
sed 's/READ_ONCE(\*x) == 0/READ_ONCE(*x) == 0 \&\& READ_ONCE(*y) == 0/' "$tmp/loops/writes.litmus" >"$tmp/asks.litmus"
run --csv --model="$tmp/between.model" "$tmp/loops/await.litmus"
says 1 'bounded'
check "a model that looks at what is not there: no turn is left out"
{ cat "$tmp/between.model"; echo 'flag acyclic po | rf as long'; } | sed '/^empty/d' >"$tmp/flag.model"
run --csv --model="$tmp/flag.model" "$tmp/loops/await.litmus"
says 1 'bounded'
check "a model whose flag is a cycle: no turn is left out"
sed '/^flag/d' "$tmp/flag.model" >"$tmp/plain.model"
run --csv --model="$tmp/plain.model" "$tmp/loops/await.litmus"
[ $status -eq 0 ] && ! grep -q bounded "$tmp/out"
check "a model without either: turns are left out"
for model in $models lkmm61; do
	run --csv --model="$model" "$tmp/loops/await.litmus"
	! grep -q bounded "$tmp/out" || echo "$model" >>"$tmp/cut"
done
[ ! -e "$tmp/cut" ]
check "each model of nap's lets turns be left out"
run --expect --csv build/gallery/spin-lock.litmus build/gallery/ticket-lock.litmus build/gallery/seqlock.litmus \
	build/gallery/MP+rcu-again.litmus
[ $status -eq 0 ] && [ "$(grep -c ',lkmm,Never,' "$tmp/out")" -eq 4 ]
check "locks, a seqlock and a reader of RCU that tries again end by themselves"
run --csv --compile=gcc:aarch64 --compile=clang:riscv64 build/gallery/spin-lock.litmus build/gallery/ticket-lock.litmus
[ $status -eq 0 ] && [ "$(grep -c ',Never,' "$tmp/out")" -eq 4 ]
check "and as loops of exclusives"

# ---- random programs against the enumerator

# all_turns MODEL: whether nap-litmus finds the states with --all-turns, too. A loop of LL and SC
# may then have more events than a thread may have. Such a program is refused: at most one of ten
# programs.
all_turns()
{
	agree "$1" "$nr_programs" --all-turns && return
	judged=$(sed -n 's/.*; \([0-9]*\) judged:.*; 0 differ$/\1/p' "$tmp/out")
	! grep -v ': a thread of more than 48 events$' "$tmp/err" && [ $((${judged:-0} * 10)) -ge $((nr_programs * 9)) ]
}

for model in $models; do
	draw "$brute --loops" $model "$nr_programs" "$seed" && agree $model "$nr_programs" && all_turns $model
	check "$model: $nr_programs random programs with a loop, seed $seed"
done
