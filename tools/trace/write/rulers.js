// SPDX-License-Identifier: MIT
// The rulers above the lanes: a map of the whole trace, two curves of counts, and the time.
"use strict";

// Returns the texts of the marks: all in one unit, with as many digits as tell them apart.
function tickTexts(step, most)
{
	const [scale, unit] = most < 1e3 ? [1, "ns"] : most < 1e6 ? [1e3, "\u00b5s"] : most < 1e9 ? [1e6, "ms"] : [1e9, "s"];
	const digits = Math.max(0, Math.ceil(Math.log10(scale / step) - 1e-9));

	return t => (t / scale).toFixed(digits) + " " + unit;
}

// Returns the step between marks: 1, 2, 5, 10, ... of a unit, such that marks are at least 90
// pixels apart.
function ruled(view)
{
	let step = 1;

	while (step * view.scale < 90)
		step *= String(step)[0] === "2" ? 2.5 : 2;
	const first = Math.ceil(view.start / step) * step, n = Math.max(0, Math.floor((view.stop - first) / step) + 1);

	return { step, times: Array.from({ length: n }, (_, i) => first + i * step) };
}

function drawGrid(view)
{
	const { pen, palette, height } = view;

	pen.strokeStyle = palette.line;
	pen.beginPath();
	for (const t of ruled(view).times) {
		const x = Math.round(LABELS + (t - view.start) * view.scale) + 0.5;

		pen.moveTo(x, MAP + COUNTS + RULER - 3);
		pen.lineTo(x, height);
	}
	pen.stroke();
}

function drawRuler(view)
{
	const { pen, palette, width } = view, { step, times } = ruled(view);
	const text = tickTexts(step, Math.max(Math.abs(view.start), Math.abs(view.stop)));

	pen.fillStyle = palette.weak;
	pen.textAlign = "right";
	pen.fillText("ran in all", LABELS - 10, MAP + COUNTS + 14);
	pen.textAlign = "left";
	for (const t of times) {
		const x = LABELS + (t - view.start) * view.scale + 4;

		if (x + pen.measureText(text(t)).width < width - 4)
			pen.fillText(text(t), x, MAP + COUNTS + 14);
	}
}

// Draws the whole trace: how many of the workers run, and which part of the time is shown below.
function drawMap(view)
{
	const { pen, palette, width, trace } = view, room = width - LABELS, load = view.load, low = MAP - 3, high = MAP - 9;

	pen.fillStyle = palette.lane;
	pen.fillRect(LABELS, 6, room, high);
	pen.fillStyle = palette.accent;
	pen.globalAlpha = 0.5;
	pen.beginPath();
	pen.moveTo(LABELS, low);
	for (let i = 0; i < load.length; i++)
		pen.lineTo(LABELS + (i + 0.5) * room / load.length, low - high * load[i]);
	pen.lineTo(width, low);
	pen.fill();
	pen.globalAlpha = 1;
	pen.fillStyle = palette.weak;
	pen.fillText("workers that run", 12, MAP / 2 + 6);
	if (view.stop - view.start >= view.whole)
		return;
	const x0 = LABELS + (view.start - trace.start) / view.whole * room, x1 = LABELS + (view.stop - trace.start) / view.whole * room;

	pen.fillStyle = palette.back;
	pen.globalAlpha = 0.6;
	pen.fillRect(LABELS, 6, x0 - LABELS, high);
	pen.fillRect(x1, 6, width - x1, high);
	pen.globalAlpha = 1;
	pen.strokeStyle = palette.accent;
	pen.lineWidth = 1.5;
	pen.strokeRect(x0, 5.5, Math.max(2, Math.min(x1, width - 1) - x0), high + 1);
	pen.lineWidth = 1;
}

// Returns the largest value of points a to b, b included. Whole blocks are read by their own
// maximum.
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
	pen.globalAlpha = 0.55;
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
	pen.globalAlpha = 1;
	pen.strokeStyle = view.palette.line;
	pen.beginPath();
	pen.moveTo(LABELS, y + height + 0.5);
	pen.lineTo(width, y + height + 0.5);
	pen.stroke();
	pen.fillStyle = view.palette.weak;
	pen.fillText(text, 12, y + height / 2 + 5);
}

function drawCounts(view)
{
	const points = view.trace.points, half = (COUNTS - 12) / 2, y = MAP + 4;

	drawCount(view, points.queued, view.queuedBlocks, points.mostQueued, y, half, view.palette.accent,
		"queued, \u2264 " + numberText(points.mostQueued));
	drawCount(view, points.parked, view.parkedBlocks, points.mostParked, y + half + 6, half, view.palette.weak,
		"parked, \u2264 " + numberText(points.mostParked));
}
