// SPDX-License-Identifier: MIT
// What is said of a span, and the tables beside the timeline.
"use strict";

const WAITS = ["something", "its next turn", "a time", "a group", "a fiber", "a mutex", "a condition", "a semaphore",
	"an event", "a channel", "a select", "a file", "a timer's task"];

function timeText(ns)
{
	const size = Math.abs(ns);
	const [scale, unit] = size < 999.5 ? [1, "ns"] : size < 999.5e3 ? [1e3, "\u00b5s"] : size < 999.5e6 ? [1e6, "ms"] : [1e9, "s"];
	const value = ns / scale, whole = Math.abs(value);

	return value.toFixed(scale === 1 ? 0 : whole < 9.995 ? 2 : whole < 99.95 ? 1 : 0) + " " + unit;
}

function numberText(n)
{
	return n.toLocaleString("en");
}

function functionText(trace, lane, i)
{
	const func = trace.functions[lane.func[i]];

	return func ? func.name : "?";
}

function spanText(trace, lane, i)
{
	switch (lane.what[i]) {
	case KIND.PARKED:
		return lane.wait[i] & 1 ? "spins" : lane.wait[i] & 2 ? "polls" : lane.wait[i] & 4 ? "dozes" : "parked";
	case KIND.JOIN:
		return "join " + functionText(trace, lane, i);
	case KIND.GROUP:
		return "waits for a group";
	case KIND.BLOCKED:
		return "blocking section";
	case KIND.WAIT:
		return "waits for " + (WAITS[lane.wait[i]] || WAITS[0]);
	default:
		return functionText(trace, lane, i);
	}
}

// [what, text] pairs, in the order in which they are shown.
function spanFacts(trace, lane, i)
{
	const func = trace.functions[lane.func[i]], facts = [];
	const began = lane.flags[i] & FLAG.NO_BEGIN ? "before the trace" : timeText(lane.begin[i]);

	facts.push(["on", lane.name], ["took", timeText(lane.end[i] - lane.begin[i]) + (lane.flags[i] & FLAG.NO_END ? ", not over yet" : "")],
		["began at", began]);
	if (func && func.file && lane.what[i] <= KIND.FIBER)
		facts.push(["source", func.file + ":" + func.line]);
	if (lane.what[i] === KIND.WAIT)
		facts.push(["fiber of", functionText(trace, lane, i)]);
	if (lane.object[i])
		facts.push(["object", "0x" + lane.object[i].toString(16)]);
	if (lane.from[i] < 0)
		return facts;
	if (lane.what[i] === KIND.PARKED)
		facts.push(["woken by", trace.lanes[lane.from[i]].name], ["wake took", timeText(lane.end[i] - lane.since[i])]);
	else
		facts.push(["scheduled by", whoText(trace, lane.from[i], lane.since[i])], ["waited", timeText(lane.begin[i] - lane.since[i])]);
	return facts;
}

// A lane, and the function that ran there at @time.
function whoText(trace, l, time)
{
	const i = spanAt(trace.lanes[l], time);

	return trace.lanes[l].name + (i >= 0 ? ", in " + spanText(trace, trace.lanes[l], i) : "");
}

// The innermost span of a lane at @time; -1: none.
function spanAt(lane, time)
{
	for (let level = lane.levels.length - 1; level >= 0; level--) {
		const spans = lane.levels[level];
		const k = firstAfter(spans.length, i => lane.begin[spans[i]], time) - 1;

		if (k >= 0 && lane.end[spans[k]] > time)
			return spans[k];
	}
	return -1;
}

function cell(row, text, color)
{
	const td = row.insertCell();

	if (color) {
		const dot = td.appendChild(document.createElement("span"));

		dot.className = "dot";
		dot.style.background = color;
	}
	td.append(text);
	td.title = text;
}

// How often each function ran, and how long; the longest time in all first.
function functionFigures(trace)
{
	const figures = trace.functions.map((func, i) => ({ i, name: func.name, times: 0, all: 0, most: 0 }));

	for (const lane of trace.lanes) {
		for (let i = 0; i < lane.n && lane.kind !== LANE.FIBER; i++) {
			const figure = lane.what[i] <= KIND.FIBER ? figures[lane.func[i]] : undefined;
			const took = lane.end[i] - lane.begin[i];

			if (!figure)
				continue;
			figure.times++;
			figure.all += took;
			figure.most = Math.max(figure.most, took);
		}
	}
	return figures.filter(figure => figure.times).sort((a, b) => b.all - a.all);
}

function fillFunctions(trace, colorOf, choose)
{
	const body = document.querySelector("#functions tbody");

	for (const figure of functionFigures(trace).slice(0, 60)) {
		const row = body.insertRow();

		cell(row, figure.name, colorOf(figure.name));
		cell(row, numberText(figure.times));
		cell(row, timeText(figure.all));
		cell(row, timeText(figure.most));
		row.onclick = () => choose(figure.name);
	}
}

function fillUses(trace, show)
{
	const body = document.querySelector("#uses tbody");
	const percent = part => (100 * part / Math.max(1, trace.end)).toFixed(0) + " %";

	trace.lanes.forEach((lane, l) => {
		let runs = 0, sleeps = 0;

		if (body.rows.length >= 40)
			return;
		for (let i = 0; i < lane.n; i++) {
			const took = lane.end[i] - lane.begin[i];
			const asleep = lane.what[i] === KIND.WAIT || (lane.what[i] === KIND.PARKED && !(lane.wait[i] & 1));

			sleeps += asleep ? took : 0;
			runs += !lane.level[i] && lane.what[i] !== KIND.PARKED && lane.what[i] !== KIND.WAIT ? took : 0;
			runs -= asleep && lane.level[i] ? took : 0;
		}
		const row = body.insertRow();

		cell(row, lane.name);
		cell(row, percent(runs));
		cell(row, percent(sleeps));
		cell(row, numberText(lane.n));
		row.onclick = () => show(l);
	});
}

function fillGaps(trace, show)
{
	const box = document.getElementById("gaps");

	if (!trace.gaps.length)
		return;
	box.innerHTML = "<h2>Work queued while a worker slept</h2><table><tbody></tbody></table>";
	for (const gap of trace.gaps) {
		const row = box.querySelector("tbody").insertRow();

		cell(row, timeText(gap.end - gap.begin));
		cell(row, "at " + timeText(gap.begin));
		cell(row, numberText(gap.queued) + " queued");
		row.onclick = () => show(gap);
	}
}

function fillHead(trace)
{
	document.title = "nap trace: " + (trace.name || trace.exe || "a pool");
	document.getElementById("title").textContent = trace.name ? "Pool " + trace.name : "Trace of a pool";
	document.getElementById("facts").textContent = [
		trace.exe, "process " + trace.pid, timeText(trace.end), numberText(trace.events) + " events",
		numberText(trace.lanes.reduce((n, lane) => n + lane.n, 0)) + " spans",
	].filter(text => text).join("  \u00b7  ");
	if (trace.lost || trace.cut) {
		const warn = document.createElement("span");

		warn.className = "warn";
		warn.textContent = trace.cut ? "the file is cut" : numberText(trace.lost) + " older events were overwritten";
		document.getElementById("facts").after(warn);
	}
}
