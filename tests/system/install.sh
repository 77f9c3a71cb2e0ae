#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests `make install` and `make uninstall` as a distribution uses them: directories, flags, variants side by side, builds
# out of the tree, and programs that find the library by pkg-config, CMake and meson. KTAP.

. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CC

echo "TAP version 13"
echo "1..24"

# make_here ARGUMENT...: builds in $tmp/o, without optimisation, which takes less time
make_here()
{
	${MAKE:-make} --no-print-directory O="$tmp/o" "$@" >"$tmp/out" 2>&1
}

# files: prints every file and directory below DESTDIR
files()
{
	find "$tmp/dest" | sort
}

multi=/usr/lib/$(gcc -print-multiarch)
directories="DESTDIR=$tmp/dest PREFIX=/usr LIBDIR=$multi"
# Other packages have files in the same directories.
mkdir -p "$tmp/dest/usr/share/man/man3" "$tmp/dest/usr/include" "$tmp/dest$multi/pkgconfig" "$tmp/dest/usr/bin"
touch "$tmp/dest/usr/share/man/man3/other.3" "$tmp/dest/usr/include/other.h" "$tmp/dest$multi/pkgconfig/other.pc" \
	"$tmp/dest/usr/bin/other"
files >"$tmp/before"
to=$tmp/dest$multi

make_here -j2 CFLAGS='-O0 -g0 -Wunused-macros' && grep -q 'warning: macro' "$tmp/out" && [ ! -e "$tmp/o/build" ]
check "make O=DIRECTORY builds there, and a compiler's warning is no error"
! make_here -j2 CFLAGS='-O0 -g1 -Wunused-macros' WERROR=1 && grep -q 'error: macro' "$tmp/out"
check "with WERROR=1 it is"
make_here -j2 CFLAGS='-O0 -g0 -Wunused-macros'
find "$tmp/o" -type f -newer "$tmp/o/libnap.so.1" >"$tmp/newer"
make_here install $directories && cmp "$tmp/o/libnap.a" "$to/libnap.a" && cmp "$tmp/o/libnap.so.1" "$to/libnap.so.1" &&
	find "$tmp/o" -type f -newer "$tmp/o/libnap.so.1" | cmp -s - "$tmp/newer"
check "make install without these flags installs what was built with them, and builds nothing"
files | grep -q "^$to/cmake/nap/napConfig.cmake$" && [ -e "$tmp/dest/usr/share/man/man3/nap_schedule.3" ] &&
	[ -e "$tmp/dest/usr/include/nap/nap.h" ] && [ ! -e "$tmp/dest/usr/lib/libnap.a" ]
check "in the directories that were given"

export PKG_CONFIG_LIBDIR="$to/pkgconfig:/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$tmp/dest"
readme_program <README.md >"$tmp/program.c"
# program PACKAGE: compiles the README's program with the package's flags, and runs it
program()
{
	# shellcheck disable=SC2046
	gcc -Wall -Wextra -Werror -o "$tmp/$1" "$tmp/program.c" $(pkg-config --cflags --libs "$1") >"$tmp/out" 2>&1 &&
		LD_LIBRARY_PATH=$to "$tmp/$1" >>"$tmp/out" 2>&1
}
# needs PROGRAM: prints which library of nap's the program asks for
needs()
{
	readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(libnap.*\)\]/\1/p'
}
program nap && [ "$(needs "$tmp/nap")" = libnap.so.1 ]
check "a program finds it by pkg-config"
program nap-static && [ -z "$(needs "$tmp/nap-static")" ]
check "and the archive, by nap-static"

if command -v gdb >/dev/null; then
	# gdb looks for the script in a directory named after the path of the library, which is not
	# /usr here.
	script=usr/share/gdb/auto-load$multi/libnap.so.1-gdb.py
	mkdir -p "$tmp/auto$to" && sed "s|/usr/share|$tmp/dest/usr/share|" "$tmp/dest/$script" >"$tmp/auto$to/libnap.so.1-gdb.py"
	LD_LIBRARY_PATH=$to gdb -q -batch -nx -iex 'set auto-load safe-path /' -iex "set auto-load scripts-directory $tmp/auto" \
		-ex 'break nap_pool_join' -ex run -ex 'help nap' "$tmp/nap" >"$tmp/out" 2>&1
	grep -q '^nap pools' "$tmp/out"
	check "gdb has the commands for pools as soon as it has read the library"
else
	nr=$((nr + 1))
	echo "ok $nr gdb has the commands for pools # SKIP no gdb"
fi

make_here -j2 DEBUG=1 CFLAGS='-O0 -g0' && make_here DEBUG=1 install $directories &&
	make_here -j2 SANITIZE=thread CFLAGS='-O0 -g0' && make_here SANITIZE=thread install $directories &&
	cmp "$tmp/o/libnap.so.1" "$to/libnap.so.1" && cmp "$tmp/o/c11-thread/libnap.so.1" "$to/libnap-thread.so.1"
check "the debug library and a sanitizer's lie beside it"
program nap-debug && [ "$(needs "$tmp/nap-debug")" = libnap-debug.so.1 ]
check "a program that asks for nap-debug gets that"
for name in nap-debug nap-thread; do
	# shellcheck disable=SC2046
	gcc $([ $name = nap-debug ] || echo -fsanitize=thread) -o "$tmp/$name" "$tmp/program.c" $(pkg-config --cflags --libs $name) &&
		LD_LIBRARY_PATH=$to "$tmp/$name" || echo "$name: $?"
done >"$tmp/out" 2>&1
[ "$(grep -cx 49 "$tmp/out")" = 2 ] && ! grep -q nap- "$tmp/out"
check "so does one of each, and runs"

cat >"$tmp/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(user C)
find_package(nap 1.0 REQUIRED CONFIG)
find_package(nap-debug REQUIRED CONFIG)
add_executable(user program.c)
target_link_libraries(user nap::nap)
add_executable(user-static program.c)
target_link_libraries(user-static nap::static)
add_executable(user-debug program.c)
target_link_libraries(user-debug nap-debug::nap)
END
if command -v cmake >/dev/null; then
	cmake -S "$tmp" -B "$tmp/cmake" -DCMAKE_PREFIX_PATH="$tmp/dest/usr" -DCMAKE_LIBRARY_ARCHITECTURE="${multi##*/}" >"$tmp/out" 2>&1 &&
		cmake --build "$tmp/cmake" >>"$tmp/out" 2>&1 && "$tmp/cmake/user" >"$tmp/said" && "$tmp/cmake/user-static" >>"$tmp/said" &&
		"$tmp/cmake/user-debug" >>"$tmp/said" && [ "$(grep -cx 49 "$tmp/said")" = 3 ] &&
		[ "$(needs "$tmp/cmake/user")-$(needs "$tmp/cmake/user-static")-$(needs "$tmp/cmake/user-debug")" = \
			libnap.so.1--libnap-debug.so.1 ]
	check "programs find the three by CMake, and run"
	for version in 2.0 0.1 1.99 0.5...0.9 0.9...\<1.0.0 1.1...2; do
		sed -i "s/find_package(nap [0-9.<]*/find_package(nap $version/" "$tmp/CMakeLists.txt"
		cmake -S "$tmp" -B "$tmp/cmake-$version" -DCMAKE_PREFIX_PATH="$tmp/dest/usr" \
			-DCMAKE_LIBRARY_ARCHITECTURE="${multi##*/}" >"$tmp/out" 2>&1 && echo "$version was taken"
		grep -q 'with requested version' "$tmp/out" || echo "$version: another message"
	done >"$tmp/said" 2>&1
	cp "$tmp/said" "$tmp/out"
	[ ! -s "$tmp/out" ]
	check "a version that it is not compatible with is refused"
	for version in 1.0...1.0.0 0.9...2 1.0...\<1.1; do
		sed -i "s/find_package(nap [0-9.<]*/find_package(nap $version/" "$tmp/CMakeLists.txt"
		cmake -S "$tmp" -B "$tmp/cmake-$version" -DCMAKE_PREFIX_PATH="$tmp/dest/usr" \
			-DCMAKE_LIBRARY_ARCHITECTURE="${multi##*/}" || echo "$version was not taken"
	done >"$tmp/out" 2>&1
	! grep -q 'was not taken' "$tmp/out"
	check "a range that it is within is not"
else
	for what in 'programs find the three by CMake, and run' 'a version that it is not compatible with is refused' \
		'a range that it is within is not'; do
		nr=$((nr + 1))
		echo "ok $nr $what # SKIP no cmake"
	done
fi
if command -v meson >/dev/null && command -v ninja >/dev/null; then
	mkdir -p "$tmp/meson/subprojects" && cp "$tmp/program.c" "$tmp/meson/"
	printf "project('user', 'c')\nexecutable('user', 'program.c', dependencies: dependency('nap'))\n" >"$tmp/meson/meson.build"
	meson setup "$tmp/meson/b" "$tmp/meson" >"$tmp/out" 2>&1 && ninja -C "$tmp/meson/b" >>"$tmp/out" 2>&1 &&
		[ "$(LD_LIBRARY_PATH=$to "$tmp/meson/b/user")" = 49 ] && [ "$(needs "$tmp/meson/b/user")" = libnap.so.1 ]
	check "a program finds it by meson, and runs"
	ln -s "$PWD" "$tmp/meson/subprojects/nap" && cp tools/install/nap.wrap "$tmp/meson/subprojects/"
	PKG_CONFIG_LIBDIR=/nowhere meson setup "$tmp/meson/w" "$tmp/meson" >"$tmp/out" 2>&1 &&
		ninja -C "$tmp/meson/w" >>"$tmp/out" 2>&1 && [ "$("$tmp/meson/w/user")" = 49 ] && [ -z "$(needs "$tmp/meson/w/user")" ]
	check "one that has it as a subproject builds it by the wrap, out of the tree"
else
	for what in 'a program finds it by meson, and runs' 'one that has it as a subproject builds it by the wrap, out of the tree'; do
		nr=$((nr + 1))
		echo "ok $nr $what # SKIP no meson"
	done
fi

make_here -j2 CFLAGS='-O0 -g0' install-check $directories && mv "$tmp/dest" "$tmp/moved" &&
	printf '#include <nap/check.h>\nstatic int n;\nstatic void add(void *arg) { n++; (void)arg; }\n%s\n' \
		'CHECK_SCENARIO(both, .threads = { { add }, { add } });' >"$tmp/race.c" &&
	{ "$tmp/moved/usr/bin/nap-check" "$tmp/race.c" >"$tmp/out" 2>&1; [ $? = 1 ]; } && grep -q 'data race' "$tmp/out"
check "nap-check works where LIBDIR is not beside BINDIR, and after it was moved"
mv "$tmp/moved" "$tmp/dest"
make_here uninstall DEBUG=1 $directories && [ ! -e "$to/libnap-debug.a" ] && [ -e "$tmp/dest/usr/include/nap/nap.h" ] &&
	program nap
check "uninstalling a variant leaves the others what they need"
for goal in uninstall 'uninstall SANITIZE=thread' uninstall-check; do
	# shellcheck disable=SC2086
	make_here $goal $directories || break
done && files >"$tmp/after"
diff "$tmp/before" "$tmp/after" >"$tmp/out" 2>&1
check "make uninstall leaves what was there before, and nothing else"
make_here uninstall $directories && ! grep -q removed "$tmp/out"
check "once more it has nothing to remove"

touch -d "2000-01-01" "$tmp/o/libnap.a"
! make_here install $directories && grep -q 'is newer than .*: make first' "$tmp/out" && [ ! -e "$to/libnap.a" ]
check "what is older than its sources is not installed"
! make_here install DESTDIR="$tmp/dest" PREFIX=usr && grep -q 'PREFIX=usr is not absolute' "$tmp/out" &&
	! make_here install DESTDIR="$tmp/a b" && grep -q 'with a space' "$tmp/out" &&
	! make_here install DESTDIR="$tmp/dest" 'PREFIX=/a&b' && grep -q 'with & or' "$tmp/out"
check "a directory that is not possible is said to be, before anything is written"
! make_here check && grep -q 'tests build in build/' "$tmp/out"
check "and O= where it means nothing"
touch "$tmp/o/libnap.a" && ! make_here install DESTDIR=/dev/null/x && grep -q 'Not a directory' "$tmp/out"
check "a directory that cannot be written is an error"
mkdir "$tmp/tree" && git ls-files -z | tar -c --null -T - 2>/dev/null | tar -x -C "$tmp/tree" && chmod -R a-w "$tmp/tree"
(cd "$tmp/tree" && ${MAKE:-make} --no-print-directory -j2 O="$tmp/p" CFLAGS=-O0 all) >"$tmp/out" 2>&1 &&
	[ -e "$tmp/p/libnap.so.1" ] && [ ! -e "$tmp/tree/build" ]
check "a tree that is not written to builds out of it"
chmod -R u+w "$tmp/tree"
