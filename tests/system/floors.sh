#!/bin/sh
# SPDX-License-Identifier: MIT
#
# That each file of src/ uses only what is below it, in the order of design.rst, section "Floors":
# by the symbols of the objects in NAP_BUILD (the hosted library, or the bare one), and by the
# headers' includes. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
build=${NAP_BUILD:-build}
document=Documentation/design.rst

# What goes up on purpose, each through a door that the section names.
UP='nap__worker_main nap__join_canceled nap__idle_protocols nap__fiber_ops nap__files_ops'

# floors DOCUMENT: the section's table, "floor file" a line, from the top
floors()
{
	awk '/^===/ && last == "Floors" { on = 1; next }
		on && /^===/ { exit }
		on && /^    [^ ]/ { floor++ }
		on && /^    / { for (i = 1; i <= NF; i++) if ($i ~ /\.c$/) print floor, $i }
		{ last = $0 }' "$1"
}

# symbols: "D file symbol" and "U file symbol" of each object, per source file. A weak one stands in for
# that of another file (src/kit/bare/without.c).
symbols()
{
	find src -name '*.c' | sed 's,^src/,,' | LC_ALL=C sort | while read -r file; do
		[ -e "$build/obj/${file%.c}.o" ] || continue
		echo "F $file"
		nm -g "$build/obj/${file%.c}.o" | awk -v file="$file" '
			$(NF - 1) != "W" { print ($(NF - 1) ~ /^[Uw]$/ ? "U" : "D"), file, $NF }'
	done
}

# climbs TABLE: uses of a file that is not below, and files that the table lacks; false: there are some
climbs()
{
	awk -v up="$UP" '
		BEGIN { n = split(up, name, " "); for (i = 1; i <= n; i++) door[name[i]] = 1 }
		FILENAME == ARGV[1] { if ($2 in floor) print $2 ": twice in the table"; floor[$2] = $1; next }
		$1 == "F" { files++; if (!($2 in floor)) print $2 ": not in the table" }
		$1 == "D" { home[$3] = $2 }
		$1 == "U" { user[++uses] = $2; used[uses] = $3 }
		END {
			for (i = 1; i <= uses; i++) {
				file = home[used[i]]
				if (file == "" || file == user[i] || used[i] in door)
					continue
				seen++
				if (floor[file] <= floor[user[i]])
					print user[i] " uses " used[i] "() of " file ", which is not below"
			}
			if (files < 30 || seen < 100)
				print files + 0 " files, " seen + 0 " uses: the objects are not those of the library"
		}' "$1" "$tmp/symbols" >"$tmp/out"
	[ ! -s "$tmp/out" ]
}

# circles DIRECTORY: headers that include each other, or themselves, in a circle; false: there are some
circles()
{
	(cd "$1" && find . -name '*.h' | sed 's,^\./,,' | while read -r file; do
		sed -n 's/^#[[:space:]]*include "\(.*\)"/\1/p' "$file" | while read -r other; do
			if [ "$other" = "$file" ]; then
				echo "$file includes itself" >&2
			elif [ -e "$other" ]; then
				echo "$file $other"
			elif [ -e "$(dirname "$file")/$other" ]; then
				echo "$file $(dirname "$file")/$other"
			fi
		done
	done) 2>"$tmp/self" >"$tmp/includes"
	tsort <"$tmp/includes" 2>&1 >/dev/null | cat "$tmp/self" - >"$tmp/out"
	[ -s "$tmp/includes" ] && [ ! -s "$tmp/out" ]
}

# headers_climb TABLE: headers that include one of a file which is not below that of their own name;
# false: there are some.
headers_climb()
{
	awk '
		FILENAME == ARGV[1] { sub(/\.c$/, ".h", $2); floor[$2] = $1; next }
		$1 in floor && $2 in floor {
			seen++
			if (floor[$2] <= floor[$1])
				print $1 " includes " $2 ", which is not below"
		}
		END { if (!seen) print seen + 0 " includes: these are not the headers" }' "$1" "$tmp/includes" >"$tmp/out"
	[ ! -s "$tmp/out" ]
}

echo "TAP version 13"
echo "1..9"
symbols >"$tmp/symbols"
floors "$document" >"$tmp/table"

awk '$2 == "sched/run.c" { $1 = 1 } { print }' "$tmp/table" >"$tmp/wrong"
! climbs "$tmp/wrong" && grep -q '^[a-z_/]*\.c uses nap__[a-z]*() of sched/run\.c, which is not below$' "$tmp/out"
check "a file that uses one above it is found"
grep -v ' sched/search\.c$' "$tmp/table" >"$tmp/wrong"
! climbs "$tmp/wrong" && grep -qx 'sched/search.c: not in the table' "$tmp/out"
check "a file that stands nowhere is found"
climbs "$tmp/table"
check "each file uses only what is below it ($(grep -c ^F "$tmp/symbols") files)"
awk '{ print $2 }' "$tmp/table" | while read -r file; do
	[ -e "src/$file" ] || echo "$file: in the table, and not there"
done >"$tmp/out"
[ ! -s "$tmp/out" ]
check "the table names files that are there"

mkdir "$tmp/headers"
printf '#include "b.h"\n' >"$tmp/headers/a.h"
printf '#include "c.h"\n' >"$tmp/headers/b.h"
printf '#include "a.h"\n' >"$tmp/headers/c.h"
! circles "$tmp/headers" && grep -q loop "$tmp/out" && grep -q 'b\.h' "$tmp/out"
check "a circle of headers is found"
printf '#include "c.h"\n' >"$tmp/headers/c.h"
! circles "$tmp/headers" && grep -qx 'c.h includes itself' "$tmp/out"
check "a header that includes itself is found"
circles src
check "no headers include each other in a circle ($(wc -l <"$tmp/includes") includes)"
awk '$2 == "worker/leaving.c" { $1 = 1 } { print }' "$tmp/table" >"$tmp/wrong"
! headers_climb "$tmp/wrong" && grep -qx '[a-z_/]*\.h includes worker/leaving.h, which is not below' "$tmp/out"
check "a header that includes one above it is found"
headers_climb "$tmp/table"
check "headers include those of files that are below"
