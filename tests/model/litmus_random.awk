# SPDX-License-Identifier: MIT
#
# Random litmus programs, as lines of a table of shapes (litmus_shapes.h): N of them, r1 to rN, the
# same for the same SEED whatever awk this is. LIMIT bounds what a program may cost the enumerator,
# which tries everything.
#
# Of each six, three are cycles: what the models tell apart are cycles of accesses where each thread
# goes from one location to another, and other programs seldom have any. The others are operations
# at random, one of them mostly read-modify-writes. Every second program has membarriers.
#
# The outcome asked for consists of values that are written where it asks, so that it is often
# nearly possible.

# minimal standard generator (Park, Miller, CACM 1988): exact in the doubles that awk has
function below(n)
{
	state = state * 16807 % 2147483647
	return int(state / 2147483647 * n)
}

# one of the words of @from; a + in a word stands for a blank
function pick(from,	words, word)
{
	word = words[1 + below(split(from, words, " "))]
	gsub(/\+/, " ", word)
	return word
}

function constant(location,	value)
{
	value = 1 + below(3)
	written[location] = written[location] " " value
	return value
}

# a register for what is read of @location
function result(location)
{
	own = substr("abcdefghijklmnopqrst", ++registers, 1)
	of[registers] = location
	reads[location]++
	return own
}

function load(location)
{
	return "R " location " " pick("rlx rlx acq acq sc") " " result(location)
}

function store(location)
{
	writes[location]++
	return "W " location " " (own != "" && !below(6) ? own : constant(location)) " " \
		pick("rlx rlx rel rel sc")
}

function rmw(location,	kind, text)
{
	kind = below(3)
	writes[location]++
	if (kind == 0)
		text = "A " location " 1 "
	else if (kind == 1)
		text = "X " location " " constant(location) " "
	else
		return "C " location " " below(2) " " constant(location) " " \
			pick("rlx+rlx acq+rlx acq+acq ar+rlx ar+acq") " " result(location)
	return text pick("rlx rlx acq rel ar sc") " " result(location)
}

function fence(membarriers)
{
	return pick(membarriers ? "S S S M M F+sc" : "F+sc F+sc F+ar F+acq F+rel")
}

# an operation; @rmws: of 20, how many are read-modify-writes
function operation(location, rmws, membarriers,	k)
{
	k = below(20)
	if (k < rmws)
		return rmw(location)
	if (k < 19 && below(5))
		return below(2) ? load(location) : store(location)
	return own != "" && !below(4) ? "? " own " " below(2) : fence(membarriers)
}

function at_random(rmws, membarriers,	text, locations, threads, ops, t, i, location, last)
{
	locations = pick("x x+y x+y x+y x+y+z")
	threads = 2 + below(3)
	for (t = 1; t <= threads; t++) {
		own = ""
		ops = 1 + below(threads == 2 ? 4 : 3) + (threads < 4)
		for (i = 1; i <= ops; i++) {
			do
				location = pick(locations)
			while (location == last && below(2))
			last = location
			text = text (i > 1 ? " ; " : t > 1 ? " || " : "") \
				operation(location, rmws, membarriers)
		}
	}
	return text
}

# a load (R) or a store (W); either, as a read-modify-write
function access(kind, location)
{
	return !below(8) ? rmw(location) : kind == "R" ? load(location) : store(location)
}

# thread after thread, from its own location to the next one's, where the next one begins
function cycle(membarriers,	text, threads, t, edge, name)
{
	threads = 2 + (below(3) == 0)
	for (t = 0; t < threads; t++) {
		edge[t] = pick("WR WR RW RW WW")
		name[t] = substr("xyz", t + 1, 1)
	}
	for (t = 0; t < threads; t++) {
		own = ""
		text = text (t ? " || " : "") access(substr(edge[t], 2), name[t]) " ; "
		if (membarriers || below(2))
			text = text fence(membarriers) " ; "
		text = text access(substr(edge[(t + 1) % threads], 1, 1), name[(t + 1) % threads])
		if (!below(4))
			text = text " ; " operation(pick("x y"), 4, membarriers)
	}
	own = ""
	if (below(2))
		return text
	return text " || " (below(4) ? rmw(pick("x y")) : operation(pick("x y"), 4, membarriers))
}

function program(kind)
{
	split("", written)
	split("", reads)
	split("", writes)
	split("", of)
	registers = 0
	return kind < 3 ? cycle(kind == 1) : at_random(kind == 4 ? 12 : 3, kind != 4)
}

# how many sources the reads may have, and in how many orders the writes may stand; 0: what is read
# is written nowhere, or there is nothing
function cost(	n, i, location, left)
{
	n = 0
	for (i = 1; i <= 3; i++) {
		location = substr("xyz", i, 1)
		if (reads[location] && !writes[location])
			return 0
		if (!n && writes[location])
			n = 1
		n *= (writes[location] + 1) ^ reads[location]
		for (left = writes[location]; left > 1; left--)
			n *= left
	}
	return n
}

function outcome(	i, text, terms, location)
{
	location = pick("x x y z")
	text = location "=" pick(location in written ? written[location] : "0")
	for (i = 1; i <= registers && terms < 4; i++)
		if (below(4)) {
			text = text " " substr("abcdefghijklmnopqrst", i, 1) "=" \
				pick("0 0 0" written[of[i]])
			terms++
		}
	return text
}

BEGIN {
	state = SEED % 2147483646 + 1
	for (i = 0; i < 10; i++)
		below(2)	# small seeds begin alike
	for (i = 1; i <= N; i++) {
		do {
			text = program(i % 6)
			n = cost()
		} while (!n || n > LIMIT)
		printf "{ \"r%d\", \"%s\", \"%s\", NEVER, \"\", { 0, 0 } },\n", i, text, outcome()
	}
}
