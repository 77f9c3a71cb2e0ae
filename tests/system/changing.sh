#!/bin/sh
# SPDX-License-Identifier: MIT
#
# That the files are there which the documents send their reader to. KTAP.

. "$(dirname "$0")/check.inc"

echo "TAP version 13"
echo "1..3"

# named TEXT...: paths in double back quotes that lie in one of nap's directories, or are the Makefile
named()
{
	grep -oh '``[^`]*``' "$@" | tr -d '`' | sed 's/^[[:space:]]*//' |
		grep -E '^((src|include|arch|tests|tools|Documentation)/[A-Za-z0-9_./-]*|Makefile)$' | sort -u
}

# In the kernel's sources.
of_linux='^(Documentation/scheduler/membarrier.rst|tools/memory-model/litmus-tests)$'

lacking()
{
	named "$@" | grep -Ev "$of_linux" >"$tmp/named"
	while read -r path; do
		[ -e "$path" ] || [ -e "$path.c" ] || [ -e "$path.sh" ] || echo "not there: $path"
	done <"$tmp/named" >"$tmp/out"
	[ -s "$tmp/named" ] && [ ! -s "$tmp/out" ]
}

printf '``src/no_such_file.c`` and ``Makefile``\n' >"$tmp/text"
! lacking "$tmp/text" && [ "$(cat "$tmp/out")" = 'not there: src/no_such_file.c' ]
check "a file that is not there is found"
lacking Documentation/changing.rst
check "changing.rst names files that are there ($(wc -l <"$tmp/named"))"
lacking Documentation/*.rst tests/litmus/README.rst
check "so do the others ($(wc -l <"$tmp/named"))"
