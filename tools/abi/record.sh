#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	record.sh LIBRARY		prints what abidw (Debian: abigail-tools) says of a shared library that has
#					debug information: its functions, and the types of the public headers.
#					abidiff compares two of these. Types of src/ are known by name alone, as
#					programs know them

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# By this label abidw knows a type that is to become opaque, and not to vanish.
cat >"$tmp/public" <<'END_OF_IT'
[suppress_type]
	label = Artificial private types suppression specification
	source_location_not_regexp = include/nap/[a-z_]*[.]h
	drop = yes
END_OF_IT
abidw --exported-interfaces-only --drop-private-types --suppressions "$tmp/public" --no-show-locs --no-corpus-path \
	--no-comp-dir-path --no-elf-needed --no-parameter-names --no-write-default-sizes --no-architecture \
	--out-file "$tmp/record" "$1" || exit 1
# What is the same on every line is left out, which makes a third of it.
sed "s/^ *//; s/ visibility='default'//; s/ is-struct='yes'//" "$tmp/record"
