# SPDX-License-Identifier: MIT
#
# Section 3 of the manual is made from the comments of the headers. This file reads the comments,
# pages.awk writes the pages, by the functions of roff.awk.
#
#	awk -f tools/man/headers.awk -f tools/man/roff.awk -f tools/man/pages.awk \
#		-v to=DIRECTORY -v examples=DIRECTORY -v version=TEXT -v date=DATE HEADER...
#
# Each "DOC: NAME - title" begins a page, which has everything up to the next DOC. A comment
# describes the declarations below it, up to an empty line:
#
#	/**
#	 * name() - one line
#	 * @argument: what it is
#	 *
#	 * Paragraphs; lines after a tab stay as they are. From "Returns" on a paragraph is of the
#	 * section RETURN VALUE, where "; -ERROR" begins an entry of its own.
#	 */
#
# examples/NAME.c is the example of the page. Every other name of a page gets a link. Exits 1, and
# writes nothing, if a name has two pages, or if a description comes before the first page.

function fail(why)
{
	print FILENAME ":" FNR ": " why >"/dev/stderr"
	failed = 1
}

FNR == 1 { header = FILENAME; sub(/.*\//, "", header); page = ""; state = ""; depth = 0 }
/^\/\*\*/ { state = "text"; text = ""; $0 = substr($0, 4) }
state == "text" {
	ends = sub(/ *\*\/$/, "")
	sub(/^ \*/, "")
	sub(/^ /, "")
	text = text $0 "\n"
	if (ends)
		take(text)
	next
}
state == "code" { declared($0) }

# take TEXT: reads a whole comment
function take(text,	at)
{
	sub(/^\n+/, "", text)
	state = ""
	if (text ~ /^DOC: /) {
		at = index(text, " - ")
		page = substr(text, 6, at - 6)
		pages[++nr_pages] = page
		header_of[page] = header
		if (!(header in page_of_header))
			page_of_header[header] = page
		at = index(text "\n\n", "\n\n")
		about[page] = joined(substr(text, index(text, " - ") + 3, at - index(text, " - ") - 3))
		body[page] = substr(text, at + 2)
		claim(page)
		return
	}
	if (page == "")
		fail("no DOC: before this")
	if (text !~ /^[^\n]* - /)
		fail("no dash behind what this is about")
	block[page, ++nr_blocks[page]] = text
	state = "code"
	code = ""
	fields = text
}

# claim NAME: makes the name lead to this page
function claim(name)
{
	if (name ~ /__/ || (name in page_of && page_of[name] == page))
		return
	if (name in page_of)
		fail(name " has two pages")
	page_of[name] = page
	name_of[page, ++nr_names[page]] = name
}

# declared LINE: reads a line of the declaration that a comment describes
function declared(line)
{
	if (line ~ /^[ \t]*$/ && depth == 0) {
		state = ""
		return
	}
	if (in_macro || line ~ /^#define/) {
		if (!in_macro)
			macro(line)
		in_macro = line ~ /\\$/
		return
	}
	if (line ~ /^#/ || (depth == 0 && line ~ /^\/?\*/))
		return
	if (depth == 0 && line ~ /^\{/) {	# the body of an inline function
		synopsis(prototype(code ";"))
		code = ""
	}
	depth += gsub(/\{/, "{", line) - gsub(/\}/, "}", line)
	code = code line "\n"
	if (depth == 0 && line ~ /[;}]$/) {
		if (code !~ /^\{/)
			synopsis(code ~ /^struct [a-z_]+ \{/ ? struct_of(code) : code ~ /^enum/ ? enum_of(code) : prototype(code))
		code = ""
	}
}

# synopsis TEXT: adds a declaration to the page's synopsis; each type stands apart
function synopsis(text,	kind)
{
	kind = text ~ /^(struct|enum) [^()]*\{/ ? ++nr_types : text ~ /^#/ ? "#" : "()"
	shown[page] = shown[page] (kind != last_kind[page] && shown[page] != "" ? "\n" : "") text "\n"
	last_kind[page] = kind
}

# macro LINE: adds a constant with its value, and any other macro by its name
function macro(line,	name)
{
	name = substr(line, 9)
	sub(/[^A-Za-z_0-9].*/, "", name)
	if (name ~ /__/ || name in is_macro)
		return
	is_macro[name] = 1
	claim(name)
	if (line ~ /\(.*\\$/ || index(line, "#define " name "(") == 1)
		line = match(line, /^#define [A-Za-z_0-9]+\([^)]*\)/) ? substr(line, 1, RLENGTH) : "#define " name
	sub(/[ \t]*\/\*.*/, "", line)
	gsub(/\t+/, " ", line)
	synopsis(line)
}

# prototype CODE: returns a function, or a type of one, in lines of less than 80 columns
function prototype(code,	name, indent, out, n, i, part, line)
{
	code = joined(code)
	gsub(/^static inline | ?__attribute__\(\(.*\)\)/, "", code)
	sub(/ ;$/, ";", code)
	if (code ~ /^struct [a-z_]+;/) {
		claim(second_word(code))
		return code
	}
	match(code, code ~ /^typedef/ ? "\\(\\*[a-z_]+\\)" : "[A-Za-z_0-9]+\\(")
	indent = RSTART + RLENGTH - (code !~ /^typedef/)
	name = substr(code, RSTART, RLENGTH)
	gsub(/[(*)]/, "", name)
	claim(name)
	if (code !~ /^typedef/)
		is_function[name] = 1
	if (indent > 44)
		indent = 8
	n = split(code, part, /, /)
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line part[i]) > 72) {
			out = out line "\n"
			line = sprintf("%" indent "s", "")
		}
		line = line part[i] (i < n ? ", " : "")
	}
	out = out line
	gsub(/, \n/, ",\n", out)
	return out
}

# struct_of CODE: returns the fields that the comment describes
function struct_of(code,	n, i, line, out, hidden)
{
	n = split(code, line, /\n/)
	claim(second_word(line[1]))
	for (i = 2; line[i] !~ /^\}/; i++) {
		gsub(/ nap__(zero|line)| __attribute__\(\(.*\)\)| *\t*\/\*.*/, "", line[i])
		if (described(line[i]))
			out = out "    " joined(line[i]) "\n"
		else
			hidden = 1
	}
	return line[1] "\n" out (hidden ? "    ...\n" : "") "};"
}

# enum_of CODE: returns the constants, with their comments
function enum_of(code,	n, i, line, out)
{
	n = split(code, line, /\n/)
	claim(second_word(line[1]))
	for (i = 2; line[i] !~ /^\}/; i++) {
		line[i] = joined(line[i])
		if (line[i] !~ /^[A-Z]+_[A-Z]/)
			continue
		out = out "    " line[i] "\n"
		match(line[i], /^[A-Z0-9_]+/)
		claim(substr(line[i], 1, RLENGTH))
	}
	return line[1] "\n" out "};"
}

function second_word(line,	word)
{
	split(line, word, /[ ;]/)
	return word[2]
}

# joined TEXT: returns the text in one line
function joined(text)
{
	gsub(/[ \t\n]+/, " ", text)
	sub(/^ /, "", text)
	sub(/ $/, "", text)
	return text
}

# described MEMBER: whether an @ of the comment describes the member; of several members in one
# line the last one counts
function described(member)
{
	if (member ~ /\(\*/) {
		sub(/.*\(\*/, "", member)
		sub(/\).*/, "", member)
	}
	sub(/\[.*/, "", member)
	gsub(/[ ;]+$/, "", member)
	sub(/.*[ *]/, "", member)
	return member != "" && fields ~ ("@([a-z_]+, @)*" member "[,:]")
}
