# SPDX-License-Identifier: MIT
#
# Writes page.html. In place of each word @include FILE it writes the text of the file, in place of
# each @insert FILE the file's first line. The files are beside page.html; those that are made are
# in the directory @made.
#
#	awk -v made=DIRECTORY -f page.awk tools/litmus/page/page.html

function place(name)
{
	return (name ~ /^(gallery\.html|engine\.base64|script\.)/ ? made : here) "/" name
}

function fail(file)
{
	print "page.awk: there is no " file >"/dev/stderr"
	failed = 1
	exit 1
}

function include(file,    line, found)
{
	while ((getline line <file) > 0) {
		found = 1
		if (line !~ /^[^"]*SPDX-License-Identifier/)
			print line
	}
	close(file)
	if (!found)
		fail(file)
}

function first_line(file,    line)
{
	if ((getline line <file) <= 0)
		fail(file)
	return line
}

FNR == 1 { here = FILENAME; sub(/\/[^\/]*$/, "", here) }

/@insert [a-z0-9]+\.[a-z0-9]+/ {
	match($0, /@insert [a-z0-9]+\.[a-z0-9]+/)
	$0 = substr($0, 1, RSTART - 1) first_line(place(substr($0, RSTART + 8, RLENGTH - 8))) substr($0, RSTART + RLENGTH)
}

/@include [a-z0-9]+\.[a-z0-9]+/ {
	match($0, /@include [a-z0-9]+\.[a-z0-9]+/)
	printf "%s", substr($0, 1, RSTART - 1)
	include(place(substr($0, RSTART + 9, RLENGTH - 9)))
	print substr($0, RSTART + RLENGTH)
	next
}

{ print }

END { exit failed }
