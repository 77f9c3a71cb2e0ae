#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	language.sh [PATH...]
#
# Tests that comments and documents are in the plain English that design.rst describes ("How it is
# written"): each sentence of the tree (tests/system/sentences.awk) keeps to the rules below. With
# PATHs: prints what is wrong in these alone, a line each. Also tests that every file of C exists
# that the documents, or the comments of src/ and include/, name. A name is the end of a path. A
# comment of src/ names a file of another room with that room. And no line of C is longer than 100
# columns. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] && paths=$* || paths='README.md Makefile src include arch tests tools Documentation'

# Prints the rules, a line each: the name, and the Perl expression of what is forbidden. A
# sentence begins after "FILE:LINE: ", the first one of a comment of C after "FILE:LINE:^ ".
rules()
{
	cat <<-'END'
	a-noun-as-subject	^\S+ (@\w+: |\w+\(\): |\(|--+ )?(Who|Whoever|Whom|Whose|Of whom|To whom|For whom)\b(?!.*\?$)
	a-noun-as-subject	\b[Ww]ho(m?)ever\b
	a-noun-as-subject	[;:(] who\b(?!.*\?)
	a-noun-as-subject	\b(for|by|to|with|from|than|wakes?) who \w+s\b(?!.*\?)
	a-noun-first	^\S+\^ (It|They|That|Those|The same|The one|Nor|Else|Its|Their)\b
	except	\bbut for\b
	because	, for (it|they|he|she|there|that|this|these|those|nobody|nothing|somebody|only|both|others|we|then|otherwise|if|whatever|to|as) (?!(first|last|second|same|others?)\b)
	no-longer	\b(any ?more|no more( [.;,)]|[.;,:)]|$))
	name-the-number	\bso (many|long|often)\b(?! (as|that)\b)
	while-or-since	\b[Mm]eanwhile\b
	after-in-time	(?<!queue )(?<!overflow )(?<!interchangeable )\bbehind (it|that|this|which|them|him|every|everything|all|both|returning|it all|what) ?
	after-in-time	\bbehind (the|a|an|its|their|his|that|this|each|every|one|another)( \w+)? (wait|return|join|call|fence|store|load|read|look|check|stop|end|begin|schedule|scheduling|push|pop|shutdown|drain|fork|exit|exchange|release|acquire|execution|sleep|setup|task|turn|time|jump|claim|publication|enlisting|listing|test|operation|access)s?\b
	END
}

# files: prints the names of the files below the paths that have sentences, in order
files()
{
	find $paths -type f \( -name '*.[chS]' -o -name '*.cc' -o -name '*.sh' -o -name '*.mk' -o -name '*.inc' \
		-o -name '*.awk' -o -name '*.py' -o -name '*.rst' -o -name '*.md' -o -name '*.rs' -o -name '*.go' \
		-o -name '*.programs' -o -name Makefile \) ! -path '*/gallery/*' | LC_ALL=C sort
}

# wrong FILE: prints "FILE:LINE: [RULE] SENTENCE" for each sentence of FILE that breaks a rule,
# rule by rule
wrong()
{
	while IFS='	' read -r name expression; do
		grep -P -- "$expression" "$1" | sed "s/^\([^ ]*:\)^\{0,1\} /\1 [$name] /"
	done <"$tmp/rules"
}

# Files that comments and documents name, and that are not of this tree: those of other projects,
# and of examples.
FOREIGN='valgrind.h helgrind.h drd.h tsan_defs.h tsan_interface.h common_interface_defs.h kernel/locking/mutex.c
	linux/eventfd.h linux/eventpoll.h linux/futex.h linux/mempolicy.h linux/prctl.h linux/reboot.h linux/resource.h
	linux/sched.h linux/time_types.h asm-generic/fcntl.h asm-generic/mman-common.h stdint.h stddef.h stdbool.h
	stdarg.h counter.c scenarios.c parser.c'

# stale DIRECTORY SENTENCES: prints names in these sentences that no file below DIRECTORY has, or,
# if the name has no folder, no file of the same room; fails if there are some
stale()
{
	(cd "$1" && find . -name '*.[chS]' ! -path './build*' | sed 's,^\./,,') >"$tmp/there"
	awk -v foreign="$FOREIGN" '
		function room(file) { match(file, /^src\/[a-z]+\//); return substr(file, 1, RLENGTH) }
		BEGIN { n = split(foreign, word, /[ \t\n]+/); for (i = 1; i <= n; i++) skip[word[i]] = 1 }
		FILENAME == ARGV[1] {
			for (end = $0; end != ""; end = index(end, "/") ? substr(end, index(end, "/") + 1) : "") {
				there[end] = 1
				last = end
			}
			if (/^src\//)
				there[room($0) ":" last] = 1
			next
		}
		{
			file = $1
			sub(/:.*/, "", file)
			text = substr($0, length($1) + 1)
			gsub(/\.([ )]|$)/, " ", text)
			while (match(text, /[A-Za-z0-9_.\/<>*-]*[A-Za-z0-9_]\.[chS]($|[^A-Za-z0-9_.])/)) {
				name = substr(text, RSTART, RLENGTH)
				text = substr(text, RSTART + RLENGTH)
				sub(/[^A-Za-z0-9_]$/, "", name)
				if (name !~ /^[a-z0-9][a-z0-9_\/-]*\.[chS]$/ || name in skip)
					continue
				names++
				if (!(name in there))
					print $1 " " name " is not there"
				else if (file ~ /^src\// && name !~ /\// && !((room(file) ":" name) in there))
					print $1 " " name " is in another room"
			}
		}
		END { if (!names) print "no name was found" }' "$tmp/there" "$2" >"$tmp/out" && [ ! -s "$tmp/out" ]
}

# wide FILE...: prints "FILE:LINE: N columns" for each line of more than 100 columns; a tab ends at
# a multiple of 8. Fails if there is one.
wide()
{
	awk '{
		for (n = 0; (tab = index($0, "\t")); $0 = substr($0, tab + 1))
			n += tab + 7 - (n + tab - 1) % 8
		n += length($0)
		if (n > 100) {
			print FILENAME ":" FNR ": " n " columns"
			found = 1
		}
	}
	END { exit found }' "$@"
}

# Each of these lines breaks a rule once; its other sentences with the same word do not.
examples()
{
	cat <<-'END'
	/* Who finds it takes it. Whose is it? */
	/* The task is given to whoever comes. */
	/* The list is locked: who comes waits. */
	/* The task pairs with who sleeps there. */
	/* All but for the last. Nothing but the last. */
	/* The task returns at once, for it is done. It waits, for example, and for the others. */
	/* The task is not there any more. It takes more. */
	/* The task waits for so long. As long as it waits. So long as it waits. */
	/* Others run meanwhile. */
	/* The task is read behind that. What is behind the head is free. */
	/* Behind the stop nobody waits, and it goes behind the last join. */
	/* It ends first. The other one goes on: it ends as well. */
	END
}

rules >"$tmp/rules"
files | xargs awk -f tests/system/sentences.awk >"$tmp/sentences"
wrong "$tmp/sentences" >"$tmp/out"

if [ $# -gt 0 ]; then
	LC_ALL=C sort -t : -k 1,1 -k 2,2n "$tmp/out"
	[ ! -s "$tmp/out" ]
	exit
fi
echo 'TAP version 13'
echo '1..6'
[ "$(wc -l <"$tmp/sentences")" -gt 10000 ] && [ ! -s "$tmp/out" ]
check "every sentence keeps to the rules"
grep -E '^(src|include|Documentation)/' "$tmp/sentences" >"$tmp/names"
stale . "$tmp/names"
check "each file of C that they name is there"
mkdir -p "$tmp/house/src/low/deep" "$tmp/house/src/high"
: >"$tmp/house/src/low/deep/a.c"
: >"$tmp/house/src/high/b.h"
printf '%s\n' 'src/low/c.c:1: See a.c, deep/a.c, <b.h>, NAME.c and src/high/b.h.' >"$tmp/names"
stale "$tmp/house" "$tmp/names" && printf '%s\n' 'src/low/c.c:2: See b.h.' 'd.rst:3: ``b.h``, ``low/b.h`` and gone.c: see a.c.' >>"$tmp/names" &&
	! stale "$tmp/house" "$tmp/names" && [ "$(cat "$tmp/out")" = 'src/low/c.c:2: b.h is in another room
d.rst:3: low/b.h is not there
d.rst:3: gone.c is not there' ]
check "a name of no file is found, and one of another room"

find src include arch tests tools Documentation \
	\( -name '*.[chS]' -o -name '*.hpp' -o -name '*.cc' \) >"$tmp/names"
wide $(cat "$tmp/names") >"$tmp/out" 2>&1 && [ "$(wc -l <"$tmp/names")" -gt 1000 ]
check "no line of C is longer than 100 columns"
printf '%0100d\n\t%092d\n1234567\t%092d\n12345678\t%084d\n' 0 0 0 0 >"$tmp/100.c"
sed 's/$/;/' "$tmp/100.c" >"$tmp/101.c"
wide "$tmp/100.c" >"$tmp/out" && ! wide "$tmp/101.c" >"$tmp/out" &&
	[ "$(grep -c ': 101 columns$' "$tmp/out")" -eq 4 ]
check "a line of 101 columns is found, and none of 100"

examples >"$tmp/examples.c"
(cd "$tmp" && awk -f "$OLDPWD/tests/system/sentences.awk" examples.c) >"$tmp/sentences"
wrong "$tmp/sentences" | cut -d : -f 2 | LC_ALL=C sort -n | uniq >"$tmp/found"
seq "$(examples | wc -l)" | cmp - "$tmp/found" >"$tmp/out" 2>&1 &&
	[ "$(wrong "$tmp/sentences" | wc -l)" -eq "$(examples | wc -l)" ]
check "each rule finds what breaks it, and nothing else"
