# SPDX-License-Identifier: MIT
#
# Writes page.html with the files that its @include lines name in their places: those here, or made
# ones in the directory @made.
#
#	awk -v made=DIRECTORY -f page.awk tools/litmus/page/page.html

function include(name,    file, line, found)
{
	file = (name ~ /^(gallery\.html|engine\.base64)$/ ? made : here) "/" name
	while ((getline line <file) > 0) {
		found = 1
		if (line !~ /SPDX-License-Identifier/ || line ~ /&lt;|&quot;/)
			print line
	}
	close(file)
	if (!found) {
		print "page.awk: there is no " file >"/dev/stderr"
		failed = 1
		exit 1
	}
}

FNR == 1 { here = FILENAME; sub(/\/[^\/]*$/, "", here) }

/@include [a-z0-9]+\.[a-z0-9]+/ {
	match($0, /@include [a-z0-9]+\.[a-z0-9]+/)
	printf "%s", substr($0, 1, RSTART - 1)
	include(substr($0, RSTART + 9, RLENGTH - 9))
	print substr($0, RSTART + RLENGTH)
	next
}

{ print }

END { exit failed }
