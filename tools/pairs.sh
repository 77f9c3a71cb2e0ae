#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Do the ordered accesses in src/ and include/nap/ have partners? Prints KTAP.
#
#	tools/pairs.sh [DIRECTORY]	of the tree in DIRECTORY, this one by default
#	tools/pairs.sh --self-test	proves that each rule can fail
#
# An ordered access is a call of nap_*_acquire, _release, _acq_rel or _seq_cst (or
# nap_fence_seq_cst) in src/, except src/arch/atomic.h. In a public header, which has only the
# compiler's builtins, it is an __atomic_ call whose line names such an order. A comment names the
# access's partners by tags:
#
#	nap_store_release(&ring->tail, tail + 1); /* pairs with ring_steal() [R1] */
#
# A tag is capital letters and digits; [R1,S2] and [R1] [S2] are two tags each. The comment is on
# the line of the call, or is the nearest one with a tag that ends within the 4 lines above.
#
# Documentation/ordering.rst explains each tag under a line that begins with ``[R1]`` or * ``[R1]``.
# A line may begin with several: ``[R1]`` ``[S2]``.
#
# The light side of membarrier is __atomic_signal_fence(__ATOMIC_SEQ_CST), the heavy side a call of
# nap__os_membarrier() or of a function's argument heavy(). Both are accesses, too, and both have
# the same tags: a compiler barrier pairs with nothing else.
#
# An access whose partner is in the kernel has [kernel] in its comment instead of a tag.

if [ "$1" = --self-test ]; then
	exec sh "$(dirname "$0")/pairs-test.sh" "$0"
fi

cd "${1:-$(dirname "$0")/..}" || exit 1
doc=Documentation/ordering.rst
files=$(find src include/nap -name '*.[ch]' ! -path src/arch/atomic.h 2>/dev/null | LC_ALL=C sort)

exec awk -v doc=$doc '
function complain(rule, where, what) { bad[rule] = bad[rule] "# " where ": " what "\n" }

# Splits $0 into code and comment. in_comment and block, the text of the comment so far, are kept
# from line to line.
function split_line(	rest, at) {
	code = comment = ""
	rest = $0
	gsub(/\\["\\]/, "", rest)
	gsub(/"[^"]*"/, "", rest)
	while (rest != "") {
		if (in_comment) {
			at = index(rest, "*/")
			block = block " " (at ? substr(rest, 1, at - 1) : rest)
			rest = at ? substr(rest, at + 2) : ""
			if (at) {
				in_comment = 0
				comment = comment " " block
			}
		} else if (match(rest, /\/[*\/]/)) {
			code = code substr(rest, 1, RSTART - 1)
			if (substr(rest, RSTART, 2) == "//") {
				comment = comment " " substr(rest, RSTART + 2)
				rest = ""
			} else {
				rest = substr(rest, RSTART + 2)
				in_comment = 1
				block = ""
			}
		} else {
			code = code rest
			rest = ""
		}
	}
}

# Returns "R1,S2," for the tags in @text.
function tags_of(text,	list) {
	while (match(text, /\[[A-Z]+[0-9]+([, ]+[A-Z]+[0-9]+)*\]/)) {
		list = list substr(text, RSTART + 1, RLENGTH - 2) ","
		text = substr(text, RSTART + RLENGTH)
	}
	gsub(/[, ]+/, ",", list)
	return list
}

function access(may_release, may_acquire, side,	where, n, i, tag, list) {
	where = FILENAME ":" FNR
	accesses++
	list = tags_of(comment)
	if (list == "" && (comment ~ /\[kernel\]/ || (kernel_line > near_line && FNR - kernel_line <= 4)))
		return
	if (list == "" && near != "" && FNR - near_line <= 4)
		list = near
	if (list == "")
		complain(1, where, "no tag")
	n = split(list, tag, ",")
	for (i = 1; i < n; i++) {
		count[tag[i]]++
		if (!(tag[i] in first))
			first[tag[i]] = where
		if (may_release)
			releases[tag[i]] = 1
		if (may_acquire)
			acquires[tag[i]] = 1
		if (side)
			sides[tag[i], side] = where
	}
}

FNR == 1 { in_comment = 0; near = ""; near_line = kernel_line = 0; is_doc = FILENAME == doc }

is_doc && /^(\* )?``\[[A-Z]+[0-9]+\]``/ {
	text = $0
	sub(/^\* /, "", text)
	while (match(text, /^``\[[A-Z]+[0-9]+\]``[, ]*/)) {
		tag = substr(text, RSTART, RLENGTH)
		gsub(/[^A-Z0-9]/, "", tag)
		listed[tag] = FILENAME ":" FNR
		text = substr(text, RSTART + RLENGTH)
	}
}
is_doc { next }

{
	split_line()
	while (match(code, /(^|[^A-Za-z0-9_])nap_[a-z0-9][a-z0-9_]*_(acquire|release|acq_rel|seq_cst)[ \t]*\(/)) {
		call = substr(code, RSTART, RLENGTH)
		code = substr(code, RSTART + RLENGTH)
		if (call !~ /nap_sem_/)		# semaphores have functions with such names
			access(call !~ /_acquire[ \t]*\(/, call !~ /_release[ \t]*\(/)
	}
	if (code ~ /__atomic_signal_fence\(__ATOMIC_SEQ_CST\)/)
		access(1, 1, "light")
	else if (code ~ /__atomic_[a-z_]+\(.*__ATOMIC_(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)/)
		access(code !~ /__ATOMIC_ACQUIRE/, code !~ /__ATOMIC_RELEASE/)
	if (code ~ /(^|[^A-Za-z0-9_])(nap__os_membarrier|heavy)\(\)/)
		access(1, 1, "heavy")
	if (comment ~ /\[kernel\]/)
		kernel_line = FNR
	if (tags_of(comment) != "") {
		near = tags_of(comment)
		near_line = FNR
	}
}

END {
	for (tag in count) {
		if (count[tag] < 2)
			complain(2, first[tag], "[" tag "] is at one access only")
		if (!(tag in releases))
			complain(3, first[tag], "[" tag "] only acquires")
		if (!(tag in acquires))
			complain(4, first[tag], "[" tag "] only releases")
		if (!(tag in listed))
			complain(5, first[tag], "[" tag "] is not in " doc)
		if (((tag, "light") in sides) && !((tag, "heavy") in sides))
			complain(7, sides[tag, "light"], "[" tag "] has no membarrier")
		if (((tag, "heavy") in sides) && !((tag, "light") in sides))
			complain(7, sides[tag, "heavy"], "[" tag "] has no light side")
		nr_tags++
	}
	for (tag in listed)
		if (!(tag in count))
			complain(6, listed[tag], "[" tag "] is at no access")

	rule[1] = "every ordered access has a tag"
	rule[2] = "every tag is at two accesses or more"
	rule[3] = "every tag has a releasing side"
	rule[4] = "every tag has an acquiring side"
	rule[5] = "every tag is explained in " doc
	rule[6] = "every tag that is explained is at an access"
	rule[7] = "every light fence has a heavy one, and the reverse"
	print "TAP version 13\n1..7"
	printf "# %d ordered accesses, %d tags\n", accesses, nr_tags
	for (i = 1; i <= 7; i++)
		printf "%s%sok %d %s\n", bad[i], bad[i] == "" ? "" : "not ", i, rule[i]
}' $([ -e $doc ] && echo $doc) $files </dev/null
