#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that every mutant of tests/mutants applies to the sources at one place, and has its fields;
# and that tools/mutants.sh finds a mutant that does not apply, on sources made up here. Where a
# comment in src/ says why tests do not notice a random change (tools/mutate_random.sh), that change
# must be possible there. Nothing is built. KTAP.

cd "$(dirname "$0")/../.." || exit 1
. tests/system/check.inc
tree=$tmp/tree
mkdir -p "$tree/arch" "$tree/include/nap" "$tree/src/queue" "$tree/src/io" "$tree/tools/check" "$tree/tools/litmus/path"
echo 'all:' >"$tree/Makefile"
echo 'int nap_wait(void);' | tee "$tree/src/wait.h" >"$tree/include/nap/wait.h"
cat >"$tree/src/queue/list.c" <<'END'
#define twice(x) \
	((x) + \
	 (x))

struct list {
	int n;
};

static int push(int n);

static int pop(int n)
{
	n--;
	return n;
}

#ifdef HERE
static int push(int n)
{
	n++;
	return n;
}
#else
static int push(int n)
{
	return n;
}
#endif
END

# mutant NAME: makes a table of one mutant, whose change is on stdin
mutant()
{
	printf 'Mutant: %s\nFault: none\nSource: none\nPuts back: nothing\nTest: unit/none\n' "$1" >"$tmp/table"
	cat >>"$tmp/table"
}

# change FILE FUNCTION LINE...: prints a change for mutant
change()
{
	echo "In: $1 $2"
	shift 2
	printf '%s\n' "$@"
}

# try: asks whether the mutant would apply
try()
{
	LC_ALL=C awk -v ask=check -v tree="$tree" -v names="${1:-1-a}" -f tools/mutants/rows.awk \
		-f tools/mutants/tree.awk "$tmp/table" >"$tmp/out" 2>"$tmp/err"
}

# refused STATUS TEXT: whether the mutant does not apply, and the message has the text
refused()
{
	try
	[ $? -eq "$1" ] && [ "$(cat "$tmp/out" "$tmp/err")" = "$2" ]
}

echo 'TAP version 13'
echo '1..23'

tools/mutants.sh -n >"$tmp/out" 2>"$tmp/err"
check 'every mutant applies, and says which fault it is, whose it was, and which test notices'

(
	. tools/mutate_random/variants.inc
	changes -- $(find src -name '*.[ch]' | sort) 2>&1 >/dev/null
) >"$tmp/out"
check 'every reason for a random change that nothing notices names a change of its statement'

{
	change list.c pop '-	n--;' '+	n -= 2;'
	change queue/list.c push ' {' '-	n++;' '+	n += 2;'
	change list.c twice '-	 (x))' '+	 0)'
	change list.c 'struct list' '+	int last;' ' };'
	change Makefile - ' all:' '+	false'
} | mutant 1-a
try
check 'several changes, in functions, a macro, a structure, a whole file'
cp -a "$tree" "$tmp/copy"
LC_ALL=C awk -v ask=apply -v tree="$tmp/copy" -v name=1-a -f tools/mutants/rows.awk -f tools/mutants/tree.awk \
	"$tmp/table" >"$tmp/out" 2>"$tmp/err"
diff -r "$tree" "$tmp/copy" | grep '^[<>]' >>"$tmp/out"
[ "$(cat "$tmp/out")" = '> 	false
< 	 (x))
> 	 0)
> 	int last;
< 	n--;
> 	n -= 2;
< 	n++;
> 	n += 2;' ]
check 'they are made'

change list.c pop '-	n--;' | mutant 1-a
{ printf 'int other(void)\n{\n\tn--;\n}\n'; cat "$tree/src/queue/list.c"; } >"$tree/src/io/list.c"
mv "$tree/src/queue/list.c" "$tree/src/io/was.c"
try
check 'a file that has moved, with the same line in another function before that'
mv "$tree/src/io/was.c" "$tree/src/queue/list.c"
refused 1 '1-a: list.c: 2 files: src/io/list.c, src/queue/list.c' ||
	refused 1 '1-a: list.c: 2 files: src/queue/list.c, src/io/list.c'
check 'two files of one name'
change io/list.c pop '-	n--;' | mutant 1-a
try
check 'more of the path says which'
rm "$tree/src/io/list.c"

change no.c pop '-	n--;' | mutant 1-a
refused 1 '1-a: no.c: no such file'
check 'a file that is not there'
change ist.c pop '-	n--;' | mutant 1-a
refused 1 '1-a: ist.c: no such file'
check 'nor the end of a name'
cp "$tree/src/queue/list.c" "$tree/tools/litmus/path/list.c"
{ change list.c pop '-	n--;'; change tools/litmus/path/list.c pop '-	n--;'; } | mutant 1-a
try && { change path/list.c pop '-	n--;' | mutant 1-a; refused 1 '1-a: path/list.c: no such file'; }
check 'a file of nap-litmus, by all of its path alone'
rm "$tree/tools/litmus/path/list.c"
change list.c none '-	n--;' | mutant 1-a
refused 1 '1-a: src/queue/list.c: no function none'
check 'a function that is not there'
change list.c pop '-	n -= 3;' | mutant 1-a
refused 1 '1-a: src/queue/list.c: function pop: old lines found 0 times'
check 'lines that are not there'
change list.c push '-	return n;' | mutant 1-a
refused 1 '1-a: src/queue/list.c: function push: old lines found 2 times'
check 'lines that are there twice'
change list.c - '-	return n;' | mutant 1-a
refused 1 '1-a: src/queue/list.c: old lines found 3 times'
check 'or three times in the whole file'
{ change list.c pop '-	n--;' '-	return n;'; change list.c pop '-	return n;' '+	return 0;'; } | mutant 1-a
refused 1 '1-a: src/queue/list.c: two changes of one line'
check 'two changes of one line'

change list.c pop '-	n--;' '+	n--;' | mutant 1-a
refused 2 '1-a: In: list.c pop: old and new are the same'
check 'old and new are the same'
change list.c pop '+	n--;' | mutant 1-a
refused 2 '1-a: In: list.c pop: no old line'
check 'no old line'
mutant 1-a </dev/null
refused 2 '1-a: changes nothing'
check 'no change'
change list.c pop '-	n--;' | mutant 1-a
sed -i '/^Test/d' "$tmp/table"
refused 2 '1-a: no Test, Model or Check'
check 'no test'
change list.c pop '-	n--;' | mutant 1-a
sed -i '/^Source/d' "$tmp/table"
refused 2 '1-a: no Fault, Source or Puts back'
check 'not whose fault it was'

# both FIRST SECOND: makes a table of two mutants
both()
{
	change list.c pop '-	n--;' | mutant "$2"
	{ sed "s/^Mutant: .*/Mutant: $1/" "$tmp/table"; echo; cat "$tmp/table"; } >"$tmp/two"
	mv "$tmp/two" "$tmp/table"
}
both 01-a 01-a
refused 2 '01-a: a second one of this name'
check 'a name twice'
both 100-a 100-b
refused 2 '100-b: the number of 100-a'
check 'a number twice'
both 01-a 01-b
try 01-b
check 'which mutants of one fault may have, one below the other'
