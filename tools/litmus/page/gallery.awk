# SPDX-License-Identifier: MIT
#
# Writes the gallery as HTML, an article a test, for readers and for the page's scripts: its name,
# what it shows, the verdicts, its text, and, where there is one, the picture.
#
#	awk -v pictures=DIRECTORY -f gallery.awk VERDICTS.csv TESTS...
#
# VERDICTS.csv is of nap-litmus --csv; TESTS are tools/litmus/gallery/*.tests.

function escaped(text)
{
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	gsub(/"/, "\\&quot;", text)
	return text
}

function cell(model,    verdict)
{
	verdict = verdicts[name, model]
	return "<td class=\"" (verdict ? tolower(verdict) : "dash") "\">" (verdict ? verdict : "\342\200\223") "</td>"
}

function print_article(    i, row, model, picture, line, file)
{
	if (name == "")
		return
	for (i = 1; i <= nr_models; i++) {
		head = head "<th>" models[i] "</th>"
		row = row cell(models[i])
	}
	print "<article data-name=\"" escaped(name) "\" data-group=\"" escaped(group) "\" data-expect=\"" escaped(expect) "\">"
	print "<h3>" escaped(name) "</h3>"
	print "<p>" escaped(about) "</p>"
	print "<table><tr>" head "</tr><tr>" row "</tr></table>"
	print "<pre>" escaped(source) "</pre>"
	for (i = nr_models; i >= 1; i--) {
		file = pictures "/" name "." models[i] ".svg"
		if (pictures == "" || (getline line <file) <= 0)
			continue
		do {
			if (line !~ /^<\?xml/)
				picture = picture line "\n"
		} while ((getline line <file) > 0)
		close(file)
		print "<figure>" picture "</figure>"
		break
	}
	print "</article>"
	name = head = ""
}

BEGIN {
	nr_models = split("sc tso armv8 rvwmo rc11 c20 lkmm", models, " ")
}

# The verdicts: path/NAME.litmus,model,Verdict!flag,...
FILENAME ~ /\.csv$/ {
	split($0, field, ",")
	sub(/.*\//, "", field[1])
	sub(/\.litmus$/, "", field[1])
	sub(/!.*/, "", field[3])
	verdicts[field[1], field[2]] = field[3]
	next
}

FNR == 1 { print_article() }
FNR == 2 { group = substr($0, 3); sub(/\.$/, "", group) }

/^==== / {
	print_article()
	name = $2
	sub(/\.litmus$/, "", name)
	source = empty = about = expect = ""
	comment = 0
	next
}

name == "" { next }

# The sentences of the comment, without what is expected.
/^\(\*/ { comment = 1 }
comment && /Expect:/ { comment = 0; expect = $0; sub(/.*Expect: */, "", expect) }
comment && /^ \* / { line = $0; sub(/^ \* */, "", line); about = about (about ? " " : "") line }
/\*\)/ { comment = 0 }

/^$/ { empty = empty "\n"; next }
{ source = source empty $0 "\n"; empty = "" }

END { print_article() }
