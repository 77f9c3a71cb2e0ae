/* SPDX-License-Identifier: MIT */
/* Tests from cycles: edges that are clicked together, and the test that each dialect makes of them. */
const DIALECTS = { kernel: "The kernel's C", c11: "C11", aarch64: "AArch64", riscv: "RISC-V", x86_64: "x86-64" };
const EDGE_GROUPS = [
	["To another thread", [["Rfe", "W", "R", "read from"], ["Fre", "R", "W", "read before"], ["Coe", "W", "W", "written before"]]],
	["In program order, to another location", ["WW", "WR", "RW", "RR"].map(way => [`Pod${way}`, way[0], way[1], "program order"])],
	["With a full fence", ["WW", "WR", "RW", "RR"].map(way => [`Fenced${way}`, way[0], way[1], "a full fence between"])],
	["By a dependency", [["DpAddrdR", "R", "R", "address"], ["DpAddrdW", "R", "W", "address"], ["DpDatadW", "R", "W", "data"], ["DpCtrldR", "R", "R", "a branch"],
		["DpCtrldW", "R", "W", "a branch"]]],
	["In program order, at the same location", ["WW", "WR", "RW", "RR"].map(way => [`Pos${way}`, way[0], way[1], "program order"])],
];
const EDGES = new Map(EDGE_GROUPS.flatMap(([, edges]) => edges).map(([name, from, to, about]) => [name, { name, from, to, about }]));

class Cycles {
	/* @onopen is called with the text of a test. */
	constructor(lab, onopen) {
		this.lab = lab;
		this.onopen = onopen;
		this.edges = [];
		this.chips = document.getElementById("cycle");
		this.palette = document.getElementById("edges");
		this.made = document.getElementById("made");
		this.fault = document.getElementById("cycle-fault");
	}

	begin() {
		if (!this.edges.length)
			this.change(["PodWR", "Fre", "PodWR", "Fre"].map(name => EDGES.get(name)));
	}

	change(edges) {
		this.edges = edges;
		this.chips.replaceChildren(...edges.map((edge, i) => make("li", {}, make("button", { type: "button", title: `Take ${edge.name} and what follows away`,
			onclick: () => this.change(this.edges.slice(0, i)) }, edge.name, make("small", { textContent: `${edge.from} to ${edge.to}` })))));
		this.drawPalette();
		this.generate();
	}

	drawPalette() {
		const last = this.edges[this.edges.length - 1];
		const button = ([name, from, , about]) => make("button", { type: "button", textContent: name, title: about, disabled: last !== undefined && last.to !== from,
			onclick: () => this.change(this.edges.concat(EDGES.get(name))) });
		this.palette.replaceChildren(...EDGE_GROUPS.map(([head, edges]) => make("div", {}, make("span", { textContent: head }), ...edges.map(button))));
	}

	closed() { return this.edges.length > 1 && this.edges[0].from === this.edges[this.edges.length - 1].to; }

	async generate() {
		this.fault.textContent = !this.edges.length ? "Begin with any edge." :
			this.closed() ? "" : `Not closed yet: the cycle begins at ${this.edges[0].from} and ends at ${this.edges[this.edges.length - 1].to}.`;
		if (!this.closed()) {
			this.made.replaceChildren();
			return;
		}
		const cycle = this.edges.map(edge => edge.name).join(" ");
		const cards = await Promise.all(Object.keys(DIALECTS).map(dialect => this.card(dialect, cycle)));
		if (!cards.includes(null))
			this.made.replaceChildren(...cards);
	}

	/* The test of a dialect with its verdicts; null: a newer cycle has been asked for. */
	async card(dialect, cycle) {
		const test = await this.lab.ask(`cycle ${dialect}`, cycle, { generate: dialect });
		if (!test || !test.text)
			return test && make("article", {}, make("h3", { textContent: DIALECTS[dialect] }), make("p", { className: "hint", textContent: test.wrong ? test.wrong.message : "no answer" }));
		const verdicts = await this.lab.ask(`made ${dialect}`, test.text, { models: MODELS.join() });
		if (!verdicts)
			return null;
		const text = make("pre", {});
		for (const [kind, part] of wordsOfTest(test.text))
			text.append(make("span", { className: kind, textContent: part }));
		return make("article", {}, make("h3", { textContent: DIALECTS[dialect] }), make("p", { className: "chips" },
			...(verdicts.columns || []).filter(one => one.verdict).map(one => make("span", { className: `chip ${one.verdict.toLowerCase()}`, textContent: `${one.model} ${one.verdict}` }))),
			text, make("button", { type: "button", textContent: "Edit it", onclick: () => this.onopen(test.text) }));
	}
}
