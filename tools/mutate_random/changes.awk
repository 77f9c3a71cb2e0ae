# SPDX-License-Identifier: MIT
#
# Lists the changes that can be made, mechanically, in the statements of C sources:
#
#	changes -- FILE...		(variants.inc: awk, with this file the last of its parts)
#	changes -v apply=INDEX -- FILE	prints FILE with that change in it
#	changes -v code=1 -- FILE...	prints the FILEs without comments
#
# Prints a line for each change, with tabs between the fields:
#
#	FILE FUNCTION FIRST LAST STATEMENT NTH KIND NAME REASON INDEX
#
# The statement has the lines FIRST to LAST. STATEMENT is its text in one line; of an "if" or a loop
# it is the text up to the parenthesis. NTH counts statements with this text in the function. NAME
# is the change:
#
#	dropped				a call, an assignment, a jump, an "if" with one statement
#	negated				the condition of an "if" or "while"
#	NEW for OLD			an operator, a constant one more or one less, what is returned
#	operands of OP swapped
#
# and "(2)" after it, if the statement has a second place for the same change. KIND groups changes.
# REASON is what a comment beside the statement says of NAME (tools/mutate_random.sh), or "-".
#
# Declarations without an initialiser, labels, assembly, and code outside of functions are left out.

BEGIN {
	for (f = 1; f < ARGC; f++) {
		file = ARGV[f]
		tokens(file)
		if (code)
			print_code()
		else
			changes()
	}
	exit status
}

# ---- what a change is

# Begins the statement of the tokens @a to @b, for which add() adds changes.
function begin(a, b,	key)
{
	first = line_of[a]
	last = line_of[b]
	statement = one_line(a, b)
	key = name "\t" statement
	nth = ++seen[key]
	split("", named)
	find_beside(a, b)
}

# Returns the tokens @a to @b in one line, without comments.
function one_line(a, b,	i, s)
{
	s = tok[a]
	for (i = a + 1; i <= b; i++)
		s = s (from[i] > from[i - 1] + length(tok[i - 1]) ? " " : "") tok[i]
	return s
}

# Notes a change: the tokens @a to @b become @new, in as many lines.
function add(kind, how, a, b, new,	end, lines, old)
{
	if (named[how]++)
		how = how " (" named[how] ")"
	index_of++
	if (apply == index_of) {
		end = from[b] + length(tok[b])
		old = substr(text, from[a], end - from[a])
		for (lines = gsub(/\n/, "", old) - gsub(/\n/, "\n", new); lines > 0; lines--)
			new = new "\n"
		printf "%s%s%s", substr(text, 1, from[a] - 1), new, substr(text, end)
	}
	if (!apply)
		printf "%s\t%s\t%d\t%d\t%s\t%d\t%s\t%s\t%s\t%d\n", file, name, first, last, statement, nth, kind,
			how, given(how), index_of
}

# ---- statements: each returns the token after it

function condition(a, b)
{
	add("negate", "negated", a, b, "(!" spread(a, b) ")")
	expression(a + 1, b - 1)
}

# Whether the body is one statement at most, not a block of several.
function is_single(i)
{
	if (tok[i] == "{")
		return statement_end(i + 1) == other[i]
	return tok[i] !~ /^(for|while|do|switch)$/
}

# Returns the token after the statement at @i, and adds no change.
function statement_end(i,	k)
{
	if (tok[i] == "{")
		return other[i] + 1
	if (tok[i] ~ /^(if|while|for|switch)$/) {
		k = statement_end(other[i + 1] + 1)
		return tok[i] == "if" && tok[k] == "else" ? statement_end(k + 1) : k
	}
	if (tok[i] == "do")
		return other[statement_end(i + 1) + 1] + 2
	return semicolon(i) + 1
}

function semicolon(i)
{
	while (tok[i] != ";")
		i = tok[i] ~ /^[({[]$/ ? other[i] + 1 : i + 1
	return i
}

function statement_at(i,	k, end)
{
	if (tok[i] == "{") {
		for (k = i + 1; k < other[i];)
			k = statement_at(k)
		return other[i] + 1
	}
	if (tok[i] ~ /^(if|while|for|switch)$/) {
		end = other[i + 1]
		begin(i, end)
		k = statement_end(end + 1)
		if (tok[i] == "if" && tok[k] != "else" && is_single(end + 1))
			add("drop", "dropped", i, k - 1, "{ }")
		if (tok[i] ~ /^(if|while)$/)
			condition(i + 1, end)
		else
			expression(i + 2, end - 1)
		k = statement_at(end + 1)
		return tok[i] == "if" && tok[k] == "else" ? statement_at(k + 1) : k
	}
	if (tok[i] == "do") {
		k = statement_at(i + 1)
		begin(k, other[k + 1])
		condition(k + 1, other[k + 1])
		return other[k + 1] + 2
	}
	if (tok[i] == "case" || tok[i] == "default" || (tok[i + 1] == ":" && tok[i] ~ /^[A-Za-z_]/)) {
		while (tok[i] != ":")
			i++
		return i + 1
	}
	k = semicolon(i)
	if (k > i)
		simple(i, k)
	return k + 1
}

function simple(i, k,	e)
{
	if (tok[i] ~ /^(_Static_assert|asm|__asm__)$/ || (tok[i] == "(" && tok[i + 1] == "void" && k == i + 4))
		return
	begin(i, k)
	if (tok[i] == "return") {
		returned(i + 1, k - 1)
		expression(i + 1, k - 1)
	} else if (is_type(i) || (tok[i] ~ /^[A-Za-z_]/ && tok[i + 1] ~ /^[A-Za-z_]/ && tok[i] != "goto")) {
		for (e = i; e < k && tok[e] != "="; e++)
			;
		expression(e + 1, k - 1)
	} else {
		add("drop", "dropped", i, k, "{ }")
		expression(i, k - 1)
	}
}

function returned(a, b,	new)
{
	if (a > b || (type ~ /(struct|union)/ && type !~ /\*/))
		return
	if (type ~ /\*/)
		new = "NULL"
	else if (type ~ /bool/)
		new = "!(" spread(a, b) ")"
	else
		new = one_line(a, b) == "0" ? "-1" : "0"
	if (one_line(a, b) ~ /^(true|false|NULL)$/ || one_line(a, b) == new)
		return
	add("return", (type ~ /bool/ ? "the contrary" : new) " returned", a, b, new)
}

# ---- files

function print_code(	i)
{
	printf "%s\n%s", file, directives
	for (i = 1; i <= nr_tok; i++)
		print tok[i]
}

function changes(	i, k)
{
	index_of = 0
	split("", seen)
	split("", used)
	for (i = 1; i <= nr_tok; i++) {
		if (tok[i] != "{")
			continue
		if (tok[i - 1] == ")") {
			for (k = other[i - 1] - 1; tok[k] ~ /^(__attribute__|\))$/ || tok[k] == "("; k--)
				;
			name = tok[k]
			type = ""
			for (k--; k > 0 && tok[k] !~ /^[;}]$/; k--)
				type = tok[k] " " type
			statement_at(i)
		}
		i = other[i]
	}
	if (!apply)
		check_names()
}
