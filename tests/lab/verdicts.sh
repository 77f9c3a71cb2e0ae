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
echo "1..8"
mkdir "$tmp/verdicts"
awk -v directory="$tmp/verdicts" -f tools/cut.awk tests/lab/verdicts.tests
nr_tests=$(find "$tmp/verdicts" -name '*.litmus' | wc -l)
$lab --expect "$tmp/verdicts" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 0 ] && [ ! -s "$tmp/err" ] &&
	grep -q "^$nr_tests tests, 0 could not be read; .*; 0 not as expected\$" "$tmp/out"
check "the $nr_tests programs of verdicts.tests"

# ---- accesses of different sizes to overlapping bytes

refused wide-c "4:26: mixed sizes have no meaning in lkmm: an access of 4 bytes to t[0]" <<'E'
C wide-c
{ uint8_t t[4]={0,0,0,0}; int *p=t; }
P0(int **p) {
	int *q = READ_ONCE(*p); WRITE_ONCE(*q, -1);
}
P1(uint8_t *t) { int r0 = READ_ONCE(t[1]); }
exists (1:r0=255)
E
refused wide-last "5:2: an access of 8 bytes at t[1]+0, which is not aligned, is not modelled" <<'E'
AArch64 wide-last
{ int t[2]={0,0}; 0:X2=t; }
 P0             ;
 MOV X0,#-1     ;
 STR X0,[X2,#4] ;
exists (t[1]=-1)
E
refused wide-far "5:2: an access of 8 bytes to x, which is declared with 4" <<'E'
AArch64 wide-far
{ int x=0; int64_t p=x; 0:X2=p; }
 P0          ;
 LDR X0,[X2] ;
 STR X0,[X0] ;
exists (x=0)
E
refused unaligned "4:2: an access of 2 bytes at x+1, which is not aligned, is not modelled" <<'E'
AArch64 unaligned
{ int x=0; 0:X2=x; }
 P0              ;
 LDRH W0,[X2,#1] ;
exists (0:X0=0)
E
refused unaligned-pointed "5:2: an access of 2 bytes at x+1, which is not aligned, is not modelled" <<'E'
AArch64 unaligned-pointed
{ int x=0; int64_t p=x; 0:X2=p; }
 P0              ;
 LDR X1,[X2]     ;
 LDRH W0,[X1,#1] ;
exists (0:X0=0)
E
refused sc-other-size "5:2: a store-conditional of another size than its load-reserve's is not modelled" <<'E'
RISCV sc-other-size
{ uint64_t x=0; 0:x5=x; }
 P0              ;
 lr.d x6,(x5)    ;
 sc.w x7,x6,(x5) ;
exists (0:x7=0)
E
refused wide-scalar "4:2: an access of 4 bytes to x, which is declared with 1" <<'E'
AArch64 wide-scalar
{ uint8_t x=1; 0:X2=x; }
 P0          ;
 LDR W0,[X2] ;
exists (0:X0=1)
E
