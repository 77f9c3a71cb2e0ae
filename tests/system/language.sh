#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	language.sh [PATH...]
#
# That comments and documents are in the plain English that design.rst describes ("How it is written"): the
# sentences of the tree (tests/system/sentences.awk) against the rules below. With PATHs: what is wrong in
# these alone, a line each. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] && paths=$* || paths='README.md Makefile src include arch tests tools Documentation'

# A rule a line: its name, and the Perl expression of what it forbids. A sentence begins after "FILE:LINE: ".
rules()
{
	cat <<-'END'
	a-noun-as-subject	^\S+ (@\w+: |\w+\(\): |\(|--+ )?(Who|Whoever|Whom|Whose|Of whom|To whom|For whom)\b(?!.*\?$)
	a-noun-as-subject	\b[Ww]ho(m?)ever\b
	a-noun-as-subject	[;:(] who\b(?!.*\?)
	a-noun-as-subject	\b(for|by|to|with|from|than|wakes?) who \w+s\b(?!.*\?)
	except	\bbut for\b
	because	, for (it|they|he|she|there|that|this|these|those|nobody|nothing|somebody|only|both|others|we|then|otherwise|if|whatever|to|as) (?!(first|last|second|same|others?)\b)
	no-longer	\b(any ?more|no more( [.;,)]|[.;,:)]|$))
	name-the-number	\bso (many|long|often)\b(?! (as|that)\b)
	while-or-since	\bmeanwhile\b
	after-in-time	(?<!queue )(?<!overflow )(?<!interchangeable )\bbehind (it|that|this|which|them|him|every|everything|all|both|returning|it all|what) ?
	after-in-time	\bbehind (the|a|an|its|their|his|that|this|each|every|one|another)( \w+)? (wait|return|join|call|fence|store|load|read|look|check|stop|end|begin|schedule|scheduling|push|pop|shutdown|drain|fork|exit|exchange|release|acquire|execution|sleep|setup|task|turn|time|jump|claim|publication|enlisting|listing|test|operation|access)s?\b
	END
}

# files: those of the paths that have sentences, in the order of their names
files()
{
	find $paths -type f \( -name '*.[chS]' -o -name '*.cc' -o -name '*.sh' -o -name '*.mk' -o -name '*.inc' \
		-o -name '*.awk' -o -name '*.py' -o -name '*.rst' -o -name '*.md' -o -name '*.rs' -o -name '*.go' \
		-o -name Makefile \) ! -path '*/gallery/*' | LC_ALL=C sort
}

# wrong FILE: "FILE:LINE: [RULE] SENTENCE" for each of its sentences that breaks a rule, rule by rule
wrong()
{
	while IFS='	' read -r name expression; do
		grep -P -- "$expression" "$1" | sed "s/^\([^ ]*\) /\1 [$name] /"
	done <"$tmp/rules"
}

# Each of these breaks a rule; the others that have the same word do not.
examples()
{
	cat <<-'END'
	/* Who finds it takes it. Whose is it? */
	/* It is given to whoever comes. */
	/* The list is locked: who comes waits. */
	/* It pairs with who sleeps there. */
	/* All but for the last. Nothing but the last. */
	/* It returns at once, for it is done. It waits, for example, and for the others. */
	/* It is not there any more. It takes more. */
	/* It waits for so long. As long as it waits. So long as it waits. */
	/* Others run meanwhile. */
	/* It is read behind that. What is behind the head is free. */
	/* Behind the stop nobody waits, and it goes behind the last join. */
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
echo '1..2'
[ "$(wc -l <"$tmp/sentences")" -gt 10000 ] && [ ! -s "$tmp/out" ]
check "every sentence keeps to the rules"

examples >"$tmp/examples.c"
(cd "$tmp" && awk -f "$OLDPWD/tests/system/sentences.awk" examples.c) >"$tmp/sentences"
wrong "$tmp/sentences" | cut -d : -f 2 | LC_ALL=C sort -n | uniq >"$tmp/found"
seq "$(examples | wc -l)" | cmp - "$tmp/found" >"$tmp/out" 2>&1 &&
	[ "$(wrong "$tmp/sentences" | wc -l)" -eq "$(examples | wc -l)" ]
check "each rule finds what breaks it, and nothing else"
