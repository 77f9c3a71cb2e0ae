#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A corpus is one text. Each line is an input: its bytes in hexadecimal and, if the input has a
# name, a space and the name.
#
#	tests/fuzz/pack.sh unpack TEXT DIRECTORY	makes a file of each input, for libFuzzer
#	tests/fuzz/pack.sh pack DIRECTORY TEXT		makes the text: each input once, sorted

set -eu
LC_ALL=C
export LC_ALL
case $1 in
unpack)
	rm -rf "$3"
	mkdir -p "$3"
	# The shell's printf(1) writes every byte. Not every awk can write a byte of 0.
	awk -v directory="$3" '
		BEGIN { for (i = 0; i < 256; i++) octal[sprintf("%02x", i)] = sprintf("\\%03o", i) }
		!/^#/ && NF {
			text = ""
			for (i = 1; i < length($1); i += 2)
				text = text octal[substr($1, i, 2)]
			name = NF > 1 ? $2 : sprintf("input-%04d", NR)
			printf "printf '\''%s'\'' >'\''%s/%s'\''\n", text, directory, name
		}' "$2" | sh
	;;
pack)
	{
		echo "# SPDX-License-Identifier: MIT"
		echo "# Inputs of the fuzzer, a line each: tests/fuzz/pack.sh."
	} >"$3.new"
	for file in "$2"/*; do
		bytes=$(od -An -v -tx1 "$file" | tr -d ' \n')
		[ -n "$bytes" ] || continue
		name=$(basename "$file")
		case $name in
		input-*) name= ;;
		*) ! expr "$name" : '[0-9a-f]\{40\}$' >/dev/null || name= ;;
		esac
		echo "$bytes${name:+ $name}"
	done | sort -u -k 1,1 >>"$3.new"
	mv "$3.new" "$3"
	;;
*)
	exit 2
	;;
esac
