#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A bundle carries tests to another machine, and its results are read back. Here bundles are
# written, made by make and cc alone, run on this machine, and read back; broken results are
# refused, with line and reason. Bundles for other machines: bundle_emulated.sh. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
litmus=$PWD/build/nap-litmus
gallery=$PWD/build/gallery

# run ARGUMENT...: runs nap-litmus, with its output in $tmp/out and $tmp/err; sets $status
run()
{
	timeout 600 "$litmus" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# says STATUS TEXT: whether the last run exited with STATUS and wrote a line with TEXT
says()
{
	[ $status -eq "$1" ] && cat "$tmp/out" "$tmp/err" | grep -qF -- "$2"
}

# made DIRECTORY ARGUMENT...: runs make in DIRECTORY, without the variables that this shell's make
# has exported
made()
{
	(cd "$1" && shift && unset MAKEFLAGS MFLAGS MAKELEVEL && make "$@") >"$tmp/out" 2>"$tmp/err"
}

# broken LINE COLUMN REASON SED: whether results that SED has changed are refused at LINE and
# COLUMN, for REASON
broken()
{
	sed "$4" "$tmp/good" >"$tmp/broken"
	! cmp -s "$tmp/good" "$tmp/broken" || return 1
	run --results="$tmp/broken"
	[ $status -eq 2 ] && grep -qF "$tmp/broken$5:$1:$2: $3" "$tmp/err" && ! grep -avF "$tmp/broken" "$tmp/err"
}

echo "TAP version 13"
if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP the tests are of x86-64"
	exit 0
fi
echo "1..33"

# ---- on this machine

mkdir "$tmp/tests"
cp "$gallery/X86_64-SB.litmus" "$tmp/tests"
sed 's/^X86_64 .*/X86_64 a $(touch hit) "name" of\\its own/' "$gallery/X86_64-SB.litmus" >"$tmp/tests/odd.litmus"
sed 's/^X86_64 .*/X86_64 sb/' "$gallery/X86_64-SB.litmus" >"$tmp/tests/small.litmus"
run --bundle="$tmp/here" --run=3000 "$tmp/tests" --compile=gcc:x86_64 --compile=gcc:x86_64:nap "$gallery/SB+mbs.litmus"
says 0 "$tmp/here: 5 tests, 0 could not be taken"
check "a bundle is written"
[ "$(cd "$tmp/here" && ls ./*.test.h | wc -l)" = 5 ] && [ "$(cd "$tmp/here" && ls ./*.test.s | wc -l)" = 2 ] &&
	[ -z "$(find "$tmp/here" -name '*[!A-Za-z0-9+_.-]*' -path '*/here/*')" ]
check "each test has files of its own, whatever it is called"
mkdir "$tmp/bin"
for tool in make cc as ld sh cat mv rm; do
	ln -s "$(PATH=/usr/bin:/bin; command -v $tool)" "$tmp/bin/$tool"
done
PATH=$tmp/bin made "$tmp/here" CFLAGS=-O1 run
check "make and cc are enough to run it"
[ ! -e "$tmp/here/hit" ] && [ "$(grep -c '^nap-litmus results 1$' "$tmp/here/results.txt")" = 5 ] &&
	[ "$(grep -c '^runs 3000$' "$tmp/here/results.txt")" = 5 ] && [ "$(grep -c '^emulated no$' "$tmp/here/results.txt")" = 5 ]
check "results of each test, as long as the bundle says; on no emulator"
run --results="$tmp/here/results.txt"
[ $status -eq 0 ] && [ "$(grep -c ' ok$' "$tmp/out")" = 5 ] && says 0 '5 tests, 0 could not be run; 15000 outcomes'
check "they are read back, and judged"
grep -q '^SB+mbs  *gcc:x86_64 -O2 *Never' "$tmp/out" && grep -q '^SB+mbs  *gcc:x86_64:nap -O2 *Never' "$tmp/out"
check "what was compiled is judged as it was compiled"
made "$tmp/here" CFLAGS=-O1 HOW='runs=2000 size=64 meet=1 affinity=near' run && grep -q '^runs 2000$' "$tmp/here/results.txt"
check "make's HOW says how else they are run"
! made "$tmp/here" CFLAGS=-O1 HOW='runs=2000 size=65' run && grep -q '^size=65: expected a power of 2 from 16 to 65536' "$tmp/err" &&
	grep -q 'SB.test has failed' "$tmp/err"
check "a wrong HOW is told"
run --results="$tmp/here/results.txt" --model=sc --csv
[ "$(grep -c ',run,' "$tmp/out")" = 5 ]
check "--csv of results"

# ---- refused

run --bundle="$tmp/here" "$tmp/tests"
says 2 "$tmp/here: File exists"
check "a directory that is there is left alone"
run --bundle="$tmp/no" "$gallery/SB.litmus"
says 2 'a C test is compiled here, for the machine that is to run it: expected --compile='
check "a C test without a compiler"
[ ! -e "$tmp/no" ]
check "of a bundle without a test nothing is left"
# Each of these tests has a loop that never ends: the first waits for a 2, and the other thread
# writes 1; the second waits for a value that no thread writes.
cat >"$tmp/waits.litmus" <<'END'
X86_64 waits
{ }
 P0          | P1          ;
 L:          | movl $1,(x) ;
 movl (x),%eax |           ;
 cmpl $2,%eax |            ;
 jne L       |             ;
exists (0:rax=2)
END
printf 'C waits\n{ }\nP0(int *x) { int r0; while (!READ_ONCE(*x)) cpu_relax(); r0 = 1; }\nexists (0:r0=1)\n' >"$tmp/waits_too.litmus"
for options in "--run=1k $tmp/waits.litmus" "--run=1k $tmp/waits_too.litmus" "--bundle=$tmp/no $tmp/waits.litmus"; do
	timeout 60 "$litmus" $options >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 2 ] && grep -q ': P0 may wait here for ever for what nobody writes, and a run would have no end$' "$tmp/err" || echo "$options"
done >"$tmp/endless"
cp "$tmp/endless" "$tmp/out"
[ ! -s "$tmp/endless" ]
check "a test with a thread that waits for ever is not run"
run --bundle="$tmp/two" "$gallery/X86_64-SB.litmus" "$gallery/AArch64-MP.litmus"
says 2 'AArch64-MP.litmus:1:1: the bundle is for x86_64, and this test for aarch64'
check "tests for two machines"
run --results="$tmp/here/results.txt" "$gallery/SB.litmus"
says 2 'its tests are in it'
check "--results with other tests"
run --results="$tmp/nowhere"
says 2 "$tmp/nowhere: No such file or directory"
check "results that are not there"
run --run=1k --how=size=100 "$gallery/X86_64-SB.litmus"
says 2 'size=100: expected a power of 2 from 16 to 65536'
check "--how: what is wrong is said before anything is compiled"

# ---- broken results

cat >"$tmp/good" <<'END'
nap-litmus results 1
| X86_64 SB
| { }
|  P0          | P1          ;
|  movl $1,(x) | movl $1,(y) ;
|  movl (y),%eax | movl (x),%eax ;
| exists (0:rax=0 /\ 1:rax=0)
machine x86_64
processor one
emulated no
cpus 2
workers 2
copies 1
affinity near
runs 1000
seconds 0.5
cpu 0.9
lost 0
parts 0:rax 1:rax
state 900 0 1
state 100 0 0
end
END
run --results="$tmp/good"
says 0 'seen 100 of 1000 (10 %)' && says 0 '100  allowed   * 0:rax=0; 1:rax=0;'
check "results by hand are read"
broken 1 1 'expected "nap-litmus results 1"' '1s/1$/2/'
check "another version"
broken 15 1 'expected a number behind "runs"' 's/^runs .*/runs many/' && broken 12 1 'expected a number from 1 to' 's/^workers 2/workers 0/' &&
	broken 16 1 'expected seconds behind "seconds"' 's/^seconds .*/seconds -1/'
check "no number, or one that cannot be"
broken 9 1 'expected "processor"' '/^processor/d' && broken 2 1 "expected the test, its lines behind" '/^|/d'
check "a line is missing"
broken 21 1 'the states are 900 in all, and the runs 1000' '/^state 100/d'
check "a state is missing"
broken 22 1 'the file breaks off: expected "end" before' '/^end/d'
check "the end is missing"
head -c 325 "$tmp/good" >"$tmp/broken"
run --results="$tmp/broken"
says 2 ":$(($(wc -l <"$tmp/broken") + 1)):1: the file breaks off within this line"
check "it breaks off within a line"
broken 20 14 'expected 2 parts, as "parts" has' 's/^state 900 0 1/state 900 0 1 1/' && broken 20 12 'expected a number' 's/^state 900 0 1/state 900 0 x/' &&
	broken 20 12 'expected a number' 's/^state 900 0 1/state 900 0/'
check "a state with other parts"
broken 19 1 "expected the parts of the test's states; the 2. is 1:rax" 's/^parts .*/parts 0:rax 1:rbx/' &&
	broken 19 1 "expected the parts of the test's states, and no others than 2" 's/^parts .*/parts 0:rax 1:rax 1:rbx/; s/^state.*/& 0/'
check "parts that are not the test's"
broken 4 10 'expected a register' 's/^|  movl \$1,(x)/|  movq $1,(x/' ', the test after line 1'
check "the test in it is wrong"
# The message is printed when the whole file has been read, so the text that it quotes must still
# exist then.
sed 's/^| X86_64/| RISCV/' "$tmp/good" >"$tmp/broken"
cat "$tmp/broken" "$tmp/broken" "$tmp/good" >"$tmp/twice"
run --results="$tmp/twice"
[ $status -eq 2 ] && [ "$(grep -ac ", the test after line [0-9]*:4:2: expected a RISC-V instruction, not movl" "$tmp/err")" = 2 ] &&
	[ "$(wc -l <"$tmp/err")" = 2 ] && says 2 '3 tests, 2 could not be run; 1000 outcomes'
check "two wrong tests in it, each with its reason; the third is judged"
for text in '' '\n' 'nap-litmus results 1\n'; do
	printf "$text" >"$tmp/broken"
	run --results="$tmp/broken"
	echo "$status"
done >"$tmp/statuses"
[ "$(sort -u "$tmp/statuses")" = 2 ]
check "a file with nothing in it"
broken 1 1 'SB is a test of x86_64, and this machine is aarch64' 's/^machine .*/machine aarch64/'
check "another machine's"
broken 1 1 'it was compiled by gcc:x86_64 -O2 -B/tmp; touch' 's/^machine/compiled gcc:x86_64 -O2 -B\/tmp; touch hit\n&/' && [ ! -e hit ]
check "flags of the compiler are taken from no file"
sed 's/^state 900 0 1/state 900 7 1/' "$tmp/good" >"$tmp/broken"
run --results="$tmp/broken"
says 1 'FORBIDDEN by tso'
check "what the machine's model forbids is told"
cat "$tmp/good" "$tmp/good" >"$tmp/twice"
run --results="$tmp/twice"
says 0 '2 tests, 0 could not be run; 2000 outcomes'
check "files can be put together"
