# SPDX-License-Identifier: MIT
#
# Reads the reasons that comments give for changes, for changes.awk:
#
#	Not noticed in tests when NAME, NAME or NAME: why

# Finds the comments above the statement @a to @b, in it, or after it: beside[1..nr_beside].
function find_beside(a, b,	i, above)
{
	nr_beside = 0
	for (i = 1; i <= nr_comment; i++) {
		above = com_behind[i] == a - 1 && (a == 1 || com_line[i] > line_of[a - 1])
		if (above || (com_behind[i] >= a && com_behind[i] < b) || (com_line[i] == last && com_behind[i] == b))
			beside[++nr_beside] = i
	}
}

# Sets names[1..] to the NAMEs of "Not noticed in tests when NAME, NAME or NAME:" in the comment
# @i, and why to what follows.
function names_of(i,	list)
{
	if (!match(comment[i], /Not noticed in tests when [^:]+:/))
		return 0
	list = substr(comment[i], RSTART + 26, RLENGTH - 27)
	why = substr(comment[i], RSTART + RLENGTH + 1)
	gsub(/ or /, ", ", list)
	return split(list, names, /, */)
}

# Returns the reason why the change @how is not noticed.
function given(how,	i, k, n, reason)
{
	reason = "-"
	for (i = 1; i <= nr_beside; i++) {
		n = names_of(beside[i])
		for (k = 1; k <= n; k++)
			if (names[k] == how && why != "") {
				used[beside[i], how] = 1
				reason = why
			}
	}
	return reason
}

# Reports names that are no change's, because such a name would be a reason for nothing.
function check_names(	i, k, n)
{
	for (i = 1; i <= nr_comment; i++) {
		if (comment[i] !~ /Not noticed in tests/)
			continue
		n = names_of(i)
		for (k = 1; k <= n; k++)
			if (!((i, names[k]) in used))
				break
		if (!n || k <= n) {
			printf "%s:%d: there is no such change here, or no reason: %s\n", file, com_line[i], comment[i] >"/dev/stderr"
			status = 2
		}
	}
}
