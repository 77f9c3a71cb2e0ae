# SPDX-License-Identifier: MIT
#
# Writes the gallery as HTML, an article a test, for readers and for the page's scripts: its name,
# what it shows, the verdicts, its text, and the picture, which is of nap-litmus --svg=DIRECTORY.
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

# Returns the picture of the test under its dialect's own model, or "". The first picture has the
# style of all pictures.
function picture_of(    file, line, picture, style, test)
{
	test = source
	sub(/\n.*/, "", test)
	file = pictures "/" substr(test, index(test, " ") + 1) "." own[substr(test, 1, index(test, " ") - 1)]
	if (file ~ /\.$/)
		file = file (source ~ /memory_order_/ ? "rc11" : "lkmm")
	while (pictures != "" && (getline line <(file ".svg")) > 0) {
		if (line ~ /<style>/)
			style = 1
		gsub(/ (id|aria-labelledby|aria-describedby)="[^"]*"/, "", line)
		if (line !~ /^<\?xml/ && (!style || !styled))
			picture = picture line "\n"
		if (line ~ /<\/style>/) {
			style = 0
			styled = 1
		}
	}
	close(file ".svg")
	return picture
}

function print_article(    i, row, model, picture)
{
	if (name == "")
		return
	for (i = 1; i <= nr_models; i++) {
		head = head "<th>" models[i] "</th>"
		row = row cell(models[i])
	}
	# The model of the earlier kernel has a column where its verdict differs.
	if (verdicts[name, "lkmm61"] != verdicts[name, "lkmm"]) {
		head = head "<th>lkmm61</th>"
		row = row cell("lkmm61")
	}
	print "<article data-name=\"" escaped(name) "\" data-group=\"" escaped(group) "\" data-expect=\"" escaped(expect) "\">"
	print "<h3>" escaped(name) "</h3>"
	print "<p>" escaped(about) "</p>"
	print "<table><tr>" head "</tr><tr>" row "</tr></table>"
	print "<pre>" escaped(source) "</pre>"
	if (picture = picture_of())
		print "<figure>" picture "</figure>"
	print "</article>"
	name = head = ""
}

BEGIN {
	nr_models = split("sc tso armv8 rvwmo rc11 c20 lkmm", models, " ")
	own["AArch64"] = "armv8"
	own["RISCV"] = "rvwmo"
	own["X86_64"] = "tso"
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
	comment = paragraph = 0
	next
}

name == "" { next }

# The sentences of the comment, without what is expected.
/^\(\*/ { comment = 1 }
comment && /Expect:/ { comment = 0; expect = $0; sub(/.*Expect: */, "", expect) }
comment && /^ \*$/ { paragraph = 1 }
comment && /^ \* / {
	line = $0
	sub(/^ \* */, "", line)
	about = about (about ? (paragraph || line ~ /^https?:/ ? "\n" : " ") : "") line
	paragraph = 0
}
/\*\)/ { comment = 0 }

/^$/ { empty = empty "\n"; next }
{ source = source empty $0 "\n"; empty = "" }

END { print_article() }
