#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Makes timelines of three programs, as pages and, where Chromium is, as pictures (make trace-pictures):
#
#	demo		nap-demo counts the words of files: leaves of a loop, stolen in halves
#	hashd		the service of tools/example under load: tasks of one thread for all workers
#	pipeline	fibers of tools/example that wait for each other at channels
#
#	pictures.sh DIRECTORY [NAME]...		all three without a name

dir=${1:?directory} build=${NAP_BUILD:-build}
shift
mkdir -p "$dir" && dir=$(cd "$dir" && pwd) && cd "$(dirname "$0")/../.." || exit 1

example()
{
	${CC:-cc} -O2 -g -std=gnu11 -Iinclude -o "$dir/$1" "tools/example/$1.c" "$build/libnap.a" -pthread -lm $2
}

# nap-demo makes three pools; the second one counts on all workers.
trace_demo()
{
	NAP_TRACE=$dir/demo "$build/nap-demo" words ${PATHS:-/usr/include/linux} >/dev/null && mv "$dir/demo.2" "$dir/demo.trace"
	rm -f "$dir/demo" "$dir/demo.3"
}

trace_hashd()
{
	example hashd -lnettle && ${CC:-cc} -O2 -std=gnu11 -Iinclude -o "$dir/client" tests/system/hashd/*.c -lnettle || return
	echo 'clients 100 bytes 4000000 drain_ms 1000' >"$dir/limits"
	: >"$dir/says"
	NAP_TRACE=$dir/hashd.trace "$dir/hashd" 0 "$dir/limits" >"$dir/says" 2>&1 &
	until grep -q '^hashd: port' "$dir/says" || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
	"$dir/client" "$(sed -n 's/^hashd: port //p' "$dir/says")" load 16 40 2000000 8
	kill $!
	wait $!
}

trace_pipeline()
{
	example pipeline && cat /usr/include/*.h /usr/include/*/*.h | head -c 20000000 >"$dir/text" &&
		NAP_TRACE=$dir/pipeline.trace "$dir/pipeline" <"$dir/text"
}

[ $# -gt 0 ] || set -- demo hashd pipeline
for name; do
	rm -f "$dir/$name".*
	"trace_$name" && "$build/nap-trace" --html="$dir/$name.html" "$dir/$name.trace" || exit 1
	echo "$dir/$name.html"
	browser=$(command -v chromium || command -v google-chrome) || continue
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=2 \
		--window-size=1280,720 --user-data-dir="$dir/profile" --screenshot="$dir/$name.png" "file://$dir/$name.html" \
		>"$dir/says" 2>&1 && echo "$dir/$name.png"
	rm -rf "$dir/profile"
done
