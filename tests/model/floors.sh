#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the floors of a tool: each of its folders uses only itself and the folders before it. The
# symbols of the objects and the includes show what a folder uses. Tests also that the headers
# include each other in no circle, that no file has more than 300 lines, and that the tool uses only
# files of its own. KTAP, and a list of which folder uses which.
#
#	floors.sh				the checker's, in the order of CHECK_FLOORS (model.mk)
#	floors.sh DIRECTORY OBJECTS FOLDER...	those of another tool, in this order; NAP_GUESTS:
#						a regex of the other files that it may use

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
tool=tools/check
objects=${NAP_MODEL:-build/model}/check
floors=$(sed -n 's/^CHECK_FLOORS := //p' tests/model/model.mk)
# What the tool may use besides its own files: the checker's interface, the switch between stacks,
# and the writer of pictures, which is below both tools.
guests='include/nap/check\.h|arch/[a-z0-9_]+/(context\.[hS]|marks\.h)|tools/picture/.*'
if [ $# -gt 2 ]; then
	tool=$1 objects=$2
	guests=${NAP_GUESTS:-'tools/check/graph/matrix\.[ch]|tools/picture/.*'}
	shift 2
	floors=$*
fi
objects=$(cd "$objects" && pwd)
lowest=$(cd "$tool" && ls ${floors%% *}/*.c | head -n 1)
highest=$(cd "$tool" && ls ${floors##* }/*.c | head -n 1)

# uses SOURCES OBJECTS: prints a line "from to how" for each use of a file by another; a file is
# FOLDER/NAME.c or .h
uses()
{
	(cd "$1" && grep -rn '^#include "' $floors) |
		sed -n 's/^\([^:]*\):[0-9]*:#include "\(.*\)"/\1 \2/p' | awk '$2 ~ /\// { print $1, $2, "includes" }'
	# gcc-nm reads also what is to be optimised by the linker
	sources=$(cd "$1" && for floor in $floors; do ls $floor/*.c; done) &&
		(cd "$2" && gcc-nm -A $(echo "$sources" | sed 's/c$/o/')) | sed 's/\.o:/.c /' | awk '
		$(NF - 1) ~ /^[A-TV-Z]$/ { home[$NF] = $1 } $(NF - 1) == "U" { user[++n] = $1; used[n] = $NF }
		END { for (i = 1; i <= n; i++) if (used[i] in home) print user[i], home[used[i]], used[i] }'
}

# climbs USES: prints the uses of a higher floor; fails if there is one, or if USES is too short
# to be complete
climbs()
{
	awk -v floors="$floors" 'BEGIN { n = split(floors, name, " "); for (i = 1; i <= n; i++) floor[name[i]] = i }
		{ seen++; split($1, from, "/"); split($2, to, "/") }
		floor[to[1]] > floor[from[1]] { print $1 " uses " $2 ": " $3 }
		END { if (seen < 100) print seen + 0 " uses only: these are not the objects of the tool" }' \
		"$1" >"$tmp/out"
	[ ! -s "$tmp/out" ]
}

# circles USES: prints headers that include each other in a circle; fails if there are some
circles()
{
	awk '$3 == "includes" && $1 ~ /h$/ { print $1, $2 }' "$1" | tsort 2>&1 >"$tmp/order" | cat >"$tmp/out"
	[ -s "$tmp/order" ] && [ ! -s "$tmp/out" ]
}

# dependencies: prints every file of this tree that the compiler has read for the tool's objects
dependencies()
{
	for floor in $floors .; do
		cat "$objects/$floor"/*.d
	done | tr ' \\\\' '\n' | sed 's/:$//' | grep '^[a-z].*\.[chS]$' | sort -u |
		xargs realpath -m --relative-to=.
}

# strangers FILES: prints those of FILES that the tool may not use; fails if there is one, or if
# FILES is too short to be complete
strangers()
{
	grep -vxE "$tool/.*|$guests" "$1" >"$tmp/out"
	[ "$(grep -c "^$tool/" "$1")" -gt 20 ] || echo "these are not the files of the tool" >>"$tmp/out"
	[ ! -s "$tmp/out" ]
}

echo "TAP version 13"
echo "1..8"

uses "$tool" "$objects" >"$tmp/uses" 2>"$tmp/err"
climbs "$tmp/uses"
check "each folder uses only those below it"
circles "$tmp/uses"
check "no headers include each other in a circle"
(cd "$tool" && wc -l $(for floor in $floors; do echo "$floor/*.[ch]"; done)) |
	awk '$2 == "total" { next } $1 > 300' >"$tmp/out"
[ ! -s "$tmp/out" ]
check "no file has more than 300 lines"

dependencies >"$tmp/files" 2>"$tmp/err"
strangers "$tmp/files"
check "it is made of its own files, and of $(grep -xcE "$guests" "$tmp/files") of others that may be"

# ---- faults of each kind are found

echo "$lowest $highest somewhere" | cat "$tmp/uses" - >"$tmp/worse"
! climbs "$tmp/worse" && grep -q "^$lowest uses $highest: somewhere\$" "$tmp/out"
check "a use that climbs is found"
awk '$3 == "includes" && $1 ~ /h$/ { print; print $2, $1, $3; exit }' "$tmp/uses" | cat "$tmp/uses" - >"$tmp/worse"
! circles "$tmp/worse" && grep -q '\.h' "$tmp/out"
check "a circle is found"
echo src/sync/event.h | cat "$tmp/files" - >"$tmp/worse"
! strangers "$tmp/worse" && grep -qx src/sync/event.h "$tmp/out"
check "a file of the library is found"
: >"$tmp/worse"
! climbs "$tmp/worse"
check "objects that are not there are no success"

# ---- which folder uses which, and how large each is

awk -v floors="$floors" '{ split($1, from, "/"); split($2, to, "/"); n[from[1], to[1]]++ }
	END {
		nr = split(floors, name, " ")
		for (i = 1; i <= nr; i++) {
			line = ""
			for (k = 1; k < i; k++)
				if (n[name[i], name[k]])
					line = line " " name[k] " (" n[name[i], name[k]] ")"
			print "# " name[i] " uses" (line ? line : " nothing")
		}
	}' "$tmp/uses"
for floor in $floors; do
	wc -l $tool/$floor/*.[ch] | awk -v floor="$floor" '
		$2 == "total" { total = $1; next } { files++; sum += $1 } $1 > most { most = $1; name = $2 }
		END { print "# " floor ": " files " files, " sum " lines, the largest " name ", " most }'
done
