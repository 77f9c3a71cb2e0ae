#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	kernel.sh [DIRECTORY]	The Linux kernel's own litmus tests, of each of Debian's
#				linux-source-VERSION.tar.xz in DIRECTORY (/usr/src): under the model of
#				that version each comes out as its "Result:" line says. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
directory=${1:-/usr/src}

# model_of VERSION: prints the model of that version; the kernel's model changed in 6.3
model_of()
{
	printf '%s\n6.3\n' "$1" | sort -V | head -n 1 | grep -qx 6.3 && echo lkmm || echo lkmm61
}

echo "TAP version 13"
sources=$(ls "$directory"/linux-source-*.tar.xz 2>/dev/null | sort -V)
if [ -z "$sources" ]; then
	echo "1..0 # SKIP needs package linux-source"
	exit 0
fi
echo "1..$((3 * $(echo "$sources" | wc -l)))"
for source in $sources; do
	version=${source##*/linux-source-}
	version=${version%.tar.xz}
	model=$(model_of "$version")
	mkdir "$tmp/$version"
	tar -xf "$source" -C "$tmp/$version" --wildcards '*/tools/memory-model/litmus-tests' \
		'*/Documentation/litmus-tests' >"$tmp/out" 2>"$tmp/err"
	nr_tests=$(find "$tmp/$version" -name '*.litmus' | wc -l)
	nr_rcu=$(find "$tmp/$version" -name '*.litmus' | xargs grep -lE '(rcu_read_lock|synchronize_rcu)\(' |
		wc -l)
	build/nap-litmus --model="$model" --expect "$tmp/$version" >"$tmp/out" 2>"$tmp/err"
	[ "$nr_tests" -gt 30 ] && [ ! -s "$tmp/err" ] && grep -q \
		"^$nr_tests tests, 0 could not be read; $nr_tests judged: .*; 0 not as expected\$" "$tmp/out"
	check "Linux $version: its $nr_tests litmus tests are as they say under $model"
	[ "$nr_rcu" -ge 3 ]
	check "Linux $version: $nr_rcu of them have RCU"
	# Some of the newer tests tell the two versions' models apart.
	build/nap-litmus --model=lkmm --model=lkmm61 --compare "$tmp/$version" >"$tmp/out" 2>"$tmp/err"
	[ $model = lkmm61 ] || grep -q 'dep+plain' "$tmp/out"
	check "Linux $version: where the two models differ"
done
