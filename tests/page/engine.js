/* SPDX-License-Identifier: MIT */
/*
 *	node engine.js host.js nap-litmus.wasm NATIVE.json FILE...
 *
 * Judges the files by the engine of the page, and compares its results with those of nap-litmus
 * --json: verdicts, flags, threads that wait for ever, final states, and the cycles that forbid.
 * Prints what differs, and a line of sums.
 */
"use strict";

const fs = require("fs"), [host, wasm, native, ...files] = process.argv.slice(2);
const Engine = new Function(fs.readFileSync(host, "utf8") + "; return Engine;")();
const models = ["sc", "tso", "armv8", "rvwmo", "rc11", "c20", "lkmm"];
const engine = new Engine(new WebAssembly.Module(fs.readFileSync(wasm)));
const result = one => JSON.stringify([one.verdict, one.bounded, one.timeout, one.stuck, one.flags, one.states]);
const answers = fs.readFileSync(native, "utf8").split("\n").filter(line => line).map(JSON.parse);
const expected = new Map(answers.map(one => [`${one.file} ${one.model}`, result(one)]));
let judged = 0, dashes = 0, cycles = 0, different = 0;

const differ = (file, model, what) => { different++; console.log(`${file} under ${model}: ${what}`); };

for (const file of files) {
	const answer = engine.ask(fs.readFileSync(file, "utf8"), { models: models.join(), milliseconds: 60000 });
	for (const model of models) {
		const column = answer.columns ? answer.columns.find(one => one.model === model) : { wrong: answer };
		const want = expected.get(`${file} ${model}`), got = column.verdict && result(column);
		if (got !== want)
			differ(file, model, `${got || JSON.stringify(column)}, natively ${want}`);
		judged += want !== undefined;
		dashes += column.dash === true;
	}
}
/* Compares a cycle's events, by thread and line, and its edges. If an axiom says "empty", the last edge is none. */
for (const { file, model, forbidden } of answers.filter(one => one.forbidden)) {
	const answer = engine.ask(fs.readFileSync(file, "utf8"), { models: model, explain: 1, milliseconds: 60000 });
	const want = JSON.stringify([forbidden.axiom, forbidden.cycle.slice(0, answer.cycle.length).map(one => [one.thread, one.line, one.edge])]);
	const got = JSON.stringify([answer.axiom, answer.cycle.map(({ from, label }) => [answer.forbidden.events[from].thread, answer.forbidden.events[from].line, label])]);
	cycles++;
	if (got !== want || !answer.svg || (answer.kind !== "empty" && answer.cycle.length !== forbidden.cycle.length))
		differ(file, model, `${got}, natively ${want}`);
}
if (judged !== expected.size)
	differ("all", "all", `${judged} compared, ${expected.size} judged natively`);
/* A question that ends the engine does not end the page: the next question gets a new engine. */
const ended = engine.ask("C x", { models: "none" }), again = engine.ask("C one\n{}\nP0(int *x) { WRITE_ONCE(*x, 1); }\nexists (x=1)\n", { models: "none,sc" }),
	after = engine.ask("C one\n{}\nP0(int *x) { WRITE_ONCE(*x, 1); }\nexists (x=1)\n", { models: "sc" });
if (!ended.wrong || !/no model is called none/.test(again.ended) || after.columns[0].verdict !== "Always")
	differ("after its end", "sc", JSON.stringify([ended, again, after]));
console.log(`${files.length} tests, ${judged} verdicts, ${dashes} dashes, ${cycles} cycles, ${different} differ`);
process.exit(different ? 1 : 0);
