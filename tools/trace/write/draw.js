// SPDX-License-Identifier: MIT
// Drawing. The cost of a frame depends on the visible pixels, not on the number of spans: of the
// spans narrower than a pixel only one is drawn, as strongly as all of them together fill the
// pixel, and a binary search skips the rest.
"use strict";

const LABELS = 168, MAP = 42, COUNTS = 50, RULER = 24, TOP = MAP + COUNTS + RULER + 8, GAP = 8;

// Chooses the height of each row: as high as the window allows, up to a bound; the rows of a deep
// lane are low.
function layOut(lanes, room)
{
	const rows = lanes.reduce((n, lane) => n + lane.depth, 0);
	const fits = Math.floor((room - GAP * (lanes.length + 3)) / Math.max(1, rows)), high = Math.max(19, Math.min(36, fits));
	let y = 0;

	lanes.forEach((lane, l) => {
		y += l && lane.kind !== lanes[l - 1].kind ? GAP : 0;
		lane.y = y;
		lane.row = fits >= 15 ? Math.min(fits, high) : lane.depth <= 4 ? high : lane.depth <= 10 ? 14 : 8;
		lane.height = lane.depth * lane.row;
		y += lane.height + GAP;
	});
	return y;
}

function isIdle(lane, i)
{
	return lane.what[i] === KIND.PARKED;
}

function spanColor(view, lane, i, wide)
{
	const palette = view.palette;

	switch (lane.what[i]) {
	case KIND.PARKED:
		return lane.wait[i] & 1 ? palette.spins : palette.parked;
	case KIND.JOIN:
	case KIND.GROUP:
	case KIND.WAIT:
		return wide ? palette.waitHatch : palette.wait;
	case KIND.BLOCKED:
		return wide ? palette.blockedHatch : palette.blocked;
	case KIND.LEAF:
		return view.weakColors[lane.func[i]] || palette.parked;
	}
	return view.colors[lane.func[i]] || palette.weak;
}

function isDimmed(view, lane, i)
{
	return view.matches && !(isFunction(lane, i) && view.matches[lane.func[i]]);
}

// Draws the first of @texts, the longest first, that fits. A single text that does not fit is cut,
// if four letters fit.
function drawLabel(view, texts, x0, x1, y, height)
{
	const left = Math.max(x0, LABELS) + 6, room = Math.min(x1, view.width) - left - 5, { pen, palette } = view;
	let text = texts.find(t => pen.measureText(t).width <= room);

	if (!text) {
		const fits = Math.floor(room / (pen.measureText(texts[0]).width / texts[0].length)) - 1;

		if (fits < 4 || texts.length > 1)
			return;
		text = texts[0].slice(0, fits) + "\u2026";
	}
	pen.fillStyle = palette.text;
	pen.fillText(text, left, y + height / 2 + 4);
}

// Returns, for each span of a level, how long the spans before it are together, without sleeps.
function sumsOf(lane, spans)
{
	if (spans.sums)
		return spans.sums;
	spans.sums = new Float64Array(spans.length + 1);
	for (let k = 0; k < spans.length; k++)
		spans.sums[k + 1] = spans.sums[k] + (isIdle(lane, spans[k]) ? 0 : lane.end[spans[k]] - lane.begin[spans[k]]);
	return spans.sums;
}

// Returns the longest span of @k to @end, which share one pixel; a sleep only if all of them are
// sleeps.
function longestOf(lane, spans, k, end)
{
	let best = spans[k], most = -1;

	for (; k < Math.min(end, spans.length); k++) {
		const took = isIdle(lane, spans[k]) ? -0.5 : lane.end[spans[k]] - lane.begin[spans[k]];

		if (took > most) {
			most = took;
			best = spans[k];
		}
	}
	return best;
}

// Draws a rectangle for spans of one colour that touch; a low one for a sleep.
function flushRun(view, run, y, height)
{
	const { pen } = view;

	if (!run)
		return;
	pen.globalAlpha = (run.dim ? 0.18 : 1) * run.strength;
	pen.fillStyle = run.color;
	if (run.low)
		pen.fillRect(run.x0, y + height * 0.36, run.x1 - run.x0, height * 0.28);
	else
		pen.fillRect(run.x0, y, run.x1 - run.x0, height);
	pen.globalAlpha = 1;
}

function drawMarks(view, lane, marks, y, height)
{
	for (const [i, x0, x1] of marks) {
		if (lane.victim[i] >= 0 && x1 - x0 > 5 && lane.begin[i] >= view.start)
			drawStolen(view, lane, i, x0, y, height);
		if (x1 - x0 > 20 && lane.row > 10 && !isIdle(lane, i))
			view.labels.push([labelTexts(view.trace, lane, i), x0, x1, y, height]);
	}
}

function drawLevel(view, lane, level, top)
{
	const spans = lane.levels[level], { start, stop, width, scale } = view, height = lane.row - 2, y = top + level * lane.row;
	const sums = sumsOf(lane, spans), marks = [];
	let k = firstAfter(spans.length, i => lane.end[spans[i]], start), run = null;

	while (k < spans.length && lane.begin[spans[k]] < stop) {
		const i = spans[k], x0 = Math.max(LABELS, LABELS + (lane.begin[i] - start) * scale);
		const x1 = Math.min(width, LABELS + (lane.end[i] - start) * scale);

		if (x1 - x0 >= 1.5) {
			flushRun(view, run, y, height);
			run = null;
			flushRun(view, { x0, x1: x1 - x0 > 3 ? x1 - 0.75 : x1, color: spanColor(view, lane, i, x1 - x0 > 12),
				dim: isDimmed(view, lane, i), low: isIdle(lane, i), strength: 1 }, y, height);
			if (x1 - x0 > 5)
				marks.push([i, x0, x1]);
			k++;
			continue;
		}
		// The spans that end before the next pixel are drawn as one. The first span belongs
		// to them even if it ends later.
		const x = Math.floor(x0), next = start + (x + 1 - LABELS) / scale;
		const end = k + Math.max(1, firstAfter(spans.length - k, n => lane.end[spans[k + n]], next));
		const one = longestOf(lane, spans, k, Math.min(end, k + 8)), low = isIdle(lane, one), dim = isDimmed(view, lane, one);
		const filled = low ? 1 : Math.min(1, (sums[end] - sums[k]) * scale), color = spanColor(view, lane, one);
		const strength = 0.25 + 0.75 * Math.ceil(filled * 4) / 4;

		if (run && run.color === color && run.dim === dim && run.low === low && run.strength === strength && run.x1 >= x - 0.6) {
			run.x1 = x + 1;
		} else {
			flushRun(view, run, y, height);
			run = { x0: x, x1: x + 1, color, dim, low, strength };
		}
		k = end;
	}
	flushRun(view, run, y, height);
	drawMarks(view, lane, marks, y, height);
}

// Draws a time of the lane of which nothing is known, with the reason.
function drawUnknown(view, lane, top, begin, end, why)
{
	const { pen, palette } = view, x0 = Math.max(LABELS, LABELS + (begin - view.start) * view.scale);
	const x1 = Math.min(view.width, LABELS + (end - view.start) * view.scale);

	if (x1 <= x0)
		return;
	pen.fillStyle = palette.lostHatch;
	pen.fillRect(x0, top - 1, x1 - x0, lane.height);
	if (x1 - x0 > 110) {
		pen.fillStyle = palette.weak;
		pen.fillText(why, x0 + 6, top + Math.min(lane.height, lane.row) / 2 + 3);
	}
}

function drawLost(view, lane, top)
{
	if (lane.lost)
		drawUnknown(view, lane, top, -Infinity, lane.begins, "overwritten");
	for (const pause of view.trace.pauses)
		drawUnknown(view, lane, top, pause.begin, pause.end, "not traced");
}

function drawBack(view, lane)
{
	view.pen.fillStyle = view.palette.lane;
	view.pen.fillRect(LABELS, TOP + lane.y - view.scroll - 1, view.width - LABELS, lane.height);
}

function drawLane(view, l)
{
	const { pen, palette } = view, lane = view.trace.lanes[l], top = TOP + lane.y - view.scroll;
	const y = top + Math.min(lane.height, lane.row) / 2 + 3;

	drawLost(view, lane, top);
	for (let level = 0; level < lane.levels.length; level++)
		drawLevel(view, lane, level, top);
	if (lane.kind === LANE.OUTSIDE)
		drawTicks(view, l);
	pen.fillStyle = palette.text;
	pen.fillText(lane.label.length > 20 ? lane.label.slice(0, 19) + "\u2026" : lane.label, 12, y);
	if (lane.kind === LANE.OUTSIDE || !lane.n)
		return;
	pen.fillStyle = palette.weak;
	pen.textAlign = "right";
	pen.fillText((100 * lane.ran).toFixed(0) + " %", LABELS - 10, y);
	pen.textAlign = "left";
}

function laneShown(view, l)
{
	const lane = view.trace.lanes[l];

	return TOP + lane.y - view.scroll < view.height && TOP + lane.y + lane.height > view.scroll + TOP;
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

function drawLanes(view)
{
	const { pen, palette, width, height, trace } = view, shown = [...trace.lanes.keys()].filter(l => laneShown(view, l));

	pen.save();
	pen.beginPath();
	pen.rect(0, TOP - 2, width, height);
	pen.clip();
	for (const l of shown)
		drawBack(view, trace.lanes[l]);
	drawGrid(view);
	view.labels = [];
	for (const l of shown)
		drawLane(view, l);
	if (view.hover)
		drawFrame(view, view.hover, palette.text);
	if (view.chosen)
		drawFrame(view, view.chosen, palette.hit);
	pen.beginPath();
	pen.rect(LABELS, TOP - 2, width, height);
	pen.clip();
	drawArrows(view);
	for (const label of view.labels)
		drawLabel(view, ...label);
	pen.restore();
}

function drawAll(view)
{
	const { pen, palette, width, height } = view;

	pen.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
	pen.font = "12.5px system-ui, 'DejaVu Sans', sans-serif";
	pen.fillStyle = palette.back;
	pen.fillRect(0, 0, width, height);
	view.scale = (width - LABELS) / (view.stop - view.start);
	drawLanes(view);
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
