#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that every file that the documents name exists, and that the lists of changing.rst and the
# tables of design.rst are complete. KTAP.

. "$(dirname "$0")/check.inc"

echo "TAP version 13"
echo "1..14"

# named TEXT...: prints paths in double back quotes that lie in one of nap's directories, or are
# README.md or the Makefile
named()
{
	grep -oh '``[^`]*``' "$@" | tr -d '`' | sed 's/^[[:space:]]*//' |
		grep -E '^((src|include|arch|tests|tools|Documentation)/[A-Za-z0-9_./-]*|Makefile|README\.md)$' | sort -u
}

# Paths in the kernel's sources.
of_linux='^(Documentation/scheduler/membarrier.rst|tools/memory-model/litmus-tests)$'

lacking()
{
	named "$@" | grep -Ev "$of_linux" >"$tmp/named"
	while read -r path; do
		[ -e "$path" ] || [ -e "$path.c" ] || [ -e "$path.sh" ] || echo "not there: $path"
	done <"$tmp/named" >"$tmp/out"
	[ -s "$tmp/named" ] && [ ! -s "$tmp/out" ]
}

printf '``src/no_such_file.c`` and ``Makefile``\n' >"$tmp/text"
! lacking "$tmp/text" && [ "$(cat "$tmp/out")" = 'not there: src/no_such_file.c' ]
check "a file that is not there is found"
lacking Documentation/changing.rst
check "changing.rst names files that are there ($(wc -l <"$tmp/named"))"
lacking Documentation/*.rst tests/litmus/README.rst
check "so do the others ($(wc -l <"$tmp/named"))"

# section TITLE: prints the files that a list of changing.rst names
section()
{
	awk -v title="$1" '$0 == title { getline; on = 1; next } on && /^=+$/ { exit } on' \
		Documentation/changing.rst >"$tmp/section"
	named "$tmp/section"
}

# whole TITLE PATTERN ABOUT: whether the section names every file with PATTERN, except ABOUT
whole()
{
	section "$1" >"$tmp/list"
	grep -rlE "$2" Makefile README.md arch include src tests tools |
		grep -Ev "^tests/mutants/.*\.mutants$|$3" | sort -u >"$tmp/having"
	comm -13 "$tmp/list" "$tmp/having" >"$tmp/out"
	[ -s "$tmp/list" ] && [ -s "$tmp/having" ] && [ ! -s "$tmp/out" ]
}

! whole "An idle protocol" 'NAP_IDLE_JEC' '^$' && grep -qxF src/idle/jec.h "$tmp/out"
check "a list that is not whole is found"
# The simulator's variants of JEC are about that protocol alone.
whole "An idle protocol" 'NAP_IDLE_JEC|JEC_|jec_|"jec"|[ =/-]jec\>' \
	'^src/idle/jec\.[ch]$|^tests/unit/jec(_yields)?\.c$|^tests/system/changing\.sh$|^tools/sim/(sim\.mk|variant/|work/variants\.c)'
check "the list for a protocol names every file that knows JEC ($(wc -l <"$tmp/having"))"
# The list has the files with Vyukov's name. It leaves out two other tests that use Vyukov's queue,
# because they are about other faults.
whole "A kind of queue" '[Vv]yukov' \
	'^(src/queue|tests/litmus|tests/model)/[^/]*vyukov[^/]*$|^tests/model/(stopped_blocking|published_nap)\.c$|^tests/system/changing\.sh$'
check "the list for a queue names every file that knows Vyukov's ($(wc -l <"$tmp/having"))"
# A file that only says why something holds on RISC-V needs no addition for another machine.
whole "An instruction set" 'riscv64|RISC-V,|and RISC-V|REG_RIP|nap__context_switch\(\) left' \
	'^arch/riscv64/|^arch/c11/|^include/nap/bare\.h$|^tests/unit/|^tools/check/report/pairs\.c$|^tests/system/changing\.sh$|^tools/litmus/((gallery|questions)/|tool/expect\.h$)'
check "the list for an instruction set names every file that knows RISC-V ($(wc -l <"$tmp/having"))"
whole "A field of struct nap_config" 'NAP_NAME_EXACT' '^src/thread/linux/thread_setup\.c$|^tests/system/changing\.sh$'
check "the list for a field names every file that knows a flag ($(wc -l <"$tmp/having"))"
# Files of src/ and tests that only use the field are about the number of workers.
whole "A field of struct nap_config" 'most_blocked' '^(src|tests/(fault|fuzz|model|unit))/|^include/nap/blocking\.h$|^tests/system/changing\.sh$'
check "and every file that knows one of numbers, as bindings do ($(wc -l <"$tmp/having"))"
whole "A statistic" 'jobs_stolen' '^src/fork/jobs\.c$|^tests/|^tools/(example|sim)/'
check "the list for a statistic names every file that knows jobs_stolen ($(wc -l <"$tmp/having"))"
# The memory of the workers' records, and that of a measured pool.
whole "A word, or memory, of struct nap_pool" 'nap__records_size\(pool\)|start_measure\(struct' '^$'
check "the list for a word of a pool names every file that maps or unmaps memory ($(wc -l <"$tmp/having"))"

# The table of numbers has the ones that somebody has chosen, and a user or a maintainer may ask for.
# Bits, fields and states of words are not chosen so; nor are flags of calls, numbers of the kernel,
# of the machine and of tools, and the layout of a record.
no_decision='^(EVENT|GATE|GO|INBOX|JOINER|KEY|LOCK|PLAIN|POLLER|SYNC|TAKEN|TREIBER|VYUKOV|WAIT|WATCH)_'
no_decision="$no_decision|_(ONE|BITS|MASK|SHIFT|SHUTDOWN|WATCHED|BUSY|CLOSED|WORDS)$|^JEC_EVENT"
no_decision="$no_decision|^(AWAITED|WOKEN|PASSED|ALL_PASSED|ONE|MOVE|MOVERS|SEEN_MS|SLOT_RUNS|LIST_MARK|PRODUCER_INSIDE)$"
no_decision="$no_decision|^(DEBUG_SCHEDULED|DEQUE_ALL|ENDS_TOLD|FOREIGN_ENDS|GUEST_UNREGISTERED|WAITER_IS_LISTENER)$"
no_decision="$no_decision|^(CHECK|NAP_IO|NAP_LOOP|NAP_NO|NAP_VERSION|NAP_TRACE_(AT|BY))_|^NAP_(BLOCKED|FOREVER|ALL_CLASSES)$"
no_decision="$no_decision|^NAP_(NAME_EXACT|START_ANYWHERE|ONE_CPU_EACH|FIBER_NO_GUARD)$|_INIT$|^NAP__CACHE_LINE$"
no_decision="$no_decision|^NAP_TRACE_(ON|JOINED|STOPPED|NOBODY|INJECTED|CLASSED|IN_ORDER|INNER|SPUN|POLLS|DOZES|ORDER|VERSION)$"
no_decision="$no_decision|^(CLONE|FILE|FUTEX|MADV|MEMBARRIER|PR|PRIO|PT|REBOOT|RLIMIT|SCHED|SHT|SIG|STT)_|_$"
no_decision="$no_decision|^(CLOCK_MONOTONIC|ERRNO_MAX|MAP_FLAGS|PRIORITY_MAX|PROT_READ_WRITE|SIGABRT|WNOHANG)$"
no_decision="$no_decision|^(NAME_SIZE|RELEASE_SIZE|NO_LIMIT|LARGE_PAGE|ANY_PAGE|PAGE|NANO|NS_PER_S)$"
no_decision="$no_decision|^(DRD|HG)_|^(RUNNING_ON_VALGRIND|CHANGE_ERR_DISABLEMENT|STACK_(DE)?REGISTER)$"
no_decision="$no_decision|^(_SDT_HAS_SEMAPHORES|JOIN_BY_CLOCK|NUMBERS|NAP__PARTIES|STAMP_PARTIES)$"
# numbers FILE...: prints "FILE NAME" for each number that the files define: a macro without
# arguments whose value has digits or a _MAX, and neither a text nor a builtin
numbers()
{
	awk '/^#[ \t]*define[ \t]+[A-Z_]+[ \t]/ {
			name = $0
			sub(/^#[ \t]*define[ \t]+/, "", name)
			value = name
			sub(/[ \t].*/, "", name)
			sub(/^[A-Z_]+[ \t]+/, "", value)
			sub(/\/\*.*/, "", value)
			gsub(/u?int[0-9]+_t/, "", value)
			if (value ~ /(^|[^A-Za-z_])[0-9]|_MAX/ && value !~ /["'"'"'{]|__builtin|__attribute|void/)
				print FILENAME, name
		}' "$@" |
		while read -r file name; do
			echo "$name" | grep -qE "$no_decision" || echo "$file $name"
		done | sort -u
}
# tabled: prints "FILE NAME" for each number in design.rst's table of numbers
tabled()
{
	awk '$0 == "Numbers" { on = 1 } $0 == "How it is written" { exit } !on { next }
		/^``/ { file = $1; gsub(/``/, "", file); $1 = "" }
		{ while (match($0, /``[A-Z_]+``/)) {
			print file, substr($0, RSTART + 2, RLENGTH - 4)
			$0 = substr($0, RSTART + RLENGTH) } }' Documentation/design.rst | sort -u
}
tabled >"$tmp/tabled"
numbers $(find include src -name '*.[ch]' ! -path 'src/os/bare/include/*' ! -name elf.h) >"$tmp/defined"
comm -13 "$tmp/tabled" "$tmp/defined" >"$tmp/out"
printf '#define %s\n' 'ROOM ((size_t)16 << 10)' 'HALF (ROOM / 2)' 'MOST ((uint32_t)INT32_MAX)' 'A_BITS 3' 'TEXT "1"' >"$tmp/a.h"
[ -s "$tmp/defined" ] && [ ! -s "$tmp/out" ] && [ "$(numbers "$tmp/a.h" | sed 's/.* //' | tr '\n' ' ')" = 'HALF MOST ROOM ' ]
check "design.rst has every number that decides something ($(wc -l <"$tmp/defined"))"
while read -r file name; do
	grep -qE "^(#[[:space:]]*define)?[[:space:]]+$name\>" "$file" || echo "$file defines no $name"
done <"$tmp/tabled" >"$tmp/out"
[ -s "$tmp/tabled" ] && [ ! -s "$tmp/out" ]
check "every number that it has stands in its file ($(wc -l <"$tmp/tabled"))"

# listed: prints the files of src/ that have a row in design.rst's table of files
listed()
{
	awk '$0 == "Files" { on = 1 } $0 == "Numbers" { exit }
		on && /^``src\/[^`]*\.[chS]`` / { gsub(/`/, "", $1); print $1 }' Documentation/design.rst | sort
}
# unlisted FILE...: prints the files that have no row and need one. A header needs none if there is
# a .c of its name.
unlisted()
{
	for file; do
		case $file in
		*.h) [ ! -e "${file%h}c" ] || continue ;;
		esac
		grep -qxF "$file" "$tmp/listed" || echo "$file: has no row"
	done
}
listed >"$tmp/listed"
{
	unlisted $(find src -name '*.[chS]')
	uniq -d "$tmp/listed" | sed 's/$/: has two rows/'
} >"$tmp/out"
[ ! -s "$tmp/out" ] && [ "$(unlisted src/no_such_file.h)" = 'src/no_such_file.h: has no row' ]
check "design.rst has a row for every file of src/ ($(wc -l <"$tmp/listed"))"
