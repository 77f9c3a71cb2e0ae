#!/bin/sh
# SPDX-License-Identifier: MIT
#
# That the table of nap_config(3) has every field of struct nap_config, and says of each what there is
# to say. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
header=include/nap/config.h
page=Documentation/man/nap_config.3

echo "TAP version 13"
echo "1..8"

# declared HEADER: "field copied" a line; what a pointer to const data leads to is not copied
declared()
{
	awk '/^struct nap_config \{/ { on = 1; next } on && /^\}/ { exit } on' "$1" |
		sed 's/ nap__zero;$//; s/^	//' |
		sed -E 's/^(const|struct) .*\*([a-z_]+)$/\2 no/; t
			s/^void \(\*([a-z_]+)\)\(.*\)$/\1 yes/; t
			s/^.*[ *]([a-z_]+)$/\1 yes/'
}

# rows PAGE: the rows of its table, one a line, text blocks in line
rows()
{
	awk '/^\.TS/ { on = 1; next } /^\.TE/ { exit } !on { next }
		{ row = row (block && row !~ /[|{]$/ ? " " : "") $0 }
		/T\{$/ { block = 1; sub(/T\{$/, "", row); next }
		/^T\}/ { sub(/T\}/, "", row); block = 0; if (/T\{$/) block = 1 }
		!block { print row; row = "" }' "$1" | sed '1,/^_$/d'
}

# agree HEADER PAGE: the same fields, in the same order, and as copied as the declarations say
agree()
{
	declared "$1" >"$tmp/fields"
	rows "$2" | awk -F '|' '{ print $1, $3 }' >"$tmp/table"
	[ -s "$tmp/fields" ] && diff "$tmp/fields" "$tmp/table" >"$tmp/out"
}

# whole PAGE: five cells a row, none empty
whole()
{
	rows "$1" | awk -F '|' 'NF != 5 { print } { for (i = 1; i <= NF; i++) if ($i == "") print }
		END { if (!NR) print "no rows" }' >"$tmp/out"
	[ ! -s "$tmp/out" ]
}

# known PAGE: its constants are the header's
known()
{
	grep -oE 'NAP_[A-Z_]+' "$1" | grep -vxE 'NAP_CONFIG|NAP_POOL_INIT' | sort -u >"$tmp/named"
	while read -r name; do
		grep -qE "(^#define |^	)$name\>" "$header" || echo "no such constant: $name"
	done <"$tmp/named" >"$tmp/out"
	[ -s "$tmp/named" ] && [ ! -s "$tmp/out" ]
}

sed 's/^	size_t guard_size/	uint32_t one_more nap__zero;\n&/' $header >"$tmp/config.h"
! agree "$tmp/config.h" $page && [ "$(grep '^[<>]' "$tmp/out")" = '< one_more yes' ]
check "a field that the table lacks is found"
sed 's/^	const char \*name/	char *name/' $header >"$tmp/config.h"
! agree "$tmp/config.h" $page && grep -qx '> name no' "$tmp/out"
check "so is one that is not copied and said to be, or the other way round"
agree $header $page
check "the table has every field, in order ($(wc -l <"$tmp/fields"))"
sed 's/^yield_us|us|yes|200|/yield_us|us|yes||/' $page >"$tmp/page"
! whole "$tmp/page" && grep -q '^yield_us' "$tmp/out"
check "a default that is not said is found"
whole $page
check "each has its unit, its default, and what is wrong"
sed 's/NAP_NO_GUARD/NAP_NO_GUARDS/' $page >"$tmp/page"
! known "$tmp/page" && [ "$(cat "$tmp/out")" = "no such constant: NAP_NO_GUARDS" ]
check "a constant that there is not is found"
known $page
check "the constants are the header's ($(wc -l <"$tmp/named"))"
grep -oE '^#define NAP_(NAME|START|ONE|NO_WORKERS)[A-Z_]*' $header | cut -d ' ' -f 2 | sort >"$tmp/flags"
grep -A 1 '^\.TP$' $page | grep -oE 'NAP_[A-Z_]+$' | sort | diff "$tmp/flags" - >"$tmp/out" && [ -s "$tmp/flags" ]
check "and each flag is explained"
