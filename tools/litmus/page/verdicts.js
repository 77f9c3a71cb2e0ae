/* SPDX-License-Identifier: MIT */
/* The row of verdicts, and the table of final states: a row a state, a column a model. */
const MODELS = ["sc", "tso", "armv8", "rvwmo", "rc11", "c20", "lkmm"];
/* Versions of other models. Such a version has a column where its verdict differs. */
const OLDER = { lkmm61: "lkmm" };
const MODEL_NAMES = {
	sc: "Sequential consistency", tso: "x86-TSO", armv8: "Armv8-A", rvwmo: "RISC-V", rc11: "RC11: C11 repaired", c20: "C20",
	lkmm: "Linux kernel", lkmm61: "Linux kernel before 6.3", own: "The model of this page",
};
const SIGNS = { Sometimes: "◐", Never: "✕", Always: "●", Undecided: "?" };
const MOST_STATES = 64;

/* The text of a state as a question has it. */
const stateText = state => Object.entries(state).map(([name, value]) => `${name}=${value}`).join(" /\\ ");
const stateShown = state => Object.entries(state).map(([name, value]) => `${name}=${value}`).join(", ");

/* Whether two columns of an answer say the same. */
const sameColumn = (a, b) => JSON.stringify([a.verdict, a.states, a.flags, a.dash]) === JSON.stringify([b.verdict, b.states, b.flags, b.dash]);
const withoutSame = columns => columns.filter(one => !OLDER[one.model] || !columns.some(other => other.model === OLDER[one.model] && sameColumn(one, other)));

class Verdicts {
	/* @onchoose is called with a model, and a state or null: the test's question. */
	constructor(onchoose) {
		this.row = document.getElementById("verdicts");
		this.table = document.getElementById("states");
		this.onchoose = onchoose;
		this.answer = null;
		this.chosen = { model: null, state: null };
		this.seen = null;		/* what a machine has seen of the test, or null */
		this.row.addEventListener("keydown", event => this.move(event));
	}

	column(model) { return this.answer && this.answer.columns.find(one => one.model === model); }

	judged() { return this.answer ? this.answer.columns.filter(one => one.verdict) : []; }

	/* Whether there may be more states than the answer has: it was cut, or the search was. */
	isOpen(column) { return column !== undefined && (column.nr > column.states.length || column.timeout || column.bounded); }

	/* Shows an answer; one without columns leaves the old ones, pale. */
	show(answer) {
		const known = answer.columns !== undefined;
		this.row.classList.toggle("stale", !known);
		this.table.classList.toggle("stale", !known);
		if (!known)
			return;
		this.answer = answer;
		this.row.replaceChildren(...answer.columns.map(column => this.card(column)));
		document.getElementById("question").textContent = answer.question || "";
		this.drawStates();
		this.speak();
	}

	/* Tells screen readers the verdicts. */
	speak() {
		const words = this.answer.columns.map(one => `${MODEL_NAMES[one.model]}: ${one.verdict || (one.dash ? "no meaning" : "refused")}`).join(", ");
		const spoken = document.getElementById("spoken");
		if (spoken.textContent !== words)
			spoken.textContent = words;
	}

	card(column) {
		const kind = column.verdict || (column.dash ? "–" : "refused"), marks = [];
		if (column.bounded)
			marks.push("bounded");
		if (column.stuck && column.stuck.length)
			marks.push(`stuck: ${column.stuck.map(one => `P${one.thread} in line ${one.line}`).join(", ")}`);
		if (column.timeout)
			marks.push("out of time");
		marks.push(...(column.flags || []).map(flag => flag.replace(/_/g, " ")));
		const card = make("button", { type: "button", className: `card ${column.dash ? "dash" : kind.toLowerCase()}`, disabled: !column.verdict,
			title: MODEL_NAMES[column.model] + (column.dash ? ": says nothing of a test in this dialect" : column.wrong ? `: ${column.wrong.message}` : ""),
			onclick: () => this.onchoose(column.model, null) },
			make("span", { className: "model" }, column.model, column.verdict ? make("i", { textContent: SIGNS[kind], ariaHidden: "true" }) : null),
			make("span", { className: "verdict", textContent: kind }),
			make("span", { className: "marks", textContent: marks.join(", ") }));
		card.dataset.model = column.model;
		return card;
	}

	/* Marks what the picture shows. */
	choose(model, state) {
		this.chosen = { model, state };
		for (const card of this.row.children)
			card.setAttribute("aria-pressed", String(card.dataset.model === model));
		for (const cell of this.table.querySelectorAll("button"))
			cell.setAttribute("aria-pressed", String(cell.dataset.model === model && cell.dataset.state === (state ? stateText(state) : "")));
	}

	/* All states that some model allows, each with the models that do, and those that were seen. */
	allStates() {
		const states = new Map();
		for (const column of this.judged())
			column.states.forEach((state, i) => {
				const text = stateText(state), one = states.get(text) || { state, asked: this.answer.question !== "" && column.asked[i] === 1, by: new Set() };
				one.by.add(column.model);
				states.set(text, one);
			});
		for (const { state, asked, count } of this.seen ? this.seen.states : []) {
			const text = stateText(state), one = states.get(text) || { state, asked: this.answer.question !== "" && asked === 1, by: new Set() };
			one.count = count;
			states.set(text, one);
		}
		return Array.from(states.values()).sort((a, b) => b.asked - a.asked);
	}

	drawStates() {
		const columns = this.judged(), states = this.allStates(), names = states.length ? Object.keys(states[0].state) : [];
		const head = make("tr", {}, make("th", { textContent: "" }), ...names.map(name => make("th", { textContent: name, scope: "col" })),
			...columns.map(column => make("th", { textContent: column.model, scope: "col", className: "of-model" })),
			...(this.seen ? [make("th", { textContent: this.seen.emulated ? "seen, emulated" : "seen", scope: "col", title: `on ${this.seen.processor}` })] : []));
		const rows = states.slice(0, MOST_STATES).map(one => make("tr", { className: one.asked ? "asked" : "" },
			make("td", { textContent: one.asked ? "★" : "", title: one.asked ? "what the question asks for" : "" }),
			...names.map(name => make("td", { textContent: String(one.state[name]) })), ...columns.map(column => this.cell(column, one)),
			...(this.seen ? [make("td", { className: "seen", textContent: (one.count || 0).toLocaleString("en") })] : [])));
		const left = Math.max(states.length, ...columns.map(column => column.nr)) - rows.length;
		if (this.answer.question && !states.some(one => one.asked))
			rows.unshift(this.askedRow(columns, names.length));
		this.table.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)),
			left > 0 ? make("p", { className: "hint", textContent: `and ${left} more` }) : "",
			make("p", { className: "hint", textContent: states.length ? "★ what the question asks for. Each sign is a button: it shows the execution, or what forbids it." : "No end is reached." }));
		this.choose(this.chosen.model, this.chosen.state);
	}

	/* The row of what is asked for, where no model allows it. */
	askedRow(columns, width) {
		const open = columns.some(column => this.isOpen(column));
		return make("tr", { className: "asked" }, make("td", { textContent: "★" }), make("td", { colSpan: Math.max(1, width), textContent: open ? "none was found that ends so" : "none ends so" }),
			...columns.map(column => {
				const unknown = this.isOpen(column);
				const button = make("button", { type: "button", className: "forbidden", textContent: unknown ? "?" : "✕",
					ariaLabel: `${column.model} ${unknown ? "may allow" : "forbids"} what is asked for. Show why`,
					onclick: () => this.onchoose(column.model, null) });
				Object.assign(button.dataset, { model: column.model, state: "" });
				return make("td", { className: "of-model" }, button);
			}));
	}

	cell(column, one) {
		const allowed = one.by.has(column.model), unknown = !allowed && this.isOpen(column);
		const button = make("button", { type: "button", className: allowed ? "allowed" : "forbidden", textContent: allowed ? "●" : unknown ? "?" : "✕",
			ariaLabel: `${column.model} ${allowed ? "allows" : unknown ? "may allow" : "forbids"} ${stateShown(one.state)}. Show it`, onclick: () => this.onchoose(column.model, one.state) });
		button.dataset.model = column.model;
		button.dataset.state = stateText(one.state);
		return make("td", { className: "of-model" }, button);
	}

	move(event) {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], cards = Array.from(this.row.querySelectorAll("button:not(:disabled)"));
		const to = step && cards[cards.indexOf(document.activeElement) + step];
		if (to)
			to.focus();
	}
}
