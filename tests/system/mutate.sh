#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tools/check/mutate.sh. Scripts stand for the programs of scenarios, and print what such a
# program would print. Tests which weakenings count as killed, explained and surviving; that a
# run goes on where the last run has ended; and that a run repeats what a changed program may
# answer differently. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
unset MUTATE_OUT MUTATE_SECONDS MUTATE_JOBS

echo "TAP version 13"
echo "1..9"

# program NAME: makes a program with three accesses. If the first access is weakened, the program
# finds a fault. If the third is weakened while $tmp/slow exists, the program runs into its bound.
program()
{
	cat >"$tmp/$1" <<-END
	#!/bin/sh
	case "\$*" in
	*--sites*)
		echo "base $1" >>"$tmp/ran"
		echo "ok 1 scenario rc11: 10 executions, 0 blocked, 0.50 s: no fault"
		echo "# site src/one.c:1 first store release 0x1 scenario"
		echo "# site src/one.c:2 second load acquire 0x2 scenario"
		echo "# site src/one.c:3 third fence seq_cst 0x3 scenario"
		exit 0 ;;
	esac
	echo "$1 \$*" | sed 's/.*--weaken=\([^ ]*\) .*/$1 \1/' >>"$tmp/ran"
	case "\$*" in
	*--weaken=0x1:*) echo "not ok 1 scenario rc11: found: data race (not expected)"; exit 1 ;;
	*--weaken=0x3:*) [ ! -e "$tmp/slow" ] || exit 3 ;;
	esac
	exit 0
	END
	chmod +x "$tmp/$1"
}
# mutate PROGRAM...: runs tools/check/mutate.sh; its output is in $tmp/out, and what it has run in
# $tmp/ran
mutate()
{
	: >"$tmp/ran"
	MUTATE_OUT="$tmp/keep" tools/check/mutate.sh "$tmp" "$*" "$tmp/explained" >"$tmp/out" 2>"$tmp/err"
}
# ran TEXT: whether $tmp/ran has the lines of TEXT, in any order, and no others
ran()
{
	[ "$(sort "$tmp/ran" | tr '\n' ,)" = "$1" ]
}
program p
echo '``second() load acquire -> relaxed``: nothing depends on it' >"$tmp/explained"
touch "$tmp/slow"
! mutate p && grep -qx 'src/one.c:1 first() store release -> relaxed: killed by scenario (data race)' "$tmp/out" &&
	grep -qx 'src/one.c:2 second() load acquire -> relaxed: explained' "$tmp/out" &&
	grep -qx 'src/one.c:3 third() fence seq_cst -> acq_rel: undecided in scenario' "$tmp/out" &&
	grep -qx 'killed 1, explained 1, undecided 1' "$tmp/out"
check "what a scenario notices is killed, what has a reason explained, and what takes too long undecided"
ran 'base p,p 0x1:relaxed,p 0x2:relaxed,p 0x3:acq_rel,'
check "each is run once"
! mutate p && ran '' && grep -qx 'killed 1, explained 1, undecided 1' "$tmp/out"
check "the next run runs nothing, and says the same"
rm "$tmp/slow"
! MUTATE_SECONDS=70 mutate p && ran 'p 0x2:relaxed,p 0x3:acq_rel,' && grep -q '^src/one.c:3 third() .*: survived p/scenario' "$tmp/out"
check "with more time what was not killed is tried again"
echo '``third() fence seq_cst -> acq_rel``: nor on this' >>"$tmp/explained"
mutate p && ran 'p 0x2:relaxed,p 0x3:acq_rel,' && grep -qx 'killed 1, explained 2, undecided 0' "$tmp/out"
check "and when a reason was added"
program q
mutate p q && ran 'base q,p 0x2:relaxed,p 0x3:acq_rel,q 0x2:relaxed,q 0x3:acq_rel,'
check "another program is asked for what the first has not killed"
sed -i 's/--weaken=0x1:/--weaken=0x9:/' "$tmp/p" "$tmp/q"
! mutate p q && ran 'base p,base q,p 0x1:relaxed,p 0x2:relaxed,p 0x3:acq_rel,q 0x1:relaxed,q 0x2:relaxed,q 0x3:acq_rel,' &&
	grep -q '^src/one.c:1 first() .*: survived p/scenario q/scenario' "$tmp/out"
check "a program that has changed is asked for all"
program p
echo '``first() store release -> relaxed``: a wrong reason' >>"$tmp/explained"
! mutate p q && grep -qx 'src/one.c:1 first() store release -> relaxed: killed, although explained' "$tmp/out"
check "a reason for what is killed is an error"
rm -r "$tmp/keep"
program p
echo '``first() store release -> relaxed``: a reason' >"$tmp/explained"
! MUTATE_JOBS=1 mutate p && [ "$(tr '\n' , <"$tmp/ran")" = 'base p,p 0x2:relaxed,p 0x3:acq_rel,p 0x1:relaxed,' ]
check "what has a reason is tried last"
