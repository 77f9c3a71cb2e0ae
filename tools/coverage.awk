# SPDX-License-Identifier: MIT
#
# Computes the figures of tools/coverage.sh from the tracefile of lcov (info) and the sources.

function read_info(	line, file, f) {
	while ((getline line < info) > 0) {
		if (line ~ /^SF:/) {
			file = substr(line, 4)
			if (index(file, here) == 1)
				file = substr(file, length(here) + 1)
		} else if (line ~ /^DA:/) {
			split(substr(line, 4), f, ",")
			count[file, f[1]] = f[2]
		} else if (line ~ /^BRDA:/) {
			split(substr(line, 6), f, ",")
			ways[file, f[1]] = ways[file, f[1]] (f[4] > 0 ? "1" : "0")
		}
	}
	close(info)
}

# Splits @line, in which a comment of the line before may go on. code: the line without comments;
# said: what a comment that ends in the line explains; alone: whether the comment has the line to
# itself.
function split_line(line,	at) {
	code = said = ""
	gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
	for (;;) {
		if (in_comment) {
			at = index(line, "*/")
			comment = comment " " (at ? substr(line, 1, at - 1) : line)
			if (!at)
				return
			in_comment = 0
			line = substr(line, at + 2)
			if (comment ~ /^[ \t*]*Not (reached|counted) in tests:/)
				said = comment
		}
		at = index(line, "/*")
		if (!at)
			break
		code = code substr(line, 1, at - 1)
		line = substr(line, at + 2)
		in_comment = 1
		comment = ""
	}
	code = code line
}

function reason(text) {
	sub(/^[ \t*]*Not (reached|counted) in tests: */, "", text)
	gsub(/[ \t]+\*?[ \t]+/, " ", text)
	sub(/ *$/, "", text)
	return text
}

# Counts the ways out of line @n, two for each choice. The choice of an atomic operation's width
# does not count: of that choice only one way is ever taken.
function count_branches(n,	all, i, pair, widths, text) {
	all = ways[file, n]
	text = code
	widths = gsub(/nap_(load|store|xchg|cmpxchg|fetch_(add|sub|or|and))_/, "", text)
	if (file ~ /(^|\/)src\/arch\/atomic\.h$/ || code ~ /^[a-zA-Z_].*[(,]/ && code !~ /^[A-Z_]+\(/)
		return		# where a function begins there is no other choice
	for (i = 1; i <= length(all); i += 2) {
		pair = substr(all, i, 2)
		if (pair != "11" && widths-- > 0)
			continue
		branches += length(pair)
		taken += gsub(/1/, "", pair)
		if (pair != "")
			missed_ways = missed_ways (missed_ways ? ", " : "") (i + 1) / 2
	}
}

# Takes a line of the source. The bodies of functions begin and end with a brace in column 0.
function take_line(n, line,	is_code) {
	split_line(line)
	is_code = code ~ /[^ \t{};]/
	if (code ~ /^{[ \t]*$/) {
		body = n
		known = 0
		nr_body = 0
	}
	if (said != "") {
		why[n] = said
		if (!is_code)
			carried = said
	}
	if (line ~ /^[ \t]*$/)
		carried = ""
	if ((file, n) in count) {
		known = 1
		lines++
		if (count[file, n] > 0) {
			reached++
			carried = ""
			if (n in why && is_code)
				stale = stale file ":" n ": explained, yet reached: " line "\n"
		} else {
			miss(n, line)
		}
		missed_ways = ""
		count_branches(n)
		if (missed_ways) {
			sub(/^[ \t]+/, "", line)
			print file ":" n ": choice " missed_ways ": " line > list
		}
	} else if (body && is_code && n > body) {
		in_body[++nr_body] = n
		text_of[nr_body] = line
	}
	if (body && code ~ /^}/) {
		for (i = 1; !known && i <= nr_body; i++) {
			lines++
			miss(in_body[i], text_of[i])
		}
		body = 0
	}
}

function miss(n, line) {
	sub(/^[ \t]+/, "", line)
	if (n in why || carried != "") {
		explained++
		missed = missed sprintf("  %s:%d: %s\n      explained: %s\n", file, n, line,
			reason(n in why ? why[n] : carried))
	} else {
		unexplained++
		missed = missed sprintf("  %s:%d: %s\n      NOT EXPLAINED\n", file, n, line)
	}
}

function percent(part, whole) {
	return whole ? sprintf("%5.1f %%", int(1000 * part / whole) / 10) : "      -"
}

function print_figures(name, reached, lines, taken, branches) {
	printf "%-28s %5d / %5d %s   %5d / %5d %s\n", name, reached, lines, percent(reached, lines),
		taken, branches, percent(taken, branches)
}

BEGIN {
	read_info()
	printf "" > list
	printf "%-28s %13s %7s   %13s %7s\n", "file", "lines reached", "", "branches taken", ""
	for (i_file = 1; i_file < ARGC; i_file++) {
		file = ARGV[i_file]
		if (file == "--")
			continue
		lines = reached = branches = taken = n = body = in_comment = 0
		carried = ""
		split("", why)
		while ((getline line < file) > 0)
			take_line(++n, line)
		close(file)
		if (!n) {
			print file ": cannot be read, or is empty"
			failed = 1
		}
		group = file ~ /^src\// ? "src/" : "others"
		sum[group, "lines"] += lines; sum[group, "reached"] += reached
		sum[group, "branches"] += branches; sum[group, "taken"] += taken
		if (lines)
			print_figures(file, reached, lines, taken, branches)
	}
	print_figures("src/", sum["src/", "reached"], sum["src/", "lines"],
		sum["src/", "taken"], sum["src/", "branches"])
	print_figures("all", sum["src/", "reached"] + sum["others", "reached"],
		sum["src/", "lines"] + sum["others", "lines"],
		sum["src/", "taken"] + sum["others", "taken"],
		sum["src/", "branches"] + sum["others", "branches"])
	printf "%d lines not reached, %d of them explained%s\n%s", explained + unexplained, explained,
		explained + unexplained ? ":" : "", missed
	printf "%s", stale
	print "ways never taken, line by line: " list
	print "as HTML: " html
	if (100 * sum["src/", "reached"] < min * sum["src/", "lines"] || !sum["src/", "lines"]) {
		print "FAILED: under " min " % of the lines of src/ were reached"
		failed = 1
	}
	if (unexplained) {
		print "FAILED: " unexplained " lines were not reached and no comment says why"
		failed = 1
	}
	exit failed
}
