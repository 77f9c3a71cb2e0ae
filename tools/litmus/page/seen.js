/* SPDX-License-Identifier: MIT */
/*
 * What a machine has seen: a file that a bundle of tests has left, chosen or dropped on the page.
 * The page offers the tests of the file. Beside each state of the test at hand the page shows how
 * often the state was seen.
 */
const MACHINE_MODELS = { x86_64: "tso", aarch64: "armv8", riscv64: "rvwmo" };

class Seen {
	/* @onopen is called with the text of a test, @onchange when there is another file. */
	constructor(lab, onopen, onchange) {
		this.lab = lab;
		this.onopen = onopen;
		this.onchange = onchange;
		this.tests = [];
		this.select = document.getElementById("seen-tests");
		const file = document.getElementById("seen-file");
		document.getElementById("seen-open").onclick = () => file.click();
		document.getElementById("seen-drop").onclick = () => this.take([], "");
		file.onchange = async () => {
			const chosen = file.files[0];
			file.value = "";
			if (chosen)
				await this.read(await chosen.text(), chosen.name);
		};
		this.select.onchange = () => this.onopen(this.tests[Number(this.select.value)].text);
		document.body.addEventListener("dragover", event => event.preventDefault());
		document.body.addEventListener("drop", async event => {
			event.preventDefault();
			const dropped = event.dataTransfer.files[0];
			if (dropped)
				await this.read(await dropped.text(), dropped.name);
		});
	}

	/* Reads a file. A broken one leaves the one before, and says why. */
	async read(text, name) {
		const answer = await this.lab.ask("results", text, { results: 1 }, "");
		if (!answer)
			return;
		const { wrong } = answer;
		document.getElementById("seen-fault").textContent = wrong ? `${name}, line ${wrong.line}, column ${wrong.column}: ${wrong.message}` :
			answer.tests ? "" : `${name} could not be read (${answer.ended || "stopped"}).`;
		if (!answer.tests)
			return;
		this.take(answer.tests, name);
		await this.onopen(this.tests[0].text);
	}

	take(tests, name) {
		this.tests = tests;
		this.select.replaceChildren(...tests.map((test, i) => make("option", { value: String(i), textContent: `${test.name}${test.emulated ? ", emulated" : ""}` })));
		this.select.title = name;
		for (const id of ["seen-tests", "seen-drop"])
			document.getElementById(id).hidden = !tests.length;
		this.onchange();
	}

	/* Returns what was seen of the test with this text, or undefined. */
	of(text) {
		const chosen = this.tests[Number(this.select.value)], same = test => test !== undefined && test.text.trim() === text.trim();
		return same(chosen) ? chosen : this.tests.find(same);
	}

	/* Says what was seen of the test at hand, beside what the machine's model allows. */
	say(test, verdicts) {
		const place = document.getElementById("seen-said");
		if (!test) {
			place.textContent = "";
			return;
		}
		const model = MACHINE_MODELS[test.machine], column = verdicts.column(model);
		const rate = `${test.runs.toLocaleString("en")} runs in ${test.seconds.toFixed(1)} s on ${test.processor} (${test.machine})`;
		const emulated = test.emulated ? `; emulated ${test.emulated}, so the order is not that machine's` : "";
		const asked = test.states.filter(one => one.asked).reduce((sum, one) => sum + one.count, 0);
		place.textContent = `Seen in ${rate}${emulated}. What the question asks for: ${asked.toLocaleString("en")} times. ${this.judged(test, model, column, verdicts)}`;
	}

	judged(test, model, column, verdicts) {
		if (!column || !column.verdict)
			return test.compiled ? `It ran as compiled (${test.compiled}), which no model here judges.` : "";
		if (verdicts.isOpen(column))
			return `Not all that ${model} allows is known.`;
		const allowed = new Set(column.states.map(stateText)), broken = test.states.filter(one => !allowed.has(stateText(one.state)));
		return broken.length ? `${model} forbids ${broken.length} of the ${test.states.length} ends that were seen.` :
			`${model} allows all that was seen${allowed.size > test.states.length ? `, and ${allowed.size - test.states.length} ends more` : " and nothing else"}.`;
	}
}
