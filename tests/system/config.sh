#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that the comment of struct nap_config, from which nap_config(3) is made, has every field,
# with all that a field needs. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
header=include/nap/config.h
# fields of which no value is wrong
any='worker_start|worker_stop|spawn_failed|arg|yields|yield_us|spin_us|min_workers|idle_timeout_ns'

echo "TAP version 13"
echo "1..9"

# declared HEADER: prints "field copied" for each field; the data of a pointer is not copied
declared()
{
	awk '/^struct nap_config \{/ { on = 1; next } on && /^\}/ { exit } on' "$1" |
		sed 's/ nap__zero;$//; s/^	//; s/\[[0-9]*\]$//' |
		sed -E 's/^(const|struct) .*\*([a-z_]+)$/\2 no/; t
			s/^void \(\*([a-z_]+)\)\(.*\)$/\1 yes/; t
			s/^.*[ *]([a-z_]+)$/\1 yes/'
}

# rows HEADER: prints "field: text" for each field, from the comment
rows()
{
	awk '/^ \* struct nap_config - / { on = 1 } !on { next } /^ \*\/|^ \*$/ { if (row) print row; row = "" }
		/^ \*\// { exit } /^ \* @/ { if (row) print row; row = substr($0, 5); next }
		row { sub(/^ \*[ \t]*/, ""); row = row " " $0 }' "$1"
}

# agree HEADER: whether comment and declarations have the same fields, in the same order, copied
# alike
agree()
{
	declared "$1" >"$tmp/fields"
	rows "$1" | sed -E 's/^([a-z_]+): .*Not copied$/\1 no/; t
		s/^([a-z_]+): .*/\1 yes/' >"$tmp/rows"
	[ -s "$tmp/fields" ] && diff "$tmp/fields" "$tmp/rows" >"$tmp/out"
}

# whole HEADER: whether each field has its unit, the meaning of 0 or NULL, and the wrong values
whole()
{
	rows "$1" >"$tmp/rows"
	{
		grep -vE '^[a-z_]+: \((threads|tasks|bytes|times|words|us|ns|bits|CPUs|signals|string|address|function|struct|enum nap_idle)\) [a-zN]' "$tmp/rows"
		grep -vE ' (0|NULL): [^ .]' "$tmp/rows"
		grep -vE " Wrong: [a-z].*\(.+\)|^($any): " "$tmp/rows"
		grep -E "^($any): .* Wrong: " "$tmp/rows"
	} >"$tmp/out"
	[ -s "$tmp/rows" ] && [ ! -s "$tmp/out" ]
}

# known HEADER: whether the header has the constants that the fields name
known()
{
	rows "$1" | grep -oE 'NAP_[A-Z_]+' | sort -u >"$tmp/named"
	while read -r name; do
		grep -qE "(^#define |^	)$name\>" "$header" || echo "no such constant: $name"
	done <"$tmp/named" >"$tmp/out"
	[ -s "$tmp/named" ] && [ ! -s "$tmp/out" ]
}

sed 's/^	size_t guard_size/	uint32_t one_more nap__zero;\n&/' $header >"$tmp/config.h"
! agree "$tmp/config.h" && [ "$(grep '^[<>]' "$tmp/out")" = '< one_more yes' ]
check "a field that the comment lacks is found"
sed 's/^	const char \*name/	char *name/' $header >"$tmp/config.h"
! agree "$tmp/config.h" && grep -qx '> name no' "$tmp/out"
check "so is one that is not copied and said to be, or the other way round"
agree $header
check "the comment has every field, in order ($(wc -l <"$tmp/fields"))"
sed '/@yield_us:/s/ 0: 200//' $header >"$tmp/config.h"
! whole "$tmp/config.h" && grep -q '^yield_us' "$tmp/out"
check "a default that is not said is found"
sed '/@idle:/s/ Wrong:.*//; s/@arg: (address) /@arg: /' $header >"$tmp/config.h"
! whole "$tmp/config.h" && grep -q '^idle' "$tmp/out" && grep -q '^arg' "$tmp/out"
check "so are a wrong value and a unit"
whole $header
check "each has its unit, its default, and what is wrong"
sed 's/^ \*	.*NAP_NO_GUARD/&S/' $header >"$tmp/config.h"
! known "$tmp/config.h" && [ "$(cat "$tmp/out")" = "no such constant: NAP_NO_GUARDS" ]
check "a constant that there is not is found"
known $header
check "the constants are the header's ($(wc -l <"$tmp/named"))"
grep -oE '^#define NAP_(NAME|START|ONE|NO_WORKERS)[A-Z_]*' $header | cut -d ' ' -f 2 | sort >"$tmp/flags"
rows $header | sed -n 's/^flags: //p' | grep -oE 'NAP_[A-Z_]+' | sort | diff "$tmp/flags" - >"$tmp/out" && [ -s "$tmp/flags" ] &&
	[ "$(grep -cE '^(/\*\*| \*) NAP_[A-Z_]+ - nap_config.flags: ' $header)" -eq "$(wc -l <"$tmp/flags")" ]
check "and each flag is explained"
