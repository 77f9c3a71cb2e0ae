#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	tools/man_links.sh PAGES DIRECTORY
#
# A page of the manual names what it describes, before the dash of its section NAME. Write into DIRECTORY what
# leads to a page of section 3 in PAGES from each of its further names. False, and nothing is written, where a
# name has two pages.

names=$(for page in "$1"/*.3; do
	awk '/^\.SH NAME/ { on = 1; next } /^\.SH/ { exit } on' "$page" | tr '\n' ' ' |
		sed 's/ *\\-.*//; s/,  */\n/g; s/$/\n/' | sed "s/\$/ $(basename "$page")/"
done)
doubled=$(echo "$names" | cut -d ' ' -f 1 | LC_ALL=C sort | uniq -d)
if [ -n "$doubled" ]; then
	echo "named by two pages:" $doubled >&2
	exit 1
fi
echo "$names" | while read -r name page; do
	[ "$name.3" = "$page" ] || echo ".so man3/$page" >"$2/$name.3" || exit 1
done
