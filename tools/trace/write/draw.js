// SPDX-License-Identifier: MIT
// Drawing. A frame costs by the pixels that are seen, not by the spans that there are: of spans
// narrower than a pixel one is drawn, and the rest of that pixel is skipped by a binary search.
"use strict";

const LABELS = 132, MAP = 34, COUNTS = 46, RULER = 22, TOP = MAP + COUNTS + RULER + 8, GAP = 7;

function Palette()
{
	const style = getComputedStyle(document.documentElement);
	const value = name => style.getPropertyValue("--" + name).trim();

	for (const name of ["back", "panel", "line", "text", "weak", "lane", "parked", "wait", "blocked", "accent", "hit"])
		this[name] = value(name);
	this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
	this.byName = new Map();
}

// A function has the same colour in every trace.
Palette.prototype.of = function (name) {
	let color = this.byName.get(name), hash = 2166136261;

	if (color)
		return color;
	for (let i = 0; i < name.length; i++)
		hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
	const hue = (hash % 3600) / 10, light = this.dark ? 42 + (hash >> 12) % 12 : 62 + (hash >> 12) % 12;

	color = `hsl(${hue.toFixed(1)} ${this.dark ? 48 : 62}% ${light}%)`;
	this.byName.set(name, color);
	return color;
};

function rowHeight(lane)
{
	return lane.depth <= 4 ? 19 : lane.depth <= 10 ? 14 : 8;
}

// Where each lane begins, from the top of all lanes.
function layOut(lanes)
{
	let y = 0;

	for (const lane of lanes) {
		lane.y = y;
		lane.row = rowHeight(lane);
		lane.height = lane.depth * lane.row;
		y += lane.height + GAP;
	}
	return y;
}

function spanColor(view, lane, i)
{
	const palette = view.palette;

	switch (lane.what[i]) {
	case KIND.PARKED:
		return palette.parked;
	case KIND.JOIN:
	case KIND.GROUP:
	case KIND.WAIT:
		return palette.wait;
	case KIND.BLOCKED:
		return palette.blocked;
	}
	return view.colors[lane.func[i]] || palette.weak;
}

function isDimmed(view, lane, i)
{
	return view.matches && !(lane.what[i] <= KIND.FIBER && view.matches[lane.func[i]]);
}

function drawLabel(view, text, x0, x1, y, height)
{
	const left = Math.max(x0, LABELS) + 5, room = Math.min(x1, view.width) - left - 4;

	if (room < 24)
		return;
	const fits = Math.floor(room / 6.2);

	view.pen.fillStyle = view.palette.text;
	view.pen.fillText(text.length > fits ? text.slice(0, Math.max(1, fits - 1)) + "\u2026" : text, left, y + height / 2 + 4);
}

// Narrow spans beside each other of one colour become one rectangle.
function drawLevel(view, lane, level, top)
{
	const spans = lane.levels[level], { pen, start, stop, width } = view, height = lane.row - 2, y = top + level * lane.row;
	const scale = view.scale, labels = [];
	let k = firstAfter(spans.length, i => lane.end[spans[i]], start), run = null;
	const flush = () => {
		if (!run)
			return;
		pen.globalAlpha = run.dim ? 0.18 : 1;
		pen.fillStyle = run.color;
		pen.fillRect(run.x0, y, run.x1 - run.x0, height);
		run = null;
	};

	while (k < spans.length && lane.begin[spans[k]] < stop) {
		const i = spans[k], color = spanColor(view, lane, i), dim = isDimmed(view, lane, i);
		const x0 = Math.max(LABELS, LABELS + (lane.begin[i] - start) * scale);
		const x1 = Math.min(width, LABELS + (lane.end[i] - start) * scale);

		if (x1 - x0 >= 1.5) {
			flush();
			run = { x0, x1: x1 - x0 > 3 ? x1 - 0.5 : x1, color, dim };
			flush();
			if (x1 - x0 > 30 && lane.row > 10)
				labels.push([i, x0, x1]);
			k++;
			continue;
		}
		const x = Math.floor(x0);

		if (run && run.color === color && run.dim === dim && run.x1 >= x - 0.6) {
			run.x1 = x + 1;
		} else {
			flush();
			run = { x0: x, x1: x + 1, color, dim };
		}
		const next = start + (x + 1 - LABELS) / scale;

		// A span may end in the next pixel, and is drawn all the same.
		k += Math.max(1, firstAfter(spans.length - k, n => lane.end[spans[k + n]], next));
	}
	flush();
	pen.globalAlpha = 1;
	for (const [i, x0, x1] of labels)
		if (lane.what[i] !== KIND.PARKED || x1 - x0 > 60)
			drawLabel(view, spanText(view.trace, lane, i), x0, x1, y, height);
}

function drawLane(view, lane)
{
	const { pen, palette, width } = view, top = TOP + lane.y - view.scroll;

	pen.fillStyle = palette.lane;
	pen.fillRect(LABELS, top - 1, width - LABELS, lane.height);
	for (let level = 0; level < lane.levels.length; level++)
		drawLevel(view, lane, level, top);
	pen.fillStyle = palette.text;
	pen.fillText(lane.name.length > 18 ? lane.name.slice(0, 17) + "\u2026" : lane.name, 12, top + Math.min(lane.height, 19) / 2 + 4);
}

function laneShown(view, l)
{
	const lane = view.trace.lanes[l];

	return TOP + lane.y - view.scroll < view.height && TOP + lane.y + lane.height > view.scroll + TOP;
}

// All marks have one unit, and as many digits as tell them apart.
function tickTexts(step, most)
{
	const [scale, unit] = most < 1e3 ? [1, "ns"] : most < 1e6 ? [1e3, "\u00b5s"] : most < 1e9 ? [1e6, "ms"] : [1e9, "s"];
	const digits = Math.max(0, Math.ceil(Math.log10(scale / step) - 1e-9));

	return t => (t / scale).toFixed(digits) + " " + unit;
}

// 1, 2, 5, 10, ... of a unit, so that marks are 90 pixels apart at least.
function drawRuler(view)
{
	const { pen, palette, width, height } = view, y = MAP + COUNTS + 4;
	let step = 1;

	while (step * view.scale < 90)
		step *= String(step)[0] === "2" ? 2.5 : 2;
	const text = tickTexts(step, Math.max(Math.abs(view.start), Math.abs(view.stop)));

	pen.fillStyle = palette.weak;
	pen.strokeStyle = palette.line;
	pen.beginPath();
	for (let t = Math.ceil(view.start / step) * step; t < view.stop; t += step) {
		const x = LABELS + (t - view.start) * view.scale;

		pen.moveTo(x, y + RULER - 6);
		pen.lineTo(x, height);
		pen.fillText(text(t), x + 4, y + 12);
	}
	pen.stroke();
}

// The whole trace: how many of the workers run, and which part of the time is shown below.
function drawMap(view)
{
	const { pen, palette, width, trace } = view, room = width - LABELS, load = view.load;

	pen.fillStyle = palette.lane;
	pen.fillRect(LABELS, 4, room, MAP - 6);
	pen.fillStyle = palette.accent;
	pen.globalAlpha = 0.55;
	pen.beginPath();
	pen.moveTo(LABELS, MAP - 2);
	for (let i = 0; i < load.length; i++)
		pen.lineTo(LABELS + (i + 0.5) * room / load.length, MAP - 2 - (MAP - 6) * load[i]);
	pen.lineTo(width, MAP - 2);
	pen.fill();
	pen.globalAlpha = 1;
	const x0 = LABELS + (view.start - trace.start) / view.whole * room, x1 = LABELS + (view.stop - trace.start) / view.whole * room;

	pen.strokeStyle = palette.text;
	pen.strokeRect(x0 + 0.5, 4.5, Math.max(2, x1 - x0 - 1), MAP - 7);
	pen.fillStyle = palette.weak;
	pen.fillText("workers that run", 12, 22);
}

// The largest value of points a to b, b included: whole blocks by their own maximum.
function mostOf(values, blocks, a, b)
{
	let most = 0;

	while (a <= b) {
		if (!(a & 255) && a + 255 <= b) {
			most = Math.max(most, blocks[a >> 8]);
			a += 256;
		} else {
			most = Math.max(most, values[a++]);
		}
	}
	return most;
}

function drawCount(view, values, blocks, most, y, height, color, text)
{
	const { pen, width } = view, points = view.trace.points;
	let a = firstAfter(points.n, i => points.time[i], view.start) - 1;

	pen.fillStyle = color;
	pen.beginPath();
	pen.moveTo(LABELS, y + height);
	for (let x = LABELS; x < width && points.n; x++) {
		const stop = view.start + (x + 1 - LABELS) / view.scale;
		const b = a + firstAfter(points.n - a - 1, i => points.time[a + 1 + i], stop);
		const at = y + height - height * mostOf(values, blocks, Math.max(0, a), Math.max(0, b)) / most;

		pen.lineTo(x, at);
		pen.lineTo(x + 1, at);
		a = b;
	}
	pen.lineTo(width, y + height);
	pen.fill();
	pen.fillStyle = view.palette.weak;
	pen.fillText(text, 12, y + height / 2 + 4);
}

function drawCounts(view)
{
	const points = view.trace.points, half = (COUNTS - 8) / 2, y = MAP + 3;

	drawCount(view, points.queued, view.queuedBlocks, points.mostQueued, y, half, view.palette.accent,
		"queued, \u2264 " + numberText(points.mostQueued));
	drawCount(view, points.parked, view.parkedBlocks, points.mostParked, y + half + 4, half, view.palette.weak,
		"parked, \u2264 " + numberText(points.mostParked));
}

function placeOf(view, l, level, time)
{
	const lane = view.trace.lanes[l];

	return [LABELS + (time - view.start) * view.scale, TOP + lane.y - view.scroll + (level + 0.5) * lane.row - 1];
}

function drawArrow(view, from, since, l, i, color)
{
	const lane = view.trace.lanes[l], pen = view.pen, source = spanAt(view.trace.lanes[from], since);
	const [x0, y0] = placeOf(view, from, source >= 0 ? view.trace.lanes[from].level[source] : 0, since);
	const [x1, y1] = placeOf(view, l, lane.level[i], lane.what[i] === KIND.PARKED ? lane.end[i] : lane.begin[i]);
	const bend = Math.max(18, Math.min(90, Math.abs(x1 - x0) / 2)), rise = from === l ? Math.min(28, 10 + (x1 - x0) / 12) : 0;

	pen.strokeStyle = pen.fillStyle = color;
	pen.lineWidth = 1.5;
	pen.beginPath();
	pen.moveTo(x0, y0);
	pen.bezierCurveTo(x0 + bend, y0 - rise, x1 - bend, y1 - rise, x1 - (rise ? 2 : 5), y1 - (rise ? 3 : 0));
	pen.stroke();
	pen.beginPath();
	pen.moveTo(x1, y1);
	pen.lineTo(x1 - 8, y1 - 4);
	pen.lineTo(x1 - 8, y1 + 4);
	pen.fill();
	pen.beginPath();
	pen.arc(x0, y0, 3, 0, 7);
	pen.fill();
	pen.lineWidth = 1;
}

// The arrow that ends at the chosen span, and those that begin while it lasts.
function drawArrows(view)
{
	const chosen = view.chosen;

	if (!chosen)
		return;
	const lane = view.trace.lanes[chosen.lane], leaving = view.trace.leaving[chosen.lane];

	if (lane.from[chosen.i] >= 0)
		drawArrow(view, lane.from[chosen.i], lane.since[chosen.i], chosen.lane, chosen.i, view.palette.hit);
	if (lane.what[chosen.i] === KIND.PARKED)
		return;
	let k = firstAfter(leaving.n, i => leaving.since[i], lane.begin[chosen.i] - 0.5);

	for (let n = 0; n < 200 && k < leaving.n && leaving.since[k] <= lane.end[chosen.i]; n++, k++)
		drawArrow(view, chosen.lane, leaving.since[k], leaving.lane[k], leaving.span[k], view.palette.accent);
}

function drawFrame(view, at, color)
{
	const lane = view.trace.lanes[at.lane];
	const [x0, y] = placeOf(view, at.lane, lane.level[at.i], lane.begin[at.i]);
	const x1 = LABELS + (lane.end[at.i] - view.start) * view.scale;

	view.pen.strokeStyle = color;
	view.pen.lineWidth = 2;
	view.pen.strokeRect(Math.max(LABELS, x0), y - lane.row / 2 + 1, Math.max(2, Math.min(x1, view.width) - Math.max(LABELS, x0)), lane.row - 2);
	view.pen.lineWidth = 1;
}

function drawAll(view)
{
	const { pen, palette, width, height, trace } = view;

	pen.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
	pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
	pen.fillStyle = palette.back;
	pen.fillRect(0, 0, width, height);
	view.scale = (width - LABELS) / (view.stop - view.start);
	pen.save();
	pen.beginPath();
	pen.rect(0, TOP - 2, width, height);
	pen.clip();
	for (let l = 0; l < trace.lanes.length; l++)
		if (laneShown(view, l))
			drawLane(view, trace.lanes[l]);
	if (view.hover)
		drawFrame(view, view.hover, palette.text);
	if (view.chosen)
		drawFrame(view, view.chosen, palette.hit);
	pen.beginPath();
	pen.rect(LABELS, TOP - 2, width, height);
	pen.clip();
	drawArrows(view);
	pen.restore();
	drawRuler(view);
	drawMap(view);
	drawCounts(view);
	if (view.marked) {
		pen.fillStyle = palette.accent;
		pen.globalAlpha = 0.2;
		pen.fillRect(Math.min(...view.marked), MAP + COUNTS, Math.abs(view.marked[1] - view.marked[0]), height);
		pen.globalAlpha = 1;
	}
}
