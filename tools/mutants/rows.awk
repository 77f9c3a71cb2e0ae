# SPDX-License-Identifier: MIT
#
# Reads the tables of mutants (tools/mutants.sh), and answers questions about them; tree.awk has the
# sources:
#
#	rows -v ask=names TABLE...			the names, a line each
#	rows -v ask=field -v name=NAME -v field=FIELD ...	that field of the mutant
#	rows -v ask=tests -v name=NAME ...		its tests, a line each, and after "|" its Make
#	rows -v ask=apply -v name=NAME -v tree=DIR ...	makes its changes in DIR
#	rows -v ask=check -v names=NAMES -v tree=DIR ...	tries the changes of all NAMES, and makes none
#
# Exits 1 if changes cannot be made, and says why; 2 if a table is not understood: then nothing is
# done.

BEGIN {
	split("Fault,Source,Puts back,Test,Model,Check,Hangs,Runs,Make", fields, ",")
	for (f in fields)
		is_field[fields[f]] = 1
}

FNR == 1	{ end_row() }
/^#/		{ next }
/^$/		{ end_row(); next }
/^Mutant: /	{ end_row(); begin_row(substr($0, 9)); next }
!within		{ bad("not within a mutant: " $0); next }
/^In: /		{ begin_change($2, substr($0, 6 + length($2))); next }
/^[-+ ]/	{ add_line(substr($0, 1, 1), substr($0, 2)); next }
		{ add_field() }

END {
	end_row()
	if (!failed)
		answer()
	exit failed
}

function bad(text)
{
	print text >"/dev/stderr"
	failed = 2
}

# Mutants of one fault share its number, and stand together; from 100 on each has its own.
function begin_row(name,	number)
{
	row = ++nr_rows
	name_of[row] = name
	within = 1
	if (name !~ /^[a-z0-9-]+$/)
		bad(name ": no name for a mutant")
	if (name in row_of)
		bad(name ": a second one of this name")
	row_of[name] = row
	if (!match(name, /^[0-9]+/))
		return
	number = substr(name, 1, RLENGTH)
	if (number in newest && (RLENGTH > 2 || newest[number] != row - 1))
		bad(name ": the number of " name_of[newest[number]])
	newest[number] = row
}

function end_row()
{
	if (!within)
		return
	within = 0
	end_change()
	if (value[row, "Fault"] == "" || value[row, "Source"] == "" || value[row, "Puts back"] == "")
		bad(name_of[row] ": no Fault, Source or Puts back")
	if (tests[row] == "")
		bad(name_of[row] ": no Test, Model or Check")
	if (!nr_changes[row])
		bad(name_of[row] ": changes nothing")
}

function add_field(	colon, key)
{
	colon = index($0, ": ")
	key = substr($0, 1, colon - 1)
	if (!(key in is_field) || nr_changes[row])
		bad(name_of[row] ": not understood: " $0)
	else if (key ~ /^(Test|Model|Check)$/)
		tests[row] = tests[row] $0 "\n"
	else if ((row, key) in value)
		bad(name_of[row] ": a second " key)
	else
		value[row, key] = substr($0, colon + 2)
}

function begin_change(file, where)
{
	end_change()
	nr_changes[row]++
	change = row SUBSEP nr_changes[row]
	file_of[change] = file
	function_of[change] = where
	if (where == "")
		bad(name_of[row] ": In: " file ": no function, or - for the whole file")
}

function end_change()
{
	if (nr_changes[row] && old[change] == "")
		bad(name_of[row] ": In: " file_of[change] " " function_of[change] ": no old line")
	else if (nr_changes[row] && old[change] == new[change])
		bad(name_of[row] ": In: " file_of[change] " " function_of[change] ": old and new are the same")
}

function add_line(mark, text)
{
	if (!nr_changes[row]) {
		bad(name_of[row] ": no In: before the line " mark text)
		return
	}
	marks[change] = marks[change] mark
	lines[change, length(marks[change])] = text
	if (mark != "+")
		old[change] = old[change] text "\n"
	if (mark != "-")
		new[change] = new[change] text "\n"
}

function answer(	i, n, all)
{
	if (ask == "names") {
		for (i = 1; i <= nr_rows; i++)
			print name_of[i]
	} else if (ask == "check") {
		n = split(names, all, " ")
		for (i = 1; i <= n; i++)
			failed += !change_tree(row_of[all[i]])
		failed = failed > 0
	} else if (!(name in row_of)) {
		bad("no mutant is called " name)
	} else if (ask == "field") {
		print value[row_of[name], field]
	} else if (ask == "tests") {
		n = split(tests[row_of[name]], all, "\n")
		for (i = 1; i < n; i++)
			print all[i] "|" value[row_of[name], "Make"]
	} else if (ask == "apply") {
		failed = !change_tree(row_of[name])
		if (!failed)
			write_tree()
	}
}
