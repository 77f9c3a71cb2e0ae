# SPDX-License-Identifier: MIT
#
# Makes a table of structs' fields from what `readelf --debug-dump=info` prints of an object:
#
#	awk -v types="nap_pool nap_worker" -f layouts.awk info >layouts.inc
#
# A field that is a struct is taken apart; an array and a union are one field each. Fails if a type is
# not there.

# "<1><2d>: Abbrev Number: 2 (DW_TAG_structure_type)"
/^ *<[0-9a-f]+><[0-9a-f]+>: Abbrev Number: [1-9]/ {
	depth = $1
	gsub(/^<|>.*/, "", depth)
	at = $1
	sub(/^<[0-9a-f]+></, "", at)
	sub(/>.*/, "", at)
	tag[at] = $NF
	gsub(/[()]/, "", tag[at])
	depth += 0
	above[depth] = at
	parent[at] = depth ? above[depth - 1] : ""
	if (tag[at] == "DW_TAG_member")
		member[parent[at], ++members[parent[at]]] = at
	next
}
/ DW_AT_name / { name[at] = $NF }
/ DW_AT_byte_size / { size[at] = $NF + 0 }
/ DW_AT_type / { type[at] = $NF; gsub(/[<>]|0x/, "", type[at]) }
/ DW_AT_data_member_location/ { offset[at] = $NF + 0 }
/ DW_AT_bit_size/ { bits[at] = 1 }

# Returns the type below typedefs and qualifiers.
function plain(t) {
	while (tag[t] ~ /typedef|const|volatile/)
		t = type[t]
	return t
}

function walk(struct, base, prefix,    i, m, t) {
	for (i = 1; i <= members[struct]; i++) {
		m = member[struct, i]
		t = plain(type[m])
		if (tag[t] == "DW_TAG_structure_type" && members[t])
			walk(t, base + offset[m], prefix name[m] (name[m] == "" ? "" : "."))
		else
			fields[++nr] = base + offset[m] " " prefix (name[m] == "" ? "(a union)" : name[m])
	}
}

function print_type(struct, text,    i, part, next_part) {
	nr = 0
	walk(struct, 0, "")
	printf "static const struct layout_field fields_of_%s[] = {\n", text
	for (i = 1; i <= nr; i++) {
		split(fields[i], part, " ")
		if (i < nr)
			split(fields[i + 1], next_part, " ")
		printf "\t{ %d, %d, \"%s\" },\n", part[1], (i < nr ? next_part[1] : size[struct]) - part[1], part[2]
	}
	print "};"
	rows = rows sprintf("\t{ \"struct %s\", %d, %d, fields_of_%s },\n", text, size[struct], nr, text)
}

END {
	n = split(types, wanted, " ")
	for (i = 1; i <= n; i++) {
		found = ""
		for (t in tag)
			if (tag[t] == "DW_TAG_structure_type" && name[t] == wanted[i] && members[t])
				found = t
		if (found == "") {
			print "layouts.awk: there is no struct " wanted[i] >"/dev/stderr"
			exit 1
		}
		print_type(found, wanted[i])
	}
	printf "const struct layout layouts[] = {\n%s};\n", rows
	printf "const unsigned nr_layouts = %d;\n", n
}
