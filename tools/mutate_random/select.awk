# SPDX-License-Identifier: MIT
#
# Selects, for work.sh, the programs that execute the lines @first to @last of @file, in
# @function_name:
#
#	awk -v file=... -f tools/mutate_random/select.awk ALL PROGRAMS REACHED
#
# Prints ORDER COST VARIANT NAME SECONDS. COST is the time, times how much else is executed. A
# program that does not execute a statement cannot notice its change. If nothing was counted in a
# statement (the compiler has merged it with another), the programs that execute its function are
# selected. Builds without a libc are for src/os/bare/, and for code that no other build executes.

BEGIN { order["native"] = 1; order["system"] = 2; order["debug"] = 3; order["bare"] = 4; order["model"] = 5 }

FILENAME == ARGV[1] {
	split($0, field, "\t")
	if (field[1] == file && field[2] == function_name) {
		if (!from || field[3] < from)
			from = field[3] + 0
		if (field[4] > to)
			to = field[4] + 0
	}
	next
}
FILENAME == ARGV[2] { seconds[$1 " " $2] = $3; next }
{
	program = $1 " " $2
	executed[program]++
	if ($3 != file)
		next
	if ($4 == function_name "()")
		model[program] = 1
	else if ($4 + 0 >= first && $4 + 0 <= last) {
		hit[program] = any = 1
		others += $1 != "bare"
	} else if ($4 + 0 >= from && $4 + 0 <= to)
		near[program] = 1
}

END {
	for (program in seconds)
		if (program ~ /^bare/ && others && file !~ /^src\/.*\/bare\//)
			continue;
		else if (program in model || program in hit || (!any && program in near))
			print order[substr(program, 1, index(program, " ") - 1)],
				(0.02 + seconds[program]) * executed[program], program, seconds[program]
}
