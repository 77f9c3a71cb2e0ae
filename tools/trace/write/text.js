// SPDX-License-Identifier: MIT
// The texts about a span, and the tables beside the timeline.
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

// Whether the span is code of the program: a task, a job, a stretch of a fiber, or iterations of a
// loop.
function isFunction(lane, i)
{
	return lane.what[i] <= KIND.FIBER || lane.what[i] === KIND.LEAF;
}

function leafText(lane, i)
{
	const last = lane.object[i] + lane.count[i] - 1;

	return numberText(lane.object[i]) + (lane.count[i] > 1 ? " \u2013 " + numberText(last) : "");
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
	case KIND.LEAF:
		return (lane.count[i] > 1 ? "iterations " : "iteration ") + leafText(lane, i);
	default:
		return functionText(trace, lane, i);
	}
}

// Returns the texts that may stand inside a span, the longest first.
function labelTexts(trace, lane, i)
{
	const text = spanText(trace, lane, i);

	switch (lane.what[i]) {
	case KIND.LEAF:
		return [text, leafText(lane, i)];
	case KIND.WAIT:
		return [text, (WAITS[lane.wait[i]] || WAITS[0]).replace(/^an? /, "")];
	case KIND.JOIN:
		return [text, "join"];
	case KIND.GROUP:
		return [text, "group"];
	case KIND.BLOCKED:
		return [text, "blocking", "blocks"];
	}
	return [text];
}

// Returns what is known of a span, as [what, text] pairs in the order in which they are shown.
function spanFacts(trace, lane, i)
{
	const func = trace.functions[lane.func[i]], facts = [];
	const began = lane.flags[i] & FLAG.NO_BEGIN ? "before the trace" : timeText(lane.begin[i]);

	facts.push(["on", lane.name], ["took", timeText(lane.end[i] - lane.begin[i]) + (lane.flags[i] & FLAG.NO_END ? ", not over yet" : "")],
		["began at", began]);
	if (lane.what[i] === KIND.LEAF)
		facts.push(["a leaf in", functionText(trace, lane, i)]);
	if (lane.victim[i] >= 0)
		facts.push(["stolen from", trace.lanes[lane.victim[i]].name]);
	if (func && func.file && lane.what[i] <= KIND.FIBER)
		facts.push(["source", func.file + ":" + func.line]);
	if (lane.what[i] === KIND.WAIT)
		facts.push(["fiber of", functionText(trace, lane, i)]);
	if (lane.object[i] && lane.what[i] !== KIND.LEAF)
		facts.push(["object", "0x" + lane.object[i].toString(16)]);
	if (lane.from[i] < 0)
		return facts;
	if (lane.what[i] === KIND.PARKED)
		facts.push(["woken by", trace.lanes[lane.from[i]].name], ["wake took", timeText(lane.end[i] - lane.since[i])]);
	else if (lane.flags[i] & FLAG.AT_ONCE)
		facts.push([lane.late[i] ? "was due" : "was ready", timeText(lane.since[i] - lane.late[i])],
			["waited", timeText(lane.begin[i] - lane.since[i] + lane.late[i])]);
	else
		facts.push(["scheduled by", whoText(trace, lane.from[i], lane.since[i])], ["waited", timeText(lane.begin[i] - lane.since[i])]);
	return facts;
}

// Returns the name of a lane, and of the function that ran there at @time.
function whoText(trace, l, time)
{
	const i = spanAt(trace.lanes[l], time);

	return trace.lanes[l].name + (i >= 0 ? ", in " + spanText(trace, trace.lanes[l], i) : "");
}

// Returns the innermost span of a lane at @time; -1: there is none.
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
	return td;
}

// Returns how often each function ran, and for how long in all; the function with the longest time
// comes first.
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

function pausedTime(trace)
{
	return trace.pauses.reduce((ns, pause) => ns + pause.end - pause.begin, 0);
}

// Computes which part of the time each lane ran, and slept.
function measureLanes(trace)
{
	for (const lane of trace.lanes) {
		let runs = 0, sleeps = 0;

		for (let i = 0; i < lane.n; i++) {
			const took = lane.end[i] - lane.begin[i];
			const asleep = lane.what[i] === KIND.WAIT || (lane.what[i] === KIND.PARKED && !(lane.wait[i] & 1));

			sleeps += asleep ? took : 0;
			runs += !lane.level[i] && lane.what[i] !== KIND.PARKED && lane.what[i] !== KIND.WAIT ? took : 0;
			runs -= asleep && lane.level[i] ? took : 0;
		}
		lane.ran = runs / Math.max(1, trace.end - pausedTime(trace));
		lane.slept = sleeps / Math.max(1, trace.end - pausedTime(trace));
	}
}

function fillUses(trace, show)
{
	const body = document.querySelector("#uses tbody");
	const percent = part => (100 * part).toFixed(0) + " %";

	trace.lanes.forEach((lane, l) => {
		if (body.rows.length >= 40)
			return;
		const row = body.insertRow();

		cell(row, lane.label).title = lane.name;
		cell(row, percent(lane.ran));
		cell(row, percent(lane.slept));
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
	const program = trace.exe.replace(/^.*\//, ""), name = trace.name || program || "a pool";

	document.title = "nap trace: " + name;
	document.getElementById("title").textContent = name;
	document.getElementById("title").title = trace.exe;
	document.getElementById("facts").textContent = [
		program === name ? "" : program, "process " + trace.pid, timeText(trace.end), numberText(trace.events) + " events",
		numberText(trace.lanes.reduce((n, lane) => n + lane.n, 0)) + " spans",
	].filter(text => text).join("  \u00b7  ");
	const warnings = [trace.cut ? "the file is cut" : trace.lost ? numberText(trace.lost) + " older events were overwritten" : "",
		trace.pauses.length ? "not traced for " + timeText(pausedTime(trace)) : ""].filter(text => text);
	if (warnings.length) {
		const warn = document.createElement("span");

		warn.className = "warn";
		warn.textContent = warnings.join("  \u00b7  ");
		document.getElementById("facts").after(warn);
	}
}

// Lists the colours and the marks that the trace has, each with its meaning.
function fillLegend(trace, palette, choose)
{
	const box = document.getElementById("legend"), has = new Set(), of = name => palette[name];
	const item = (text, mark, color) => {
		const span = box.appendChild(document.createElement("span")), sign = span.appendChild(document.createElement("i"));

		sign.className = mark;
		sign.style.setProperty("--color", color);
		span.append(text);
		return span;
	};

	box.textContent = "";
	for (const lane of trace.lanes)
		for (let i = 0; i < lane.n; i++) {
			has.add(lane.what[i] === KIND.PARKED && lane.wait[i] & 1 ? "spins" : lane.what[i]);
			if (lane.victim[i] >= 0)
				has.add("stolen");
			if (lane.from[i] >= 0)
				has.add(lane.what[i] === KIND.PARKED ? "wake" : "schedule");
		}
	for (const figure of functionFigures(trace).slice(0, 6)) {
		const span = item(figure.name, "full", palette.of(figure.name));

		span.className = "link";
		span.onclick = () => choose(figure.name);
	}
	if (has.has(KIND.LEAF))
		item("leaf of a loop", "full", functionFigures(trace).length ? palette.of(functionFigures(trace)[0].name, true) : of("parked"));
	if (has.has(KIND.JOIN) || has.has(KIND.GROUP) || has.has(KIND.WAIT))
		item("waits", "hatch wait", of("wait-line"));
	if (has.has(KIND.BLOCKED))
		item("blocking section", "hatch blocked", of("blocked-line"));
	if (has.has(KIND.PARKED))
		item("parked", "low", of("parked"));
	if (has.has("spins"))
		item("spins", "low", of("spins"));
	item("looks for work", "full", of("lane"));
	if (has.has("stolen"))
		item("was stolen", "corner", of("steal"));
	if (has.has("schedule"))
		item("schedules", "arrow", of("accent"));
	if (has.has("wake"))
		item("wakes", "arrow", of("wake"));
	if (trace.leaving.reduce((n, lane) => n + lane.n, 0) > ARROWS_MOST)
		box.appendChild(document.createElement("span")).append("(arrows: zoom in, or click)");
}
