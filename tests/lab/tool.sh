#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests nap-litmus on the command line: its output, its messages on bad input, its exit status.
# KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
lab=$PWD/build/nap-litmus
sb=$PWD/build/gallery/SB.litmus
mbs=$PWD/tests/litmus/parking-dekker+mbs.litmus

# run OPTIONS...: runs nap-litmus, with its output in $tmp/out and $tmp/err; sets $status
run()
{
	$lab "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# says STATUS TEXT: whether the last run exited with STATUS and wrote a line with TEXT
says()
{
	[ $status -eq "$1" ] && cat "$tmp/out" "$tmp/err" | grep -qF -- "$2"
}

echo "TAP version 13"
echo "1..81"

run
says 2 'usage: nap-litmus'
check "no file: the usage"
run --help
says 0 'usage: nap-litmus' && [ ! -s "$tmp/err" ]
check "--help"
run --nonsense "$sb"
says 2 'usage: nap-litmus'
check "an option that is none"
run "$tmp/nowhere"
says 2 "$tmp/nowhere: No such file or directory"
check "a file that is not there"
run "$tmp"
says 2 "$tmp: expected a directory with *.litmus files"
check "a directory without tests"
run --model=alpha "$sb"
says 2 'no model is called alpha'
check "a model that is none"
for name in x86-tso:tso AArch64:armv8 linux-kernel:lkmm c11:rc11 common: linux:lkmm; do
	run --model="${name%:*}" "$sb"
	says 2 "no model is called ${name%:*}" && says 2 " There are sc, tso, armv8," &&
		says 2 "${name#*:}" || echo "$name" >>"$tmp/unhelpful"
done
[ ! -e "$tmp/unhelpful" ]
check "a name of another tool for a model, and of a part: what to write instead"
run --compile=tcc:vax "$sb"
says 2 'expected COMPILER:MACHINE'
check "a compiler that is none"
run --unroll=many "$sb"
says 2 'expected a whole number, at most 1000000'
check "a number that is none"
printf '\0\1\2' >"$tmp/binary.litmus"
run "$tmp/binary.litmus"
says 2 'not a text: it has a byte 0'
check "a file that is no text"
: >"$tmp/empty.litmus"
run "$tmp/empty.litmus"
[ $status -eq 2 ] && grep -q '^.*empty.litmus:1:1: expected ' "$tmp/err"
check "an empty file"

printf 'C broken\n{ x=0; }\nP0(int *x)\n{\n\tWRITE_TWICE(*x, 1);\n}\nexists (x=1)\n' \
	>"$tmp/broken.litmus"
run "$tmp/broken.litmus" "$sb"
says 2 'broken.litmus:5:2: expected ' &&
	says 2 '2 tests, 1 could not be read; 1 judged: 1 Sometimes'
check "a file that cannot be read: its line and column, and the next is judged"
printf 'C rcu\n{ x=0; }\nP0(int *x)\n{\n\tcall_rcu(x, x);\n}\nexists (x=0)\n' >"$tmp/rcu.litmus"
run "$tmp/rcu.litmus"
says 2 'rcu.litmus:5:2: a callback of RCU is not modelled: call_rcu()'
check "what is not modelled of RCU is refused by name"
run --model=armv8 build/gallery/MP+rcu.litmus
says 2 "armv8 says nothing of a test in the kernel's C with RCU: expected one of the models lkmm, lkmm61"
check "a machine's model says nothing of RCU"
run --compile=gcc:aarch64 build/gallery/MP+rcu.litmus
says 2 'MP+rcu.litmus:15:2: expected a test without RCU, '
check "nor do instructions"
run --compile=gcc:aarch64 build/gallery/MP+locks.litmus
says 2 'MP+locks.litmus:14:2: expected a test without locks, '
check "nor is there one of the kernel's locks"
run --why build/gallery/MP+rcu.litmus
says 0 '      grace period: P0  synchronize_rcu()  (line 15)' &&
	says 0 '      critical section: P1 from  rcu_read_lock()  (line 24) to  rcu_read_unlock()  (line 27)' &&
	says 0 '      the section would begin before the grace period, and end after it'
check "--why: which grace period and which section"
printf '%s\n' 'AArch64 mixed' '{ uint64_t x=0; 0:X1=x; 1:X1=x; }' ' P0 | P1 ;' \
	' STR X0,[X1] | LDR W2,[X1] ;' 'exists (1:X2=0)' >"$tmp/mixed.litmus"
run --why "$tmp/mixed.litmus"
says 0 'x+0 = 0' && says 0 'x+4 = 0'
check "accesses of different sizes: an event for each part that they share"
run --why build/gallery/AArch64-MP+word+halves.litmus
says 0 'not ordered: P1  LDRH W1,[X0]  (line 11)  and  LDRH W2,[X0,#2]  (line 12)' &&
	says 0 'enough: LDAPR for the first'
check "--why: which order between two halves is enough"
printf 'C long\n{ x=0; }\nP0(int *x)\n{\n%s}\nexists (x=1)\n' \
	"$(yes '	WRITE_ONCE(*x, 1);' | head -n 60)" >"$tmp/long.litmus"
run "$tmp/long.litmus"
says 2 'a thread of more than 48 events'
check "too many events are refused by name"

printf 'AArch64 chased\n{ int64_t v=4; y=x; 0:X1=y; 0:X3=v; }\n P0 ;\n LDR X0,[X1] ;\n LDR W2,[X0] ;\n LDR X4,[X3] ;\n' \
	>"$tmp/chased.litmus"
echo 'exists (0:X2=0)' >>"$tmp/chased.litmus"
run --csv "$tmp/chased.litmus"
says 0 ',Always,'
check "a pointer mixes no sizes where it does not go"
sed 's/LDR W2,\[X0\]/LDR W2,[X0,#4]/' "$tmp/chased.litmus" >"$tmp/astray.litmus"
run "$tmp/astray.litmus"
says 2 'astray.litmus:5:2: expected the address of a location'
check "a pointer that goes elsewhere is refused"
printf 'C race\n{ }\nP0(int *x, int *y) { int r0 = READ_ONCE(*x); if (r0) { *y = 1; } }\n' >"$tmp/race.litmus"
printf 'P1(int *x, int *y) { WRITE_ONCE(*x, 1); *y = 1; }\nexists (y=1)\n' >>"$tmp/race.litmus"
run "$tmp/race.litmus"
says 0 'data-race'
check "a race that no state shows"
printf 'AArch64 wide\n{ uint64_t x=-1; uint64_t 0:X0; 0:X1=x; }\n P0 ;\n LDR X0,[X1] ;\nexists (0:X0=0xffffffff)\n' \
	>"$tmp/wide.litmus"
run --csv "$tmp/wide.litmus"
says 0 ',Never,0:X0=-1;'
check "64 bits are compared as such"
printf 'AArch64 row\n{ 0:X1=x; }\n P0 | P1 ;\n LDR X0,[X1] ;\nexists (0:X0=1)\n' >"$tmp/row.litmus"
run "$tmp/row.litmus"
says 2 'row.litmus:4:13: expected | and a row of 2 threads'
check "a row with too few cells"
printf 'C twice\n{ x=1; x=2; }\nP0(int *x) { WRITE_ONCE(*x, 3); }\nexists (x=1)\n' >"$tmp/twice.litmus"
run "$tmp/twice.litmus"
says 2 'twice.litmus:2:8: expected one value of x'
check "a location with two values"
run --csv "$tmp/race.litmus"
says 0 ",lkmm,Always!data-race,[y]=1;"
check "--csv: what the model flags"
run --json "$tmp/race.litmus"
says 0 '"flags":["data-race"],'
check "--json: what the model flags"
printf 'C turns\n{ }\nP0(int *x, int *y) { while (READ_ONCE(*x) == 0) *y = 1; }\nP1(int *x) { WRITE_ONCE(*x, 1); }\nexists (x=1)\n' \
	>"$tmp/turns.litmus"
run --csv "$tmp/turns.litmus"
says 1 ',lkmm,Always!bounded,'
check "--csv: a loop that was cut"
$lab --csv "$sb" >/dev/full 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'standard output: ' "$tmp/err"
check "output that cannot be written"

run --states --model=sc --model=tso "$sb"
says 0 '0:r0=0; 1:r0=0;' && [ "$(grep -c '^    0:r0=' "$tmp/out")" -eq 7 ]
check "--states: three under SC, four under TSO"
run --why --model=armv8 "$mbs"
says 0 'forbidden by external: a cycle' && says 0 '[M]; fenced(sy); [M]' && says 0 fre
check "--why: the cycle that forbids"
run --why --model=tso "$sb"
says 0 'P0 R y = 0' && says 0 'from init y'
check "--why: an execution that is allowed"
run --why --model=lkmm build/gallery/SB+mbs.litmus
says 0 'forbidden by propagation' && says 0 '          fr -> d: P1 W y = 1  WRITE_ONCE(*y, 1)' &&
	says 0 '          po -> e: P1 fence  smp_mb()' && says 0 '          po -> f'
check "--why: the kernel's pb is opened down to fr, program order and the fence"
for dialect in kernel c11 aarch64 riscv x86_64; do
	for shape in 'SB PodWR Fre PodWR Fre' 'MP PodWW Rfe PodRR Fre'; do
		$lab --generate="${shape#* }" --dialect=$dialect >"$tmp/${shape%% *}-$dialect.litmus"
	done
done
sed 's/memory_order_relaxed/memory_order_seq_cst/' "$tmp/SB-c11.litmus" >"$tmp/SB+scs.litmus"
run --why --model=rc11 "$tmp/SB+scs.litmus"
says 0 'forbidden by seq-cst' && says 0 '          po -> b' && says 0 '          fr -> c'
check "--why: RC11's psc is opened, too"

# enough SHAPE DIALECT ORDER...: whether --why names two pairs of accesses that are not ordered, and
# prints these ORDERs, which together would forbid the outcome, a line for each pair
enough()
{
	name=$1-$2
	shift 2
	run --why "$tmp/$name.litmus"
	sed -n 's/^        enough: //p' "$tmp/out" >"$tmp/enough"
	printf '%s\n' "$@" >"$tmp/wanted"
	[ $status -eq 0 ] && [ "$(grep -c '^      not ordered: P[01]  .* (line [0-9]*)  and  ' "$tmp/out")" -eq 2 ] &&
		cmp -s "$tmp/enough" "$tmp/wanted"
}
enough SB kernel 'smp_mb() between them' 'smp_mb() between them' &&
	enough MP kernel 'smp_store_release() for the second' 'smp_load_acquire() for the first'
check "--why of Sometimes: the pairs, and the weakest order: the kernel's"
enough SB c11 'memory_order_seq_cst for both' 'memory_order_seq_cst for both' &&
	enough MP c11 'memory_order_release for the second' 'memory_order_acquire for the first'
check "--why of Sometimes: C11's"
enough SB aarch64 'STLR for the first and LDAR for the second' 'STLR for the first and LDAR for the second' &&
	enough MP aarch64 'STLR for the second' 'LDAPR for the first'
check "--why of Sometimes: Arm's"
enough SB riscv 'fence w,r between them' 'fence w,r between them' &&
	enough MP riscv 'fence w,w between them' 'fence r,r between them'
check "--why of Sometimes: RISC-V's"
enough SB x86_64 'mfence between them' 'mfence between them'
check "--why of Sometimes: x86's"
run --why build/gallery/MP+wmb+po.litmus
says 0 'smp_load_acquire() for the first' && [ "$(grep -c enough: "$tmp/out")" -eq 1 ]
check "--why of Sometimes: what is ordered already is not named"
sed 's/^exists.*/exists (0:r0=1)/' "$sb" >"$tmp/interleaved.litmus"
run --why "$tmp/interleaved.litmus"
says 0 'the threads, one step after the other, end so: no fence forbids it'
check "--why of Sometimes: of what an interleaving ends in"
run --csv --model=sc "$sb"
says 0 "$sb,sc,Never,0:r0=0; 1:r0=1; | 0:r0=1; 1:r0=0; | 0:r0=1; 1:r0=1;"
check "--csv"
run --json --model=sc --model=tso "$sb" "$mbs"
[ $status -eq 0 ] && python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert [row["verdict"] for row in rows] == ["Never", "Sometimes", "Never", "Never"]
assert len(rows[0]["states"]) == 3 and {"0:r0": 0, "1:r0": 0} in rows[1]["states"]
assert len(rows[0]["forbidden"]["cycle"]) == 4 and rows[0]["forbidden"]["axiom"] == "sc"
' "$tmp/out" 2>"$tmp/err"
check "--json: an object a line, with the states and the cycle"
mkdir "$tmp/dot"
run --dot="$tmp/dot" --model=sc --model=tso "$sb"
[ $status -eq 0 ] && grep -q 'color=red' "$tmp/dot/SB.sc.dot" &&
	! grep -q 'color=red' "$tmp/dot/SB.tso.dot" &&
	[ "$(grep -c '{' "$tmp/dot/SB.sc.dot")" -eq "$(grep -c '}' "$tmp/dot/SB.sc.dot")" ]
check "--dot: a picture each, the forbidding cycle in red"
run --dot="$tmp/nowhere" "$sb"
says 2 'No such file or directory'
check "--dot: a directory that is not there"

run --compare --model=sc --model=tso "$sb" "$mbs"
says 1 'only tso: 0:r0=0; 1:r0=0;' && says 1 '1 differ'
check "--compare: what one model allows and the other does not"
run --compare --model=tso --model=tso "$sb"
[ $status -eq 0 ] && [ ! -s "$tmp/out" ]
check "--compare: nothing differs"
$lab --csv --model=tso "$sb" >"$tmp/tso.csv"
run --model=sc --against="$tmp/tso.csv" "$sb"
says 1 "only $tmp/tso.csv: 0:r0=0; 1:r0=0;"
check "--against: what an earlier run has found"
run --model=sc --against="$tmp/tso.csv" "$mbs"
says 1 "not in $tmp/tso.csv"
check "--against: a test that the earlier run has not"
sed 's/tso Sometimes/tso Never/' "$sb" >"$tmp/wrong.litmus"
run --expect "$tmp/wrong.litmus"
says 1 'Sometimes under tso, expected Never'
check "--expect: a verdict that is not as the test says"
sed 's/tso Sometimes/vax Sometimes/' "$sb" >"$tmp/vax.litmus"
run --expect "$tmp/vax.litmus" "$sb"
says 2 'expected a model, not vax' && says 2 '2 tests, 1 could not be read; 5 judged'
check "--expect: a model that is none, and the next is judged"
run --compile=gcc:x86_64 --cflags=-O0 "$sb"
says 2 'SB.litmus as gcc:x86_64 -O0:'
check "--compile: what is wrong with a listing is said"
run --compare "$sb"
says 2 '--compare: expected two models or compilers'
check "--compare of one column"
run --expect "$tmp/mixed.litmus"
[ $status -ne 0 ]
check "--expect: a test that says nothing, and cannot be judged"

# ---- models in files

printf '"only coherence"\nacyclic po-loc | com as coherence\n' >"$tmp/weak.model"
run --csv --model="$tmp/weak.model" "$mbs"
says 0 ',Sometimes,'
check "a model from a file"
printf 'let a = po\nacyclic a | bb\n' >"$tmp/bad.model"
run --model="$tmp/bad.model" "$sb"
says 2 'bad.model:2:13: expected a set or a relation, not bb'
check "a name that no model has: line and column"
printf 'let rec r = po | r; rf\nacyclic r\nempty [R] & id as no-reads\n' >"$tmp/rec.model"
run --csv --model="$tmp/rec.model" "$sb"
says 0 ',Never,' || says 1 ',Undecided,'
check "let rec, and a model that allows nothing"
printf 'let rec r = po \\ r\nacyclic r\n' >"$tmp/shrinks.model"
run --model="$tmp/shrinks.model" "$sb"
says 2 'shrinks.model:1:13: expected none of the names that this let rec defines'
check "let rec that does not grow is refused, and does not go round"
printf 'let rec a = rf | a; co\nlet rec b = [F]; po | b; a | b; (po | fr | rf)\nempty b\n' >"$tmp/two.model"
run --csv --model="$tmp/two.model" "$sb"
says 0 ',Sometimes,'
check "let rec of what another let rec defines"
printf 'let a = po\nlet f(x) = a | x\nlet a = none\nacyclic f(com)\n' >"$tmp/scope.model"
run --csv --model="$tmp/scope.model" "$sb"
says 0 ',Never,'
check "a function knows the names that stand before it"
printf 'C nothing\n{ }\nP0(int *x, int *y) { int r0 = READ_ONCE(*x); WRITE_ONCE(*y, (r0 ^ r0) + 1); }\n' \
	>"$tmp/nothing.litmus"
printf 'P1(int *x, int *y) { int r0 = READ_ONCE(*y); WRITE_ONCE(*x, r0); }\nexists (0:r0=1)\n' >>"$tmp/nothing.litmus"
run --csv --model="$tmp/weak.model" --model=lkmm "$tmp/nothing.litmus"
says 0 'weak.model,Sometimes,' && says 0 'lkmm,Never,'
check "a value that is the same whatever is read: known, and a dependency"
run --show-model=tso
says 0 'acyclic ordered | rfe | fr | co as tso'
check "--show-model"

# ---- which model says something of which dialect

# fits MODEL FILE: whether MODEL judges FILE. unfit MODEL FILE DIALECT: whether MODEL refuses FILE,
# because it is a test in DIALECT
fits()
{
	run --model="$1" "$2"
	[ $status -eq 0 ] && [ ! -s "$tmp/err" ]
}
unfit()
{
	run --model="$1" "$2"
	[ $status -eq 2 ] && [ ! -s "$tmp/out" ] && grep -qF "$2:1:1: $1 says nothing of a test in $3" "$tmp/err"
}
for dialect in kernel c11 aarch64 riscv x86_64; do
	$lab --generate='PodWR Fre PodWR Fre' --dialect=$dialect >"$tmp/$dialect.litmus"
done
echo 'kernel:sc tso armv8 rvwmo lkmm lkmm61:rc11 c20:the kernel
c11:sc tso armv8 rvwmo rc11 c20:lkmm lkmm61:C11
aarch64:sc armv8:tso rvwmo rc11 c20 lkmm lkmm61:AArch64
riscv:sc rvwmo:tso armv8 rc11 c20 lkmm lkmm61:RISC-V
x86_64:sc tso:armv8 rvwmo rc11 c20 lkmm lkmm61:x86' >"$tmp/pairs"
while IFS=: read -r dialect good bad name; do
	sed -i 's/^X86 /X86_64 /' "$tmp/$dialect.litmus"
	for model in $good; do fits "$model" "$tmp/$dialect.litmus" || echo "$dialect $model" >>"$tmp/wrong"; done
	for model in $bad; do unfit "$model" "$tmp/$dialect.litmus" "$name" || echo "$dialect $model" >>"$tmp/wrong"; done
done <"$tmp/pairs"
[ ! -s "$tmp/wrong" ]
check "each model judges what it says something of, and refuses the rest"
run --model=lkmm "$tmp/x86_64.litmus"
says 2 'expected one of the models sc, tso'
check "and says which models do"
printf 'C plain\n{ }\nP0(int *x) { *x = 1; }\nexists (x=1)\n' >"$tmp/plain.litmus"
fits rc11 "$tmp/plain.litmus" && fits lkmm "$tmp/plain.litmus"
check "C with nothing but plain accesses is both languages'"
cp "$tmp/weak.model" "$tmp/mine.model"
fits "$tmp/mine.model" "$tmp/x86_64.litmus"
check "a model from a file judges any test"
run --run=10 --model=armv8 "$tmp/x86_64.litmus"
says 2 'armv8 says nothing of a test in x86'
check "--run: judged by a model that says something of the test"

# ---- tests from cycles, and the manual

$lab --generate='PodWR Fre PodWR Fre' --dialect=x86_64 >"$tmp/made.litmus"
run --csv "$tmp/made.litmus"
says 0 ',tso,Sometimes,'
check "--generate: store buffering"
run --generate='PodWR Fre' --dialect=vax
says 2 'vax: expected kernel, c11, aarch64, riscv or x86_64'
check "--generate: a dialect that is none"
$lab --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | sort >"$tmp/options"
sed 's/\\-/-/g' Documentation/man/nap-litmus.1 | awk '/^\.TP/ { getline; print }' |
	grep -o -- '--[a-z][a-z-]*' | sort >"$tmp/manual"
diff "$tmp/options" "$tmp/manual" >"$tmp/out" && [ "$(grep -c '' "$tmp/manual")" -gt 20 ]
check "the manual has the options that --help has"

printf 'C none\n{ int *p=0; }\nP0(int **p)\n{\n\tint *r0 = READ_ONCE(*p);\n\tint r1 = READ_ONCE(*r0);\n}\nexists (0:r1=0)\n' \
	>"$tmp/none.litmus"
run "$tmp/none.litmus"
says 0 'nothing is reachable'
check "a test that comes to no end says so"
cat >"$tmp/loops.litmus" <<'E'
C loops
{}
P0 (atomic_int* x) {
  int r0 = atomic_load_explicit(x,memory_order_relaxed);
  int r1 = atomic_load_explicit(x,memory_order_relaxed);
}
P1 (atomic_int* x, int* y) {
  *y = atomic_load_explicit(x, memory_order_relaxed);
  while (atomic_compare_exchange_strong(x, y, *y) == 0) { }
  atomic_store_explicit(x,1,memory_order_relaxed);
}
P2 (atomic_int* x, int* a) {
  *a = atomic_load_explicit(x, memory_order_relaxed);
  while (atomic_compare_exchange_strong(x, a, *a) == 0) { }
  atomic_store_explicit(x,2,memory_order_relaxed);
}
P3 (atomic_int* x) {
  atomic_store_explicit(x,3,memory_order_relaxed);
  atomic_store_explicit(x,4,memory_order_relaxed);
  atomic_store_explicit(x,5,memory_order_relaxed);
}
exists (0:r0=2 /\ 0:r1=0)
E
run --timeout=1 --unroll=9 "$tmp/loops.litmus"
says 1 'Never       28 states' && says 1 'bounded  timeout'
check "the time is over: the verdict of fewer turns of the loops, and it says so"
printf 'C ever\n{ }\nP0(int *x, int *y) { while (READ_ONCE(*x) == 0) *y = 1; }\nexists (x=0)\n' >"$tmp/ever.litmus"
run "$tmp/ever.litmus"
says 1 'Undecided' && says 1 'no end is reached within the bound (--unroll)'
check "a loop that does not end: Undecided, and why"
run --run --model=sc --model=tso "$sb"
says 2 'expected one model to judge a run by'
check "--run: by one model"

printf 'C signs\n{ }\nP0(int *x, int *y) { WRITE_ONCE(*x, 1); WRITE_ONCE(*y, 2); }\n' >"$tmp/signs.litmus"
cp "$tmp/signs.litmus" "$tmp/signs2.litmus"
echo 'exists (x==1 && !(y==1 || y!=2))' >>"$tmp/signs.litmus"
echo 'exists (x==2 || x==1 && y==1)' >>"$tmp/signs2.litmus"
run --csv "$tmp/signs.litmus" "$tmp/signs2.litmus"
says 0 'signs.litmus,lkmm,Always,' && says 0 'signs2.litmus,lkmm,Never,'
check "C's signs in a question"

sed 's/^exists.*/exists (0:r0=7)/' "$sb" >"$tmp/seven.litmus"
run --why --model=tso "$tmp/seven.litmus"
says 0 'no execution ends so'
check "--why: of what no execution ends in"

for options in --listing --cflags=-O1 --seconds=1 --how=meet=never --cc=cc --runner=qemu --dialect=c11 --name=x; do
	run "$options" "$sb"
	says 2 "nap-litmus: ${options%%=*}: expected --" && says 2 ' beside it' || echo "$options"
done >"$tmp/ignored"
cp "$tmp/ignored" "$tmp/out"
[ ! -s "$tmp/ignored" ]
check "an option that says nothing without another is refused"
run --csv --json "$sb"
says 2 '--json: expected it or --csv, and not both' && { run --generate='PodWR Fre PodWR Fre' "$sb"; says 2 'expected no files beside'; }
check "options that contradict each other"

# The first text begins with UTF-8's byte order mark, and has a web page's non-breaking space. The
# second has a letter of two bytes, which the message shows whole.
{ printf '\357\273\277'; sed 's/, 1)/,\xc2\xa01)/' "$sb"; } >"$tmp/pasted.litmus"
sed 's/^exists/\xc3\x9f exists/' "$sb" >"$tmp/letter.litmus"
run "$tmp/pasted.litmus" "$tmp/letter.litmus"
says 2 'pasted.litmus  ' && says 2 "$(printf 'expected exists, ~exists or forall, not \303\237')"
check "a text that was copied from a page; a letter that is not ASCII's"

mkdir "$tmp/a" "$tmp/b" "$tmp/drawn"
cp "$sb" "$tmp/a/SB.litmus"
sed 's/WRITE_ONCE(\*x, 1)/WRITE_ONCE(*x, 2)/' "$sb" >"$tmp/b/SB.litmus"
run --model=tso --model=sc --svg="$tmp/drawn" --dot="$tmp/drawn" "$tmp/a" "$tmp/b"
says 0 '2 tests, 0 could not be read' && grep -q 'x = 1' "$tmp/drawn/SB.tso.svg" && grep -q 'x = 2' "$tmp/drawn/SB-2.tso.svg" &&
	[ "$(ls "$tmp/drawn" | wc -l)" = 8 ]
check "--svg: two tests of one name have a picture each"
