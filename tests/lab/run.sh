#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs litmus tests on this machine. Reorderings that x86-64 allows are seen, and no others; a model
# that is too strong for the machine is reported. LITMUS is the program, and RUNS how often each test
# is run; store buffering is tried for 20 times as long. KTAP.

. "$(dirname "$0")/../system/check.inc"
litmus=${LITMUS:-build/nap-litmus}
runs=${RUNS:-100k}
root=$(dirname "$0")/../..

skip()
{
	nr=$((nr + 1))
	echo "ok $nr $1 # SKIP $2"
}

have()
{
	command -v "$1" >/dev/null && command -v "$2" >/dev/null
}

# write NAME: writes the test on standard input to $tmp/NAME.litmus
write()
{
	cat >"$tmp/$1.litmus"
}

# run ARGUMENT...: runs the program, with its output in $tmp/out and $tmp/err
run()
{
	timeout 600 "$litmus" --run="$runs" "$@" >"$tmp/out" 2>"$tmp/err"
}

# column TEST P0 P1 QUESTION: writes an x86 test of two threads; in P0 and P1 a + is between two
# instructions
column()
{
	{
		awk -v name="$1" -v p0="$2" -v p1="$3" 'BEGIN {
			n = split(p0, a, "+"); m = split(p1, b, "+")
			printf "X86_64 %s\n{ x=0; y=0; z=0; 0:rcx=1; 1:rcx=1; }\n P0 | P1 ;\n", name
			for (i = 1; i <= n || i <= m; i++)
				printf " %s | %s ;\n", a[i], b[i]
		}'
		printf '%s\n' "$4"
	} | write "$1"
}

# seen TEST: whether the test's outcome is seen within 20 tries
seen()
{
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		run "$tmp/$1.litmus" || return 1
		grep -q ' seen 0 of ' "$tmp/out" || return 0
	done
	return 1
}

# never TEST: whether the test's outcome, which tso forbids, is not seen
never()
{
	run "$tmp/$1.litmus" && grep -q "Never.* seen 0 of .* ok$" "$tmp/out"
}

echo "TAP version 13"
if [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP the tests are of x86-64"
	exit 0
fi
echo "1..24"
cpus=$(nproc)

column SB 'movl $1,(x)+movl (y),%eax' 'movl $1,(y)+movl (x),%eax' 'exists (0:rax=0 /\ 1:rax=0)'
column SB+mfences 'movl $1,(x)+mfence+movl (y),%eax' 'movl $1,(y)+mfence+movl (x),%eax' \
	'exists (0:rax=0 /\ 1:rax=0)'
column SB+xchgs 'xchgl %ecx,(x)+movl (y),%eax' 'xchgl %ecx,(y)+movl (x),%eax' \
	'exists (0:rax=0 /\ 1:rax=0)'
column MP 'movl $1,(x)+movl $1,(y)' 'movl (y),%eax+movl (x),%ebx' 'exists (1:rax=1 /\ 1:rbx=0)'
column LB 'movl (x),%eax+movl $1,(y)' 'movl (y),%eax+movl $1,(x)' 'exists (0:rax=1 /\ 1:rax=1)'
column 2+2W 'movl $1,(x)+movl $2,(y)' 'movl $1,(y)+movl $2,(x)' 'exists ([x]=1 /\ [y]=1)'
column S 'movl $2,(x)+movl $1,(y)' 'movl (y),%eax+movl $1,(x)' 'exists (1:rax=1 /\ [x]=2)'
column R 'movl $1,(x)+movl $1,(y)' 'movl $2,(y)+movl (x),%eax' 'exists ([y]=2 /\ 1:rax=0)'
column R+mfences 'movl $1,(x)+mfence+movl $1,(y)' 'movl $2,(y)+mfence+movl (x),%eax' \
	'exists ([y]=2 /\ 1:rax=0)'
write IRIW <<'END'
X86_64 IRIW
{ }
 P0          | P1            | P2          | P3            ;
 movl $1,(x) | movl (x),%eax | movl $1,(y) | movl (y),%eax ;
             | movl (y),%ebx |             | movl (x),%ebx ;
exists (1:rax=1 /\ 1:rbx=0 /\ 3:rax=1 /\ 3:rbx=0)
END

if [ "$cpus" -gt 1 ]; then
	seen SB
	check "SB: store buffering is seen"
	seen R
	check "R: a store is passed by a load"
else
	skip "SB: store buffering is seen" "there is one CPU"
	skip "R: a store is passed by a load" "there is one CPU"
fi
for test in SB+mfences SB+xchgs MP LB 2+2W S R+mfences IRIW; do
	never $test
	check "$test: what is forbidden is not seen"
done

# ---- failures are found

if [ "$cpus" -gt 1 ]; then
	for i in 1 2 3 4 5 6 7 8 9 10; do
		run --model=sc "$tmp/SB.litmus"
		status=$?
		[ $status = 0 ] || break
	done
	[ $status = 1 ] && grep -q '^ *[1-9][0-9]*  FORBIDDEN \* 0:rax=0; 1:rax=0;$' "$tmp/out" &&
		grep -q '^SB: .* FORBIDDEN by sc$' "$tmp/out"
	check "a model that is too strong: what it forbids is seen, and this is said"
else
	skip "a model that is too strong: what it forbids is seen, and this is said" \
		"there is one CPU"
fi

# ---- all runs are counted

run "$tmp/IRIW.litmus" && awk '$2 == "allowed" { sum += $1 } / seen / { sub(/.* of /, ""); of = $1 }
	END { exit !(sum && sum == of) }' "$tmp/out"
check "each run is counted once"
taskset -c "$(taskset -cp $$ | sed 's/.*[:,-] *//')" "$litmus" --run=5k "$tmp/SB.litmus" \
	>"$tmp/out" 2>"$tmp/err" && grep -q '2 threads take turns on 1 CPU$' "$tmp/out" &&
	grep -q ' seen 0 of 5000 ' "$tmp/out"
check "one CPU: threads take turns, and no order but theirs is seen"

# ---- the dialects of tests

write intel <<'END'
X86 intel
{ x=0; y=0; 0:ECX=1; }
 P0            | P1          ;
 MOV [x],ECX   | L0:         ;
 LOCK INC [y]  | MOV EAX,[y] ;
 L0: CMP ECX,1 | CMP EAX,0   ;
 JNE L0        | JE L1       ;
               | MOV EBX,[x] ;
               | L1: NOP     ;
exists (1:EAX=1 /\ 1:EBX=0)
END
never intel
check "herd's X86; a label that two threads have"
write pointers <<'END'
X86_64 pointers
{ int64_t x=0; int64_t z=0; int64_t p=&z; 0:rdx=&x; }
 P0            | P1               ;
 movq $1,(x)   | movq (p),%rax    ;
 movq %rdx,(p) | movq (%rax),%rbx ;
exists (1:rax=x /\ 1:rbx=0)
END
never pointers && grep -q 'allowed .*1:rax=x; 1:rbx=1;' "$tmp/out"
check "addresses are those of the test"
write filter <<'END'
X86_64 filter
{ }
 P0          | P1            ;
 movl $1,(x) | movl (x),%eax ;
 movl $1,(y) | movl (y),%ebx ;
filter (1:rax=1)
forall (1:rbx=0 \/ 1:rbx=1)
END
run "$tmp/filter.litmus" && grep -q '^ *[1-9][0-9]*  filtered$' "$tmp/out" &&
	! grep -q 'rax=0' "$tmp/out"
check "what a filter does not want is counted apart"
run "$root/tests/litmus/parking-dekker+mbs.litmus" "$root/tests/litmus/treiber-grab.litmus" &&
	[ "$(grep -c ' seen 0 of .* ok$' "$tmp/out")" = 2 ]
check "the kernel's C, as gcc compiles it"
run --root="$root" --compile=gcc:x86_64:nap "$root/tests/litmus/parking-dekker+mbs.litmus" &&
	grep -q ' seen 0 of .* ok$' "$tmp/out"
check "the kernel's C by nap's own atomics"
write C11 <<'END'
C C11
{ }
P0(atomic_int *x, atomic_int *y)
{
	atomic_store_explicit(x, 1, memory_order_seq_cst);
	int r0 = atomic_load_explicit(y, memory_order_seq_cst);
}
P1(atomic_int *x, atomic_int *y)
{
	atomic_store_explicit(y, 1, memory_order_seq_cst);
	int r0 = atomic_load_explicit(x, memory_order_seq_cst);
}
exists (0:r0=0 /\ 1:r0=0)
END
never C11
check "C11"
write stack <<'END'
X86_64 stack
{ 0:rsp=&x; }
 P0             ;
 movl $1,(%rsp) ;
exists ([x]=1)
END
run "$tmp/stack.litmus"
[ $? = 2 ] && grep -q 'P0 uses rsp, which no test that runs can have' "$tmp/err"
check "what cannot be run is refused by name"

# ---- other machines, emulated

write AArch64 <<'END'
AArch64 MP+dmb.sy+addr
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X4=x; }
 P0          | P1               ;
 MOV W0,#1   | LDR W0,[X1]      ;
 STR W0,[X1] | EOR W2,W0,W0     ;
 DMB SY      | LDR W3,[X4,W2,SXTW] ;
 STR W0,[X3] |                  ;
exists (1:X0=1 /\ 1:X3=0)
END
write RISCV <<'END'
RISCV MP+fence.rw.rws
{ 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }
 P0          | P1          ;
 ori x5,x0,1 | lw x5,0(x6) ;
 sw x5,0(x6) | fence rw,rw ;
 fence rw,rw | lw x7,0(x8) ;
 sw x5,0(x8) |             ;
exists (1:x5=1 /\ 1:x7=0)
END
for machine in aarch64:AArch64 riscv64:RISCV; do
	name="${machine#*:}: emulated, and this is said"
	if have "${machine%:*}-linux-gnu-gcc" "qemu-${machine%:*}"; then
		never "${machine#*:}" &&
			grep -q "emulated by qemu-${machine%:*}: the order is that of the emulator" "$tmp/out"
		check "$name"
	else
		skip "$name" "needs package gcc-${machine%:*}-linux-gnu, and qemu-user"
	fi
done

# ---- runs beside each other, and beside a model

run --csv "$tmp/MP.litmus" && grep -q "^$tmp/MP.litmus,run,Never,.*1:rax=1; 1:rbx=1;" "$tmp/out"
check "--csv: what was seen"
"$litmus" --csv --model=sc "$tmp/MP.litmus" >"$tmp/sc.csv"
sed 's/ | [^|]*$//' "$tmp/sc.csv" >"$tmp/less.csv"
run --against="$tmp/less.csv" "$tmp/MP.litmus"
[ $? -eq 1 ] && grep -q '^    only run: ' "$tmp/out"
check "--against: what a run has seen, and a file has not"
