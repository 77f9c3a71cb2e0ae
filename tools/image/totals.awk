# SPDX-License-Identifier: MIT
#
# Summarises the output of tests/image/init.c on the serial line. Prints every program that did not
# pass as a whole, with the tests that failed and the reasons of skips; then the totals, which are
# counted again here. -v name= names the run. Exits 1 if anything failed, or the machine did not
# come to its end.

{ sub(/\r$/, "") }
/^== begin / { program = $3; failures = skips = "" }
/^not ok [0-9]+/ && program { failed++; failures = failures "    " $0 "\n" }
/^ok [0-9]+/ && program {
	if (/# *SKIP/) {
		skipped++
		sub(/^ok [0-9]+ *# *SKIP */, "")
		skips = skips "    skipped: " $0 "\n"
	} else {
		passed++
	}
}
/^# / && program && !/^# +(RUN|OK) / { said[program] = said[program] "    | " $0 "\n" }
/^== end / {
	if (!/ 0 failed,.* status 0,/ || skips) {
		print "  " substr($0, 8)
		printf "%s%s", failures, skips
		if (!/ 0 failed,.* status 0,/)
			printf "%s", said[program]
	}
	program = ""
}
/^== first task|^== power off/ { notes = notes "  " $0 "\n"; first += /first/; off += /off/ }
/^== no task|^== the machine|^== \/programs|^image.sh|[Pp]anic|BUG:|Oops/ { notes = notes "  " $0 "\n"; bad++ }
/^== [0-9]+ passed/ { total_passed = $2 + 0; total_failed = $4 + 0; total_skipped = $6 + 0; ended = 1; print name ": " substr($0, 4) }
!first { early[NR] = $0 }

END {
	printf "%s", notes
	if (!ended || !off) {
		print name ": it did not come to its end" (program ? ", in " program : "")
		for (i = NR > 10 ? NR - 9 : 1; i <= NR && !first; i++)
			print "    | " early[i]
		total_failed++
	}
	else if (passed + 0 != total_passed || skipped + 0 != total_skipped) {
		print name ": here " passed + 0 " are counted as passed, " skipped + 0 " as skipped"
		total_failed++
	}
	else if (!(passed + skipped)) {
		print name ": no test has run"
		total_failed++
	}
	exit total_failed + failed + bad > 0
}
