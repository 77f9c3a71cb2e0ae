// SPDX-License-Identifier: MIT
// The trace's data, as page.c writes them: each lane has arrays with an entry for each span, in the
// order of their begins.
"use strict";

const KIND = { TASK: 0, JOB: 1, FIBER: 2, PARKED: 3, JOIN: 4, GROUP: 5, BLOCKED: 6, WAIT: 7, LEAF: 8 };
const FLAG = { FROM: 1, NO_BEGIN: 2, NO_END: 4, INNER: 8, STOLEN: 16, AT_ONCE: 32 };
const LANE = { WORKER: 0, OUTSIDE: 1, FIBER: 2 };

function bytesOf(id)
{
	const text = atob(document.getElementById(id).textContent.trim());
	const bytes = new Uint8Array(text.length);

	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);
	return bytes;
}

// Reads numbers of seven bits a byte. Addresses are below 2^53, so they are exact as JavaScript's
// numbers.
function Numbers(bytes)
{
	this.bytes = bytes;
	this.at = 0;
}

Numbers.prototype.next = function () {
	const bytes = this.bytes;
	let byte = bytes[this.at++], value = byte & 127, scale = 128;

	while (byte > 127) {
		byte = bytes[this.at++];
		value += (byte & 127) * scale;
		scale *= 128;
	}
	return value;
};

function readLane(numbers, about)
{
	const n = about.spans;
	const lane = {
		kind: about.kind, name: about.name, label: about.name, begins: about.begins, lost: about.lost, depth: Math.max(1, about.depth), n,
		begin: new Float64Array(n), end: new Float64Array(n), what: new Uint8Array(n), flags: new Uint8Array(n),
		level: new Uint16Array(n), func: new Int32Array(n), from: new Int32Array(n).fill(-1),
		victim: new Int32Array(n).fill(-1), late: new Float64Array(n),
		since: new Float64Array(n), wait: new Uint8Array(n), object: new Float64Array(n), count: new Float64Array(n), levels: [],
	};
	const counts = new Uint32Array(lane.depth);
	let last = about.first;

	for (let i = 0; i < n; i++) {
		last += numbers.next();
		lane.begin[i] = last;
		lane.end[i] = last + numbers.next();
		const head = numbers.next();
		lane.what[i] = head & 15;
		lane.flags[i] = head >> 4;
		lane.level[i] = numbers.next();
		lane.func[i] = numbers.next() - 1;
		counts[lane.level[i]]++;
		if (lane.flags[i] & FLAG.FROM) {
			lane.from[i] = numbers.next();
			lane.since[i] = (lane.what[i] === KIND.PARKED ? lane.end[i] : last) - numbers.next();
		}
		if (lane.flags[i] & FLAG.AT_ONCE)
			lane.late[i] = numbers.next();
		if (lane.flags[i] & FLAG.STOLEN)
			lane.victim[i] = numbers.next();
		if (lane.what[i] === KIND.PARKED || lane.what[i] === KIND.WAIT)
			lane.wait[i] = numbers.next();
		if (lane.what[i] >= KIND.JOIN)
			lane.object[i] = numbers.next();
		if (lane.what[i] === KIND.LEAF)
			lane.count[i] = numbers.next();
	}
	lane.levels = Array.from(counts, count => new Uint32Array(count));
	counts.fill(0);
	for (let i = 0; i < n; i++)
		lane.levels[lane.level[i]][counts[lane.level[i]]++] = i;
	return lane;
}

function readPoints(numbers, n, first)
{
	const points = { n, time: new Float64Array(n), queued: new Uint32Array(n), parked: new Uint32Array(n), mostQueued: 1, mostParked: 1 };
	let last = first;

	for (let i = 0; i < n; i++) {
		points.time[i] = last += numbers.next();
		points.queued[i] = numbers.next();
		points.parked[i] = numbers.next();
		points.mostQueued = Math.max(points.mostQueued, points.queued[i]);
		points.mostParked = Math.max(points.mostParked, points.parked[i]);
	}
	return points;
}

// Returns the arrows that leave each lane, in the order of their begins: when each begins, and the
// lane and the span where it ends.
function arrowsFrom(lanes)
{
	const counts = new Uint32Array(lanes.length);

	for (const lane of lanes)
		if (lane.kind !== LANE.FIBER)
			for (let i = 0; i < lane.n; i++)
				if (lane.from[i] >= 0)
					counts[lane.from[i]]++;
	const leaving = Array.from(counts, n => ({ n: 0, since: new Float64Array(n), lane: new Uint32Array(n), span: new Uint32Array(n) }));
	lanes.forEach((lane, l) => {
		for (let i = 0; i < lane.n && lane.kind !== LANE.FIBER; i++) {
			const to = leaving[lane.from[i]];

			if (!to)
				continue;
			to.since[to.n] = lane.since[i];
			to.lane[to.n] = l;
			to.span[to.n++] = i;
		}
	});
	for (const to of leaving) {
		const order = Uint32Array.from(to.since.keys()).sort((a, b) => to.since[a] - to.since[b]);

		to.since = Float64Array.from(order, i => to.since[i]);
		to.lane = Uint32Array.from(order, i => to.lane[i]);
		to.span = Uint32Array.from(order, i => to.span[i]);
	}
	return leaving;
}

// Labels each fiber by its function, and by a number if several fibers have this function. An
// address would tell nothing.
function labelFibers(lanes)
{
	const counts = new Map(), nameOf = lane => lane.name.replace(/^fiber (.*) 0x[0-9a-f]+$/, "$1");

	for (const lane of lanes)
		if (lane.kind === LANE.FIBER)
			counts.set(nameOf(lane), (counts.get(nameOf(lane)) || 0) + 1);
	const seen = new Map();
	for (const lane of lanes) {
		const name = nameOf(lane), n = (seen.get(name) || 0) + 1;

		if (lane.kind !== LANE.FIBER)
			continue;
		seen.set(name, n);
		lane.label = counts.get(name) > 1 ? name + " #" + n : name;
	}
}

function readTrace()
{
	const trace = JSON.parse(document.getElementById("facts-data").textContent);
	const numbers = new Numbers(bytesOf("spans-data"));

	trace.lanes = trace.lanes.map(about => readLane(numbers, about));
	trace.points = readPoints(new Numbers(bytesOf("points-data")), trace.points, trace.firstPoint);
	labelFibers(trace.lanes);
	trace.leaving = arrowsFrom(trace.lanes);
	return trace;
}

// Returns the index of the first of @count sorted values, @at(i), that is larger than @value.
function firstAfter(count, at, value)
{
	let low = 0, high = count;

	while (low < high) {
		const middle = (low + high) >>> 1;

		if (at(middle) > value)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
