# SPDX-License-Identifier: MIT
#
# Applies changes of mutants to a copy of the sources: finds the file, the lines, and the new text.

function list_files(	find, path)
{
	find = "cd '" tree "' && find Makefile arch include src tools/check tools/litmus -type f"
	while ((find | getline path) > 0)
		paths[++nr_paths] = path
	close(find)
}

function ends_with(path, name)
{
	if (path ~ /^tools\/litmus\//)
		return path == name
	return substr("/" path, length(path) - length(name) + 1) == "/" name
}

# Returns the file that a mutant may change and whose path is @name or ends with it; "": there is
# none. A file of tools/litmus has to be named by its whole path, because many of its names end
# other paths, too.
function find_file(name,	i, n, found)
{
	if (!nr_paths)
		list_files()
	for (i = 1; i <= nr_paths; i++)
		if (ends_with(paths[i], name))
			found = found (n++ ? ", " : "") paths[i]
	if (n == 1)
		return found
	say(name ": " (n ? n " files: " found : "no such file"))
	return ""
}

function read_file(path,	text)
{
	if (path in nr_lines)
		return
	nr_lines[path] = 0
	while ((getline text <(tree "/" path)) > 0)
		line[path, ++nr_lines[path]] = text
	close(tree "/" path)
}

# Whether line @n begins at the margin and has @where in it, as the name of a definition.
function names_it(path, n, where,	text, before, behind, at)
{
	text = line[path, n]
	if (text !~ /^[A-Za-z_#]/)
		return 0
	while ((at = index(text, where)) > 0) {
		before = before substr(text, 1, at - 1)
		behind = substr(text, at + length(where))
		if (before ~ /^# *define +$/)
			return behind ~ /^([( \t]|$)/
		if (before ~ /(^|[^A-Za-z0-9_#])$/ && behind ~ /^(\(|\[| *=| *\{|$)/)
			return text !~ /^#/
		before = before substr(text, at, 1)
		text = substr(text, at + 1)
	}
	return 0
}

# Returns the last line of the definition that begins at line @n; 0: no definition.
function end_of(path, n,	macro, opened, text)
{
	for (macro = line[path, n] ~ /^#/; n <= nr_lines[path]; n++) {
		text = line[path, n]
		if (macro && text !~ /\\$/)
			return n
		opened = opened || text ~ /\{/
		if (!macro && !opened && text ~ /;$/)
			return 0
		if (!macro && opened && (text ~ /^}/ || text ~ /^[^ \t].*};?$/))
			return n
	}
	return 0
}

# Whether the old lines of the change begin at line @n.
function is_at(path, n,	i, size)
{
	size = length(marks[change])
	for (i = 1; i <= size; i++)
		if (substr(marks[change], i, 1) != "+" && line[path, n++] != lines[change, i])
			return 0
	return 1
}

# Returns the line at which the change is to be made; 0: none, or several.
function find_place(path, where,	n, last, size, place, nr_definitions, nr_places)
{
	size = split(old[change], unused, "\n") - 1
	for (n = 1; n <= nr_lines[path]; n++) {
		last = where == "-" ? nr_lines[path] : names_it(path, n, where) ? end_of(path, n) : 0
		if (!last)
			continue
		nr_definitions++
		for (; n <= last; n++)
			if (n + size - 1 <= last && is_at(path, n)) {
				nr_places++
				place = n
			}
		n = last
	}
	if (!nr_definitions)
		say(path ": no function " where)
	else if (nr_places != 1)
		say(path ": " (where == "-" ? "" : "function " where ": ") "old lines found " nr_places + 0 " times")
	return nr_places == 1 ? place : 0
}

function say(text)
{
	print name_of[row] ": " text
}

# Notes what the change removes and adds at line @n. False: another change is in its way.
function mark_change(path, n,	i, mark, adds)
{
	for (i = 1; i <= length(marks[change]); i++) {
		mark = substr(marks[change], i, 1)
		if (mark == "+") {
			adds = adds lines[change, i] "\n"
			continue
		}
		if (adds != "" && !add_before(path, n, adds))
			return 0
		adds = ""
		if (mark == "-" && gone[path, n]++)
			return 0
		n++
	}
	return adds == "" || add_before(path, n, adds)
}

function add_before(path, n, text)
{
	if ((path, n) in added)
		return 0
	added[path, n] = text
	return 1
}

# Returns the text of a file with the changes in it.
function text_of(path,	n, text)
{
	for (n = 1; n <= nr_lines[path] + 1; n++) {
		if ((path, n) in added)
			text = text added[path, n]
		if (n <= nr_lines[path] && !((path, n) in gone))
			text = text line[path, n] "\n"
	}
	return text
}

# Prepares what mutant @of does to the tree: result[PATH]. False: it cannot be done, and why was
# printed.
function change_tree(of,	i, path, at, fails)
{
	row = of
	split("", gone)
	split("", added)
	split("", result)
	for (i = 1; i <= nr_changes[row]; i++) {
		change = row SUBSEP i
		path = find_file(file_of[change])
		if (path != "")
			read_file(path)
		at = path == "" ? 0 : find_place(path, function_of[change])
		if (at && !mark_change(path, at)) {
			say(path ": two changes of one line")
			at = 0
		}
		fails += !at
		result[path] = 1
	}
	for (path in result)
		result[path] = fails ? "" : text_of(path)
	return !fails
}

function write_tree(	path)
{
	for (path in result) {
		printf "%s", result[path] >(tree "/" path)
		close(tree "/" path)
	}
}
