#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	pairs.sh [CANDIDATES]	tests nap-pairs: small programs in each machine's assembly; then nap's
#				own CANDIDATES of load buffering (tools/check/buffering.sh leaves
#				them in build/model/gcc/pairs.list) as gcc and clang compile
#				libnap.so for each machine. Documentation/ordering.rst discusses the
#				loads that are not ordered on one of these ("As compiled"). KTAP.
#
# The list names lines, so it is valid for one state of the sources, and must be newer than these.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
tool=build/nap-pairs
list=${1:-}
document=Documentation/ordering.rst
targets='x86_64 clang aarch64 aarch64-clang aarch64-lse aarch64-clang-lse riscv64 riscv64-clang'

# ---- small programs: L before the load, S before the store; addresses are multiples of 4

# program: reads a program on standard input; makes a listing, the listing's lines, and a list of
# one candidate
program()
{
	echo 'l src/t.c:1 s src/t.c:2' >"$tmp/list"
	awk -v lines="$tmp/lines" 'BEGIN { print "0000000000000000 <f>:" }
		/^[a-z]*:$/ { printf "%016x <%s>:\n", 4 * n, substr($0, 1, length($0) - 1); next }
		{
			mark = substr($0, 1, 1)
			sub(/^[LS ]*\t/, "")
			sub(/ /, "\t")
			printf "%8x:\t%s\n", 4 * n, $0
			printf "0x%x\n", 4 * n >lines
			if (mark == "L" || mark == "S")
				print "/nap/arch/atomic.h:5" >lines
			print "/nap/src/t.c:" (mark == "L" ? 1 : mark == "S" ? 2 : 9) >lines
			n++
		}' >"$tmp/listing"
}

# judged MACHINE EXPECTED: whether the verdict on program's input is EXPECTED, for instance
# "ordered: control", or begins so
judged()
{
	program
	$tool "$1" "$tmp/listing" "$tmp/lines" "$tmp/list" >"$tmp/out" 2>"$tmp/err" &&
		[ ! -s "$tmp/err" ] && grep -q "^l src/t.c:1 s src/t.c:2: $2" "$tmp/out"
}

echo "TAP version 13"
if [ -n "$list" ]; then echo "1..38"; else echo "1..35"; fi

judged aarch64 'ordered: control$' <<'E'
L	ldr w0, [x1]
	cbz w0, c
S	str w2, [x3]
	ret
E
check "aarch64: a branch"
judged aarch64 'ordered: data$' <<'E'
L	ldr w0, [x1]
	eor w2, w0, w0
S	str w2, [x3]
	mov w0, w2
	ret
E
check "aarch64: data, of whatever value"
judged aarch64 'ordered: address$' <<'E'
L	ldr w0, [x1]
S	str w2, [x3, w0, uxtw]
	ret
E
check "aarch64: the store's address"
judged aarch64 'ordered: address$' <<'E'
L	ldr x0, [x1]
	ldr w4, [x0]
S	str w2, [x3]
	ret
E
check "aarch64: the address of an access between"
judged aarch64 'not ordered: ' <<'E'
L	ldr w0, [x1]
S	str w2, [x3]
	cbz w0, c
	ret
E
check "aarch64: a branch behind the store orders nothing"
judged aarch64 'dropped$' <<'E'
L	ldr w0, [x1]
S	str w2, [x3]
	mov w0, #0
	ret
E
check "aarch64: what nobody uses"
judged aarch64 'ordered: data$' <<'E'
L	ldr w0, [x1]
	cmp w0, #0x1
	csel w2, w4, w5, eq
S	str w2, [x3]
	mov w0, #0
	ret
E
check "aarch64: what a select has chosen by it"
judged aarch64 'not ordered: ' <<'E'
L	ldr w0, [x1]
	cmp w0, #0x1
	csel w2, w4, w5, eq
S	str w6, [x3]
	str w2, [x7]
	mov w0, #0
	ret
E
check "aarch64: a select is no branch"
judged aarch64 'ordered: acquire$' <<'E'
L	ldar w0, [x1]
S	str w2, [x3]
	cbz w0, c
	ret
E
check "aarch64: acquire"
judged aarch64 'ordered: release' <<'E'
L	ldr w0, [x1]
S	stlr w2, [x3]
	ret
E
check "aarch64: release"
judged aarch64 'ordered: fence$' <<'E'
L	ldr w0, [x1]
	dmb ishld
S	str w2, [x3]
	ret
E
check "aarch64: a fence"
judged aarch64 'not ordered: ' <<'E'
L	ldr w0, [x1]
	dmb ishst
S	str w2, [x3]
	cbz w0, c
	ret
E
check "aarch64: a fence of stores"
judged aarch64 'not ordered: ' <<'E'
L	ldr w0, [x1]
	ldxr w4, [x5]
	stlxr w6, w2, [x5]
	cbnz w6, 4
S	str w2, [x3]
	cbz w0, 0
	ret
E
check "aarch64: a store-release between orders itself alone"
judged aarch64 'ordered: fence$' <<'E'
L	ldr w0, [x1]
	swpal w4, w6, [x5]
S	str w2, [x3]
	cbz w0, 0
	ret
E
check "aarch64: one instruction that acquires and releases"
judged aarch64 'not ordered: ' <<'E'
L	ldr w0, [x1]
	swpl w4, w6, [x5]
S	str w2, [x3]
	cbz w0, 0
	ret
E
check "aarch64: one that releases alone"
judged aarch64 'ordered: acquire$' <<'E'
L	ldr w0, [x1]
	ldar w4, [x1]
S	str w2, [x3]
	cbz w0, 0
	ret
E
check "aarch64: an acquire of the same location behind it"
judged aarch64 'not ordered: ' <<'E'
L	ldr w0, [x1]
	ldar w4, [x1, #4]
S	str w2, [x3]
	cbz w0, 0
	ret
E
check "aarch64: of another location"
judged aarch64 'not ordered: ' <<'E'
L	ldr w0, [x1]
	str w6, [x7]
	ldar w4, [x1]
S	str w2, [x3]
	cbz w0, 0
	ret
E
check "aarch64: of the same, which may be the thread's own store"
judged aarch64 'ordered: control, same location$' <<'E'
L	ldr w0, [x1, #8]
	mov x4, #0x1
S	str w2, [x1, #8]
	cbz w0, 0
	ret
E
check "aarch64: the same location"
judged aarch64 'ordered: control$' <<'E'
L	ldr w0, [x1]
	str w0, [sp, #24]
	mov w0, #0
	sub sp, sp, #0x10
	ldr w4, [sp, #40]
	cbz w4, 20
S	str w2, [x3]
	ret
E
check "aarch64: through the stack"
judged aarch64 'ordered: control$' <<'E'
L	ldr w0, [x1]
	bl c <g>
	ret
g:
	cbz w0, 14
S	str w2, [x3]
	ret
E
check "aarch64: a function that is called branches"
judged aarch64 'ordered: control$' <<'E'
L	ldr w0, [x1]
	ret
g:
	bl 0 <f>
	cbz w0, 14
S	str w2, [x3]
	ret
E
check "aarch64: a caller branches"
judged aarch64 'not judged: .*leaves' <<'E'
L	ldr w0, [x1]
	ret
E
check "aarch64: a caller that is not known"
judged aarch64 'not judged: .*between them 4: blr' <<'E'
L	ldr w19, [x1]
	blr x5
S	str w2, [x3]
	cbz w19, 0
	ret
E
check "aarch64: whoever is called may be a fence"
judged aarch64 'not judged: .*between them 4: fmov' <<'E'
L	ldr w0, [x1]
	fmov s0, w0
	fmov w2, s0
S	str w2, [x3]
	ret
E
check "aarch64: an instruction that is not known"
judged aarch64 'ordered: control$' <<'E'
L	ldr w0, [x1]
	cmp w7, #0x1
	ccmp w0, #0x2, #0x0, eq
	csel w4, w5, w6, eq
	cmp w0, #0x3
	b.eq 1c
S	str w2, [x3]
	ret
E
check "aarch64: CCMP, and a branch"
judged aarch64 'not ordered: ' <<'E'
L	ldr w0, [x1]
	cmp w7, #0x1
	ccmp w0, #0x2, #0x0, eq
	b.eq 18
S	str w2, [x3]
	ret
	ret
E
check "aarch64: CCMP does not compare if its condition is false"
judged riscv64 'ordered: control$' <<'E'
L	lw a0,0(a1)
	lr.w a4,(a5)
	sc.w.rl a6,a2,(a5)
	bnez a6,4
S	sw a2,0(a3)
	beqz a0,0
	ret
E
check "riscv64: the success of a store-release"
judged riscv64 'ordered: control$' <<'E'
L	lw a0,0(a1)
	amoadd.w.rl a4,a2,(a5)
	beqz a4,10
S	sw a2,0(a3)
	beqz a0,0
	ret
E
check "riscv64: what a releasing read-modify-write has read"
judged riscv64 'not ordered: ' <<'E'
L	lw a0,0(a1)
	amoadd.w.aq a4,a2,(a5)
	beqz a4,10
S	sw a2,0(a3)
	beqz a0,0
	ret
E
check "riscv64: of an acquiring one"
judged riscv64 'ordered: fence$' <<'E'
L	lw a0,0(a1)
	fence r,rw
S	sw a2,0(a3)
	ret
E
check "riscv64: a fence"
judged riscv64 'not ordered: ' <<'E'
L	lw a0,0(a1)
	fence w,w
S	sw a2,0(a3)
	beqz a0,0
	ret
E
check "riscv64: a fence of stores"
judged riscv64 'not ordered: ' <<'E'
L	lw a0,0(a1)
	fence i,o
S	sw a2,0(a3)
	beqz a0,0
	ret
E
check "riscv64: a fence of devices alone"
judged riscv64 'ordered: control$' <<'E'
L	lw a0,0(a1)
	fence i,o
	beqz a0,0
S	sw a2,0(a3)
	ret
E
check "riscv64: a branch after a fence of devices alone"
judged x86_64 'ordered: machine$' <<'E'
L	mov (%rdi),%eax
S	mov %ecx,(%rsi)
	ret
E
check "x86_64: always"

# ---- nap's own candidates

[ -n "$list" ] || exit 0

# choose TARGET: chooses a compiler; fails if the compiler is not here
choose()
{
	case $1 in
	aarch64*) machine=aarch64 prefix=aarch64-linux-gnu- ;;
	riscv64*) machine=riscv64 prefix=riscv64-linux-gnu- ;;
	*) machine=x86_64 prefix= ;;
	esac
	case $1 in *clang*) cc=clang ;; *) cc=gcc ;; esac
	case $1 in *lse) lse=1 ;; *) lse= ;; esac
	command -v ${prefix}gcc >/dev/null && command -v $cc >/dev/null
}

# verdicts TARGET: judges the candidates; fails if the library could not be built or read
verdicts()
{
	# Builds in a directory of its own: the usual directory for these options may be in use, by
	# another part that builds in it.
	library=build/pairs/$1/libnap.so.1
	make -s B="build/pairs/$1" CC=$cc ARCH=$machine LSE=$lse "$library" >"$tmp/out" 2>&1 || return 1
	${prefix}objdump -d --no-show-raw-insn "$library" >"$tmp/listing" 2>"$tmp/err" || return 1
	sed -n 's/^ *\([0-9a-f]*\):	.*/\1/p' "$tmp/listing" |
		${prefix}addr2line -a -i -e "$library" >"$tmp/lines" 2>"$tmp/err" || return 1
	$tool $machine "$tmp/listing" "$tmp/lines" "$list" 2>"$tmp/err"
}

# Prints the section "As compiled", which names the functions of the loads that it discusses.
awk '/^=+$/ { on = 0 }
	on
	/^As compiled$/ { on = 1 }' "$document" >"$tmp/argued"

if [ ! -s "$list" ] || [ -n "$(find src include arch -newer "$list" -type f | head -n 1)" ]; then
	echo "Bail out! $list is not there, or older than src/; make check-model makes it"
	exit 1
fi
judged_targets=
for target in $targets; do
	if ! choose $target; then
		echo "# $target: left out, its compiler is not here"
		continue
	fi
	judged_targets="$judged_targets $target"
	verdicts $target >"$tmp/verdicts-$target" || cat "$tmp/out" "$tmp/err" >>"$tmp/failed"
	awk -F ': ' -v target=$target '
		$2 == "dropped" { dropped++; next }
		$2 == "ordered" && $3 ~ /data|address/ { data++; next }
		$2 == "ordered" && $3 ~ /control/ { control++; next }
		$2 == "ordered" { other++; next }
		$2 == "not ordered" { open++; next }
		/no instruction/ { nowhere++; next }
		{ unjudged++ }
		END {
			printf "# %-18s %d pairs: ordered by a branch %d, ", target, NR, control
			printf "by data or an address %d, else %d; ", data, other
			printf "dropped %d; not ordered %d; ", dropped, open
			printf "not judged %d, and no line %d\n", unjudged, nowhere
		}' "$tmp/verdicts-$target"
done
[ -n "$judged_targets" ] && [ ! -e "$tmp/failed" ]
check "nap is compiled and read for each machine"
nr_list=$(wc -l <"$list")
for target in $judged_targets; do
	nr_good=$(grep -cE ': (ordered|dropped)' "$tmp/verdicts-$target")
	[ "$(grep -c . "$tmp/verdicts-$target")" -eq "$nr_list" ] &&
		[ "$nr_good" -gt $((nr_list / 2)) ] || echo "$target"
done >"$tmp/out"
[ ! -s "$tmp/out" ]
check "most of the $nr_list candidates are judged on each"
cat "$tmp"/verdicts-* | grep ': not ordered: ' | cut -d ' ' -f 1-4 | sort -u | tr -d : >"$tmp/not"
cut -d ' ' -f 1 "$tmp/not" | sort -u | while read -r function; do
	grep -qF "\`\`$function()\`\`" "$tmp/argued" ||
		grep -h "^$function .*: not ordered: " "$tmp"/verdicts-* | sed 's/^/not argued: /'
done >"$tmp/out"
[ ! -s "$tmp/out" ]
check "what is not ordered is argued in $document"
