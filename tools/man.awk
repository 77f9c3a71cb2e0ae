# SPDX-License-Identifier: MIT
#
#	awk -f tools/man.awk -v to=DIRECTORY -v examples=DIRECTORY -v version=TEXT -v date=DATE HEADER...
#
# The manual's section 3, made from the comments of the headers. Each "DOC: NAME - what it is about" begins
# a page, which has all that follows up to the next one. A comment describes the declarations below it, up
# to an empty line:
#
#	/**
#	 * name() - one line
#	 * @argument: what it is
#	 *
#	 * Paragraphs; lines behind a tab stay as they are. From "Returns" on a paragraph is of the
#	 * section RETURN VALUE, where "; -ERROR" begins an entry of its own.
#	 */
#
# examples/NAME.c is the page's example. Every other name of a page gets a link. False, and nothing is written,
# where a name has two pages, or something is described before the first page.

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

# take TEXT: a whole comment
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

# claim NAME: it leads to this page
function claim(name)
{
	if (name ~ /__/ || (name in page_of && page_of[name] == page))
		return
	if (name in page_of)
		fail(name " has two pages")
	page_of[name] = page
	name_of[page, ++nr_names[page]] = name
}

# declared LINE: of what a comment is about
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
	if (depth == 0 && line ~ /^\{/) {	# of an inline function
		synopsis(prototype(code ";"))
		code = ""
	}
	depth += gsub(/\{/, "{", line) - gsub(/\}/, "}", line)
	code = code line "\n"
	if (depth == 0 && line ~ /[;}]$/) {
		if (code ~ /^\{/)
			;
		else if (code ~ /^(struct|enum) [a-z_]+ \{/)
			synopsis(compound(code))
		else
			synopsis(prototype(code))
		code = ""
	}
}

# synopsis TEXT: one declaration more; types are apart
function synopsis(text,	kind)
{
	kind = text ~ /^(struct|enum) [^()]*\{/ ? ++nr_types : text ~ /^#/ ? "#" : "()"
	shown[page] = shown[page] (kind != last_kind[page] && shown[page] != "" ? "\n" : "") text "\n"
	last_kind[page] = kind
}

# macro LINE: a constant with its value, anything else by name
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

# prototype CODE: a function or a type, in lines of less than 80 columns
function prototype(code,	name, indent, out, n, i, part, line)
{
	code = joined(code)
	sub(/^static inline /, "", code)
	gsub(/ ?__attribute__\(\(.*\)\)/, "", code)
	sub(/ ;$/, ";", code)
	if (code ~ /^struct [a-z_]+;/ )
		name = substr(code, 8)
	else if (code ~ /^typedef/)
		name = substr(code, index(code, "(*") + 2)
	else {
		match(code, /[A-Za-z_0-9]+\(/)
		name = substr(code, RSTART)
	}
	sub(/[^A-Za-z_0-9].*/, "", name)
	claim(name)
	if (code ~ /^[^;]*\(/ && code !~ /^typedef/)
		is_function[name] = 1
	indent = index(code, "(") > 44 ? 8 : index(code, code ~ /^typedef/ ? ")(" : "(") + (code ~ /^typedef/)
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

# compound CODE: a struct with what is described of it, an enum with all that is public
function compound(code,	n, i, line, out, name, hidden)
{
	n = split(code, line, /\n/)
	out = line[1] "\n"
	name = line[1]
	sub(/^[a-z]+ /, "", name)
	sub(/ .*/, "", name)
	claim(name)
	for (i = 2; line[i] !~ /^\}/; i++) {
		gsub(/ nap__(zero|line)| __attribute__\(\(.*\)\)/, "", line[i])
		sub(/^\t/, "    ", line[i])
		gsub(/\t+/, " ", line[i])
		if (code ~ /^struct/)
			sub(/ *\/\*.*/, "", line[i])
		name = line[i]
		sub(/ *\/\*.*/, "", name)
		if (code ~ /^enum/) {
			gsub(/[^A-Za-z_0-9=].*|=.*/, "", name)
			sub(/^ */, "", line[i])
			sub(/^ */, "", name)
		}
		if (code ~ /^enum/ ? line[i] !~ /^[A-Z]/ || line[i] ~ /^[A-Z]+__/ : !described(name))
			hidden = 1
		else
			out = out (code ~ /^enum/ ? "    " : "") line[i] "\n"
		if (code ~ /^enum/ && match(line[i], /^[A-Z][A-Z_0-9]+/))
			claim(substr(line[i], 1, RLENGTH))
	}
	return out (hidden && code ~ /^struct/ ? "    ...\n" : "") "};"
}

# described MEMBER: by an @ of the comment; of several in one line the last one counts
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

# From here on: pages are written

END {
	if (failed)
		exit 1
	for (i = 1; i <= nr_pages; i++)
		write_page(pages[i])
	for (name in page_of) {
		if (name == page_of[name])
			continue
		print ".so man3/" page_of[name] ".3" >(to "/" name ".3")
		close(to "/" name ".3")
	}
}

function put(text)
{
	print text >file
}

function write_page(name,	i, n, names, first, line)
{
	page = name
	file = to "/" page ".3"
	returned = ""
	nr_refs = 0
	split("", seen)
	put(".\\\" Made from nap/" header_of[page] " by tools/man.awk.")
	put(".TH " toupper(page) " 3 " date " \"" version "\" \"Library Functions Manual\"\n.nh\n.ad l\n.SH NAME")
	for (i = 2; i <= nr_names[page]; i++)
		if (name_of[page, i] in is_function)
			names = names ", " name_of[page, i]
	for (i = 2; i <= nr_names[page]; i++)
		if (!(name_of[page, i] in is_function))
			names = names ", " name_of[page, i]
	wrap(page names " \\- " escaped(about[page]))
	put(".SH LIBRARY\nnap\n.RB ( \\-lnap )\n.SH SYNOPSIS\n.nf\n.B #include <nap/" header_of[page] ">\n.PP")
	n = split(shown[page], line, /\n/)
	for (i = 1; i < n; i++)
		put(line[i] == "" ? ".PP" : shown_line(line[i]))
	put(".fi\n.SH DESCRIPTION")
	first = 1
	paragraphs(body[page], "", 1)
	for (i = 1; i <= nr_blocks[page]; i++)
		one_block(block[page, i])
	if (returned != "")
		printf ".SH RETURN VALUE\n%s", returned >file
	example(examples "/" page ".c")
	see_also()
	close(file)
}

# one_block TEXT: a heading, what it is, its arguments, and more
function one_block(text,	at, title, what)
{
	at = index(text, " - ")
	title = substr(text, 1, at - 1)
	sub(/^typedef /, "", title)
	text = substr(text, at + 3)
	at = match(text "\n", /\n(\n|@)/)
	what = joined(substr(text, 1, at - 1))
	text = substr(text, at + 1)
	put(".SS " escaped(title))
	call = title
	what = toupper(substr(what, 1, 1)) substr(what, 2)
	paragraphs(what (what ~ /[.?!]$/ ? "" : ".") "\n" (text ~ /^@/ ? text : "\n" text), title, 1)
}

# paragraphs TEXT CALL: of a comment; FIRST: the first needs no .PP
function paragraphs(text, call, first,	n, i, line, para, tag)
{
	n = split(text, line, /\n/)
	for (i = 1; i <= n + 1; i++) {
		if (tag != "")
			sub(/^\t/, " ", line[i])
		if (i > n || line[i] ~ /^$|^\t|^@[a-z_A-Z0-9, @]+:|^- /) {
			if (para != "")
				paragraph(para, tag, call, first)
			if (para != "")
				first = 0
			para = tag = ""
		}
		if (i > n)
			break
		if (line[i] ~ /^\t/) {
			i = verbatim(line, i, n, first)
			first = 0
		} else if (match(line[i], /^@[a-z_A-Z0-9, @]+:/)) {
			tag = substr(line[i], 1, RLENGTH - 1)
			para = substr(line[i], RLENGTH + 1)
		} else if (line[i] ~ /^- /) {
			tag = "\\(bu"
			para = substr(line[i], 3)
		} else if (line[i] != "")
			para = para " " line[i]
	}
}

function paragraph(text, tag, call, first,	at)
{
	text = joined(text)
	at = tag == "" && match(text, /(^|[.)] )Returns? /) ? RSTART + (substr(text, RSTART, 1) != "R") * 2 : 0
	if (at) {
		returns(substr(text, at), call)
		text = joined(substr(text, 1, at - 1))
	}
	if (text == "" || text ~ /^Access[: ]/)	# of what the page does not show
		return
	if (tag == "\\(bu")
		put(".IP \\(bu 2")
	else if (tag != "") {
		put(".TP")
		gsub(/@/, "", tag)
		if (tag ~ /^[A-Z]/)
			put(".B " escaped(tag))
		else {
			gsub(/, /, "\\fR, \\fI", tag)
			put("\\fI" tag "\\fR")
		}
	} else if (!first)
		put(".PP")
	wrap(marked(text))
}

# returns TEXT CALL: for the section of that name, each "; -ERROR" with a tag
function returns(text, call,	at, part, n, i, e)
{
	sub(/^Returns? /, "", text)
	sub(/[^.]$/, "&.", text)
	gsub(/; (or |and )?-E/, ".\001-E", text)
	n = split(text, part, /\001/)
	returned = returned ".TP\n" marked(call) "\n" wrapped(marked(toupper(substr(part[1], 1, 1)) substr(part[1], 2)))
	if (n > 1)
		returned = returned ".RS\n"
	for (i = 2; i <= n; i++) {
		match(part[i], /^-E[A-Z0-9]+((,| and) -E[A-Z0-9]+)*/)
		e = substr(part[i], 1, RLENGTH)
		part[i] = substr(part[i], RLENGTH + 1)
		sub(/^[:,]? (when )?/, "", part[i])
		gsub(/-E/, "\\-E", e)
		returned = returned ".TP\n\\fB" e "\\fR\n" (part[i] ~ /^[.]?$/ ? "See above.\n" : \
			wrapped(marked(toupper(substr(part[i], 1, 1)) substr(part[i], 2))))
	}
	if (n > 1)
		returned = returned ".RE\n"
}

# verbatim LINE I N: those behind a tab; the last of them
function verbatim(line, i, n, first,	last)
{
	put((first ? "" : ".PP\n") ".in +4n\n.EX")
	for (last = i; i <= n; i++) {
		if (line[i] ~ /^\t/) {
			for (; last < i; last++)
				put(code_line(line[last]))
			last = i
		} else if (line[i] != "")
			break
		if (last == i || line[i] == "")
			continue
	}
	put(code_line(line[last]) "\n.EE\n.in")
	return last
}

# code_line LINE: as it is, behind the tab of the comment; indented by four columns where it has a tab
function code_line(line,	at)
{
	sub(/^\t/, "", line)
	while (at = index(line, "\t"))
		line = substr(line, 1, at - 1) sprintf("%" (8 - (at - 1) % 8) "s", "") substr(line, at + 1)
	match(line, /^ */)
	return coded(sprintf("%" (RLENGTH % 8 + int(RLENGTH / 8) * 4) "s", "") substr(line, RLENGTH + 1))
}

# coded LINE: as C is written in roff
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

# shown_line LINE: of the synopsis: bold, and the names of arguments in italics
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

function joined(text)
{
	gsub(/[ \t\n]+/, " ", text)
	sub(/^ /, "", text)
	sub(/ $/, "", text)
	return text
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

# marked TEXT: arguments in italics, what can be looked up in bold
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

# refer NAME HERE: to another page by its name, on this page as HERE
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

# see_also: what was referred to, in order of section and name
function see_also(	i, j, key, name)
{
	for (i = 2; i <= nr_refs; i++)
		for (j = i; j > 1 && order(refs[j - 1]) > order(refs[j]); j--) {
			key = refs[j]
			refs[j] = refs[j - 1]
			refs[j - 1] = key
		}
	put(".SH SEE ALSO")
	if (!nr_refs)
		put(".BR nap_pool_init (3)")
	for (i = 1; i <= nr_refs; i++) {
		name = refs[i]
		sub(/\(.*/, "", name)
		put(".BR " name " " substr(refs[i], length(name) + 1) (i < nr_refs ? "," : ""))
	}
}

function order(what)
{
	return substr(what, index(what, "(")) what
}

# wrapped TEXT: a sentence begins a line of its own, none is longer than 80 columns
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

function wrap(text)
{
	printf "%s", wrapped(text) >file
}

function example(path,	line, any)
{
	while ((getline line <path) > 0) {
		if (line ~ /SPDX/)
			continue
		if (!any++)
			put(".SH EXAMPLES\n.EX")
		put(code_line("\t" line))
	}
	close(path)
	if (any)
		put(".EE")
}
