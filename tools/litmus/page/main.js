/* SPDX-License-Identifier: MIT */
/* The page: the editor's text is judged at each key, and what is chosen is explained. */
class Page {
	constructor() {
		const bytes = Uint8Array.from(atob(document.getElementById("engine").textContent.replace(/\s+/g, "")), one => one.charCodeAt(0));
		const script = document.getElementById("worker-script").textContent;
		/* One judges what is typed, and never waits for the second, which explains. */
		this.lab = new Laboratory(bytes, script);
		this.second = new Laboratory(bytes, script);
		this.editor = new Editor(document.getElementById("test-editor"), wordsOfTest, () => this.typed());
		this.gallery = new Gallery(document.querySelectorAll("#static article"), test => this.open(test));
		this.verdicts = new Verdicts((model, state) => this.explain(model, state));
		this.picture = new Picture(lines => this.editor.mark(lines));
		this.own = new OwnModel(this.second, () => this.judge());
		this.cycles = new Cycles(this.second, text => { this.openText(text); this.tab("test"); });
		this.seen = new Seen(this.second, text => { this.openText(text); this.tab("test"); }, () => this.judge());
		this.effort = 1;
		this.times = [];
		this.lab.onbusy = this.second.onbusy = () => {
			document.getElementById("busy").hidden = !this.lab.current && !this.second.current;
			document.body.classList.toggle("judging", this.lab.current !== null);
		};
		document.getElementById("stop").onclick = () => [this.lab, this.second].forEach(lab => lab.current && lab.stop());
		document.getElementById("harder").onclick = () => { this.effort *= 2; this.judge(); };
		document.getElementById("share").onclick = () => this.share();
		document.getElementById("theme").onclick = () => this.turnTheme();
		document.getElementById("tell-apart").onclick = () => this.tellApart();
		for (const id of ["differ-a", "differ-b"])
			document.getElementById(id).onchange = () => this.showDifference();
		document.getElementById("show-gallery").onclick = event => {
			const shown = document.body.classList.toggle("with-gallery");
			event.currentTarget.setAttribute("aria-expanded", String(shown));
		};
		this.tabs();
		window.addEventListener("hashchange", () => this.fromFragment());
	}

	tabs() {
		for (const name of ["test", "model", "cycle"]) {
			const tab = document.getElementById(`tab-${name}`);
			tab.onclick = () => this.tab(name);
			tab.onkeydown = event => {
				const next = { ArrowRight: tab.nextElementSibling, ArrowLeft: tab.previousElementSibling }[event.key];
				if (next && next.getAttribute("role") === "tab") {
					next.click();
					next.focus();
				}
			};
		}
	}

	tab(name) {
		for (const one of ["test", "model", "cycle"]) {
			const tab = document.getElementById(`tab-${one}`);
			tab.setAttribute("aria-selected", String(one === name));
			tab.tabIndex = one === name ? 0 : -1;
			document.getElementById(`pane-${one}`).hidden = one !== name;
		}
		document.body.classList.toggle("wide-bench", name === "cycle");
		if (name === "cycle")
			this.cycles.begin();
		this.own.editor.draw();
	}

	/* Opens a test of the gallery. */
	open(test) {
		this.openText(test.text, test);
		history.replaceState(null, "", `#test=${encodeURIComponent(test.name)}`);
		document.body.classList.remove("with-gallery");
		document.getElementById("show-gallery").setAttribute("aria-expanded", "false");
		this.tab("test");
	}

	openText(text, test) {
		this.gallery.choose(test || null);
		document.getElementById("about").textContent = test ? test.about : "";
		this.editor.text = text;
		this.effort = 1;
		this.verdicts.chosen.state = null;
		return this.judge();
	}

	typed() {
		if (this.gallery.chosen && this.editor.text !== this.gallery.chosen.text) {
			this.gallery.choose(null);
			document.getElementById("about").textContent = "";
		}
		this.judge();
	}

	/* Judges the text under all models. */
	async judge() {
		const begin = performance.now(), own = this.own.text;
		const answer = await this.lab.ask("judge", this.editor.text, { models: MODELS.concat(Object.keys(OLDER), own ? "own" : []).join(), milliseconds: 1500 * this.effort, unroll: 2 * this.effort, most: 300 }, own);
		if (!answer)
			return;
		if (answer.columns)
			answer.columns = withoutSame(answer.columns);
		this.showFault(answer);
		this.verdicts.seen = this.seen.of(this.editor.text) || null;
		this.verdicts.show(answer);
		this.seen.say(this.verdicts.seen, this.verdicts);
		this.own.show(answer.columns && answer.columns.find(one => one.model === "own"));
		this.times.push(performance.now() - begin);
		this.offerModels();
		document.getElementById("harder").hidden = this.effort > 8 || !this.verdicts.judged().some(one => one.bounded || one.timeout);
		if (answer.columns)
			await this.explainAgain();
	}

	showFault(answer) {
		const fault = document.getElementById("fault"), { wrong } = answer;
		this.editor.showFault(wrong || null);
		fault.replaceChildren();
		if (wrong)
			fault.append(make("button", { type: "button", textContent: `Line ${wrong.line}, column ${wrong.column}`, onclick: () => this.editor.goTo(wrong.line, wrong.column) }), ` ${wrong.message}`);
		else if (answer.stopped)
			fault.textContent = "Stopped.";
		else if (answer.ended)
			fault.textContent = `This test is too large for the page (${answer.ended}). The command line has more memory.`;
	}

	/* Explains what was chosen, if there still is such a model and state; else the first verdict that says most. */
	async explainAgain() {
		const { model, state } = this.verdicts.chosen, judged = this.verdicts.judged();
		const column = judged.find(one => one.model === model) || judged.find(one => one.model !== "sc" && one.verdict === "Never") ||
			judged.find(one => one.model !== "sc") || judged[0];
		const still = state && this.verdicts.allStates().some(one => stateText(one.state) === stateText(state));
		if (column)
			await this.explain(column.model, still && column.model === model ? state : null);
	}

	async explain(model, state) {
		const because = document.getElementById("because"), options = { models: model, explain: 1, milliseconds: 3000 * this.effort, unroll: 2 * this.effort };
		this.verdicts.choose(model, state);
		if (state)
			options.state = stateText(state);
		const answer = await this.second.ask("explain", this.editor.text, options, this.own.text);
		if (!answer)
			return;
		document.getElementById("orders").replaceChildren();
		if (!answer.allowed && !answer.forbidden) {
			because.textContent = answer.impossible ? explanation(answer, model, "").because : answer.wrong ? answer.wrong.message :
				answer.ended ? `The engine could not explain it (${answer.ended}).` : "Stopped.";
			this.picture.show("nothing", null, null, { steps: [] });
			return;
		}
		const what = state ? stateShown(state) : `what the question asks for, ${this.verdicts.answer.question.replace(/^~?\s*(exists|forall)\s*/, "")}`;
		const explained = explanation(answer, model, what);
		because.textContent = explained.because;
		this.picture.show(`${this.verdicts.answer.name}.${model}`, answer.allowed || answer.forbidden, answer.svg, explained);
		this.themePicture();
		if (answer.allowed && answer.verdict === "Sometimes" && shortestCycle(answer.allowed))
			await this.findOrders(options, model);
	}

	/* Finds orders that would forbid the state. This search takes long, so it comes later. */
	async findOrders(options, model) {
		const text = this.editor.text;
		await new Promise(done => setTimeout(done, 200));
		if (text !== this.editor.text || this.verdicts.chosen.model !== model)
			return;
		const answer = await this.second.ask(LAST, text, { ...options, orders: 1 }, this.own.text);
		if (!answer || !answer.orders || this.verdicts.chosen.model !== model)
			return;
		const lines = this.editor.text.split("\n"), line = one => (lines[one.line - 1] || "").slice(one.column - 1).replace(/\s*[;|].*$/, "").trim();
		const row = one => make("li", {}, make("button", { type: "button", onclick: () => this.editor.mark([one.first.line, one.second.line]) },
			`P${one.thread}: `, make("code", { textContent: line(one.first) }), " and ", make("code", { textContent: line(one.second) })), " are not in order. Enough: ",
			make("b", { textContent: one.enough }), ".");
		this.picture.markLoose(answer.orders);
		document.getElementById("orders").replaceChildren(make("h3", { textContent: "What would forbid it" }), answer.found ? make("ul", {}, ...answer.orders.map(row)) :
			make("p", { className: "hint", textContent: "No fences that forbid it were found." }));
	}

	offerModels() {
		const judged = this.verdicts.judged().map(one => one.model);
		["differ-a", "differ-b"].forEach((id, i) => {
			const select = document.getElementById(id), chosen = judged.includes(select.value) ? select.value : judged[Math.min(i + (judged.length > 2 ? 1 : 0), judged.length - 1)];
			select.replaceChildren(...judged.map(name => make("option", { value: name, textContent: name, selected: name === chosen })));
		});
		document.getElementById("differ").hidden = judged.length < 2;
		this.showDifference();
	}

	/* Returns the states that only one of the two compared models allows, each with the one that forbids it. */
	differing() {
		const [a, b] = ["differ-a", "differ-b"].map(id => document.getElementById(id).value);
		if ([a, b].some(model => this.verdicts.isOpen(this.verdicts.column(model))))
			return [];
		return this.verdicts.allStates().filter(one => one.by.has(a) !== one.by.has(b)).map(one => ({ state: one.state, by: one.by.has(a) ? a : b, not: one.by.has(a) ? b : a }));
	}

	showDifference() {
		const states = this.differing(), texts = new Set(states.map(one => stateText(one.state)));
		document.getElementById("difference").textContent = states.length ? `${states.length} of the ends: ${states[0].by} allows ${stateShown(states[0].state)}` :
			this.verdicts.judged().some(one => this.verdicts.isOpen(one)) ? "Not all ends are known, so they are not compared." : "They allow the same ends.";
		document.getElementById("tell-apart").disabled = !states.length;
		this.showElsewhere();
		for (const row of document.querySelectorAll("#states tbody tr"))
			row.classList.toggle("differs", texts.has((row.querySelector("button") || { dataset: {} }).dataset.state));
	}

	/* Names the tests of the gallery that tell the two compared models apart. */
	showElsewhere() {
		const [a, b] = ["differ-a", "differ-b"].map(id => document.getElementById(id).value), tests = this.gallery.apart(a, b);
		const links = tests.map(test => make("button", { type: "button", className: "link", textContent: test.name, title: test.about, onclick: () => this.open(test) }));
		document.getElementById("elsewhere").replaceChildren(...(tests.length ? [`In the gallery ${a} and ${b} differ on `, ...links] : a === b || !this.gallery.knows(a) || !this.gallery.knows(b) ? [] : [`No test of the gallery tells ${a} from ${b}.`]));
	}

	/* Shows the cycle by which one of the models forbids what the other allows. */
	tellApart() {
		const [first] = this.differing();
		if (first)
			this.explain(first.not, first.state);
	}

	async share() {
		const { model, state } = this.verdicts.chosen;
		history.replaceState(null, "", await fragmentOf({ text: this.editor.text, own: this.own.text, model, state }));
		const copied = await Promise.resolve().then(() => navigator.clipboard.writeText(location.href)).then(() => true, () => false);
		this.note(copied ? "The link is in the clipboard." : "The address of this page is the link.");
	}

	note(text) {
		const note = make("div", { className: "note", textContent: text });
		note.setAttribute("role", "status");
		document.body.append(note);
		setTimeout(() => note.remove(), 3500);
	}

	/* Opens what the address names. A broken link opens the editor, and says why. */
	async fromFragment() {
		const shared = await sharedBy(location.hash), first = this.gallery.named("SB") || this.gallery.tests[0];
		const test = shared && shared.gallery ? this.gallery.named(shared.gallery) : null;
		if (shared && shared.text !== undefined) {
			this.own.editor.text = shared.own || "";
			this.verdicts.chosen = { model: shared.model || null, state: null };
			await this.openText(shared.text, this.gallery.tests.find(one => one.text === shared.text));
			if (shared.model && shared.state)
				await this.explain(shared.model, shared.state);
			return;
		}
		await this.openText((test || first).text, test || first);
		if (shared && !test)
			document.getElementById("fault").textContent = shared.broken ? `The link is broken: ${shared.broken}. Here is another test.` : `There is no test ${shared.gallery}. Here is another.`;
	}

	isDark() {
		const theme = document.documentElement.dataset.theme;
		return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
	}

	turnTheme() {
		document.documentElement.dataset.theme = this.isDark() ? "light" : "dark";
		this.themePicture();
	}

	/* A picture is light or dark as the screen is; here, as the page is. */
	themePicture() {
		const theme = document.documentElement.dataset.theme, style = document.querySelector("#picture style");
		if (style && theme)
			style.textContent = style.textContent.replace(/@media screen(?: and \([^)]*\)| and \(min-width:\s*0\)| and \(max-width:\s*0\))\s*\{/, `@media screen and ${theme === "dark" ? "(min-width:0)" : "(max-width:0)"}{`);
	}
}

for (const part of document.querySelectorAll(".app"))
	part.hidden = false;
window.napLitmus = new Page();
/* The gallery is in the list now. Its pictures' style would change the picture, too. */
document.getElementById("static").remove();
window.napLitmus.opened = window.napLitmus.fromFragment();
