# SPDX-License-Identifier: MIT
#
# Adds the changes of an expression, for changes.awk: expression(a, b) takes the tokens @a to @b.

BEGIN {
	turned["<"] = "<="; turned["<="] = "<"; turned[">"] = ">="; turned[">="] = ">"
	turned["=="] = "!="; turned["!="] = "=="; turned["&&"] = "||"; turned["||"] = "&&"
	turned["true"] = "false"; turned["false"] = "true"
	kind_of["&&"] = kind_of["||"] = "and"
	kind_of["true"] = kind_of["false"] = "constant"
}

function is_operand(i)
{
	return tok[i] ~ /^([A-Za-z_0-9].*|[])]|["'].*)$/ && tok[i] !~ /^(return|sizeof|case)$/
}

# Returns the first token of the operand that ends with @i: x, x.y, f(x), x[y], (x)
function operand_begin(i)
{
	for (;;) {
		while (tok[i] ~ /^[])]$/ && (tok[other[i] - 1] ~ /^[A-Za-z_0-9)\]]/) &&
		       tok[other[i] - 1] !~ /^(if|while|for|switch|return)$/)
			i = other[i] - 1
		if (tok[i] ~ /^[])]$/)
			i = other[i]
		if (tok[i - 1] != "." && tok[i - 1] != "->")
			return i
		i -= 2
	}
}

# Returns the last token of the operand that begins with @i, with prefixes: -x, *x, (type)x
function operand_end(i)
{
	while (tok[i] ~ /^[-!~&*]$/ || (tok[i] == "(" && is_cast(i)))
		i = tok[i] == "(" ? other[i] + 1 : i + 1
	if (tok[i] == "(")
		i = other[i]
	for (;;) {
		if (tok[i + 1] == "(" || tok[i + 1] == "[")
			i = other[i + 1]
		else if (tok[i + 1] == "." || tok[i + 1] == "->")
			i += 2
		else
			return i
	}
}

function is_cast(i)
{
	return is_type(i + 1) && tok[other[i] + 1] ~ /^[A-Za-z_0-9(*&]/
}

function is_type(i)
{
	return tok[i] ~ /^(const|static|struct|enum|union|unsigned|signed|int|char|long|short|void|bool)$/ ||
		tok[i] ~ /^(_Bool|_Atomic|__auto_type|double|float|volatile|register)$/ || tok[i] ~ /_t$/
}

function spread(a, b,	n, s)
{
	n = from[b] + length(tok[b])
	s = substr(text, from[a], n - from[a])
	return s
}

function expression(a, b,	i, l, r, n, suffix)
{
	for (i = a; i <= b; i++) {
		if (tok[i] in turned)
			add(tok[i] in kind_of ? kind_of[tok[i]] : "compare", turned[tok[i]] " for " tok[i], i, i, turned[tok[i]])
		if (tok[i] ~ /^[0-9]+[uUlL]*$/ && tok[i] !~ /^0[0-9]/) {
			suffix = n = tok[i]
			sub(/^[0-9]+/, "", suffix)
			sub(/[uUlL]*$/, "", n)
			if (length(n) < 10) {
				add("constant", n + 1 " for " n, i, i, n + 1 suffix)
				if (n > 0)
					add("constant", n - 1 " for " n, i, i, n - 1 suffix)
			}
		}
		if (tok[i] ~ /^(-|\/|%|<<|>>|<|>)$/ && i > a && is_operand(i - 1)) {
			l = operand_begin(i - 1)
			r = operand_end(i + 1)
			if (l >= a && r <= b)
				add("operands", "operands of " tok[i] " swapped", l, r,
				    spread(i + 1, r) " " tok[i] " " spread(l, i - 1))
		}
	}
}
