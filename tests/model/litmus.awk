# SPDX-License-Identifier: MIT
#
# Makes scenarios for the checker of litmus tests in C11 (tests/shapes/, or random ones of
# tests/lab/brute.c). litmus.c includes the scenarios. Each thread's text is compiled as it is
# written, except its registers: these become a row in static storage, where the test's final
# condition can read them.

# registers(TEXT, THREAD): TEXT, with each register rN as entry N of the thread's row
function registers(text, thread,	out, word)
{
	gsub(/int r[0-9]+;/, "", text)
	gsub(/int r/, "r", text)
	while (match(text, /[A-Za-z_0-9]+/)) {
		word = substr(text, RSTART, RLENGTH)
		out = out substr(text, 1, RSTART - 1)
		text = substr(text, RSTART + RLENGTH)
		out = out (word ~ /^r[0-9]+$/ ? "reg[" thread "][" substr(word, 2) "]" : word)
	}
	return out text
}

# calls(TEXT): TEXT, with each nap_load_acquire(x) as load(acquire, x), a macro of litmus.c; and
# with each atomic_fetch_add_explicit() of C11 as fetch_add_explicit(), another macro of litmus.c
function calls(text,	out, name, order)
{
	gsub(/atomic_fetch_add_explicit/, "fetch_add_explicit", text)
	while (match(text, /nap_[a-z_]+\(/)) {
		name = substr(text, RSTART + 4, RLENGTH - 5)
		out = out substr(text, 1, RSTART - 1)
		text = substr(text, RSTART + RLENGTH)
		match(name, /_(relaxed|acquire|release|acq_rel|seq_cst)$/)
		order = substr(name, RSTART + 1)
		out = out substr(name, 1, RSTART - 1) "(" order (text ~ /^\)/ ? "" : ", ")
	}
	return out text
}

# asked(QUESTION): the condition in C for exists (0:r0=1 /\ [x]=2), which may lack the brackets
function asked(question,	nr, term, i, part, out)
{
	gsub(/exists|[][() ]/, "", question)
	nr = split(question, term, "/\\\\")
	for (i = 1; i <= nr; i++) {
		split(term[i], part, /[:=]/)
		out = out (i > 1 ? " && " : "") (term[i] ~ /:/ ? \
			registers(part[2], part[1]) " == " part[3] : "load(relaxed, " part[1] ") == " part[2])
	}
	return out
}

# allowed(COMMENT): the models that allow the outcome; for C11, nap-check's own verdict if COMMENT
# has one
function allowed(comment,	mask)
{
	if (comment ~ / sc [SA]/)
		mask = "CHECK_SC | "
	if (comment ~ / tso [SA]/)
		mask = mask "CHECK_TSO | "
	if (comment ~ /nap-check [SA]/ || (comment !~ /nap-check/ && comment ~ / rc11 [SA]/))
		mask = mask "CHECK_RC11 | "
	return mask "0"
}

function scenario(	i, thread, body, start)
{
	nr++
	while (match(start_text, /[xyzw]=[0-9]+;/)) {
		start = start "\tstore(relaxed, " substr(start_text, RSTART, 1) ", " \
			substr(start_text, RSTART + 2, RLENGTH - 3) ");\n"
		start_text = substr(start_text, RSTART + RLENGTH)
	}
	printf "static void s%d_setup(void)\n{\n\tname_locations();\n%s}\n\n", nr, start
	for (i = 0; i < threads; i++) {
		body = text[i]
		sub(/^P[0-9]+\([^)]*\)[^{]*\{/, "{\n\t(void)unused;\n", body)
		printf "static void s%d_P%d(void *unused)\n%s\n", nr, i, calls(registers(body, i))
		thread = thread "{ s" nr "_P" i ", NULL, NULL }, "
	}
	printf "static bool s%d_exists(void)\n{\n\treturn %s;\n}\n\n", nr, asked(question)
	gsub(/[()*{}"\\\n\t ]+/, " ", comment)
	row[nr] = sprintf("\t{ .name = \"%s\", .file = \"%s\", .about = \"%s\",\n\t  .setup = s%d_setup, " \
		".exists = s%d_exists, .models = CHECK_ALL,\n\t  .allowed = %s, .threads = { %s} },",
		name, FILENAME, substr(comment, 2), nr, nr, allowed(comment), thread)
}

/^#|^locations/ { next }
/^C / {
	name = substr($0, 3)
	threads = 0
	comment = start_text = ""
	next
}
/^P[0-9]/ { text[threads++] = "" }
/^exists/ {
	question = $0
	scenario()
	name = ""
	next
}
threads { text[threads - 1] = text[threads - 1] $0 "\n"; next }
name != "" && /\(\*/ { in_comment = 1 }
in_comment { comment = comment " " $0 }
!in_comment { start_text = start_text $0 }
/\*\)/ { in_comment = 0 }
END {
	print "static struct check_scenario scenarios[] = {"
	for (i = 1; i <= nr; i++)
		print row[i]
	print "};"
}
