#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests nap-sim: programs whose behaviour is published, faults that the simulator has to find, the
# same numbers in two runs, every work on every pool, and its messages. KTAP.
#
#	sim.sh DIRECTORY	which has nap-sim and sim/tests/nap-sim-works

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
sim=$1/nap-sim works=$1/sim/tests/nap-sim-works

# curve OPTION...: prints the columns of a curve, a line for each run:
# work CPUs tasks/us lines-a-task field
curve()
{
	"$works" "$@" 2>"$tmp/err" | awk '/^#/ || $1 == "work" { next } {
		field = $10
		for (i = 11; i < NF; i++)
			field = field " " $i
		print $1, $3, $5, $8, field
	}'
}

# holds CONDITION: whether $tmp/out has $runs lines, and the awk condition is true after the last
# one; the condition uses speed[work, CPUs] and lines[work, CPUs]
holds()
{
	awk -v runs="$runs" '{ speed[$1, $2] = $3; lines[$1, $2] = $4; n++ } END { exit !(n == runs && ('"$1"')) }' \
		"$tmp/out"
}

echo "TAP version 13"
echo "1..43"

# ---- what is published

runs=8
curve --cpus=4,8,16,32 ticket mcs >"$tmp/out"
holds 'lines["ticket", 8] > 7 && lines["ticket", 16] > 14 && lines["ticket", 32] > 28'
check "a ticket lock moves a line to each waiter, every time"
holds 'speed["ticket", 32] < 0.8 * speed["ticket", 16] && speed["ticket", 16] < 0.8 * speed["ticket", 8]'
check "so it is the slower, the more wait"
holds 'lines["mcs", 32] < 7 && lines["mcs", 8] > 4 && lines["mcs", 32] < 1.1 * lines["mcs", 8]'
check "an MCS lock moves as many lines, however many wait"
holds 'speed["mcs", 32] > 0.9 * speed["mcs", 16] && speed["mcs", 32] > 2 * speed["ticket", 32]'
check "so its speed stays"

# number FILE NAME: prints the first number of this name
number()
{
	sed -n "s/.*\"$2\": \\([0-9]*\\).*/\\1/p" "$1" | head -n 1
}

"$works" --cpus=8 --json convoy >"$tmp/convoy" 2>"$tmp/err" && "$works" --cpus=8 --json barging >"$tmp/barging" 2>"$tmp/err"
cat "$tmp/convoy" "$tmp/barging" >"$tmp/out"
[ "$(number "$tmp/convoy" sleeps)" -ge 1900 ] && [ "$(number "$tmp/convoy" tasks)" = 2000 ]
check "a mutex that is handed on to a sleeper: a sleep for each time that it is locked"
[ "$(number "$tmp/convoy" elapsed_ps)" -gt $(($(number "$tmp/barging" elapsed_ps) * 3)) ] &&
	[ "$(number "$tmp/barging" sleeps)" -lt 100 ]
check "the convoy takes three times as long as a lock that any thread may take"

"$works" --machine=vm2 --json contended >"$tmp/out" 2>"$tmp/err"
ps=$(($(number "$tmp/out" elapsed_ps) / 10000))
[ "$ps" -gt 16960 ] && [ "$ps" -lt 25440 ]
check "two CPUs that add to one word need the 21.2 ns each that vm2 was measured to need, within 20 %"

runs=4
curve --cpus=1,8 packed padded >"$tmp/out"
grep -q '^packed 8 .* packed counters$' "$tmp/out" && holds 'lines["packed", 8] > 0.3'
check "counters that share a line are named, and the line moves"
holds 'lines["padded", 8] < 0.05 && speed["padded", 8] > 2 * speed["packed", 8] && lines["packed", 1] == 0'
check "on lines of their own, or on one CPU, it does not"
"$works" --cpus=8 --why=packed packed >"$tmp/out" 2>"$tmp/err"
grep -q 'packed counters *store .* packed_body sim/works\.c:[0-9]*$' "$tmp/out"
check "--why names the code that moves it"

"$works" --cpus=2 --json fenced >"$tmp/out" 2>"$tmp/err" && "$works" --cpus=2 --json unfenced >"$tmp/unfenced" 2>>"$tmp/err"
# Each of 2,000 stores asks for the line, which takes 25 ns to come.
[ "$(number "$tmp/out" fences)" -ge 40000000 ] && [ "$(number "$tmp/unfenced" fences)" = 0 ] &&
	[ "$(number "$tmp/unfenced" stores)" -ge 900 ]
check "a fence waits for the store before it, and nothing else does"

# ---- the picture, and the measuring

"$sim" --cpus=1,4 --pool=nap,locked --svg="$tmp/picture" burst loop >"$tmp/out" 2>"$tmp/err" &&
	[ "$(grep -c '<circle ' "$tmp/picture")" = 8 ] && [ "$(grep -c 'class="title">' "$tmp/picture")" = 2 ] &&
	grep -q '>nap_pool.sync</text>' "$tmp/picture" && [ "$(tail -n 1 "$tmp/picture")" = '</svg>' ] &&
	[ "$(sed 's/<style>.*//' "$tmp/picture" | grep -o '<[a-z/]*' | grep -c '^<text')" = \
		"$(grep -o '</text>' "$tmp/picture" | wc -l)" ]
check "a picture: a point for each run, a panel for each work, the fields"
! "$sim" --svg="$tmp/none/picture" burst >"$tmp/out" 2>"$tmp/err" && grep -q "$tmp/none/picture: No such file" "$tmp/err"
check "a picture that cannot be written"
keys=$(sed -n 's/^\([a-z0-9_]*\)[[:space:]].*/\1/p' tools/sim/topology/vm2.topology | tr '\n' ' ')
if [ "$(nproc)" -lt 2 ]; then
	echo "ok $((nr = nr + 1)) nap-sim-measure # SKIP it wants two CPUs"
else
	timeout 60 "$1/nap-sim-measure" >"$tmp/out" 2>"$tmp/err" &&
		awk -v keys="$keys" 'BEGIN { n = split(keys, key, " "); for (i = 1; i <= n; i++) known[key[i]] }
			/^#/ { next }
			!($1 in known) || $2 <= 0 || $3 != "ns" { bad = 1 }
			{ lines++ }
			END { exit bad || lines < 8 }' "$tmp/out"
	check "nap-sim-measure prints lines of a topology file"
fi

"$1/nap-sim-real" inside nap 2 100 1000 >"$tmp/out" 2>"$tmp/err" && "$1/nap-sim-real" completions nap 2 100 >"$tmp/other" 2>"$tmp/err" &&
	[ "$(awk '$1 == "inside" && $2 == "nap" && $3 == 2 && $4 >= 50' "$tmp/out" | wc -l)" = 1 ] &&
	! "$1/nap-sim-real" inside none 2 >"$tmp/again" 2>"$tmp/err" && grep -q '^usage' "$tmp/err"
check "nap-sim-real runs the works on this machine"

# ---- where steals come from, and what time is lost to

stolen()
{
	sed -n "s/.*\"stolen\": {\(.*\)}, \"waited_sum.*/\1/p" "$1" | tr -d '",a-z:'
}
"$sim" --cpus=8,64 --json uts >"$tmp/out" 2>"$tmp/err" && stolen "$tmp/out" >"$tmp/stolen" &&
	awk 'NR == 1 && !($1 > 0 && $2 == 0 && $3 == 0) || NR == 2 && !($1 > 0 && $2 > 0 && $3 > 0) { bad = 1 } END { exit bad || NR != 2 }' "$tmp/stolen"
check "steals by distance: all in the one cluster of 8 CPUs, from everywhere on 64"
"$sim" burst >"$tmp/out" 2>"$tmp/err"
status=$? lacking=
for cause in fences 'locked operations' 'wake-ups: woken, and not yet there' 'search: to find the next task' \
		'search: to find none' 'idle or waking beside queued tasks'; do
	grep -q "^$cause  *[1-9][0-9.]*  *[0-9.]*  *[0-9.]*%\$" "$tmp/out" || lacking="$lacking $cause;"
done
echo "lacking:$lacking" >>"$tmp/err"
[ $status -eq 0 ] && [ -z "$lacking" ] && grep -q '^line of nap_pool.sync  *[1-9]' "$tmp/out" &&
	grep -q '^steals by distance: [1-9][0-9]* in the cluster, [1-9]' "$tmp/out"
check "what time is lost to, by the field that was waited for and by other causes"
"$sim" --cpus=4,64 --pool=nap --svg="$tmp/picture" burst >"$tmp/out" 2>"$tmp/err" &&
	[ "$(grep -c 'class="cause"' "$tmp/picture")" -ge 8 ] && grep -q 'steals: cluster [1-9][0-9]*, node [1-9][0-9]*, remote [1-9]' "$tmp/picture"
check "both in the picture"

# ---- nap with something changed

"$sim" --cpus=64 --pool=nap,nap-random --json burst >"$tmp/out" 2>"$tmp/err" && stolen "$tmp/out" >"$tmp/stolen" &&
	awk '{ far[NR] = ($2 + $3) / ($1 + $2 + $3) } END { exit !(NR == 2 && far[2] != far[1]) }' "$tmp/stolen"
check "random victims are other victims"
spent()
{
	"$sim" --cpus=1 --pool="$1" --json inside >"$tmp/out" 2>"$tmp/err" && number "$tmp/out" locked
}
nap=$(spent nap) zap=$(spent nap-zap)
# A fence takes 6 ns, and each of 1,000 schedules has one.
[ "$nap" -gt 0 ] && [ "$zap" -le $((nap - 1000 * 6000)) ]
check "Zap's push has no fence"

# ---- all curves, and a comparison

rm -rf "$tmp/curves"
mkdir -p "$tmp/curves/sim"
ln -s "$(realpath "$sim")" "$tmp/curves/nap-sim"
SIM_MACHINES='vm2 laptop' SIM_WORKS='burst timers' sh tools/sim/curves.sh "$tmp/curves" >"$tmp/out" 2>"$tmp/err" &&
	[ "$(grep -cvE '^(#|work)' "$tmp/out")" = 18 ] && cmp -s "$tmp/out" "$tmp/curves/sim/curves.txt" &&
	[ "$(grep -c '^# machine laptop' "$tmp/out")" = 2 ]
check "curves of two machines, from one CPU to all of each"
awk '$1 == "timers" && $2 == "nap" && $3 == 2 && !done { $4 *= 1.5; done = 1 } { print }' "$tmp/curves/sim/curves.txt" >"$tmp/later" &&
	SIM_MACHINES='vm2 laptop' SIM_WORKS='burst timers' sh tools/sim/curves.sh "$tmp/curves" "$tmp/later" >"$tmp/out" 2>"$tmp/err" &&
	grep -q '^vm2  *timers  *nap  *2 .* -33.3 %' "$tmp/out" && grep -q '^# 18 runs: 0 slower, 1 faster, 17 within 2 %, 0 new, 0 gone' "$tmp/out"
check "a comparison shows the run that is faster than before, and no other"
! sh tools/sim/curves.sh "$tmp/curves" "$tmp/none" >"$tmp/out" 2>"$tmp/err" && grep -q "$tmp/none: there is no such file" "$tmp/err" &&
	! sh tools/sim/compare.sh "$tmp/none" "$tmp/later" >"$tmp/out" 2>"$tmp/err" && grep -q '^usage' "$tmp/err"
check "a result that is not there"

# ---- what is wrong

! "$works" twice >"$tmp/out" 2>"$tmp/err" && grep -q 'a task begins that was not queued, or for the second time' "$tmp/err"
check "a task that begins twice"
! "$works" for-ever >"$tmp/out" 2>"$tmp/err" && grep -q 'every thread waits' "$tmp/err"
check "threads that all wait"

# ---- the same numbers

for run in 1 2 3 4 5; do
	HOME=/home/$run LONG_VALUE=$(seq $((run * 100)) | tr '\n' ' ') \
		"$sim" --cpus=16 --seed=7 --json trickle burst fork >"$tmp/run$run" 2>>"$tmp/err" || echo failed >"$tmp/run$run"
done
for run in 2 3 4 5; do
	cmp "$tmp/run1" "$tmp/run$run"
done >"$tmp/out" 2>&1
[ ! -s "$tmp/out" ] && [ "$(grep -c '"elapsed_ps": [1-9]' "$tmp/run1")" = 3 ]
check "five runs with one seed are the same to the last digit"
"$sim" --cpus=16 --seed=8 --json trickle >"$tmp/other" 2>"$tmp/err"
[ "$(number "$tmp/other" elapsed_ps)" -gt 0 ] &&
	[ "$(number "$tmp/other" elapsed_ps)" != "$(number "$tmp/run1" elapsed_ps)" ]
check "another seed is another run"

# ---- every work, on every pool: the works fail unless each task has run once, and the results are right

"$sim" --list >"$tmp/list"
all=$(sed -n '/ (nap only)$/d; s/^work *\([^ ]*\) .*/\1/p' "$tmp/list")
own=$(sed -n '/ (nap only)$/s/^work *\([^ ]*\) .*/\1/p' "$tmp/list")
pools=$(sed -n 's/^pool *\([^ ]*\) .*/\1/p' "$tmp/list" | tr '\n' ',')
naps=$(sed -n 's/^pool *\(nap[^ ]*\) .*/\1/p' "$tmp/list" | tr '\n' ',')
"$sim" --cpus=1,7 --tasks=600 --pool="${pools%,}" $all >"$tmp/out" 2>"$tmp/err" &&
	"$sim" --cpus=1,7 --tasks=600 --pool="${naps%,}" $own >>"$tmp/out" 2>>"$tmp/err"
check "every work on every pool, on 1 and 7 CPUs"
want=$((2 * ($(echo "$all" | wc -w) * $(echo "$pools" | tr , ' ' | wc -w) + $(echo "$own" | wc -w) * $(echo "$naps" | tr , ' ' | wc -w))))
[ "$want" -ge 150 ] && [ "$(grep -cvE '^#|^work' "$tmp/out")" = "$want" ]
check "that is a line each"
! "$sim" --pool=locked timers >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/out" ] &&
	[ "$(cat "$tmp/err")" = "nap-sim: timers: pool locked has not what this work uses, only nap has" ]
check "a work on a pool that has not what it uses"
for row in "independent:task 49 ran 0 times" "chains:task 0 ran 49 times" "uts:node [0-9]* ran 0 times" \
		"loop:iteration 7 was done 0 times" "grains:iteration 7 was done 0 times" "reduce:the sum is" "sort:is smaller than the one before" \
		"nqueens:queens have [0-9]* solutions" "fork:fib([0-9]*) is wrong" "shutdown:task 49 ran 0 times"; do
	! "$works" --cpus=32 --pool=broken "${row%%:*}" >"$tmp/out" 2>"$tmp/one" && grep -q "${row#*:}" "$tmp/one" ||
		{ echo "$row"; cat "$tmp/one"; }
done >"$tmp/err"
[ ! -s "$tmp/err" ]
check "a pool that forgets tasks is noticed by the works"

# ---- what files and timers cost is the machine's

# dearer KEY VALUE WORK NAME: measures the number NAME of WORK on server64 ($before), and where KEY
# has VALUE ($after)
dearer()
{
	sed "s/^$1[[:space:]].*/$1 $2/" tools/sim/topology/server64.topology >"$tmp/dear" &&
		before=$(number_of server64 "$3" "$4") && after=$(number_of "$tmp/dear" "$3" "$4") && [ "$before" -gt 0 ]
}
number_of()
{
	"$sim" --machine="$1" --cpus=4 --workers=3 --tasks=300 --json "$2" >"$tmp/out" 2>"$tmp/err" && number "$tmp/out" "$3"
}
dearer alarm '101 us' timers waited_sum_ps && [ "$after" -gt $((before + 10000000)) ]
check "timers are later on a machine whose timers are late"
for key in eventfd epoll; do
	dearer $key '200 us' completions elapsed_ps && [ "$after" -gt $((before + 200000000)) ] || echo $key
done >"$tmp/err"
[ ! -s "$tmp/err" ]
check "completions take longer where eventfds and epoll do"
"$sim" --cpus=16 --loops=8 --json completions >"$tmp/out" 2>"$tmp/err" &&
	[ "$(number "$tmp/out" tasks)" = 8000 ] && ! "$sim" --loops=9 completions >"$tmp/out" 2>"$tmp/err" && grep -q -- '--loops=9: a number from 1 to 8' "$tmp/err"
check "completions into eight loops, and no more"

"$sim" --cpus=7 --json --tasks=700 independent >"$tmp/out" 2>"$tmp/err"
[ "$(number "$tmp/out" tasks)" = 700 ] && [ "$(number "$tmp/out" work)" = 700000000 ]
check "every task is run once, and its time is all of the work's"
for machine in tools/sim/topology/*.topology; do
	"$sim" --machine="$machine" --cpus="$(sed -n 's/^cpus[[:space:]]*\([0-9]*\).*/\1/p' "$machine")" \
		--producers=2 --tasks=300 independent >"$tmp/out" 2>"$tmp/err" || { echo "$machine" >>"$tmp/err"; break; }
	grep -q "machine $(basename "$machine" .topology)," "$tmp/out" || { echo "$machine: its name" >>"$tmp/err"; break; }
	: >"$tmp/err"
	last=$machine
done
[ ! -s "$tmp/err" ] && [ -n "$last" ]
check "every machine of the tree can be read"

# ---- wrong input

topology=tools/sim/topology/server64.topology

# refused EXPRESSION MESSAGE: server64, changed by sed, is refused with this message
refused()
{
	sed "$1" "$topology" >"$tmp/bad" && ! cmp -s "$tmp/bad" "$topology" &&
		! "$sim" --machine="$tmp/bad" burst >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/out" ] &&
		[ "$(cat "$tmp/err")" = "nap-sim: $tmp/bad$2" ]
}
line=$(grep -n '^l2' "$topology" | cut -d: -f1)
refused 's/^l2.*/l2 3/' ":$line: l2 takes a time of at most 1 s, as 2.5 ns, us or ms"
check "a time without a unit: its line"
refused 's/^l2/l4/' ":$line: there is no key l4"
check "a key that is not there"
refused "s/^l2.*/l1 1 ns/" ":$line: l1 is given twice, first in line $((line - 1))"
check "a key twice"
refused '/^l2/d' ": l2 is not given"
check "a key that is missing"
refused 's/^cluster.*/cluster 7/' ":$(grep -n '^cluster' "$topology" | cut -d: -f1): clusters of 7 do not make a node of 32"
check "clusters that do not fill a node"
refused 's/^cpus.*/cpus 0x40/' ":$(grep -n '^cpus' "$topology" | cut -d: -f1): cpus takes a number from 1 to 256"
check "a number that is none"
for options in --cpus=65 --cpus=0 --cpus=2x --pool=none --tasks=0 --grain=-1 --machine=none --none nothing ''; do
	if "$sim" $options $([ "$options" = nothing ] || [ -z "$options" ] || echo burst) >"$tmp/out" 2>"$tmp/err" ||
			[ ! -s "$tmp/err" ] || [ -s "$tmp/out" ]; then
		echo "$options" >>"$tmp/accepted"
	fi
done
cat "$tmp/accepted" >"$tmp/out" 2>/dev/null
[ ! -e "$tmp/accepted" ]
check "wrong options are refused, with a reason and without a result"
