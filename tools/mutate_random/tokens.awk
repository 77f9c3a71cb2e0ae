# SPDX-License-Identifier: MIT
#
# Splits C into tokens, the first step of changes.awk. tokens(FILE) fills
#
#	text				the whole file
#	tok[1..nr_tok]			each token, in line line_of[], at from[] (1: the first byte)
#	other[]				of a bracket: the one that matches it
#	comment[1..nr_comment]		each comment's text, without its marks, in one line; from
#					com_line[] to com_end[], after com_behind[] tokens
#
# Preprocessor directives are no tokens; they are all in directives.

function token(string, nr, at)
{
	tok[++nr_tok] = string
	line_of[nr_tok] = nr
	from[nr_tok] = at
	if (string ~ /^[({[]$/) {
		open[++nr_open] = nr_tok
	} else if (string ~ /^[]})]$/ && nr_open) {
		other[open[nr_open]] = nr_tok
		other[nr_tok] = open[nr_open--]
	}
}

function comment_text(string)
{
	if (comment[nr_comment] != "" && string ~ /[^ \t*\/]/)
		comment[nr_comment] = comment[nr_comment] " "
	sub(/^[ \t]*(\/\*)?[ \t*]*/, "", string)
	sub(/[ \t]*\*\/$/, "", string)
	comment[nr_comment] = comment[nr_comment] string
}

# Takes a line, which begins at the byte @at. in_comment and in_directive are the state after the
# line before.
function tokens_of(line, nr, at,	rest, n, end)
{
	rest = line
	while (rest != "") {
		if (in_comment) {
			end = index(rest, "*/")
			n = end ? end + 1 : length(rest)
			comment_text(substr(rest, 1, n))
			com_end[nr_comment] = nr
			in_comment = !end
		} else if (match(rest, /^[ \t]+/)) {
			n = RLENGTH
		} else if (in_directive || (rest == line && rest ~ /^#/)) {
			in_directive = rest ~ /\\$/
			directives = directives rest "\n"
			return
		} else if (rest ~ /^\/\*/) {
			comment[++nr_comment] = ""
			com_line[nr_comment] = nr
			com_behind[nr_comment] = nr_tok
			in_comment = 1
			n = index(substr(rest, 3), "*/") ? 0 : length(rest)
			if (n) {
				comment_text(rest)
				com_end[nr_comment] = nr
			}
		} else {
			if (!match(rest, /^([A-Za-z_][A-Za-z_0-9]*|[0-9][A-Za-z_0-9]*)/) &&
			    !match(rest, /^("([^"\\]|\\.)*"|'([^'\\]|\\.)*')/) &&
			    !match(rest, /^(<<=|>>=|\.\.\.)/) &&
			    !match(rest, /^(->|\+\+|--|<<|>>|&&|\|\||[-+*\/%&|^<>=!]=)/))
				RLENGTH = 1
			n = RLENGTH
			token(substr(rest, 1, n), nr, at)
		}
		rest = substr(rest, n + 1)
		at += n
	}
	in_directive = 0
}

function tokens(file,	line, nr)
{
	nr_tok = nr_comment = nr_open = nr = in_comment = in_directive = 0
	text = directives = ""
	while ((getline line <file) > 0) {
		tokens_of(line, ++nr, length(text) + 1)
		text = text line "\n"
	}
	close(file)
}
