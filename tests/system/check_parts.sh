#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the output of tools/check.sh: for parts that have run something, or nothing, or could not be
# set up; for parts in parallel; and for parts that are interrupted. The make used here only writes
# tallies, and the machine seems to lack every package. KTAP.

. "$(dirname "$0")/check.inc"
CHECK_TIMES=$tmp/times
export CHECK_TIMES

echo "TAP version 13"
echo "1..21"

mkdir "$tmp/bin"
cat >"$tmp/bin/make" <<'END'
#!/bin/sh
for part; do :; done
[ -z "${order:-}" ] || echo "$part" >>"$order"
[ "$part" != shared ] || exit 0
eval "${DOES:-}"
[ "$RAN" = - ] || printf '%s %s\n%s' "$RAN" "$part" "${SAYS:-}" >>"$TALLY"
exit "${STATUS:-0}"
END
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/dpkg-query"
cp "$tmp/bin/dpkg-query" "$tmp/bin/sudo"
printf '#!/bin/sh\necho 1000\n' >"$tmp/bin/id"
chmod +x "$tmp"/bin/*

# gives STATUS LAST-LINE RAN PART...: whether tools/check.sh exits with STATUS and ends with
# LAST-LINE. The make here writes RAN as the tally of each part; - stands for no tally.
gives()
{
	want=$1 last=$2
	RAN=$3
	export RAN
	shift 3
	CI=$ci PATH=$path MAKE=$tmp/bin/make tools/check.sh "$@" >"$tmp/out" 2>"$tmp/err"
	[ $? = "$want" ] && [ "$(tail -n 1 "$tmp/out")" = "$last" ]
}

ci= path=$PATH
gives 0 '3 passed, 0 failed, 1 skipped' '3 0 1' pairs
check "a part that passes"
gives 1 '0 passed, 1 failed, 0 skipped' - pairs && grep -q '^pairs: failed: ran nothing' "$tmp/out"
check "one that runs nothing has failed"
gives 1 '0 passed, 1 failed, 3 skipped' '0 0 3' pairs && grep -q '^pairs: failed: ran nothing' "$tmp/out"
check "nor may one skip everything"
STATUS=2 && export STATUS
gives 1 '3 passed, 1 failed, 0 skipped' '3 0 0' pairs
check "one that does not get through has failed, whatever it ran"
unset STATUS

SAYS="$(printf '\t')planned 9 tests, ran 5
" && export SAYS
gives 1 '3 passed, 2 failed, 0 skipped' '3 2 0' pairs && grep -B 1 'planned 9 tests' "$tmp/out" | grep -q pairs
check "what failed is said at the end"
unset SAYS

# spin: counts until it has had a fifth of a second of the CPU, in ticks of a hundredth
cat >"$tmp/spin" <<'END'
ticks=0
until [ "$ticks" -ge 20 ]; do
	i=0
	while [ $((i += 1)) -lt 20000 ]; do :; done
	read -r stat </proc/$$/stat
	set -- ${stat##*) }
	ticks=$((${12} + ${13}))
done
END
DOES='[ "$part" = shared ] || tools/cpu.sh "a test" sh "'$tmp/spin'"'
export DOES
gives 0 '3 passed, 0 failed, 0 skipped' '3 0 0' pairs && grep -q '^# [0-9]* s of CPU; where they went: ' "$tmp/out" &&
	awk '{ spent[$2 " " $3] = $1 } END { exit !(NR == 3 && spent["pairs: a"] >= 0.2 && spent["pairs: all"] >= spent["pairs: a"]) }' \
		"$tmp/times" && sort -rnc "$tmp/times" 2>"$tmp/err"
check "the seconds of CPU of a test and of its part are written down"
unset DOES

path=$tmp/bin:$PATH
for ci in '' true; do
	gives 1 '0 passed, 0 failed, 0 skipped, 1 of 1 parts did not run' '3 0 0' valgrind &&
		grep -q '^valgrind: does not run: it needs .*valgrind' "$tmp/out" &&
		grep -q 'apt-get install .*valgrind' "$tmp/out"
	check "one whose packages are lacking does not run, and says which they are (CI=$ci)"
done
gives 1 '0 passed, 0 failed, 0 skipped, 2 of 2 parts did not run' '3 0 0' valgrind compare &&
	[ "$(grep -c 'apt-get install .*valgrind' "$tmp/out")" = 1 ] &&
	[ "$(sed -n '/^did not run/,$p' "$tmp/out" | grep -c '^    [a-z]*: needs .*make')" = 2 ]
check "of several, none does; what to install is said once, what each needs at the end"
gives 1 '3 passed, 0 failed, 0 skipped, 1 of 2 parts did not run' '3 0 0' valgrind pairs
check "the others run all the same"

# ---- the Makefile itself, on a machine without the cross-compiler

mkdir "$tmp/lacks"
cp "$tmp/bin/dpkg-query" "$tmp/bin/sudo" "$tmp/bin/id" "$tmp/lacks"
cp "$tmp/bin/sudo" "$tmp/lacks/aarch64-linux-gnu-gcc"
# says TEXT GOAL...: whether make fails, and prints the text
says()
{
	text=$1
	shift
	! PATH=$tmp/lacks:$PATH make -s ARCH=aarch64 "$@" >"$tmp/out" 2>&1 && grep -q "$text" "$tmp/out"
}
says 'apt-get install .*gcc-aarch64-linux-gnu' image && says 'apt-get install .*gcc-aarch64-linux-gnu' appliance
check "make image and make appliance say what to install before they need it"
says 'tools/setup.sh --only aarch64'
check "what builds only says what installs a compiler"

# ---- in parallel. DOES is what the make does in addition; these parts need no package.

path=$PATH ci=
lock=$tmp/lock
export lock DOES CHECK_LANES
# Each part waits for the other, for a minute at most.
DOES='mkdir -p "$lock/$part"; i=0
	until [ -d "$lock/part-debug" ] && [ -d "$lock/part-kinds" ] || [ $((i += 1)) -gt 600 ]; do sleep 0.1; done
	[ $i -gt 600 ] || : >"$lock.met"'
CHECK_LANES=2
gives 0 '2 passed, 0 failed, 0 skipped' '1 0 0' debug kinds && [ -e "$lock.met" ]
check "two parts run side by side"
rm -rf "$lock.met" "$lock"
DOES='mkdir "$lock" 2>/dev/null || : >"$lock.met"; sleep 0.4; rmdir "$lock" 2>/dev/null'
gives 0 '2 passed, 0 failed, 0 skipped' '1 0 0' native valgrind && [ ! -e "$lock.met" ]
check "but not those that run the same programs"
order=$tmp/order DOES=
export order
gives 0 '2 passed, 0 failed, 0 skipped' '1 0 0' debug kinds && [ "$(head -n 1 "$order")" = shared ] &&
	[ "$(grep -c shared "$order")" = 1 ]
check "what they share is made before any begins"
unset order
mkdir -p build
own=$PWD/build/check-parts.$$
trap 'rm -rf "$tmp" "$own"' EXIT
: >"$own"
DOES='printf "1 %s\n" "$own" "$own-$part" "$PWD/build/flags" >>"$MADE_LOG"'
export own
gives 1 '2 passed, 1 failed, 0 skipped' '1 0 0' debug kinds && grep -qx "    0 1 0 $own was made by debug kinds" "$tmp/out"
check "what two parts have made is a failure"
DOES=
gives 0 '2 passed, 0 failed, 0 skipped' '1 0 0' debug debug kinds
check "a part that is named twice runs once"
# Kills the lane, whose child is tools/cpu.sh. The results of the killed part are there when the other part ends.
DOES='if [ "$part" = part-debug ]; then kill -9 $(cut -d " " -f 4 /proc/$PPID/stat); fi; i=0
	until [ "$part" = part-debug ] || [ -s "${TALLY%kinds}debug" ] || [ $((i += 1)) -gt 600 ]; do sleep 0.1; done'
gives 1 '2 passed, 1 failed, 0 skipped' '1 0 0' debug kinds && grep -q 'debug: its end was not seen' "$tmp/out"
check "one whose end nobody has seen has failed"
CHECK_LANES=x
CI= MAKE="$tmp/bin/make" tools/check.sh debug >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] && grep -q '^usage: ' "$tmp/err"
check "how many run side by side is a number"

# The pids of a part's processes, of which one has a session of its own, as tools/ktap.sh has.
for CHECK_LANES in 1 2; do
	DOES='echo $$ >>"$lock.pids"; sleep 300 & echo $! >>"$lock.pids"; wait'
	: >"$lock.pids"
	MAKE="$tmp/bin/make" tools/check.sh debug kinds >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	tries=0
	until [ "$(wc -l <"$lock.pids")" -ge $((2 * CHECK_LANES)) ] || [ $((tries += 1)) -gt 200 ]; do
		sleep 0.05
	done
	kill -s TERM $pid
	wait $pid
	status=$?
	alive=$(while read -r one; do
		cat "/proc/$one/stat" 2>/dev/null
	done <"$lock.pids" | awk '{ id = $1; sub(/.*\) /, ""); if ($1 != "Z") print id }')
	echo "status $status, alive: $alive" >>"$tmp/out"
	[ $status = 130 ] && [ -z "$alive" ]
	check "who ends it leaves nothing behind ($CHECK_LANES at a time)"
done
