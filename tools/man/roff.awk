# SPDX-License-Identifier: MIT
#
# Writes text of comments, and code, for roff: names that have a page in bold, arguments in italics.

# code_line LINE: returns the line without the tab of the comment, and with four columns for each
# further tab at its beginning
function code_line(line,	at)
{
	sub(/^\t/, "", line)
	while (at = index(line, "\t"))
		line = substr(line, 1, at - 1) sprintf("%" (8 - (at - 1) % 8) "s", "") substr(line, at + 1)
	match(line, /^ */)
	return coded(sprintf("%" (RLENGTH % 8 + int(RLENGTH / 8) * 4) "s", "") substr(line, RLENGTH + 1))
}

# coded LINE: returns a line of C as roff needs it
function coded(line)
{
	gsub(/\\/, "\\e", line)
	gsub(/-/, "\\-", line)
	gsub(/'/, "\\(aq", line)
	gsub(/\^/, "\\(ha", line)
	gsub(/~/, "\\(ti", line)
	sub(/^[.]/, "\\\\\\&.", line)
	return line
}

# shown_line LINE: returns a line of the synopsis: bold, and the names of arguments in italics
function shown_line(line,	out, word)
{
	line = coded(line)
	if (line ~ /^#define|^ *[A-Z}]/)
		return "\\fB" line "\\fR"
	while (match(line, /[a-z_0-9]+(,|\)|$)/)) {
		word = substr(line, RSTART, RLENGTH)
		if (word ~ /^void/ || word ~ /_fn/)
			out = out substr(line, 1, RSTART + RLENGTH - 1)
		else
			out = out substr(line, 1, RSTART - 1) "\\fI" substr(word, 1, length(word) - 1) "\\fB" \
				substr(word, length(word))
		line = substr(line, RSTART + RLENGTH)
	}
	return "\\fB" out line "\\fR"
}

function escaped(text)
{
	gsub(/\\/, "\\e", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/~/, "\\(ti", text)
	gsub(/`/, "", text)
	gsub(/ -/, " \\-", text)
	sub(/^-/, "\\-", text)
	return text
}

# marked TEXT: returns the text with arguments in italics, and names that have a page in bold
function marked(text,	out, word, tail)
{
	while (match(text, /@[a-z_][a-z_0-9]*(->[a-z_]+)?|-E[A-Z0-9]+|[A-Za-z_][A-Za-z_0-9]*\(\)|[A-Za-z_][A-Za-z_0-9-]*\([1-8]\)|nap\/[a-z]+\.h|[A-Za-z_][A-Za-z_0-9.]*/)) {
		word = substr(text, RSTART, RLENGTH)
		out = out escaped(substr(text, 1, RSTART - 1))
		text = substr(text, RSTART + RLENGTH)
		tail = ""
		while (word ~ /[.]$/ && word !~ /\)$/) {
			word = substr(word, 1, length(word) - 1)
			tail = tail "."
		}
		called = text ~ /^\(/
		out = out marked_word(word) tail
	}
	return out escaped(text)
}

function marked_word(word,	name, end)
{
	if (word ~ /^@/) {
		gsub(/->/, "\\->", word)
		return "\\fI" substr(word, 2) "\\fR"
	}
	if (word ~ /^-E/)
		return "\\fB\\" word "\\fR"
	if (word ~ /^nap\//) {
		name = substr(word, 5)
		return name in page_of_header ? refer(page_of_header[name], word) : "\\fI" word "\\fR"
	}
	name = word
	if (match(name, /[(.].*$/)) {
		end = substr(name, RSTART)
		name = substr(name, 1, RSTART - 1)
	}
	if (end ~ /^\([1-8]\)/) {
		see(name end)
		return "\\fB" name "\\fR" end
	}
	if (name in page_of) {
		if (end ~ /^[.]/) {
			see(page_of[name] "(3)")
			return "\\fI" word "\\fR"
		}
		return refer(name, "\\fB" name "\\fR" end)
	}
	if (end == "()" || word ~ /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$|^SIG[A-Z]+$/)
		return "\\fB" name "\\fR" end
	return word
}

# refer NAME HERE: returns a reference to the name's page; on that page itself, HERE
function refer(name, here)
{
	if (page_of[name] == page)
		return here ~ /^nap\// ? "this page" : here
	see(page_of[name] "(3)")
	return "\\fB" name "\\fR" (!called && (name in is_function || here ~ /^nap\//) ? "(3)" : here ~ /\(\)$/ ? "()" : "")
}

function see(what)
{
	if (what != page "(3)" && !(what in seen)) {
		seen[what] = 1
		refs[++nr_refs] = what
	}
}

# wrapped TEXT: returns the text with each sentence on a line of its own, and no line longer than
# 80 columns
function wrapped(text,	n, i, word, line, out)
{
	n = split(text, word, / /)
	for (i = 1; i <= n; i++) {
		if (line != "" && (length(line) + length(word[i]) > 76 ||
		    (line ~ /[.?!:]\)?(\\fR)?$/ && word[i] ~ /^[(\\A-Z]/ && line !~ /:$/))) {
			out = out line "\n"
			line = ""
		}
		if (line == "" && word[i] ~ /^[.']/)
			word[i] = "\\&" word[i]
		line = line (line == "" ? "" : " ") word[i]
	}
	return out line "\n"
}
