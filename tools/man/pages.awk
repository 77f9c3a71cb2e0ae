# SPDX-License-Identifier: MIT
#
# Writes what headers.awk has read as pages of the manual.

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

function wrap(text)
{
	printf "%s", wrapped(text) >file
}

function write_page(name,	i, n, names, line)
{
	page = name
	file = to "/" page ".3"
	returned = ""
	nr_refs = 0
	split("", seen)
	put(".\\\" Made from nap/" header_of[page] " by tools/man/.")
	put(".TH " toupper(page) " 3 " date " \"" version "\" \"Library Functions Manual\"\n.nr HY 0\n.nh\n.ad l\n.SH NAME")
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
	paragraphs(body[page], "", 1)
	for (i = 1; i <= nr_blocks[page]; i++)
		one_block(block[page, i])
	if (returned != "")
		printf ".SH RETURN VALUE\n%s", returned >file
	example(examples "/" page ".c")
	see_also()
	close(file)
}

# one_block TEXT: writes one comment: a heading, what it is, its arguments, and more
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
	what = toupper(substr(what, 1, 1)) substr(what, 2)
	paragraphs(what (what ~ /[.?!]$/ ? "" : ".") "\n" (text ~ /^@/ ? text : "\n" text), title, 1)
}

# paragraphs TEXT CALL FIRST: writes the paragraphs of a comment; with FIRST the first one needs
# no .PP
function paragraphs(text, call, first,	n, i, line, para, tag)
{
	n = split(text, line, /\n/)
	for (i = 1; i <= n + 1; i++) {
		if (tag != "")
			sub(/^\t/, " ", line[i])
		if (i > n || line[i] ~ /^$|^\t|^@[a-z_A-Z0-9]+(, @[a-z_A-Z0-9]+)*:|^- /) {
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
		} else if (match(line[i], /^@[a-z_A-Z0-9]+(, @[a-z_A-Z0-9]+)*:/)) {
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
	if (text == "" || text ~ /^Access[: ]/)	# describes fields that the page leaves out
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

# returns TEXT CALL: writes TEXT for the section RETURN VALUE, each "; -ERROR" with a tag
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
		returned = returned ".TP\n\\fB" e "\\fR\n" \
			wrapped(marked(toupper(substr(part[i], 1, 1)) substr(part[i], 2)))
	}
	if (n > 1)
		returned = returned ".RE\n"
}

# verbatim LINE I N: puts the lines that begin with a tab, from line I on; returns the index of
# the last one
function verbatim(line, i, n, first,	last)
{
	put((first ? "" : ".PP\n") ".in +4n\n.EX")
	for (last = i; i <= n && line[i] ~ /^(\t|$)/; i++)
		if (line[i] != "")
			while (last < i)
				put(code_line(line[last++]))
	put(code_line(line[last]) "\n.EE\n.in")
	return last
}

# see_also: writes the names that the page refers to, in order of section and name
function see_also(	i, j, key, name)
{
	for (i = 2; i <= nr_refs; i++)
		for (j = i; j > 1 && order(refs[j - 1]) > order(refs[j]); j--) {
			key = refs[j]
			refs[j] = refs[j - 1]
			refs[j - 1] = key
		}
	put(".SH SEE ALSO")
	for (i = 1; i <= nr_refs; i++) {
		name = refs[i]
		sub(/\(.*/, "", name)
		put(".BR " name " " substr(refs[i], length(name) + 1) ",")
	}
	put(".BR nap (7)")
}

function order(what)
{
	return substr(what, index(what, "(")) what
}

# example PATH: writes a program, if there is one
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
