#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The names of all tests, read from the sources, so nothing is built or run:
#
#	sh tests/names.sh [TREE]	list them: kind, name, file; a tab between
#	sh tests/names.sh OLD NEW	print what OLD has and NEW lacks; status 1 if there is anything
#
# A tree is a commit, or . for the files as they are. A test that NEW has in another file, under the
# same kind and name, is the same test. Variables in the names of scripts' tests stand as they are
# written.

cd "$(dirname "$0")/.." || exit 2
cut=$PWD/tools/cut.awk
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# Preprocesses each program without the harness: TEST() stays as it is, and other macros are
# expanded. The tests that the preprocessor drops in this build are found in the text as it is
# written.
of_programs()
{
	find tests "$tmp/cut" -name '*.c' | while read -r file; do
		{
			grep -E '^TEST|^FIXTURE_VARIANT_ADD' "$file"
			gcc -E -P -w -DNAP_TESTS_HARNESS_H -DCHECK_THREADS=8 -Iinclude -Iarch/x86_64 -iquote src \
				-iquote tests -iquote tests/model "$file" 2>/dev/null
		} | tr '\n' ' ' | sed 's/$/\n/; s/\(TEST[A-Z_]*\|FIXTURE_VARIANT_ADD\|check_register_[a-z0-9_]*\)(/\n&/g' |
			sed -nE "s~^TEST\((\w+)\).*~test\t\1\t$file~p
				s~^TEST_[A-Z]+\((\w+), *(\w+)\).*~test\t\1.\2\t$file~p
				s~^FIXTURE_VARIANT_ADD\((\w+), *(\w+)\).*~variant\t\1.\2\t$file~p
				s~^check_register_(\w+)\(void\).*~scenario\t\1\t$file~p"
	done
}

# $1: kind; $2: an extended regular expression; $3: which group of it is the name; then the files
of_text()
{
	kind=$1 pattern=$2 group=$3
	shift 3
	for file; do
		[ ! -f "$file" ] || sed -nE "s~^$pattern.*~$kind\t\\$group\t$file~p" "$file"
	done
}

# Texts that hold programs or litmus tests are cut into them first (tools/cut.awk), into the directory $tmp/cut.
names()
{
	rm -rf "$tmp/cut"
	mkdir "$tmp/cut"
	find tests tools \( -name '*.programs' -o -name '*.tests' \) \
		-exec awk -v directory="$tmp/cut" -f "$cut" {} +
	of_programs
	find tests tools -name '*.sh' >"$tmp/scripts"
	words='(.*[^a-z_]|)(check|says|run|expect|tallies|compile|in_back|program|same)'
	of_text check "$words \"([^\"]*)\"" 3 $(cat "$tmp/scripts")
	of_text check "$words '([^']*)'" 3 $(cat "$tmp/scripts")
	of_text test 'fn ([a-z0-9_]+)\(\) \{' 1 tools/bindings/rust/nap/tests/*.rs
	of_text test '    def (test_[a-z0-9_]+)\(' 1 tests/bindings/*.py
	of_text test 'func (Test[A-Za-z]+)\(' 1 tools/bindings/go/*_test.go
	# Each line of these tables is a litmus test; the files exist only in older trees.
	of_text shape '\{ "([^"]*)"' 1 tests/model/litmus_shapes*.h
	of_text shape 'C ([^ ]+)$' 1 tests/shapes/*.shapes
	of_text verdict ' \* verdict ([a-z0-9_]+):' 1 tests/model/verdicts/*.c* "$tmp"/cut/*
	of_text mutant 'Mutant: (.*)' 1 tests/mutants/*.mutants
	find tests tools "$tmp/cut" -name '*.litmus' | sed 's~.*/\(.*\)~litmus\t\1\t&~'
}

# prints each name once, and each file's path without $tmp/cut
once()
{
	sed "s~\t$tmp/cut/~\t~" | sort -u
}

# $1: a tree
list()
{
	[ "$1" != . ] || { names | once; return; }
	mkdir "$tmp/tree" && git archive "$1" arch include src tests tools | tar x -C "$tmp/tree" || exit 2
	(cd "$tmp/tree" && names | once)
	rm -rf "$tmp/tree"
}

if [ $# -lt 2 ]; then
	list "${1:-.}"
	exit
fi
list "$1" >"$tmp/old"
list "$2" >"$tmp/new"
# If fewer files of NEW than of OLD have a test, prints the test with each file that has lost it.
awk -F '\t' '
	{ id = $1 FS $2 }
	FILENAME == ARGV[1] { news[id]++; has[$0]; next }
	{ olds[id]++ }
	!($0 in has) { gone[id] = gone[id] "\n" $0 }
	END {
		for (id in olds)
			if (olds[id] > news[id]) {
				print substr(gone[id], 2)
				status = 1
			}
		exit status
	}' "$tmp/new" "$tmp/old" >"$tmp/lacking"
status=$?
sort "$tmp/lacking"
exit $status
