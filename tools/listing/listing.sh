#!/bin/sh
# SPDX-License-Identifier: MIT
#
# listing.sh list OBJDUMP OBJECT		a line for each function of the object: its name, and what is
#						done with memory, in order
# listing.sh table LISTING...			a table with a column for each LISTING, under the file's name
# listing.sh check NUMBER NAME TABLE COLUMN GOT	compare a listing with a column: a line of KTAP, and the diff
#
# The compiler chooses the registers and the moves between them; everything else is nap's code.
set -eu

# list OBJDUMP OBJECT: prints the functions of the object, without the padding after a function,
# and without the assembler's local labels
list()
{
	LC_ALL=C "$1" -d --no-show-raw-insn "$2" | awk '
	function say(what) { cell = cell (cell == "" ? "" : "; ") what }
	function show() { if (name != "") print name "  " (cell == "" ? "-" : cell) }
	/^[0-9a-f]+ <[^.$].*>:$/ {
		show()
		name = $2
		gsub(/[<>:]/, "", name)
		cell = ""
		ended = 0
	}
	!/^ *[0-9a-f]+:/ || ended { next }
	{ sub(/^ *[0-9a-f]+:[ \t]*/, "") }
	# pause of RISC-V: old disassemblers do not know it, and gcc marks it as data
	$1 $2 == ".word0x0100000f" || $1 $2 == "fencew,unknown" { say("pause"); next }
	$1 == "lock" || $1 == "dmb" || $1 == "dsb" || $1 == "fence" { say($1 " " $2); next }
	($1 == "xchg" || $1 == "mov") && /\(/ { say($1); next }
	$1 ~ /^(ldr|str|lw|ld|sw|sd)$/ { say($1); next }
	$1 == "mfence" || $1 == "pause" || $1 == "isb" || $1 ~ /^fence\./ { say($1); next }
	$1 ~ /^(ldx|ldax|ldar|ldapr|stx|stlx|stlr|cas|swp|ldadd)/ { say($1); next }
	$1 ~ /^(lr|sc|amo[a-z]+)\./ { say($1); next }
	$1 ~ /^ret/ { ended = 1 }
	END { show() }'
}

table()
{
	awk -F '  +' '
	FNR == 1 {
		title = FILENAME
		gsub(/.*\/|\..*/, "", title)
		cell[0, ++columns] = title
	}
	columns == 1 { name[FNR] = $1; row[$1] = FNR; rows = FNR }
	{ cell[row[$1], columns] = $2 }
	END {
		name[0] = "operation"
		for (c = 0; c < columns; c++)
			for (r = 0; r <= rows; r++) {
				n = length(c ? cell[r, c] : name[r])
				if (n > width[c])
					width[c] = n
			}
		for (r = 0; r <= rows; r++) {
			printf "%-*s", width[0], name[r]
			for (c = 1; c < columns; c++)
				printf "  %-*s", width[c], cell[r, c]
			print "  " cell[r, columns]
		}
	}' "$@"
}

# column TABLE TITLE: prints a column of a table
column()
{
	awk -F '  +' -v title="$2" '
	$1 == "operation" { for (c = 2; c <= NF; c++) if ($c == title) column = c; next }
	column { print $1 "  " $column }' "$1"
}

check()
{
	column "$3" "$4" >"$5.want"
	if diff=$(diff -u "$5.want" "$5"); then
		echo "ok $1 $2"
	else
		echo "not ok $1 $2"
		echo "$diff" | sed 's/^/# /'
	fi
}

"$@"
