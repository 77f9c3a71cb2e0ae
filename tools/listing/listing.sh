#!/bin/sh
# SPDX-License-Identifier: MIT
#
# listing.sh list OBJDUMP OBJECT		the object's functions, in the form of a table
# listing.sh atomics TABLE			of a table, only what is about memory order
# listing.sh check NUMBER NAME WANT GOT		compare two tables: a line of KTAP, and the diff
# listing.sh check-atomics NUMBER NAME WANT GOT	the same, of only what is about memory order
#
# A table has no addresses and no raw bytes; a branch names its distance from the start of the
# function. So it changes only when the instructions do.
set -eu

# Padding behind a function and the assembler's local labels are left out.
list()
{
	LC_ALL=C "$1" -d --no-show-raw-insn "$2" | awk '
	function hex(s,   i, n) {
		n = 0
		for (i = 1; i <= length(s); i++)
			n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
		return n
	}
	/^[0-9a-f]+ <.*>:$/ {
		name = $2
		gsub(/[<>:]/, "", name)
		if (name ~ /^[.$]/)
			next
		start = hex($1)
		ended = 0
		printf "\n%s:\n", name
		next
	}
	/^ *[0-9a-f]+:/ {
		sub(/^ *[0-9a-f]+:[ \t]*/, "")
		sub(/[ \t]*(\/\/|#)[ \t].*$/, "")
		if (ended)
			next
		insn = $1
		rest = $0
		sub(/^[^ \t]+[ \t]*/, "", rest)
		if (match(rest, /[0-9a-f]+ <[^>]*>$/)) {
			target = substr(rest, RSTART)
			sub(/ .*/, "", target)
			rest = substr(rest, 1, RSTART - 1) "+" (hex(target) - start)
		}
		# pause of RISC-V: old disassemblers do not know it, and gcc marks it as data
		if (insn rest == ".word0x0100000f" || insn rest == "fencew,unknown") {
			insn = "pause"
			rest = ""
		}
		if (insn == "lock") {		# a prefix
			split(rest, word, /[ \t]+/)
			insn = insn " " word[1]
			sub(/^[^ \t]+[ \t]*/, "", rest)
		}
		if (rest == "")
			printf "\t%s\n", insn
		else
			printf "\t%s\t%s\n", insn, rest
		if (insn ~ /^ret/)
			ended = 1
	}'
}

# The register allocation and the plain moves are those of the compiler; the rest is ours.
atomics()
{
	awk '
	/^#/ { next }
	/^[^\t]/ { print; next }
	$1 == "lock" { print "\t" $1 " " $2; next }
	$1 == "xchg" && /\(/ { print "\t" $1; next }
	$1 == "mfence" || $1 == "pause" { print "\t" $1; next }
	$1 ~ /^(ldx|ldax|ldar|ldapr|stx|stlx|stlr|cas|swp|ldadd)/ { print "\t" $1; next }
	$1 == "dmb" || $1 == "dsb" { print "\t" $1 " " $2; next }
	$1 == "isb" { print "\t" $1; next }
	$1 ~ /^(lr|sc|amo[a-z]+)\./ { print "\t" $1; next }
	$1 == "fence" { print "\t" $1 " " $2; next }
	$1 ~ /^fence\./ { print "\t" $1; next }' "$1"
}

# Tables of another compiler than the committed ones can only be compared in what is ours.
check()
{
	if [ "$(grep '^# compiler:' "$3")" = "$(grep '^# compiler:' "$4")" ]; then
		report "$@"
	else
		check_atomics "$1" "$2, memory order only: another compiler" "$3" "$4"
	fi
}

check_atomics()
{
	atomics "$3" > "$4.want"
	atomics "$4" > "$4.got"
	report "$1" "$2" "$4.want" "$4.got"
}

report()
{
	if diff=$(diff -u "$3" "$4"); then
		echo "ok $1 $2"
	else
		echo "not ok $1 $2"
		echo "$diff" | sed 's/^/# /'
	fi
}

case $1 in
list)		list "$2" "$3" ;;
atomics)	atomics "$2" ;;
check)		check "$2" "$3" "$4" "$5" ;;
check-atomics)	check_atomics "$2" "$3" "$4" "$5" ;;
esac
