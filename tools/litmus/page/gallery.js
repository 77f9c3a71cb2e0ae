/* SPDX-License-Identifier: MIT */
/* The gallery: read from the page's own articles, and shown as a list, in three orders. */
const make = (tag, properties, ...children) => {
	const element = Object.assign(document.createElement(tag), properties);
	element.append(...children.filter(child => child !== null && child !== undefined));
	return element;
};

const SHAPES = [
	["SB", "Store buffering"], ["MP", "Message passing"], ["LB", "Load buffering"], ["2+2W", "Two writers of two"], ["R", "Write against read"],
	["S", "Write against write"], ["IRIW", "Independent reads"], ["WRC", "Write to read, causality"], ["RWC", "Read to write, causality"],
	["ISA2", "A chain of three"], ["Z6", "Chains that end in a store"], ["Co", "One location"],
];
const LESSONS = [
	[/exclusives|lr-sc|ldaxr|lr\.aq|atomicity|amo|swp|cas|ldadd|xchg|cmpxchg/, "Operations that read and write"],
	[/addr|ctrl|data|isb/, "Dependencies"],
	[/rel|acq|stl|lda|scs/, "Acquire, release and C's orders"],
	[/mb|fence|dmb/, "Fences"],
	[/^Co|rfi/, "Coherence, and one's own stores"],
];

function shapeOf(name) {
	const short = name.replace(/^(?:AArch64|X86_64|C11|RISCV)-/, "");
	const shape = SHAPES.find(([head]) => head === "Co" ? /^Co[RW]/.test(short) : short === head || short.startsWith(head + "+") || (head === "Z6" && short.startsWith("Z6")));
	return shape ? `${shape[0] === "Co" ? "CoRR ..." : shape[0]}: ${shape[1]}` : "Operations that read and write";
}

function lessonOf(name) {
	const short = name.replace(/^(?:AArch64|X86_64|C11|RISCV)-/, ""), lesson = LESSONS.find(([words]) => words.test(short));
	return lesson ? lesson[1] : "Without any order";
}

/* The comment stands above the editor. */
const withoutComment = text => text.replace(/\n*^\(\*\s[\s\S]*?\*\)\n/m, "\n").replace(/^(\w+ [^\n]*\n)\n*/, "$1\n");
/* The verdicts by model, of the article's table. */
const verdictsIn = article => {
	const [models, words] = Array.from(article.querySelectorAll("tr"), row => Array.from(row.children, cell => cell.textContent));
	return Object.fromEntries(models.map((model, i) => [model, words[i]]).filter(([, word]) => /^[A-Z]/.test(word)));
};
/* What all machines have comes first. */
const rank = test => test.group.startsWith("The kernel's C: SB") ? 0 : test.group.startsWith("The kernel's C: MP") ? 1 : test.group.startsWith("The kernel's C") ? 2 : test.group.startsWith("C11") ? 3 : 4;

class Gallery {
	/* @onchoose is called with a test of the gallery. */
	constructor(articles, onchoose) {
		this.list = document.getElementById("tests");
		this.onchoose = onchoose;
		this.tests = Array.from(articles, article => ({
			name: article.dataset.name, group: article.dataset.group, shape: shapeOf(article.dataset.name), lesson: lessonOf(article.dataset.name),
			verdicts: verdictsIn(article), about: article.querySelector("p").textContent, text: withoutComment(article.querySelector("pre").textContent),
		}));
		this.tests.sort((a, b) => rank(a) - rank(b));
		this.filter = document.getElementById("filter");
		this.by = document.getElementById("by");
		this.filter.addEventListener("input", () => this.draw());
		this.by.addEventListener("change", () => this.draw());
		this.list.addEventListener("keydown", event => this.move(event));
		this.draw();
	}

	named(name) { return this.tests.find(test => test.name === name); }

	/* The tests that two models judge differently. */
	apart(a, b) { return this.tests.filter(({ verdicts }) => verdicts[a] && verdicts[b] && verdicts[a] !== verdicts[b]); }

	/* Marks the test as the one that is in the editor; null: none is. */
	choose(test) {
		this.chosen = test;
		for (const button of this.list.querySelectorAll("button")) {
			const isIt = test !== null && button.dataset.name === test.name;
			button.setAttribute("aria-current", String(isIt));
			if (isIt)
				button.scrollIntoView({ block: "nearest" });
		}
	}

	draw() {
		const wanted = this.filter.value.toLowerCase().split(/\s+/).filter(word => word), groups = new Map();
		for (const test of this.tests) {
			const text = `${test.name} ${test.about} ${test.group}`.toLowerCase();
			if (wanted.every(word => text.includes(word)))
				groups.set(test[this.by.value], (groups.get(test[this.by.value]) || []).concat(test));
		}
		this.list.replaceChildren(...Array.from(groups, ([head, tests]) => make("section", {}, make("h3", { textContent: head }),
			...tests.map(test => this.row(test)))));
		if (!groups.size)
			this.list.append(make("p", { className: "hint", textContent: "No test has these words." }));
		this.choose(this.chosen || null);
	}

	row(test) {
		const sentence = test.about.match(/^.*?[.?!](?=\s|$)/);
		const button = make("button", { type: "button", onclick: () => this.onchoose(test) }, make("b", { textContent: test.name }),
			make("span", { textContent: sentence ? sentence[0] : test.about }));
		button.dataset.name = test.name;
		return button;
	}

	/* The arrow keys go from test to test. */
	move(event) {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], all = Array.from(this.list.querySelectorAll("button"));
		const to = step && all[all.indexOf(document.activeElement) + step];
		if (!to)
			return;
		event.preventDefault();
		to.focus();
	}
}
