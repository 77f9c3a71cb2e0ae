#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	record.sh LIBRARY		prints what abidw (Debian: abigail-tools) says of a shared library that has
#					debug information: its functions, and the types of the public headers.
#					abidiff compares two of these. Types of src/ are known by name alone, as
#					programs know them

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# Under this label abidw makes a type opaque. Under another label it would drop the type.
cat >"$tmp/public" <<'END_OF_IT'
[suppress_type]
	label = Artificial private types suppression specification
	source_location_not_regexp = include/nap/[a-z_]*[.]h
	drop = yes
END_OF_IT
abidw --exported-interfaces-only --drop-private-types --suppressions "$tmp/public" --no-show-locs --no-corpus-path \
	--no-comp-dir-path --no-elf-needed --no-parameter-names --no-write-default-sizes --no-architecture \
	--out-file "$tmp/record" "$1" || exit 1
# Attributes that are the same on every line are left out. They are two thirds of the text.
sed "s/^ *//; s/ visibility='default'//; s/ is-struct='yes'//" "$tmp/record"
