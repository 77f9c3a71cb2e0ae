#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs of verdicts.tests are judged as each says; what cannot be judged rightly is refused,
# with the file, the line, and a reason. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
lab=build/nap-litmus

# refused NAME TEXT: nap-litmus refuses the test of standard input, by this text
refused()
{
	cat >"$tmp/$1.litmus"
	$lab "$tmp/$1.litmus" >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 2 ] && [ ! -s "$tmp/out" ] && grep -qF -- "$1.litmus:$2" "$tmp/err"
	check "refused: $1"
}

echo "TAP version 13"
echo "1..11"
mkdir "$tmp/verdicts"
awk -v directory="$tmp/verdicts" -f tools/cut.awk tests/lab/verdicts.tests
nr_tests=$(find "$tmp/verdicts" -name '*.litmus' | wc -l)
$lab --expect "$tmp/verdicts" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 0 ] && [ ! -s "$tmp/err" ] &&
	grep -q "^$nr_tests tests, 0 could not be read; .*; 0 not as expected\$" "$tmp/out"
check "the $nr_tests programs of verdicts.tests"

# ---- accesses of different sizes to overlapping bytes

refused wide-store "5:2: an access of 4 bytes to t[0] reaches into t[1]: mixed sizes are not modelled" <<'E'
AArch64 wide-store
{ uint8_t t[4]={0,0,0,0}; 0:X2=t; 1:X2=t; }
 P0          | P1             ;
 MOV W0,#-1  | LDRB W1,[X2,#1] ;
 STR W0,[X2] |                 ;
exists (1:X1=255)
E
refused wide-riscv "5:2: an access of 4 bytes to t[0] reaches into t[1]" <<'E'
RISCV wide-riscv
{ uint8_t t[4]={0,0,0,0}; 0:x5=t; 1:x5=t; }
 P0            | P1           ;
 ori x6,x0,-1  | lb x7,1(x5)  ;
 sw x6,0(x5)   |              ;
exists (1:x7=-1)
E
refused wide-x86 "4:2: an access of 4 bytes to t[0] reaches into t[1]" <<'E'
X86_64 wide-x86
{ uint8_t t[4]={0,0,0,0}; 0:rbx=t; 1:rbx=t; }
 P0               | P1               ;
 movl $-1,(%rbx)  | movb 1(%rbx),%al ;
exists (1:rax=255)
E
refused wide-c "4:26: an access of 4 bytes to t[0] reaches into t[1]" <<'E'
C wide-c
{ uint8_t t[4]={0,0,0,0}; int *p=t; }
P0(int **p) {
	int *q = READ_ONCE(*p); WRITE_ONCE(*q, -1);
}
P1(uint8_t *t) { int r0 = READ_ONCE(t[1]); }
exists (1:r0=255)
E
refused wide-last "5:2: an access of 8 bytes to t[1], which is declared with 4: mixed sizes are not modelled" <<'E'
AArch64 wide-last
{ int t[2]={0,0}; 0:X2=t; }
 P0             ;
 MOV X0,#-1     ;
 STR X0,[X2,#4] ;
exists (t[1]=-1)
E
refused wide-pointed "5:2: an access of 8 bytes to t[0] reaches into t[1]" <<'E'
AArch64 wide-pointed
{ int t[2]={0,0}; int64_t p=t; 0:X2=p; }
 P0          ;
 LDR X0,[X2] ;
 STR X0,[X0] ;
exists (t[1]=0)
E
refused inside "4:2: an access of 1 bytes at x+1, within x: mixed sizes are not modelled" <<'E'
AArch64 inside
{ int x=0; 0:X2=x; }
 P0              ;
 LDRB W0,[X2,#1] ;
exists (0:X0=0)
E
refused inside-pointed "5:2: an access of 1 bytes at x+1, within x: mixed sizes are not modelled" <<'E'
AArch64 inside-pointed
{ int x=0; int64_t p=x; 0:X2=p; }
 P0              ;
 LDR X1,[X2]     ;
 LDRB W0,[X1,#1] ;
exists (0:X0=0)
E
refused narrow "4:2: an access of 1 bytes to x, which is declared with 4: mixed sizes are not modelled" <<'E'
AArch64 narrow
{ int x=257; 0:X2=x; }
 P0           ;
 LDRB W0,[X2] ;
forall (x=257)
E
refused wide-scalar "4:2: an access of 4 bytes to x, which is declared with 1" <<'E'
AArch64 wide-scalar
{ uint8_t x=1; 0:X2=x; }
 P0          ;
 LDR W0,[X2] ;
exists (0:X0=1)
E
