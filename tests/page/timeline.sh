#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the page of nap-trace in headless Chromium: a script at the end of the page does what a
# person would do with the mouse and the keys, and leaves its results as the page's text. With
# PICTURES=directory the pictures stay there. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
trace=$PWD/build/nap-trace
make=build/tests/system/trace_tool

echo "TAP version 13"
echo "1..18"

[ -x "$make" ] && [ -x "$trace" ]
check "the maker of traces and nap-trace are there"

browser()
{
	timeout 300 chromium --headless --no-sandbox --disable-gpu --window-size=1400,800 --user-data-dir="$tmp/profile" \
		"$@" 2>"$tmp/browser"
}

# page TRACE SCRIPT: makes the page of the trace, with the script at its end, as $tmp/page.html
page()
{
	"$trace" --html="$tmp/plain.html" "$1" >"$tmp/out" 2>&1 || return 1
	{ sed '/^<\/body>$/,$d' "$tmp/plain.html"; echo '<script>'; cat "$2"; echo '</script></body></html>'; } >"$tmp/page.html"
}

# Two workers: one schedules to the other, which is woken; 400 short tasks; a fiber that waits.
{
	echo "name small
worker 0
1000 start a=100
2000 schedule a=0x10 b=0x1000
10000 begin a=0x10 b=0x1000
20500 schedule a=0x20 b=0x2000
500000 end a=0x10 b=0x1000
505000 range a=7 b=2
510000 begin a=0x900 b=0x5000
510100 fiber_resume a=0x900 b=0x3000 flags=1
520000 fiber_suspend a=0x900 b=0xc0ffee flags=9
520100 end a=0x900 b=0x5000"
	i=0
	while [ $((i += 1)) -le 400 ]; do
		echo "$((600000 + i * 100)) begin a=0x30 b=0x4000"
		echo "$((600050 + i * 100)) end a=0x30 b=0x4000"
	done
	echo "worker 1
0 park
200000 wake other=0
300000 unpark a=2
300100 steal a=1 b=0x20 other=0
300500 begin a=0x20 b=0x2000
400500 end a=0x20 b=0x2000
401000 park
outside
299000 wake other=1 thread=77"
} | "$make" >"$tmp/small"

cat >"$tmp/script.js" <<'TEXT'
{
const v = window.napTrace, lines = [], say = (name, fine, text) => lines.push((fine ? "ok " : "not ") + name + " # " + text);
const box = v.canvas.getBoundingClientRect();
const at = (type, x, y, more) => v.canvas.dispatchEvent(new (type === "wheel" ? WheelEvent : PointerEvent)(type,
	Object.assign({ clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true, cancelable: true }, more)));
const placeOfTime = (l, time) => [LABELS + (time - v.start) * (v.width - LABELS) / (v.stop - v.start), TOP + v.trace.lanes[l].y + v.trace.lanes[l].row / 2 - 1];
v.canvas.setPointerCapture = () => {};
const asked = [v.start, v.stop].join();
say("address", asked === "300000,450000", asked);
v.fit();
drawAll(v);
const arrows = (arrowsShown(v) || []).map(([l, i]) => v.trace.lanes[l].name + " " + spanText(v.trace, v.trace.lanes[l], i)).join();
say("arrows", arrows === "worker 1 parked,worker 1 0x2000", arrows);
const legend = document.getElementById("legend").textContent;
say("legend", ["0x4000", "leaf of a loop", "waits", "parked", "was stolen", "schedules", "wakes"].every(text => legend.includes(text)) &&
	!legend.includes("spins") && !legend.includes("0x5000"), legend);
const whole = v.stop - v.start, [x, y] = placeOfTime(1, 350000);
at("pointermove", x, y);
say("hover", !v.tip.hidden && v.tip.textContent.includes("0x2000") && v.tip.textContent.includes("stolen from worker 0") && v.tip.textContent.includes("waited 280"), v.tip.textContent.replace(/\n/g, "; "));
at("pointerdown", x, y);
at("pointerup", x, y);
say("click", document.getElementById("chosen").textContent.includes("scheduled byworker 0"), document.getElementById("chosen").textContent);
document.querySelector("#chosen a").click();
say("follow", v.chosen && v.chosen.lane === 0, JSON.stringify(v.chosen));
v.fit();
const before = v.timeAt(x);
at("wheel", x, y, { deltaY: -400 });
say("zoom", v.stop - v.start < 0.6 * whole && Math.abs(v.timeAt(x) - before) < whole / 1000, v.stop - v.start);
const start = v.start;
at("pointerdown", 600, y);
at("pointermove", 500, y);
at("pointermove", 450, y);
at("pointerup", 450, y);
say("drag", v.start > start, v.start - start);
document.dispatchEvent(new KeyboardEvent("keydown", { key: "0" }));
say("fit", v.stop - v.start === whole, v.stop - v.start);
const search = document.getElementById("search");
search.value = "0x4";
search.dispatchEvent(new Event("input"));
say("search", document.getElementById("found").textContent === "400 found", document.getElementById("found").textContent);
search.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
const first = v.chosen && v.trace.lanes[v.chosen.lane].begin[v.chosen.i];
search.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
say("next", first === 600100 && v.trace.lanes[v.chosen.lane].begin[v.chosen.i] === 600200, first);
v.fit();
drawAll(v);
// What was drawn where a task is, where none is, and where the narrow ones are.
const colorAt = (l, time) => { const [px, py] = placeOfTime(l, time); return Array.from(v.pen.getImageData(px * v.ratio, py * v.ratio, 1, 1).data).join(); };
const task = colorAt(0, 200000), none = colorAt(0, 560000), narrow = colorAt(0, 620000), parked = colorAt(1, 700000);
say("colors", new Set([task, none, narrow, parked]).size === 4, [task, none, narrow, parked].join(" "));
const leaf = v.find(...placeOfTime(0, 502000));
say("leaf", leaf && spanText(v.trace, v.trace.lanes[0], leaf.i) === "iterations 7 \u2013 8", leaf && spanText(v.trace, v.trace.lanes[0], leaf.i));
const fiber = v.trace.lanes.find(lane => lane.kind === LANE.FIBER);
say("fiber", fiber && spanText(v.trace, fiber, 1) === "waits for a channel", fiber && spanText(v.trace, fiber, 1));
document.body.innerHTML = "<pre>" + lines.map(line => line.replace(/</g, "&lt;")).join("\n") + "</pre>";
}
TEXT
page "$tmp/small" "$tmp/script.js" && browser --dump-dom "file://$tmp/page.html#0.3ms,450us" | sed -n '/<pre>/,$p' >"$tmp/all"
for test in address arrows legend leaf hover click follow zoom drag fit search next colors fiber; do
	cp "$tmp/all" "$tmp/out"
	grep -q "ok $test #" "$tmp/all"
	check "a person's $test"
done

# ---- a pause of the trace, and a timer's function that was late

"$make" >"$tmp/paused" <<'TEXT'
worker 0
1000 timer a=0x20 b=700
1100 schedule a=0x20 b=0x5000 flags=16
1200 begin a=0x20 b=0x5000
1300 begin a=0x20 b=0x3000 flags=8
200000 end a=0x20 b=0x3000 flags=8
201000 end a=0x20 b=0x5000
900000 begin a=0x10 b=0x1000
pause 400000 600000
TEXT
cat >"$tmp/paused.js" <<'TEXT'
{
const v = window.napTrace, lane = v.trace.lanes[0], text = spanFacts(v.trace, lane, 0).map(fact => fact.join(" ")).join("; ");
v.fit();
v.start = 0;
v.stop = 1000000;
drawAll(v);
const colorAt = time => Array.from({ length: 40 }, (_, k) => Array.from(v.pen.getImageData((LABELS + (time - v.start) * v.scale + k % 8) * v.ratio,
	(TOP + lane.y + 2 + k / 8) * v.ratio, 1, 1).data).join());
const paused = new Set(colorAt(500000)), idle = new Set(colorAt(300000)), later = new Set(colorAt(700000));
const fine = [...paused].some(color => !idle.has(color) && !later.has(color)) && ![...later].some(color => !idle.has(color));
document.body.innerHTML = "<pre>" + [fine ? "hatched" : [...paused, "idle", ...idle, "later", ...later].join(" "), document.querySelector(".warn").textContent, text].join("\n") + "</pre>";
}
TEXT
page "$tmp/paused" "$tmp/paused.js" && browser --dump-dom "file://$tmp/page.html" | sed -n '/<pre>/,$p' >"$tmp/out"
grep -q '>hatched$' "$tmp/out" && grep -q '^not traced for 200 ' "$tmp/out" && grep -q 'was due 400 ns; waited 900 ns' "$tmp/out"
check "a time that was not traced is hatched; what a timer ran says when it was due"

# ---- a million events: 95 of 100 frames in 33 ms

awk 'BEGIN { srand(1); for (w = 0; w < 8; w++) { print "worker " w; t = 1000
	for (i = 0; i < 2000; i++) { print t " begin a=1 b=" 4096 + int(rand() * 9); t += int(rand() * 900) + 1; print t " end a=1"; t += 30 } } }' |
	"$make" >"$tmp/medium"
cat >"$tmp/frames.js" <<'TEXT'
{
// The lanes' spans, repeated until there are a million events: their begins follow on.
const v = window.napTrace, times = Math.ceil(1e6 / 2 / v.trace.lanes.reduce((n, lane) => n + lane.n, 0)), length = v.trace.end;
for (const lane of v.trace.lanes) {
	const repeat = (array, add) => { const all = new array.constructor(lane.n * times); for (let k = 0; k < times; k++) for (let i = 0; i < lane.n; i++) all[k * lane.n + i] = array[i] + add * k; return all; };
	for (const name of ["begin", "end", "since"])
		lane[name] = repeat(lane[name], length);
	for (const name of ["what", "flags", "level", "func", "from", "wait", "object"])
		lane[name] = repeat(lane[name], 0);
	lane.n *= times;
	lane.levels = [Uint32Array.from({ length: lane.n }, (_, i) => i)];
}
v.trace.end = v.whole = length * times;
const took = [], frame = () => { const t = performance.now(); drawAll(v); v.pen.getImageData(0, 0, 1, 1); took.push(performance.now() - t); };
v.fit();
frame();
frame();
took.length = 0;
for (let i = 0; i < 70; i++) { v.zoom(0.85, 300 + i * 8); frame(); }
for (let i = 0; i < 60; i++) { v.move(40); frame(); }
for (let i = 0; i < 70; i++) { v.zoom(1 / 0.85, 700); frame(); }
took.sort((a, b) => a - b);
document.body.innerHTML = `<pre>${v.trace.lanes.reduce((n, lane) => n + 2 * lane.n, 0)} events, ${took.length} frames: p50 ${took[100].toFixed(1)} ms, p95 ${took[190].toFixed(1)} ms, longest ${took[199].toFixed(1)} ms</pre>`;
}
TEXT
page "$tmp/medium" "$tmp/frames.js" && browser --dump-dom "file://$tmp/page.html" >"$tmp/out"
grep -qE '1[0-9]{6} events, 200 frames: p50' "$tmp/out"
check "a million events are drawn: $(sed -n 's/.*<pre>\(.*\)<\/pre>.*/\1/p' "$tmp/out")"

# ---- pictures, to be looked at

echo >"$tmp/nothing.js"
page "$tmp/small" "$tmp/nothing.js" && browser --screenshot="$tmp/light.png" "file://$tmp/page.html" >"$tmp/out" &&
	browser --force-dark-mode --enable-features=WebContentsForceDark --screenshot="$tmp/dark.png" "file://$tmp/page.html" >>"$tmp/out" &&
	[ "$(wc -c <"$tmp/light.png")" -gt 20000 ] && ! cmp -s "$tmp/light.png" "$tmp/dark.png"
check "a light picture and a dark one"
[ -z "${PICTURES:-}" ] || cp "$tmp"/*.png "$PICTURES"
