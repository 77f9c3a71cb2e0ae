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
/* The lessons of laboratory.rst: the title, the question, the lesson's test, and which others belong to it. */
const LESSONS = [
	["1. Store buffering", "Can both threads see the other's flag down?", "SB", /^SB/],
	["2. Message passing", "Does a thread that sees the flag see the data?", "MP", /^MP/],
	["3. Load buffering, and dependencies", "Can both loads read what is stored later? Does it help that the store depends on the load?", "LB", /^LB|addr|ctrl|data/],
	["4. Coherence", "Can two threads disagree about the order of two stores to one location?", "CoRR", /^Co|^2\+2W|^R\b|^S\b|rfi/],
	["5. Three threads and more", "Do all threads see a store at once? Is order handed on?", "IRIW+rmbs", /^IRIW|^WRC|^RWC|^ISA2|^Z6/],
	["6. The orders of C and C++", "Is a release followed by an acquire as good as seq_cst?", "C11-SB+rel+acq", /^C11-/],
	["7. Read-modify-writes, and locks", "Can an addition get lost? Is an atomic operation a fence?", "lost-add", /exclusives|lr-sc|ldaxr|lr\.aq|atomicity|amo|swp|cas|ldadd|xchg|lock|lost-add/],
	["8. RCU", "Can a reader see what it has found being freed?", "MP+rcu", /rcu|gp|section/i],
];
const QUESTIONS = "Questions that people have asked";

function shapeOf(name) {
	const short = name.replace(/^(?:AArch64|X86_64|C11|RISCV)-/, "");
	const shape = SHAPES.find(([head]) => head === "Co" ? /^Co[RW]/.test(short) : short === head || short.startsWith(head + "+") || (head === "Z6" && short.startsWith("Z6")));
	return shape ? `${shape[0] === "Co" ? "CoRR ..." : shape[0]}: ${shape[1]}` : "Operations that read and write";
}

/* Looks at later lessons first, because fewer tests fit them by chance. */
function lessonOf(name, group) {
	const short = name.startsWith("C11-") ? name : name.replace(/^(?:AArch64|X86_64|RISCV)-/, "");
	const order = [7, 6, 5, 4, 2, 3, 1, 0], index = order.find(i => LESSONS[i][3].test(short));
	return group === QUESTIONS ? LESSONS.length : index ?? 0;
}

/* Without the comment, which stands above the editor. */
const withoutComment = text => text.replace(/\n*^\(\*\s[\s\S]*?\*\)\n/m, "\n").replace(/^(\w+ [^\n]*\n)\n*/, "$1\n");
/* Returns the verdicts of the article's table, by model. lkmm61 is there only if it differs. */
const verdictsIn = article => {
	const [models, words] = Array.from(article.querySelectorAll("tr"), row => Array.from(row.children, cell => cell.textContent));
	const verdicts = Object.fromEntries(models.map((model, i) => [model, words[i]]).filter(([, word]) => /^[A-Z]/.test(word)));
	return verdicts.lkmm ? { lkmm61: verdicts.lkmm, ...verdicts } : verdicts;
};
/* Groups of tests that are for all machines come first. */
const rank = test => test.group.startsWith("The kernel's C: SB") ? 0 : test.group.startsWith("The kernel's C: MP") ? 1 : test.group.startsWith("The kernel's C") ? 2 : test.group.startsWith("C11") ? 3 : 4;

class Gallery {
	/* @onchoose is called with a test of the gallery. */
	constructor(articles, onchoose) {
		this.list = document.getElementById("tests");
		this.onchoose = onchoose;
		this.tests = Array.from(articles, article => ({
			name: article.dataset.name, group: article.dataset.group, shape: shapeOf(article.dataset.name), lesson: lessonOf(article.dataset.name, article.dataset.group),
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

	/* Whether a test has a verdict of the model; which tests two models judge differently. */
	knows(model) { return this.tests.some(({ verdicts }) => verdicts[model]); }
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

	/* The tests in the order of the gallery; by lesson, a lesson's own test comes first. */
	ordered() {
		const place = test => 2 * test.lesson + !(LESSONS[test.lesson] && LESSONS[test.lesson][2] === test.name);
		return this.by.value === "lesson" ? this.tests.slice().sort((a, b) => place(a) - place(b)) : this.tests;
	}

	/* What stands above the tests of a group. */
	head(group) {
		if (this.by.value !== "lesson")
			return [make("h3", { textContent: group })];
		const [title, question] = LESSONS[group] || [QUESTIONS, ""];
		return [make("h3", { textContent: title }), question && make("p", { className: "hint", textContent: question })].filter(one => one);
	}

	draw() {
		const wanted = this.filter.value.toLowerCase().split(/\s+/).filter(word => word), groups = new Map();
		for (const test of this.ordered()) {
			const text = `${test.name} ${test.about} ${test.group}`.toLowerCase();
			if (wanted.every(word => text.includes(word)))
				groups.set(test[this.by.value], (groups.get(test[this.by.value]) || []).concat(test));
		}
		this.list.replaceChildren(...Array.from(groups, ([group, tests]) => make("section", {}, ...this.head(group),
			...tests.map(test => this.row(test)))));
		if (!groups.size)
			this.list.append(make("p", { className: "hint", textContent: "No test has these words." }));
		this.choose(this.chosen || null);
	}

	row(test) {
		const asks = test.group === QUESTIONS && test.about.match(/[^.?!\s][^.?!]*\?(?=\s|$)/);
		const sentence = asks || test.about.match(/^.*?[.?!](?=\s|$)/);
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
