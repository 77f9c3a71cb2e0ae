# SPDX-License-Identifier: MIT
#
# Prints the final report of tools/mutate_random.sh, from OUT/results, the changes with their
# current reasons in the tree, and the list of requested changes. Writes the survivors to the file
# @survivors.

FILENAME == ARGV[1] {
	verdict[$2, $3, $4, $5, $6] = $1
	message[$2, $3, $4, $5, $6] = $7
	next
}
FILENAME == ARGV[2] {
	reason[$1, $2, $5, $6, $8] = $9
	next
}
{
	v = ($1, $2, $5, $6, $8) in verdict ? verdict[$1, $2, $5, $6, $8] : "unknown"
	why = reason[$1, $2, $5, $6, $8]
	if (v == "survived" && why != "-") {
		v = "explained"
		print "explained: " $1 ":" $3 " " $2 "() " $5 ", " $8 ": " why
	} else if (why != "-" && (v == "killed" || v == "model")) {
		print "a reason, but killed: " $1 ":" $3 " " $2 "() " $5 ", " $8 ": " message[$1, $2, $5, $6, $8]
		wrong = 1
	}
	if (v == "survived")
		print $1, $2, $3, $8, $10, message[$1, $2, $5, $6, $8] >survivors
	n[v]++
	all++
}

BEGIN {
	OFS = "\t"
	printf "" >survivors
}
END {
	printf "%d changes: %d killed natively, %d by the model, %d did not build, %d equivalent by identical object code, " \
		"%d survived with a reason, %d survived\n", all, n["killed"], n["model"], n["broken"],
		n["equivalent"], n["explained"], n["survived"]
	if (n["unknown"])
		print "not tried: " n["unknown"]
	exit !all || n["unknown"] || wrong || 100 * n["survived"] > 3 * (all - n["broken"])
}
