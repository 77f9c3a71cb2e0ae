# SPDX-License-Identifier: MIT
#
# Puts the changes that changes.awk has listed in the order in which they are tried:
#
#	LC_ALL=C awk -v seed=SEED -f tools/mutate_random/choose.awk LIST | sort -n -k 1,1 -k 2,2 | cut -f 3-
#
# Every statement gets one change before any statement gets its second. Statements are ordered by
# a number made of SEED and of the statement (file, function, text). So each statement is as
# likely as any other to be among the first, and an edit elsewhere does not move it. Of the
# changes of one statement the kind is drawn first, then one change of that kind. Exact in any
# awk: all numbers are below 2^53.

BEGIN {
	FS = "\t"
	for (i = 1; i < 256; i++)
		code[sprintf("%c", i)] = i
}

function next_of(hash)
{
	return (hash * 48271 + 11) % 2147483647
}

function hash_of(string,	i, hash)
{
	hash = 1
	for (i = 1; i <= length(string); i++)
		hash = (hash * 65599 + code[substr(string, i, 1)]) % 2147483647
	return next_of(next_of(hash))
}

# Returns a number from 0 to @n - 1.
function draw(n)
{
	state = next_of(state)
	return int(state / 65536) % n
}

# Draws one of the remaining changes. A kind with many changes is not drawn more often.
function one_of_kind(	i, n, kinds, kind, of)
{
	split("", of)
	for (i = 1; i <= nr; i++)
		if (left[i] && !of[kind_of[i]]++)
			kinds[++n] = kind_of[i]
	kind = kinds[1 + draw(n)]
	n = draw(of[kind])
	for (i = 1; i <= nr; i++)
		if (left[i] && kind_of[i] == kind && n-- == 0)
			return i
}

function flush(	round, i, place)
{
	place = state = hash_of(seed "\t" key)
	for (round = 1; round <= nr; round++) {
		i = one_of_kind()
		left[i] = 0
		printf "%d\t%d\t%s\n", round, place, line[i]
	}
	nr = 0
}

{
	this = $1 "\t" $2 "\t" $5 "\t" $6
	if (nr && this != key)
		flush()
	key = this
	line[++nr] = $0
	kind_of[nr] = $7
	left[nr] = 1
}

END { if (nr) flush() }
