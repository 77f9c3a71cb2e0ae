// SPDX-License-Identifier: MIT
// Arrows lead from the thread that scheduled a task, or woke a worker, and from the worker that was
// stolen from. All are drawn while they are few; otherwise only those of the chosen span.
"use strict";

const ARROWS_MOST = 80, LOOKED_MOST = 20000;

function placeOf(view, l, level, time)
{
	const lane = view.trace.lanes[l];

	return [LABELS + (time - view.start) * view.scale, TOP + lane.y - view.scroll + (level + 0.5) * lane.row - 1];
}

function drawHead(pen, x, y)
{
	pen.beginPath();
	pen.moveTo(x, y);
	pen.lineTo(x - 8, y - 4);
	pen.lineTo(x - 8, y + 4);
	pen.fill();
}

function drawArrow(view, from, since, l, i, color)
{
	const lane = view.trace.lanes[l], pen = view.pen, source = spanAt(view.trace.lanes[from], since);
	const [x0, y0] = placeOf(view, from, source >= 0 ? view.trace.lanes[from].level[source] : 0, since);
	const [x1, y1] = placeOf(view, l, lane.level[i], lane.what[i] === KIND.PARKED ? lane.end[i] : lane.begin[i]);
	const bend = Math.max(from === l ? 18 : 5, Math.min(90, Math.abs(x1 - x0) / 2)), rise = from === l ? Math.min(28, 10 + (x1 - x0) / 12) : 0;

	pen.strokeStyle = pen.fillStyle = color;
	pen.lineWidth = 1.5;
	pen.beginPath();
	pen.moveTo(x0, y0);
	pen.bezierCurveTo(x0 + bend, y0 - rise, x1 - bend, y1 - rise, x1 - (rise ? 2 : 5), y1 - (rise ? 3 : 0));
	pen.stroke();
	drawHead(pen, x1, y1);
	pen.beginPath();
	pen.arc(x0, y0, 3, 0, 7);
	pen.fill();
	pen.lineWidth = 1;
}

// Draws a steal: a broken line at one time, from the worker that had the work to the worker that
// took it.
function drawSteal(view, l, i)
{
	const lane = view.trace.lanes[l], { pen, palette } = view;
	const [x, y0] = placeOf(view, lane.victim[i], 0, lane.begin[i]), y1 = placeOf(view, l, lane.level[i], lane.begin[i])[1];

	pen.strokeStyle = palette.steal;
	pen.lineWidth = 1.5;
	pen.setLineDash([4, 3]);
	pen.beginPath();
	pen.moveTo(x, y0);
	pen.lineTo(x, y1);
	pen.stroke();
	pen.setLineDash([]);
	pen.lineWidth = 1;
}

// Marks a stolen span by a corner at its begin.
function drawStolen(view, lane, i, x, y, height)
{
	const size = Math.min(8, height / 2), pen = view.pen;

	pen.fillStyle = view.palette.steal;
	pen.beginPath();
	pen.moveTo(x, y);
	pen.lineTo(x + size, y);
	pen.lineTo(x, y + size);
	pen.fill();
}

function spanArrow(view, l, i, color)
{
	const lane = view.trace.lanes[l], usual = lane.what[i] === KIND.PARKED ? view.palette.wake : view.palette.accent;

	if (lane.from[i] >= 0)
		drawArrow(view, lane.from[i], lane.since[i], l, i, color || usual);
	if (lane.victim[i] >= 0)
		drawSteal(view, l, i);
}

// Returns the visible spans at which an arrow from another lane ends; null: there are too many.
function arrowsShown(view)
{
	const found = [], lanes = view.trace.lanes;
	let looked = 0;

	for (let l = 0; l < lanes.length; l++) {
		const lane = lanes[l];

		for (const spans of lane.kind === LANE.FIBER ? [] : lane.levels) {
			let k = firstAfter(spans.length, i => lane.end[spans[i]], view.start);

			for (; k < spans.length && lane.begin[spans[k]] < view.stop; k++) {
				const i = spans[k];

				if (++looked > LOOKED_MOST || found.length > ARROWS_MOST)
					return null;
				if ((lane.from[i] >= 0 && lane.from[i] !== l && lane.since[i] >= view.start) || lane.victim[i] >= 0)
					found.push([l, i]);
			}
		}
	}
	return found;
}

// Draws the arrow that ends at the chosen span, and the arrows that begin during the span.
function drawChosen(view, chosen)
{
	const lane = view.trace.lanes[chosen.lane], leaving = view.trace.leaving[chosen.lane];

	spanArrow(view, chosen.lane, chosen.i, view.palette.hit);
	if (lane.what[chosen.i] === KIND.PARKED)
		return;
	let k = firstAfter(leaving.n, i => leaving.since[i], lane.begin[chosen.i] - 0.5);

	for (let n = 0; n < 200 && k < leaving.n && leaving.since[k] <= lane.end[chosen.i]; n++, k++)
		spanArrow(view, leaving.lane[k], leaving.span[k]);
}

function drawArrows(view)
{
	if (view.chosen) {
		drawChosen(view, view.chosen);
		return;
	}
	view.pen.globalAlpha = 0.7;
	for (const [l, i] of arrowsShown(view) || [])
		spanArrow(view, l, i);
	view.pen.globalAlpha = 1;
}

// Draws a tick where a thread from outside scheduled a task or woke a worker. Nothing else is known
// of such a thread.
function drawTicks(view, l)
{
	const { pen, palette } = view, lane = view.trace.lanes[l], leaving = view.trace.leaving[l], top = TOP + lane.y - view.scroll;
	let k = firstAfter(leaving.n, i => leaving.since[i], view.start);

	pen.fillStyle = palette.accent;
	while (k < leaving.n && leaving.since[k] < view.stop) {
		const x = Math.floor(LABELS + (leaving.since[k] - view.start) * view.scale);

		pen.fillRect(x, top + lane.row * 0.2, 1.5, lane.row * 0.6 - 2);
		k += Math.max(1, firstAfter(leaving.n - k, i => leaving.since[k + i], view.start + (x + 2 - LABELS) / view.scale));
	}
}
