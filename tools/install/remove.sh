#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Removes from DESTDIR the files that the directory STAGE has, and prints each. Headers and manual
# stay while another variant of the library is in LIBDIR. Then removes empty directories: those that
# only nap uses, and those of the manual, of pkg-config, CMake and gdb.

stage=$1 to=$2 libraries=$3

# remove: removes the files whose names it reads from standard input
remove()
{
	while read -r file; do
		file=$to${file#.}
		[ -e "$file" ] || [ -L "$file" ] || continue
		rm -f "$file" && echo "removed $file" || return 1
	done
}

# files yes: prints the stage's files that lie in LIBDIR or are gdb's for a library there; files no:
# the other files
files()
{
	(cd "$stage" && find . ! -type d) | sort | awk -v yes="$1" -v libraries=".$libraries/" '
		(index($0, libraries) == 1 || index($0, "/gdb/auto-load/") ? "yes" : "no") == yes'
}

# others: whether LIBDIR still has an archive of nap
others()
{
	for archive in "$to$libraries"/libnap.a "$to$libraries"/libnap-*.a; do
		[ ! -e "$archive" ] || return 0
	done
	return 1
}

files yes | remove || exit 1
if [ -e "$stage$libraries/libnapcheck.so" ] || ! others; then
	files no | remove || exit 1
else
	echo "headers and manual stay, because other libraries of nap are in $to$libraries"
fi
(cd "$stage" && find . -depth -type d) | while read -r directory; do
	case ${directory##*/} in
	nap | nap-* | nap_gdb | cmake | pkgconfig | man1 | man3 | man7) rmdir "$to${directory#.}" 2>/dev/null ;;
	esac
	case $directory in */nap/* | */gdb | */gdb/auto-load*) rmdir "$to${directory#.}" 2>/dev/null ;; esac
done
exit 0
