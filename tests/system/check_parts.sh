#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/check.sh: what it says of parts that ran something, nothing, or could not be set up. With a
# make that only writes tallies, and on a machine that lacks every package. KTAP.

. "$(dirname "$0")/check.inc"

echo "TAP version 13"
echo "1..7"

mkdir "$tmp/bin"
cat >"$tmp/bin/make" <<'END'
#!/bin/sh
for part; do :; done
[ "$RAN" = - ] || echo "$RAN $part" >>"$TALLY"
exit "${STATUS:-0}"
END
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/dpkg-query"
cp "$tmp/bin/dpkg-query" "$tmp/bin/sudo"
printf '#!/bin/sh\necho 1000\n' >"$tmp/bin/id"
chmod +x "$tmp"/bin/*

# gives STATUS LAST-LINE RAN PART...: what the parts ran, each, as a tally has it; - is nothing
gives()
{
	want=$1 last=$2
	RAN=$3
	export RAN
	shift 3
	CI=$ci PATH=$path MAKE=$tmp/bin/make tools/check.sh "$@" >"$tmp/out" 2>"$tmp/err"
	[ $? = "$want" ] && [ "$(tail -n 1 "$tmp/out")" = "$last" ]
}

ci= path=$PATH
gives 0 '3 passed, 0 failed, 1 skipped' '3 0 1' pairs
check "a part that passes"
gives 1 '0 passed, 1 failed, 0 skipped' - pairs && grep -q '^pairs: failed: ran nothing' "$tmp/out"
check "one that runs nothing has failed"
STATUS=2 && export STATUS
gives 1 '3 passed, 1 failed, 0 skipped' '3 0 0' pairs
check "one that does not get through has failed, whatever it ran"
unset STATUS

path=$tmp/bin:$PATH
for ci in '' true; do
	gives 1 '0 passed, 1 failed, 0 skipped' '3 0 0' valgrind &&
		grep -q '^valgrind: failed: packages are lacking' "$tmp/out" &&
		grep -q 'apt-get install .*valgrind' "$tmp/out"
	check "one whose packages are lacking has failed, and says which they are (CI=$ci)"
done
gives 1 '0 passed, 2 failed, 0 skipped' '3 0 0' valgrind compare &&
	[ "$(grep -c 'apt-get install .*valgrind' "$tmp/out")" = 1 ]
check "of several, each has; what to install is said once"
gives 1 '3 passed, 1 failed, 0 skipped' '3 0 0' valgrind pairs
check "the others run all the same"
