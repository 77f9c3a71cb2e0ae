#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	layout.sh [INCLUDE]		prints what a compiler puts into programs of nap's headers, a line each:
#					"VALUE EXPRESSION" for the size and the alignment of each struct, the
#					offset of each field, and each constant
#	layout.sh assert <LAYOUT	prints a program that compiles only if all lines of LAYOUT hold
#
# INCLUDE is the directory that has nap/nap.h (default: include).

include=${2:-${1:-include}}
prologue='#include <nap/nap.h>
#include <stddef.h>'

# Prints the expressions. A struct's fields come one after the other, as the preprocessor leaves them.
expressions()
{
	echo '#include <nap/nap.h>' | gcc -E -P -I"$include" - | awk '
		function field(text) {
			if (text ~ /\(\*/) {
				sub(/^[^(]*\(\*/, "", text)
				sub(/\).*/, "", text)
			}
			sub(/ *__attribute__.*/, "", text)
			sub(/\[.*/, "", text)
			sub(/.*[ *]/, "", text)
			print "offsetof(struct " of ", " text ")"
		}
		/^struct nap_[a-z_]* \{/ {
			of = $2
			print "sizeof(struct " of ")"
			print "_Alignof(struct " of ")"
			next
		}
		/^enum nap_[a-z_]* \{/ { constants = 1; next }
		/^ *\}/ { of = ""; constants = 0 }
		constants { for (i = 1; i <= NF; i++) if ($i ~ /^NAP_[A-Z]/) { sub(/,/, "", $i); print $i } }
		of != "" { all = all $0 }
		of != "" && /;$/ {
			sub(/ *;$/, "", all)
			n = all ~ /\(\*/ ? 1 : split(all, each, /, /)
			if (n == 1)
				each[1] = all
			for (i = 1; i <= n && all !~ / : /; i++)
				field(each[i])
			all = ""
		}'
	echo '#include <nap/nap.h>' | gcc -E -dM -I"$include" - |
		sed -n 's/^#define \(NAP_[A-Z][A-Z0-9_]*\) ..*/\1/p' | grep -vE '_INIT$|^NAP_VERSION' | sort
}

if [ "$1" = assert ]; then
	echo "$prologue"
	sed 's/^\([^ ]*\) \(.*\)/_Static_assert((unsigned long)(\2) == \1ul, "\2");/'
	exit
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
{
	printf '%s\n#include <stdio.h>\nint main(void)\n{\n' "$prologue"
	expressions | sed 's/.*/	printf("%lu %s\\n", (unsigned long)(&), "&");/'
	echo '}'
} >"$tmp/layout.c"
gcc -std=gnu11 -I"$include" -o "$tmp/layout" "$tmp/layout.c" && "$tmp/layout"
