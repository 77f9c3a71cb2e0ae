/* SPDX-License-Identifier: MIT */
/* An explanation in words, one edge after the other: of a cycle that forbids, or of an execution. */
const eventText = event => event.kind === "fence" ? event.source || "a fence" : `${event.kind === "read" ? "R" : "W"} ${event.location} = ${event.value}`;
const nameOf = event => event.thread < 0 ? `the initial ${event.location} = ${event.value}` : event.letter;
const saying = event => event.thread < 0 ? nameOf(event) : `${event.letter} (P${event.thread}: ${eventText(event)})`;

/* What one step of a relation says, from event @a to event @b. */
function stepText(label, a, b) {
	const name = label.replace(/\^-1$/, "");
	switch (name) {
	case "rf": case "rfe": case "rfi":
		return `${nameOf(b)} reads what ${nameOf(a)} wrote, ${b.location} = ${b.value}`;
	case "fr": case "fre": case "fri":
		return `${nameOf(a)} reads ${a.location} = ${a.value}, which ${nameOf(b)} overwrites with ${b.value}`;
	case "co": case "coe": case "coi":
		return `of the writes to ${a.location}, ${nameOf(a)} comes before ${nameOf(b)}`;
	case "po": case "po-loc":
		return `${nameOf(a)} comes before ${nameOf(b)} in the program of P${a.thread}${name === "po-loc" ? ", at one location" : ""}`;
	case "addr":
		return `the address of ${nameOf(b)} is made from what ${nameOf(a)} read`;
	case "data":
		return `the value of ${nameOf(b)} is made from what ${nameOf(a)} read`;
	case "ctrl":
		return `a branch on what ${nameOf(a)} read comes before ${nameOf(b)}`;
	case "rmw": case "amo": case "lxsx":
		return `${nameOf(a)} and ${nameOf(b)} are one atomic operation`;
	case "section-back": case "srcu-section-back":
		return `${nameOf(a)} ends the critical section that ${nameOf(b)} begins`;
	default:
		return `${nameOf(a)} to ${nameOf(b)} by ${label}`;
	}
}

/* The steps of an edge of a cycle, with their words. Two with a fence between become one. */
function stepsOf(edge, events) {
	const parts = [], steps = edge.steps.length ? edge.steps : [{ label: edge.label, to: edge.to }];
	let at = edge.from;
	for (let i = 0; i < steps.length; i++) {
		const { label, to } = steps[i], next = steps[i + 1];
		if (label === "po" && events[to].kind === "fence" && next && next.label === "po") {
			parts.push({ from: at, to: next.to, label, steps: [steps[i], next],
				text: `${nameOf(events[at])} comes before ${nameOf(events[next.to])}, with ${events[to].source || "a fence"} between` });
			i++;
		} else {
			parts.push({ from: at, to, label, steps: [], text: stepText(label, events[at], events[to]) });
		}
		at = parts[parts.length - 1].to;
	}
	return parts;
}

const edgeText = (edge, events) => stepsOf(edge, events).map(step => step.text).join(";\n");

/* What RCU's law says of a cycle: its grace periods and critical sections. "": it goes through none. */
function lawOfRcu(steps, events) {
	const through = new Set(steps.flatMap(step => [step.from, ...step.steps.map(one => one.to), step.to]));
	const graces = [...through].filter(i => /^synchronize_s?rcu/.test(events[i].source || "")), sections = steps.filter(step => /section-back$/.test(step.label));
	if (!graces.length || !sections.length)
		return "";
	return sections.length === 1 ? " The critical section would begin before the grace period, and end after it." :
		` There are ${sections.length} critical sections and as many grace periods or more: one of the sections would begin before a grace period, and end after it.`;
}

/* Returns the shortest cycle of program order and communication, as edges; null: there is none. */
function shortestCycle(execution) {
	const { events, relations } = execution, next = events.map(() => []);
	for (const label of ["po", "rf", "co", "fr"])
		for (const [a, b] of relations[label])
			if (events[a].thread >= 0)
				next[a].push([b, label]);
	let best = null;
	for (let start = 0; start < events.length; start++) {
		const way = new Map([[start, null]]), queue = [start];
		search: for (const a of queue)
			for (const [b, label] of next[a]) {
				if (b === start) {
					const cycle = [{ from: a, to: b, label, steps: [] }];
					for (let at = a; way.get(at); at = way.get(at).from)
						cycle.unshift(way.get(at));
					if (!best || cycle.length < best.length)
						best = cycle;
					break search;
				}
				if (!way.has(b)) {
					way.set(b, { from: a, to: b, label, steps: [] });
					queue.push(b);
				}
			}
	}
	return best;
}

/* Joins program order from access to access by way of fences. */
function joined(cycle, events) {
	const edges = [], turn = cycle.findIndex(edge => edge.label !== "po"), around = cycle.slice(turn).concat(cycle.slice(0, turn));
	for (const edge of around) {
		const last = edges[edges.length - 1];
		if (last && last.label === "po" && edge.label === "po" && events[last.to].kind === "fence")
			Object.assign(last, { to: edge.to, steps: [...(last.steps.length ? last.steps : [{ label: "po", to: last.to }]), { label: "po", to: edge.to }] });
		else
			edges.push({ ...edge });
	}
	return edges;
}

/*
 * Returns { because, steps } of what the engine explains: a sentence, and the edges with their
 * words. @what: what was asked for, in words.
 */
function explanation(answer, model, what) {
	const name = MODEL_NAMES[model] ? `${model} (${MODEL_NAMES[model]})` : model;
	if (answer.impossible)
		return { because: answer.timeout ? `The time was over before an execution was found.` : `No execution ends so, whatever a model forbids.`, steps: [] };
	const execution = answer.allowed || answer.forbidden, { events } = execution;
	if (answer.forbidden) {
		/* An edge from an event to itself, as RCU's, is a whole cycle: shows its steps. */
		const steps = answer.cycle.flatMap(edge => edge.from === edge.to && edge.steps.length > 1 ? stepsOf(edge, events) : [{ ...edge, text: edgeText(edge, events) }]);
		const end = answer.kind === "empty" ? `The model says that there is nothing of ${answer.axiom}.` :
			`So ${nameOf(events[steps[0].from])} would come before itself. The model's axiom ${answer.axiom} says that there is no such cycle.${lawOfRcu(steps, events)}`;
		return { because: `${name} forbids ${what}, by its axiom ${answer.axiom}.`, steps, end };
	}
	const cycle = shortestCycle(execution);
	if (!cycle)
		return { because: `${name} allows ${what}. The threads, one step after the other, end so.`, steps: readsOf(execution) };
	const steps = joined(cycle, events).map(edge => ({ ...edge, text: edgeText(edge, events) }));
	return { because: `${name} allows ${what}. One step after the other the threads cannot end so:`, steps,
		end: "So there is a cycle; but not each of its edges is an order that this model keeps." };
}

/* The reads, each with what it reads. */
function readsOf({ events, relations }) {
	return relations.rf.map(([from, to]) => ({ from, to, label: "rf", steps: [], text: `${saying(events[to])} reads from ${saying(events[from])}` }));
}
