// SPDX-License-Identifier: MIT
// The view: which part of the trace is shown, and how the mouse and the keys change it.
"use strict";

function maxima(values)
{
	const blocks = new Uint32Array((values.length >> 8) + 1);

	values.forEach((value, i) => { blocks[i >> 8] = Math.max(blocks[i >> 8], value); });
	return blocks;
}

// Returns, for each of many parts of the time, the share of the workers that run.
function loadOf(trace, whole)
{
	const parts = 600, load = new Float64Array(parts), workers = trace.lanes.filter(lane => lane.kind === LANE.WORKER);
	const add = (begin, end, sign) => {
		const a = (begin - trace.start) / whole * parts, b = (end - trace.start) / whole * parts;

		for (let p = Math.max(0, Math.floor(a)); p < Math.min(parts, b); p++)
			load[p] += sign * Math.max(0, Math.min(b, p + 1) - Math.max(a, p)) / Math.max(1, workers.length);
	};

	for (const lane of workers) {
		for (let i = 0; i < lane.n; i++) {
			const sleeps = lane.what[i] === KIND.PARKED && !(lane.wait[i] & 1);

			if (!lane.level[i] && lane.what[i] !== KIND.PARKED)
				add(lane.begin[i], lane.end[i], 1);
			else if (lane.level[i] && sleeps)
				add(lane.begin[i], lane.end[i], -1);
		}
	}
	return load.map(value => Math.max(0, Math.min(1, value)));
}

function View(trace)
{
	this.trace = trace;
	this.canvas = document.getElementById("canvas");
	this.pen = this.canvas.getContext("2d", { alpha: false });
	this.tip = document.getElementById("tip");
	trace.start = Math.min(0, ...trace.lanes.map(lane => lane.n ? lane.begin[0] : 0));
	trace.start -= (trace.end - trace.start) / 100;
	this.whole = Math.max(1, trace.end - trace.start) * 1.01;
	this.load = loadOf(trace, this.whole);
	this.queuedBlocks = maxima(trace.points.queued);
	this.parkedBlocks = maxima(trace.points.parked);
	this.scroll = 0;
	this.hover = this.chosen = this.matches = this.marked = null;
	this.frames = [];
	this.recolor();
	this.first();
}

View.prototype.recolor = function () {
	this.palette = new Palette(this.pen, functionFigures(this.trace).map(figure => figure.name));
	this.colors = this.trace.functions.map(func => this.palette.of(func.name));
	this.weakColors = this.trace.functions.map(func => this.palette.of(func.name, true));
	fillLegend(this.trace, this.palette, name => this.searchFor(name));
	this.resize();
};

View.prototype.resize = function () {
	const box = this.canvas.parentElement.getBoundingClientRect();

	this.ratio = window.devicePixelRatio || 1;
	this.width = Math.max(LABELS + 50, box.width);
	this.height = Math.max(100, box.height);
	this.total = layOut(this.trace.lanes, this.height - TOP);
	this.canvas.width = Math.round(this.width * this.ratio);
	this.canvas.height = Math.round(this.height * this.ratio);
	this.change();
};

// Draws once before the next frame, however often this function is called.
View.prototype.change = function () {
	if (this.waiting)
		return;
	this.waiting = true;
	requestAnimationFrame(() => {
		const begin = performance.now();

		this.waiting = false;
		drawAll(this);
		this.frames.push(performance.now() - begin);
		if (this.frames.length > 1000)
			this.frames.shift();
	});
};

// Shows the time from @start to @stop: at least 20 ns, and at most the whole trace.
View.prototype.show = function (start, stop) {
	const length = Math.min(this.whole, Math.max(20, stop - start));

	start = Math.max(this.trace.start, Math.min(start, this.trace.start + this.whole - length));
	this.start = start;
	this.stop = start + length;
	this.change();
};

View.prototype.fit = function () {
	this.show(this.trace.start, this.trace.start + this.whole);
};

// Shows the first view: the time in the page's address ("#5ms,7ms"), or else from the first run to
// the last.
View.prototype.first = function () {
	const units = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }, asked = /^#([\d.]+)(ns|us|ms|s),([\d.]+)(ns|us|ms|s)$/.exec(location.hash);
	let first = Infinity, last = -Infinity;

	if (asked) {
		this.show(asked[1] * units[asked[2]], asked[3] * units[asked[4]]);
		return;
	}
	for (const lane of this.trace.lanes) {
		for (let i = 0; i < lane.n; i++) {
			if (lane.what[i] === KIND.PARKED)
				continue;
			first = Math.min(first, lane.from[i] >= 0 ? lane.since[i] : lane.begin[i]);
			last = Math.max(last, lane.end[i]);
		}
	}
	const edge = (last - first) * 0.015;

	this.fit();
	if (last - first < 0.9 * this.whole)
		this.show(first - edge, last + edge);
};

View.prototype.timeAt = function (x) {
	return this.start + (x - LABELS) / ((this.width - LABELS) / (this.stop - this.start));
};

View.prototype.zoom = function (factor, x) {
	const middle = this.timeAt(Math.max(LABELS, x)), length = (this.stop - this.start) * factor;
	const part = (middle - this.start) / (this.stop - this.start);

	this.show(middle - length * part, middle + length * (1 - part));
};

View.prototype.move = function (pixels) {
	const time = pixels * (this.stop - this.start) / (this.width - LABELS);

	this.show(this.start + time, this.stop + time);
};

View.prototype.scrollBy = function (pixels) {
	this.scroll = Math.max(0, Math.min(this.scroll + pixels, this.total - (this.height - TOP) + 20));
	this.scroll = Math.max(0, this.scroll);
	this.change();
};

// Returns the span at a place. A narrow span is also found from a pixel beside it.
View.prototype.find = function (x, y) {
	if (x < LABELS || y < TOP)
		return null;
	const l = this.trace.lanes.findIndex(lane => y < TOP + lane.y + lane.height - this.scroll && y >= TOP + lane.y - this.scroll);

	if (l < 0)
		return null;
	const lane = this.trace.lanes[l], level = Math.floor((y - TOP - lane.y + this.scroll) / lane.row), spans = lane.levels[level];
	const near = (this.stop - this.start) / (this.width - LABELS), time = this.timeAt(x);

	if (!spans)
		return null;
	const k = firstAfter(spans.length, i => lane.end[spans[i]], time - near);

	return k < spans.length && lane.begin[spans[k]] <= time + near ? { lane: l, i: spans[k] } : null;
};

View.prototype.reveal = function (at) {
	const lane = this.trace.lanes[at.lane], length = lane.end[at.i] - lane.begin[at.i];

	if (lane.begin[at.i] < this.start || lane.end[at.i] > this.stop || length / (this.stop - this.start) < 0.002) {
		const around = Math.max(length * 4, Math.min(this.stop - this.start, length * 200), 2000);

		this.show(lane.begin[at.i] + length / 2 - around / 2, lane.begin[at.i] + length / 2 + around / 2);
	}
	if (!laneShown(this, at.lane))
		this.scrollBy(lane.y - this.scroll - 40);
	this.change();
};

View.prototype.choose = function (at) {
	const box = document.getElementById("chosen");

	this.chosen = at;
	box.textContent = "";
	this.change();
	if (!at)
		return;
	const lane = this.trace.lanes[at.lane], list = document.createElement("dl");

	box.append(Object.assign(document.createElement("h2"), { textContent: spanText(this.trace, lane, at.i) }), list);
	for (const [what, text] of spanFacts(this.trace, lane, at.i)) {
		const value = document.createElement("dd");

		if (what === "scheduled by" || what === "woken by") {
			const link = value.appendChild(Object.assign(document.createElement("a"), { textContent: text }));

			link.onclick = () => this.follow(lane.from[at.i], lane.since[at.i]);
		} else {
			value.textContent = text;
		}
		list.append(Object.assign(document.createElement("dt"), { textContent: what }), value);
	}
};

// Chooses the span in which an arrow began.
View.prototype.follow = function (l, time) {
	const i = spanAt(this.trace.lanes[l], time);

	if (i < 0) {
		const half = (this.stop - this.start) / 2;

		this.show(time - half, time + half);
		return;
	}
	this.choose({ lane: l, i });
	this.reveal(this.chosen);
};

View.prototype.search = function (text) {
	const wanted = text.trim().toLowerCase(), found = document.getElementById("found");

	this.matches = null;
	found.textContent = "";
	if (wanted) {
		this.matches = this.trace.functions.map(func => func.name.toLowerCase().includes(wanted));
		let n = 0;

		for (const lane of this.trace.lanes)
			for (let i = 0; i < lane.n && lane.kind !== LANE.FIBER; i++)
				n += lane.what[i] <= KIND.FIBER && this.matches[lane.func[i]] ? 1 : 0;
		found.textContent = numberText(n) + " found";
	}
	this.change();
};

View.prototype.searchFor = function (name) {
	document.getElementById("search").value = name;
	this.search(name);
	this.next(true);
};

// Chooses the next match after the chosen span, or the last one before it, in the order of time
// over all lanes.
View.prototype.next = function (forward) {
	const lanes = this.trace.lanes, here = this.chosen ? lanes[this.chosen.lane].begin[this.chosen.i] : forward ? -Infinity : Infinity;
	let best = null, bestBegin = 0;

	if (!this.matches)
		return;
	lanes.forEach((lane, l) => {
		if (lane.kind === LANE.FIBER)
			return;
		let i = firstAfter(lane.n, k => lane.begin[k], here);

		if (!forward)
			i = firstAfter(lane.n, k => lane.begin[k], here - 0.001) - 1;
		for (; i >= 0 && i < lane.n; i += forward ? 1 : -1) {
			if (lane.what[i] > KIND.FIBER || !this.matches[lane.func[i]])
				continue;
			if (!best || (forward ? lane.begin[i] < bestBegin : lane.begin[i] > bestBegin)) {
				best = { lane: l, i };
				bestBegin = lane.begin[i];
			}
			break;
		}
	});
	if (!best)
		return;
	this.choose(best);
	this.reveal(best);
};

View.prototype.step = function (by) {
	if (!this.chosen)
		return;
	const lane = this.trace.lanes[this.chosen.lane], spans = lane.levels[lane.level[this.chosen.i]];
	const k = spans.indexOf(this.chosen.i) + by;

	if (k < 0 || k >= spans.length)
		return;
	this.choose({ lane: this.chosen.lane, i: spans[k] });
	this.reveal(this.chosen);
};

View.prototype.tell = function (x, y) {
	this.hover = this.find(x, y);
	this.change();
	this.tip.hidden = !this.hover;
	if (!this.hover)
		return;
	const lane = this.trace.lanes[this.hover.lane], head = document.createElement("b");

	head.textContent = spanText(this.trace, lane, this.hover.i);
	this.tip.replaceChildren(head, "\n" + spanFacts(this.trace, lane, this.hover.i).map(([what, text]) => what + " " + text).join("\n"));
	this.tip.style.left = Math.min(x + 14, this.width - this.tip.offsetWidth - 8) + "px";
	this.tip.style.top = Math.min(y + 16, this.height - this.tip.offsetHeight - 8) + "px";
};

View.prototype.listen = function () {
	const canvas = this.canvas, search = document.getElementById("search");
	let drag = null;
	const place = event => {
		const box = canvas.getBoundingClientRect();

		return [event.clientX - box.left, event.clientY - box.top];
	};

	canvas.addEventListener("wheel", event => {
		event.preventDefault();
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			this.move(event.deltaX || event.deltaY);
		else if (event.altKey)
			this.scrollBy(event.deltaY);
		else
			this.zoom(Math.pow(1.0015, Math.max(-400, Math.min(400, event.deltaY))), place(event)[0]);
	}, { passive: false });
	canvas.addEventListener("pointerdown", event => {
		const [x, y] = place(event);

		drag = { x, y, moved: false, map: y < MAP && x >= LABELS, mark: event.shiftKey };
		canvas.setPointerCapture(event.pointerId);
		canvas.focus({ preventScroll: true });
		this.marked = drag.mark ? [x, x] : null;
	});
	canvas.addEventListener("pointermove", event => {
		const [x, y] = place(event);

		if (!drag) {
			this.tell(x, y);
			return;
		}
		drag.moved = drag.moved || Math.abs(x - drag.x) + Math.abs(y - drag.y) > 3;
		if (drag.mark) {
			this.marked[1] = x;
			this.change();
		} else if (drag.map) {
			this.centre(x);
		} else if (drag.moved) {
			canvas.classList.add("drag");
			this.move(drag.x - x);
			this.scrollBy(drag.y - y);
			[drag.x, drag.y] = [x, y];
		}
	});
	canvas.addEventListener("pointerup", event => {
		const [x, y] = place(event);

		canvas.classList.remove("drag");
		if (drag && drag.map)
			this.centre(x);
		else if (drag && drag.mark && drag.moved)
			this.show(this.timeAt(Math.min(...this.marked)), this.timeAt(Math.max(...this.marked)));
		else if (drag && !drag.moved)
			this.choose(this.find(x, y));
		drag = this.marked = null;
		this.change();
	});
	canvas.addEventListener("pointerleave", () => {
		this.hover = null;
		this.tip.hidden = true;
		this.change();
	});
	search.addEventListener("input", () => this.search(search.value));
	search.addEventListener("keydown", event => {
		if (event.key === "Enter")
			this.next(!event.shiftKey);
		if (event.key === "Escape")
			canvas.focus();
	});
	document.addEventListener("keydown", event => {
		if (event.target !== search && !event.ctrlKey && !event.metaKey)
			this.key(event);
	});
	document.getElementById("fit").onclick = () => this.fit();
	document.getElementById("panel").onclick = () => this.panel();
	addEventListener("resize", () => this.resize());
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolor());
};

View.prototype.centre = function (x) {
	const half = (this.stop - this.start) / 2, time = this.trace.start + (x - LABELS) / (this.width - LABELS) * this.whole;

	this.show(time - half, time + half);
};

View.prototype.panel = function () {
	document.getElementById("side").hidden = !document.getElementById("side").hidden;
	this.resize();
};

View.prototype.key = function (event) {
	const middle = (this.width + LABELS) / 2, step = this.width / 8;
	const keys = {
		w: () => this.zoom(0.7, middle), s: () => this.zoom(1 / 0.7, middle), "+": () => this.zoom(0.7, middle),
		"-": () => this.zoom(1 / 0.7, middle), a: () => this.move(-step), d: () => this.move(step),
		ArrowLeft: () => this.move(-step), ArrowRight: () => this.move(step), ArrowUp: () => this.scrollBy(-60),
		ArrowDown: () => this.scrollBy(60), 0: () => this.fit(), p: () => this.panel(), "[": () => this.step(-1),
		"]": () => this.step(1), f: () => this.chosen && this.showChosen(), "/": () => document.getElementById("search").focus(),
		n: () => this.next(true), N: () => this.next(false), Escape: () => this.choose(null),
	};

	if (!keys[event.key])
		return;
	event.preventDefault();
	keys[event.key]();
};

View.prototype.showChosen = function () {
	const lane = this.trace.lanes[this.chosen.lane], begin = lane.begin[this.chosen.i], end = lane.end[this.chosen.i];

	this.show(begin - (end - begin) * 0.2, end + (end - begin) * 0.2);
};

function begin()
{
	const trace = readTrace();

	measureLanes(trace);
	const view = new View(trace);

	fillHead(trace);
	fillFunctions(trace, name => view.palette.of(name), name => view.searchFor(name));
	fillUses(trace, l => view.scrollBy(trace.lanes[l].y - view.scroll));
	fillGaps(trace, gap => view.show(gap.begin - (gap.end - gap.begin), gap.end + (gap.end - gap.begin)));
	view.listen();
	view.resize();
	window.napTrace = view;
}

begin();
