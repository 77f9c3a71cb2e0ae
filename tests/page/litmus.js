/* SPDX-License-Identifier: MIT */
/*
 *	node litmus.js PAGE PROFILE RESULTS [PICTURES]
 *
 * Does with the laboratory's page what a person would do. Prints "ok NAME # WHAT WAS SEEN" or "not ok
 * ..." for each step. RESULTS: what this machine has seen of SB and MP; beside it RESULTS.broken, whose
 * twelfth line is wrong. With a directory PICTURES, screenshots stay there.
 */
"use strict";

const { Browser } = require("./browser.js"), [, , page, profile, results, pictures] = process.argv;
const address = `file://${page}`, LARGE = `C large\n{}\n${[0, 1, 2, 3].map(t =>
	`P${t}(int *x, int *y, int *z) {\n\tint a; int b; int c; int d;\n\tWRITE_ONCE(*x, ${t + 1});\n\ta = READ_ONCE(*y);\n\tWRITE_ONCE(*z, ${t + 1});\n\tb = READ_ONCE(*x);\n` +
	`\tWRITE_ONCE(*y, ${t + 1});\n\tc = READ_ONCE(*z);\n\td = READ_ONCE(*y);\n}`).join("\n")}\nlocations [x; y; z; 0:a; 0:b; 0:c; 0:d; 1:a; 1:b; 1:c; 1:d; 2:a; 2:b; 2:c; 2:d; 3:a; 3:b; 3:c; 3:d]\nexists (0:a=9)\n`;
let failed = 0;

const say = (name, fine, seen) => { failed += !fine; console.log(`${fine ? "ok" : "not ok"} ${name} # ${String(seen).replace(/\s+/g, " ")}`); };
const VERDICTS = `Array.from(document.querySelectorAll(".card"), card => card.dataset.model + " " + card.querySelector(".verdict").textContent).join(", ")`;
const text = selector => `document.querySelector(${JSON.stringify(selector)}).textContent`;

async function opened(browser, settings, fragment) {
	const tab = await browser.tab(settings);
	await tab.go(address + (fragment || ""));
	if (settings.script !== false)
		await tab.value("napLitmus.opened");
	return tab;
}

const shoot = async (tab, name) => pictures && tab.picture(`${pictures}/${name}.png`);

/* Puts the caret behind a word of the editor. */
const caretAfter = (tab, word) => tab.value(`(() => { const field = document.getElementById("source"), at = field.value.indexOf(${JSON.stringify(word)}) + ${word.length};
	field.focus(); field.setSelectionRange(at, at); })()`);

async function typing(tab) {
	say("opens", await tab.value(VERDICTS) === "sc Never, tso Sometimes, armv8 Sometimes, rvwmo Sometimes, rc11 –, c20 –, lkmm Sometimes", await tab.value(VERDICTS));
	await shoot(tab, "opened");
	await caretAfter(tab, "WRITE_ONCE(*x, 1);");
	await tab.type(" smp_m");
	await tab.until(`!document.getElementById("fault").textContent === false`);
	const fault = await tab.value(text("#fault"));
	say("wrong", /^Line 9, column \d+ .*smp_m/.test(fault) && await tab.value(`document.querySelector(".editor .wrong") !== null && document.getElementById("verdicts").classList.contains("stale")`), fault);
	await shoot(tab, "wrong");
	await tab.type("b();");
	await tab.until(`document.getElementById("fault").textContent === ""`);
	await caretAfter(tab, "WRITE_ONCE(*y, 1);");
	await tab.type(" smp_mb();");
	await tab.until(`${VERDICTS}.includes("tso Never")`);
	say("mended", await tab.value(VERDICTS) === "sc Never, tso Never, armv8 Never, rvwmo Never, rc11 –, c20 –, lkmm Never", await tab.value(VERDICTS));
}

async function explaining(tab) {
	await tab.click(`.card[data-model="armv8"]`);
	await tab.until(`document.getElementById("because").textContent.startsWith("armv8")`);
	const steps = await tab.value(`Array.from(document.querySelectorAll("#steps .said"), one => one.textContent).join("; ")`);
	say("explained", /forbids .* by its axiom external/.test(await tab.value(text("#because"))) && /with smp_mb\(\) between; .*reads y = 0, which .* overwrites with 1/.test(steps), steps);
	await tab.click("#step-on");
	await tab.value(`document.getElementById("step-on").focus()`);
	await tab.click("#steps li:nth-child(1) button");
	await tab.key("ArrowDown", 40);
	const now = await tab.value(`document.querySelector("#steps li[aria-current]").textContent + document.querySelectorAll(".numbers .marked").length`);
	say("stepped", /^cfre?d.*2$/.test(now), now);
	await shoot(tab, "stepped");
	const tree = await tab.send("Accessibility.getFullAXTree"), names = tree.nodes.map(node => node.name && node.name.value || "");
	say("heard", names.some(name => /Armv8-A: Never/.test(name)) && names.some(name => /^armv8 .*forbids/.test(name)), names.filter(name => /Armv8-A: |forbids \(|overwrites/.test(name)).slice(0, 3).join(" | "));
}

async function picturing(tab) {
	const drawn = await tab.value(`document.querySelectorAll("#picture .nap-event").length`);
	say("drawn", drawn === 6, `${drawn} events`);
	const red = await tab.value(`document.querySelectorAll("#picture .nap-edge.nap-red").length`);
	say("red", red >= 2, `${red} edges in red`);
	await tab.value(`document.querySelector('#picture .nap-event').dispatchEvent(new PointerEvent("pointerover", { bubbles: true }))`);
	const pointed = await tab.value(`document.querySelectorAll(".numbers .marked").length + " " + document.querySelectorAll("#picture .nap-event.now").length`);
	say("hovered", /^[1-9]\d* [1-9]/.test(pointed), pointed);
	await tab.value(`napLitmus.saved = []; napLitmus.picture.onsaved = blob => napLitmus.saved.push(blob)`);
	await tab.click("#save-svg");
	await tab.click("#save-png");
	await tab.until("napLitmus.saved.length === 2");
	const files = await tab.value(`Promise.all([napLitmus.saved[0].text(), napLitmus.saved[1].arrayBuffer()]).then(([svg, png]) => [svg.slice(0, 40), new DOMParser().parseFromString(svg, "image/svg+xml").documentElement.nodeName,
		Array.from(new Uint8Array(png.slice(1, 4)), one => String.fromCharCode(one)).join(""), png.byteLength].join(" "))`);
	say("exported", /^<svg .* svg PNG \d{5,}$/.test(files), files);
}

async function sharing(browser, tab) {
	await tab.click("#share");
	await tab.until(`location.hash.startsWith("#1=")`);
	const [fragment, source] = await tab.value(`[location.hash, document.getElementById("source").value]`), other = await opened(browser, {}, fragment);
	await other.until(`document.getElementById("because").textContent.startsWith("armv8")`);
	say("shared", await other.value(`document.getElementById("source").value`) === source, `${fragment.length} characters`);
	await other.close();
	const reasons = [];
	for (const broken of [fragment.slice(0, -9), fragment.slice(0, 20) + "!" + fragment.slice(21), "#what", "#test=none", "#test=100%"]) {
		const one = await opened(browser, {}, broken);
		reasons.push(await one.value(text("#fault")));
		if (!(await one.value(VERDICTS)).startsWith("sc Never"))
			reasons.push("no verdict");
		await one.close();
	}
	say("broken", reasons.length === 5 && /missing or changed/.test(reasons[0]) && /character/.test(reasons[1]) && /no kind/.test(reasons[2]) && /no test none/.test(reasons[3]) &&
		/a % that no address has/.test(reasons[4]), reasons.join(" | "));
}

/* A link may contain any text. None of this text becomes an element or a script of the page. */
async function hostile(browser, tab) {
	const name = `x<img src=x onerror=hit=1>"'&]]><script>hit=1</script>`, source = `C ${name}\n{}\nP0(int *x) { WRITE_ONCE(*x, 1); }\nexists (x=1) (* ${name} *)\n`;
	const fragment = await tab.value(`fragmentOf({ text: ${JSON.stringify(source)}, model: "sc", own: ${JSON.stringify(`"${name.replace(/"/g, "")}"\nacyclic po as a`)} })`);
	const other = await opened(browser, {}, fragment);
	await other.until(`document.querySelectorAll("#picture .nap-event").length > 0`);
	await other.value(`document.getElementById("picture").insertAdjacentHTML("beforeend", "<img src=x onerror='window.hit=2'>"), new Promise(done => setTimeout(done, 300))`);
	const seen = await other.value(`[document.querySelector("#picture text").textContent, typeof window.hit, document.querySelectorAll("main img").length, document.querySelectorAll("main script").length].join(" ")`);
	say("hostile", seen.startsWith("x<img src=x onerror=hit=1>") && seen.endsWith("undefined 1 0"), seen);
	await other.close();
}

async function modelling(tab) {
	await tab.click("#tab-model");
	await tab.value(`(() => { const select = document.getElementById("start-from"); select.value = "tso"; select.dispatchEvent(new Event("change")); })()`);
	await tab.until(`${VERDICTS}.includes("own Never")`);
	await tab.value(`(() => { const field = document.getElementById("own-model"), at = field.value.indexOf("[W]; fenced(fence); [R] | "); field.focus(); field.setSelectionRange(at, at + 26); })()`);
	await tab.send("Input.dispatchKeyEvent", { type: "keyDown", key: "Delete", code: "Delete", windowsVirtualKeyCode: 46 });
	await tab.until(`${VERDICTS}.includes("own Sometimes")`);
	await tab.click(`.card[data-model="own"]`);
	await tab.until(`document.getElementById("because").textContent.startsWith("own (The model of this page) allows")`);
	await tab.click(`.card[data-model="armv8"]`);
	say("modelled", true, await tab.value(VERDICTS));
	await tab.value(`document.getElementById("own-model").focus(), document.getElementById("own-model").setSelectionRange(0, 0)`);
	await tab.type("let a = b\n");
	await tab.until(`document.getElementById("model-fault").textContent !== ""`);
	say("model wrong", /^Line 1, column 9: .*b, which nothing names/.test(await tab.value(text("#model-fault"))) && (await tab.value(VERDICTS)).includes("armv8 Never"), await tab.value(text("#model-fault")));
	await shoot(tab, "model");
	await tab.click("#drop-model");
	await tab.until(`!${VERDICTS}.includes("own")`);
}

async function making(tab) {
	await tab.click("#tab-cycle");
	await tab.until(`document.querySelectorAll("#made article pre").length === 5`);
	await tab.click("#cycle li:nth-child(2) button");
	await tab.value(`Array.from(document.querySelectorAll("#edges button")).find(one => one.textContent === "Fre").disabled ? 0 : document.title`);
	for (const edge of ["Fre", "PodWW", "Rfe", "PodRW", "Rfe", "PodRR", "Fre"])
		await tab.value(`(() => { const one = Array.from(document.querySelectorAll("#edges button")).find(button => button.textContent === "${edge}"); if (!one.disabled) one.click(); })()`);
	await tab.until(`document.querySelector("#made pre") && document.querySelectorAll("#made article").length === 5`);
	const made = await tab.value(`Array.from(document.querySelectorAll("#made article"), one => one.querySelector("h3").textContent + ": " + one.querySelector(".chips").textContent).join(" | ")`);
	say("made", /AArch64: .*armv8 Sometimes/.test(made), made);
	await shoot(tab, "cycle");
	await tab.value(`document.querySelector("#made article:nth-child(3) button").click()`);
	await tab.until(`${VERDICTS}.includes("tso –")`);
	say("opened from a cycle", (await tab.value(`document.getElementById("source").value`)).startsWith("AArch64"), await tab.value(VERDICTS));
}

async function comparing(tab) {
	await tab.value(`napLitmus.open(napLitmus.gallery.named("MP"))`);
	await tab.until(`!${VERDICTS}.includes("tso –")`);
	await tab.value(`["tso", "armv8"].forEach((name, i) => { const select = document.getElementById("differ-" + "ab"[i]); select.value = name; select.dispatchEvent(new Event("change")); })`);
	await tab.until(`document.getElementById("difference").textContent.includes("armv8 allows 1:r0=1, 1:r1=0")`);
	/*
	 * The button moves when a late result is added to the page. So this waits for the results
	 * first.
	 */
	await tab.until(`document.getElementById("because").textContent.includes("(1:r0=1 /\\\\ 1:r1=0)") && document.querySelectorAll("#orders li").length === 2`);
	await tab.click("#tell-apart");
	await tab.until(`document.getElementById("because").textContent.startsWith("tso")`);
	say("told apart", /forbids 1:r0=1, 1:r1=0, by its axiom tso/.test(await tab.value(text("#because"))), await tab.value(text("#because")));
	await tab.click(`#states button[data-model="armv8"][data-state="1:r0=1 /\\\\\\\\ 1:r1=0"]`.replace(/\\\\\\\\/g, "\\\\"));
	await tab.until(`document.querySelectorAll("#orders li").length === 2`);
	say("mendable", /Enough: smp_/.test(await tab.value(text("#orders"))), await tab.value(text("#orders")));
	say("not kept", /but this model does not keep that order/.test(await tab.value(text("#steps"))), await tab.value(text("#steps .loose")));
	const elsewhere = await tab.value(`Array.from(document.querySelectorAll("#elsewhere button"), one => one.textContent).join(", ")`);
	say("elsewhere", /MP\+po\+rmb/.test(elsewhere) && !/SB/.test(elsewhere.replace(/SB\+(?:rel|cmpxchgs-fail|xchgs-relaxed|cas|fences-acq-rel)\S*/g, "")), elsewhere);
	await shoot(tab, "apart");
}

/* Shows the gallery in the order of the lessons: each begins with its question and its own test. */
async function teaching(tab) {
	const order = by => tab.value(`(() => { const select = document.getElementById("by"); select.value = "${by}"; select.dispatchEvent(new Event("change"));
		return Array.from(document.querySelectorAll("#tests section"), one => one.querySelector("h3").textContent + "|" + (one.querySelector("h3 + p") || { textContent: "" }).textContent +
			"|" + one.querySelector("button").dataset.name + "|" + one.querySelectorAll("button").length); })()`);
	const machines = await order("group"), heads = (await order("lesson")).map(one => one.split("|"));
	const lessons = heads.slice(0, 8), firsts = lessons.map(one => one[2]).join(" ");
	await tab.click(`#tests button[data-name="four-threads"]`);
	await tab.until(`${VERDICTS}.includes("rc11 Sometimes")`);
	say("taught", heads.length === 9 && lessons.every((one, i) => one[0].startsWith(`${i + 1}. `) && one[1].endsWith("?") && one[3] > 3) && heads[8][3] === "12" &&
		firsts === "SB MP LB CoRR IRIW+rmbs C11-SB+rel+acq lost-add MP+rcu" && machines.length > 5, heads.map(one => `${one[0]}: ${one[3]}`).join(", "));
	await shoot(tab, "lessons");
}

async function stopping(tab) {
	await tab.value(`napLitmus.openText(${JSON.stringify(LARGE)}), 0`);
	await tab.until(`!document.getElementById("busy").hidden`);
	const pale = await tab.value(`getComputedStyle(document.getElementById("verdicts")).opacity`);
	await tab.click("#stop");
	const begin = Date.now();
	await tab.until(`document.getElementById("fault").textContent === "Stopped."`);
	await tab.value(`napLitmus.open(napLitmus.gallery.named("SB"))`);
	await tab.until(`!document.getElementById("verdicts").classList.contains("stale") && ${VERDICTS}.includes("tso Sometimes")`);
	say("stopped", pale === "0.4", `${Date.now() - begin} ms from the button to the verdicts of another test`);
	/* When the text is changed, the question under way is given up for the newer one. */
	await tab.value(`napLitmus.openText(${JSON.stringify(LARGE)}), 0`);
	await tab.value(`napLitmus.openText("C one\\n{}\\nP0(int *x) { WRITE_ONCE(*x, 1); }\\nexists (x=1)\\n"), 0`);
	await tab.until(`${VERDICTS}.includes("tso Always")`);
	say("overtaken", true, await tab.value(VERDICTS));
}

/* Chooses a file in the page's field for files. */
async function chooseFile(tab, path) {
	const { root } = await tab.send("DOM.getDocument", { depth: 0 }), { nodeId } = await tab.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#seen-file" });
	await tab.send("DOM.setFileInputFiles", { files: [path], nodeId });
}

/*
 * The page shows what a machine has seen beside what the model allows. A broken file changes
 * nothing.
 */
async function seeing(tab) {
	const said = text("#seen-said"), cells = `Array.from(document.querySelectorAll("#states td.seen"), one => Number(one.textContent.replace(/,/g, "")))`;
	await chooseFile(tab, results);
	await tab.until(`document.getElementById("seen-said").textContent.startsWith("Seen in ")`);
	const sum = await tab.value(`${cells}.reduce((a, b) => a + b, 0)`), names = await tab.value(`Array.from(document.getElementById("seen-tests").options, one => one.textContent).join()`);
	say("seen", sum === 20000 && names === "SB,MP" && /tso allows all that was seen/.test(await tab.value(said)), await tab.value(said));
	await shoot(tab, "seen");
	await chooseFile(tab, `${results}.broken`);
	await tab.until(`document.getElementById("seen-fault").textContent !== ""`);
	const fault = await tab.value(text("#seen-fault"));
	say("seen broken", /^\S+\.broken, line 12, column \d+: \S/.test(fault) && await tab.value(`${cells}.length`) > 0, fault);
	await tab.value(`(() => { const select = document.getElementById("seen-tests"); select.value = "1"; select.dispatchEvent(new Event("change")); })()`);
	await tab.until(`document.getElementById("seen-said").textContent.includes("What the question asks for: 0 times")`);
	/* A test that is not in the file has no column of what was seen. */
	await tab.value(`napLitmus.open(napLitmus.gallery.named("SB"))`);
	await tab.until(`${VERDICTS}.includes("lkmm Sometimes") && document.getElementById("seen-said").textContent === ""`);
	say("seen of others", await tab.value(`${cells}.length`) === 0, await tab.value(VERDICTS));
	await tab.click("#seen-drop");
	await tab.until(`document.getElementById("seen-tests").hidden`);
}

/*
 * The kernel's older model is shown only if its verdict is another one. It can be compared on the
 * gallery's tests.
 */
async function older(tab) {
	await tab.value(`napLitmus.open(napLitmus.gallery.named("SB+srcu-unlock-mb"))`);
	await tab.until(`${VERDICTS}.includes("lkmm Never")`);
	const differing = await tab.value(VERDICTS);
	await tab.value(`(() => { const choose = (id, model) => { const select = document.getElementById(id); select.value = model; select.onchange(); };
		choose("differ-a", "lkmm"); choose("differ-b", "lkmm61"); })()`);
	await tab.until(`document.getElementById("difference").textContent.includes("of the ends") && document.getElementById("elsewhere").textContent !== ""`);
	const elsewhere = await tab.value(text("#elsewhere")), apart = await tab.value(text("#difference"));
	await tab.value(`napLitmus.open(napLitmus.gallery.named("SB"))`);
	await tab.until(`${VERDICTS}.includes("lkmm Sometimes")`);
	const same = await tab.value(VERDICTS);
	say("older", /lkmm Never, lkmm61 Sometimes/.test(differing) && /^1 of the ends: lkmm61 allows/.test(apart) && /differ on .*MP\+srcu-handed.*SB\+srcu-unlock-mb.*chain-add/.test(elsewhere) &&
		!/lkmm61/.test(same), `${differing}; ${elsewhere}; ${same}`);
}

/* Goes step by step along the cycle that RCU forbids. The page quotes the law of RCU. */
async function rcu(tab) {
	await tab.value(`napLitmus.open(napLitmus.gallery.named("MP+rcu"))`);
	await tab.until(`document.getElementById("because").textContent.includes("axiom rcu")`);
	const count = await tab.value(text("#step-count")), steps = await tab.value(text("#steps"));
	say("RCU", count === "0 of 6" && /g ends the critical section that d begins/.test(steps) && /a comes before c, with synchronize_rcu\(\) between/.test(steps) &&
		/The critical section would begin before the grace period, and end after it\.$/.test(steps), `${count}: ${steps.slice(-90)}`);
}

/* Measures the time from a key to the verdicts, for each test of the gallery. */
async function timing(tab) {
	const times = await tab.value(`(async () => {
		const times = [], field = document.getElementById("source");
		for (const test of napLitmus.gallery.tests) {
			napLitmus.editor.text = test.text;
			napLitmus.times.length = 0;
			field.setRangeText(" ", field.value.length, field.value.length, "end");
			field.dispatchEvent(new Event("input"));
			while (!napLitmus.times.length)
				await new Promise(done => setTimeout(done, 1));
			times.push(napLitmus.times[0]);
			await new Promise(done => setTimeout(done, 20));
		}
		return times.sort((a, b) => a - b);
	})()`);
	const at = part => times[Math.min(times.length - 1, Math.floor(times.length * part))].toFixed(1);
	say("timed", times.length > 80, `${times.length} keys: from the key to the verdicts p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`);
}

async function otherwise(browser) {
	const phone = await opened(browser, { width: 390, height: 844, mobile: true }, "#test=SB");
	await shoot(phone, "phone");
	const [wide, seen, listed] = await phone.value(`(() => { document.getElementById("show-gallery").click(); const box = document.querySelector(".card.sometimes").getBoundingClientRect();
		return [document.documentElement.scrollWidth, box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth, document.querySelector("#tests button").offsetWidth > 200]; })()`);
	say("phone", wide <= 390 && seen && listed, `${wide} pixels wide`);
	await phone.close();
	const dark = await opened(browser, { dark: true }, "#test=MP"), color = `getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector(".card.never")).backgroundColor`;
	const before = await dark.value(color);
	await shoot(dark, "dark");
	await dark.click("#theme");
	say("dark", before !== await dark.value(color), `${before}, then ${await dark.value(color)}`);
	await dark.send("Emulation.setEmulatedMedia", { media: "print" });
	say("print", await dark.value(`getComputedStyle(document.getElementById("gallery")).display === "none" && document.getElementById("states").offsetHeight > 0`), "no gallery, but the states");
	await shoot(dark, "print");
	await dark.close();
	const plain = await opened(browser, { script: false });
	await shoot(plain, "plain");
	const document = await plain.send("DOM.getDocument", { depth: 0 }), { nodeIds } = await plain.send("DOM.querySelectorAll", { nodeId: document.root.nodeId, selector: "#static article td.never" });
	const { model } = await plain.send("DOM.getBoxModel", { nodeId: nodeIds[0] });
	say("without JavaScript", nodeIds.length > 100 && model.height > 10, `${nodeIds.length} verdicts Never`);
	await plain.close();
}

(async () => {
	const browser = new Browser(profile);
	process.on("exit", () => browser.end());
	setTimeout(() => { console.log("not ok in time"); process.exit(1); }, 500000);
	const tab = await opened(browser, {});
	for (const step of [typing, explaining, picturing, tab => sharing(browser, tab), tab => hostile(browser, tab), modelling, making, comparing, teaching, stopping, seeing, older, rcu, timing, () => otherwise(browser)])
		await step(tab).catch(error => say(step.name || "sharing", false, error.message));
	say("quiet", !tab.requests.length && !tab.errors.length, tab.requests.concat(tab.errors).join(" ") || "no request, no error");
	process.exit(failed ? 1 : 0);
})();
