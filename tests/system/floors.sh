#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that each room (folder) of src/ uses only those above it in the table of design.rst, section
# "Rooms", and that files use each other in no circle: by the symbols of the objects in NAP_BUILD
# (the hosted library, or the bare one), and by includes. A file of another room may include the
# room's door, which is a header, and the headers that the door's first comment names behind
# "Open:". Also tests that no two files have a static function of one name, so that a backtrace says
# where the function is, and that each tag of a struct is defined once. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}
document=Documentation/design.rst

# The symbols of higher rooms that lower rooms use: each is a door that the section names.
DOORS='nap__worker_main nap__join_canceled nap__idle_protocols nap__fiber_ops nap__files_ops'
# The doors of kinds of work: rows of a table (src/worker/source.c).
DOORS="$DOORS nap__calls_source nap__jobs_source nap__classes_source nap__ends_source nap__trace_ops nap__measure_ops"

# Static functions that still share a name with another.
STILL_TWICE='count end timespec_of'

# rooms DOCUMENT: prints the section's table, a room a line; the first room uses no other
rooms()
{
	awk '/^===/ && last == "Rooms" { on = 1; next }
		on && /^===.* ===/ && ++rules == 2 { exit }
		on && rules && /^``[a-z]+\/``/ { gsub(/`|\/.*/, ""); print }
		{ last = $0 }' "$1"
}

# uses: prints "S user file symbol" for each symbol that an object uses, and "I user file" for
# each include of src/. A weak symbol stands in for that of another file (src/os/bare/string.c).
uses()
{
	find src -name '*.c' | sed 's,^src/\(.*\)c$,\1o,' | LC_ALL=C sort | while read -r file; do
		[ ! -e "$build/obj/$file" ] || echo "$file"
	done >"$tmp/objects"
	(cd "$build/obj" && nm -g $(cat "$tmp/objects")) | awk '
		/\.o:$/ { file = $0; sub(/o:$/, "c", file); print "F", file; next }
		NF { print ($(NF - 1) ~ /^[Uw]$/ ? "U" : $(NF - 1) == "W" ? "weak" : "D"), file, $NF }
	' | awk '
		$1 == "F" { print }
		$1 == "D" { home[$3] = $2 }
		$1 == "U" { user[++uses] = $2; used[uses] = $3 }
		END {
			for (i = 1; i <= uses; i++)
				if (home[used[i]] != "" && home[used[i]] != user[i])
					print "S", user[i], home[used[i]], used[i]
		}'
	includes src | sed 's/^/I /'
}

# includes DIRECTORY: prints "file other" for each include in a file below DIRECTORY
includes()
{
	(cd "$1" && find . -name '*.[ch]' | sed 's,^\./,,' | LC_ALL=C sort >"$tmp/sources" && awk '
		FILENAME == ARGV[1] { there[$1]; next }
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			other = $0
			gsub(/^[^"]*"|".*/, "", other)
			beside = FILENAME
			sub(/[^\/]*$/, other, beside)
			while (sub(/[^\/]*\/\.\.\//, "", beside))
				;
			if (other in there)
				print FILENAME, other
			else if (beside in there)
				print FILENAME, beside
		}' "$tmp/sources" $(cat "$tmp/sources"))
}

# climbs TABLE USES: prints uses of a room that is not above, and rooms that the table lacks;
# fails if there are some
climbs()
{
	awk -v doors="$DOORS" '
		function room(file) { sub(/\/.*/, "", file); return file }
		BEGIN { n = split(doors, name, " "); for (i = 1; i <= n; i++) door[name[i]] = 1 }
		FILENAME == ARGV[1] { if ($1 in rank) print $1 ": twice in the table"; rank[$1] = ++rooms; next }
		$1 == "F" { files++; if (!(room($2) in rank)) print $2 ": its room is not in the table" }
		$1 == "F" || $4 in door { next }
		{
			seen[$1]++
			if (rank[room($3)] > rank[room($2)])
				print $2 ($1 == "I" ? " includes " : " uses " $4 "() of ") $3 ", which is not above"
		}
		END {
			if (files < 30 || seen["S"] < 100 || seen["I"] < 100)
				print files + 0 " files, " seen["S"] + 0 " uses: the objects are not those of the library"
		}' "$1" "$2" >"$tmp/out"
	[ ! -s "$tmp/out" ]
}

# knowing TABLE USES: prints files of the core (the rooms up to life/) that include a header of an
# option (a room after life/). The core may ask options through src/worker/source.h only. Fails if
# there are such files, or if the core has no file.
knowing()
{
	awk '
		function room(file) { sub(/\/.*/, "", file); return file }
		FILENAME == ARGV[1] { if (!over) core[$1] = 1; if ($1 == "life") over = 1; next }
		$1 == "I" && room($2) in core { seen[$2] = 1 }
		$1 == "I" && room($2) in core && !(room($3) in core) { print $2 " includes " $3 }
		END { for (file in seen) n++; print n + 0 >"'"$tmp/core"'"; if (n < 50) print n + 0 " files" }
		' "$1" "$2" >"$tmp/out"
	[ ! -s "$tmp/out" ]
}

# circles: prints files that include each other in a circle, or themselves, of pairs on standard
# input; fails if there are some
circles()
{
	tee "$tmp/pairs" | awk '$1 == $2 { print $1 " includes itself" }' >"$tmp/out"
	tsort <"$tmp/pairs" 2>&1 >/dev/null | cat >>"$tmp/out"
	[ -s "$tmp/pairs" ] && [ ! -s "$tmp/out" ]
}

# open_headers DIRECTORY: prints "ROOM FILE" for each header that other rooms may include: first
# the door, then what the door's first comment names; FILE is a path below the room
open_headers()
{
	(cd "$1" && grep -rl 'The room [a-z]*/ (this header is its door)' . | LC_ALL=C sort | sed 's,^\./,,' |
		while read -r door; do
			awk -v door="$door" -v room="${door%%/*}" '
				BEGIN { print room, door, "door" }
				/^ \*\/$/ && seen { exit }
				/this header is its door/ { seen = 1 }
				sub(/^ \* Open: /, "") { on = 1 }
				on { gsub(/\*/, ""); for (i = 1; i <= NF; i++) print room, room "/" $i }' "$door"
		done)
}

# doors DIRECTORY: prints includes from another room of a header that is not open, rooms without a
# door or with two, and open headers that no other room includes; fails if there are some
doors()
{
	open_headers "$1" >"$tmp/open"
	includes "$1" >"$tmp/included"
	awk -v still="$STILL" '
		function room(file) { sub(/\/.*/, "", file); return file }
		$3 == "door" { if ($1 in door) print $1 "/ has two doors"; door[$1] = $2 }
		FILENAME == ARGV[1] { open[$2] = 1; next }
		{ rooms[room($1)] = 1 }
		room($1) == room($2) || $0 == still { next }
		{ rooms[room($2)] = 1; used[$2] = 1 }
		!($2 in open) { print $1 " includes " $2 ", which is not open" }
		END {
			for (file in open)
				if (!(file in used) && file != door[room(file)])
					print file " is open, and used by no other room"
			for (r in rooms)
				if (!(r in door))
					print r "/ has no door"
		}' "$tmp/open" "$tmp/included" >"$tmp/out"
	[ -s "$tmp/open" ] && [ ! -s "$tmp/out" ]
}

# by_symbols USES: prints which file uses which, except the uses of doors
by_symbols()
{
	awk -v doors="$DOORS" '
		BEGIN { n = split(doors, name, " "); for (i = 1; i <= n; i++) door[name[i]] = 1 }
		$1 == "S" && !($4 in door) { print $2, $3 }' "$1"
}

# twice DIRECTORY: prints names of static functions that more than one file below DIRECTORY has,
# each with its files; fails if there are some. The operations of two idle protocols may have the
# same names, and so may a hosted file and a bare one.
twice()
{
	(cd "$1" && find . -name '*.[ch]' | LC_ALL=C sort | sed 's,^\./,,' | xargs awk -v still="$STILL_TWICE" '
		function is_of_idle(file) { return file ~ /^idle\/[a-z]*\.c$/ }
		function are_alike(a, b) {
			return a == b || (is_of_idle(a) && is_of_idle(b)) ||
				(a ~ /\/bare\// && b ~ /\/hosted\//) || (a ~ /\/hosted\// && b ~ /\/bare\//)
		}
		BEGIN { n = split(still, names, " "); for (i = 1; i <= n; i++) skip[names[i]] = 1 }
		FNR == 1 { begun = 0 }
		/^(static|IN_LINE|LOOP)[ \t]/ { text = ""; begun = 1 }
		!begun { next }
		{ text = text " " $0 }
		/[;{=]/ {
			begun = 0
			gsub(/__attribute__\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", text)
			if (!index(text, "{") || index(text, "=") || index(text, "##") || !match(text, /[A-Za-z_0-9]+\(/))
				next
			functions++
			name = substr(text, RSTART, RLENGTH - 1)
			if (name in first && !(name in skip) && !are_alike(first[name], FILENAME))
				print name "() of " first[name] " and of " FILENAME
			if (!(name in first))
				first[name] = FILENAME
		}
		END { if (!functions) print "no static function was found" }') >"$tmp/out" && [ ! -s "$tmp/out" ]
}

# tags DIRECTORY: prints tags of a struct, union or enum that more than one file below DIRECTORY
# defines, each with its files; fails if there are some. A hosted file and a bare one may have the
# same tags.
tags()
{
	(cd "$1" && find . -name '*.[ch]' | LC_ALL=C sort | sed 's,^\./,,' | xargs awk '
		/^[ \t]*(typedef )?(struct|union|enum) [A-Za-z_0-9]+ \{/ {
			name = $0
			sub(/^[ \t]*(typedef )?[a-z]+ /, "", name)
			sub(/ .*/, "", name)
			tags++
			if (name in first && first[name] != FILENAME &&
			    first[name] FILENAME !~ /\/bare\/.*\/hosted\/|\/hosted\/.*\/bare\//)
				print name " of " first[name] " and of " FILENAME
			first[name] = FILENAME
		}
		END { if (!tags) print "no tag was found" }') >"$tmp/out" && [ ! -s "$tmp/out" ]
}

echo "TAP version 13"
echo "1..18"
uses >"$tmp/uses"
rooms "$document" >"$tmp/table"

awk '$1 == "sched" { late = 1; next } { print } END { if (late) print "sched" }' "$tmp/table" >"$tmp/wrong"
! climbs "$tmp/wrong" "$tmp/uses" && grep -q '^[a-z_/]*\.c uses nap__[a-z_]*() of sched/run\.c, which is not above$' "$tmp/out"
check "a file that uses a room below its own is found"
grep -q '^[a-z_/]*\.c includes sched/[a-z]*\.h, which is not above$' "$tmp/out"
check "so is one that includes from there"
grep -vx sched "$tmp/table" >"$tmp/wrong"
! climbs "$tmp/wrong" "$tmp/uses" && grep -qx 'sched/search.c: its room is not in the table' "$tmp/out"
check "a room that the table lacks is found"
climbs "$tmp/table" "$tmp/uses"
check "each room uses only those above it ($(grep -c ^F "$tmp/uses") files)"
mkdir -p "$tmp/knowing/sched" "$tmp/knowing/os/linux" "$tmp/knowing/fork"
echo '#include "fork/jobs.h"' >"$tmp/knowing/sched/run.c"
echo ' # include"../../fork/jobs.h"' >"$tmp/knowing/os/linux/os.c"
: >"$tmp/knowing/fork/jobs.h"
{ cat "$tmp/uses"; includes "$tmp/knowing" | sed 's/^/I /'; } >"$tmp/wrong"
! knowing "$tmp/table" "$tmp/wrong" && grep -qx 'sched/run.c includes fork/jobs.h' "$tmp/out" &&
	grep -qx 'os/linux/os.c includes fork/jobs.h' "$tmp/out"
check "a file of the core that includes a header of an option is found"
knowing "$tmp/table" "$tmp/uses"
check "none does (0 of $(cat "$tmp/core"))"
(cd src && ls -d */) | tr -d / >"$tmp/there"
LC_ALL=C sort "$tmp/table" | cmp -s - "$tmp/there" && [ "$(wc -l <"$tmp/there")" -gt 5 ]
check "the table has the rooms that are there"
sed -n 's/^ROOMS [+:]= \([a-z]*\).*/\1/p' Makefile >"$tmp/made"
cmp -s "$tmp/made" "$tmp/table"
check "so does the Makefile, in this order"

printf 'a b\nb c\nc a\n' | circles
[ $? -ne 0 ] && grep -q loop "$tmp/out" && printf 'a b\nc c\n' | { ! circles; } && grep -qx 'c includes itself' "$tmp/out"
check "a circle is found"
by_symbols "$tmp/uses" | circles
check "no files use each other in a circle ($(wc -l <"$tmp/pairs") uses)"
includes src | grep '\.h .*\.h$' | circles
check "no headers include each other in a circle ($(wc -l <"$tmp/pairs") includes)"

mkdir -p "$tmp/two/idle" "$tmp/two/os/bare" "$tmp/two/os/hosted"
printf 'static void run(void)\n{\n}\n' >"$tmp/two/idle/go.c"
printf 'static void run(void)\n{\n}\nstatic int put(int a,\n\t       int b)\n{\n}\n' >"$tmp/two/idle/other.c"
printf 'static void one(void)\n{\n}\nstatic int put(void);\nint put = 1;\n' >"$tmp/two/os/bare/a.c"
printf 'static void one(void)\n{\n}\n' >"$tmp/two/os/hosted/b.c"
twice "$tmp/two" && printf 'static inline __attribute__((noinline)) int *put(void)\n{\n}\n' >"$tmp/two/c.h" &&
	! twice "$tmp/two" && grep -qx 'put() of c.h and of idle/other.c' "$tmp/out"
check "a name of static functions of two files is found"
twice src
check "each static function of src/ has a name of its own"
printf 'struct one {\n};\nstruct two;\nunion three {\n};\n' >"$tmp/two/c.h"
printf 'struct two {\n};\nstruct one *one;\n#if 1\nstruct four {\n};\n#else\nstruct four {\n};\n#endif\n' >"$tmp/two/d.h"
tags "$tmp/two" && printf 'struct outer {\n\tenum three {\n\t};\n};\n' >"$tmp/two/e.h" && ! tags "$tmp/two" &&
	[ "$(cat "$tmp/out")" = 'three of c.h and of e.h' ]
check "a tag that two files define is found"
tags src
check "each struct, union and enum of src/ has a tag of its own"

mkdir -p "$tmp/house/low/deep" "$tmp/house/high"
printf '/*\n * The room low/ (this header is its door).\n *\n * Open: deep/a.h\n *       b.h\n */\n/* c.h */\n' >"$tmp/house/low/door.h"
printf '/*\n * The room high/ (this header is its door).\n */\n#include "low/door.h"\n#include "low/deep/a.h"\n' >"$tmp/house/high/door.h"
echo '#include "low/b.h"' >"$tmp/house/high/b.c"
for header in deep/a b c; do
	: >"$tmp/house/low/$header.h"
done
doors "$tmp/house" && echo '#include "low/c.h"' >"$tmp/house/high/c.c" && ! doors "$tmp/house" &&
	[ "$(cat "$tmp/out")" = 'high/c.c includes low/c.h, which is not open' ]
check "a file that goes past the door is found"
rm "$tmp/house/high/b.c" "$tmp/house/high/c.c"
! doors "$tmp/house" && [ "$(cat "$tmp/out")" = 'low/b.h is open, and used by no other room' ] &&
	cp "$tmp/house/high/door.h" "$tmp/house/high/other.h" && ! doors "$tmp/house" &&
	grep -qx 'high/ has two doors' "$tmp/out" &&
	rm "$tmp/house/high/door.h" "$tmp/house/high/other.h" && echo '#include "low/b.h"' >"$tmp/house/high/b.h" && ! doors "$tmp/house" &&
	grep -qx 'high/ has no door' "$tmp/out"
check "so is a header that need not be open, and a room with two doors or none"
doors src
check "each file uses other rooms through their doors ($(wc -l <"$tmp/open") headers are open)"
