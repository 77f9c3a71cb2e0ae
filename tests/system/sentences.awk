# SPDX-License-Identifier: MIT
#
# Prints the sentences that a reader meets in files, "FILE:LINE: SENTENCE" each, with the line on
# which the sentence begins: the comments of C and of languages with "#" for a comment, and the
# text of .rst and .md without its code. The first sentence of a comment of C is "FILE:LINE:^
# SENTENCE".

function kind_of(name)
{
	if (name ~ /\.(c|h|cc|S|rs|go|programs)$/)
		return "c"
	if (name ~ /\.(rst|md)$/)
		return "text"
	return "hash"
}

# Ends a paragraph, and its last sentence.
function flush()
{
	if (sentence != "") {
		print FILENAME ":" begin ":" (first ? "^ " : " ") sentence
		first = 0
	}
	sentence = ""
}

# Adds the words of one line. After a full stop, a word with a capital begins a sentence.
function add(text,	n, i, word)
{
	n = split(text, word, /[ \t]+/)
	for (i = 1; i <= n; i++) {
		if (word[i] == "")
			continue
		if (ended && word[i] ~ /^[`*"'(]*[A-Z0-9@]/)
			flush()
		if (sentence == "")
			begin = FNR
		sentence = sentence (sentence == "" ? "" : " ") word[i]
		ended = word[i] ~ /[.!?]["'`*)]*$/ && word[i] !~ /^(e\.g|i\.e|cf|vs)\.$/
	}
}

# Takes one line of a comment or a text. A mark of a list begins a paragraph, and so does an empty
# line.
function line(text)
{
	sub(/^[ \t]*\*?[ \t]?/, "", text)
	if (text ~ /^[ \t]*$/ || text ~ /^[-=~*^#|+ ]+$/) {
		flush()
		return
	}
	if (text ~ /^[ \t]*([-*] |@[a-z_.]*:|[0-9]+[.)] |[A-Z][a-z]*:)/)
		flush()
	add(text)
}

# Takes the comments of a line of C; what looks like a comment in a string is none.
function c_line(text,	at)
{
	if (!inside)
		gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
	for (;;) {
		if (inside) {
			at = index(text, "*/")
			if (!at) {
				line(text)
				return
			}
			line(substr(text, 1, at - 1))
			flush()
			inside = 0
			text = substr(text, at + 2)
			continue
		}
		at = match(text, /\/[*\/]/)
		if (!at) {
			if (text ~ /[^ \t]/)
				flush()
			return
		}
		if (substr(text, 1, at - 1) ~ /[^ \t]/)
			flush()
		first = 1
		if (substr(text, at, 2) == "//") {
			line(substr(text, at + 2))
			return
		}
		inside = 1
		text = substr(text, at + 2)
		sub(/^\*/, "", text)
	}
}

# Takes a line of text, unless the line is code: indented after "::", in a code block, or between
# ``` lines.
function text_line(text,	indent)
{
	match(text, /^ */)
	indent = RLENGTH
	if (text ~ /^```/)
		fenced = !fenced
	if (fenced || text ~ /^```/)
		return
	if (literal && text ~ /[^ ]/) {
		if (indent > literal_indent)
			return
		literal = 0
	}
	if (literal)
		return
	if (text ~ /^ *\.\. (code-block|math|raw)::/ || text ~ /::$/) {
		literal = 1
		literal_indent = indent
	}
	if (text ~ /^ *(\.\. |:[a-z]+:)/) {
		flush()
		return
	}
	# A row of a table.
	if (text ~ /[^ ]  +[^ ]/)
		flush()
	line(text)
	if (literal || text ~ /[^ ]  +[^ ]/)
		flush()
}

FNR == 1 {
	flush()
	ended = inside = fenced = literal = first = 0
	kind = kind_of(FILENAME)
}
kind == "c" {
	c_line($0)
	next
}
kind == "text" {
	text_line($0)
	next
}
/^[ \t]*#/ && !/^#!/ {
	sub(/^[ \t]*#+/, "")
	line($0)
	next
}
{ flush() }
END { flush() }
