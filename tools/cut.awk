# SPDX-License-Identifier: MIT
#
# Cuts texts into the files that they hold. A line "==== NAME" begins the file NAME. Lines before
# the first such line go to no file; empty lines before a later one are left out.
#
#	awk -v directory=DIRECTORY -f tools/cut.awk TEXT...

FNR == 1 { file = "" }

/^==== / {
	if (file != "")
		close(file)
	file = directory "/" $2
	empty = ""
	printf "" >file
	next
}

/^$/ { empty = empty "\n"; next }

file != "" {
	printf "%s%s\n", empty, $0 >file
	empty = ""
}
