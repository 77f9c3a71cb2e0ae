/* SPDX-License-Identifier: MIT */
/* The picture of an execution: what is pointed at, chosen and stepped through; and its files. */
class Picture {
	/* @onlines is called with the lines of the source that are pointed at. */
	constructor(onlines) {
		this.box = document.getElementById("picture");
		this.bar = document.getElementById("picture-bar");
		this.list = document.getElementById("steps");
		this.onlines = onlines;
		this.steps = [];
		this.step = -1;
		document.getElementById("save-svg").onclick = () => this.saveSvg();
		document.getElementById("save-png").onclick = () => this.savePng();
		document.getElementById("print").onclick = () => window.print();
		document.getElementById("step-back").onclick = () => this.go(this.step - 1);
		document.getElementById("step-on").onclick = () => this.go(this.step + 1);
		for (const type of ["pointerover", "pointerout", "focusin", "focusout", "click"])
			this.box.addEventListener(type, event => this.point(event));
		this.box.addEventListener("keydown", event => this.key(event));
		this.list.addEventListener("keydown", event => this.key(event));
	}

	/* Shows an execution with its explanation (steps.js); @svg: null without a picture. */
	show(name, execution, svg, { steps, end }) {
		this.name = name;
		this.execution = execution;
		this.steps = steps;
		this.end = end;
		this.svg = svg ? document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true) : null;
		this.box.replaceChildren(...(this.svg ? [this.svg] : []));
		this.bar.hidden = !steps.length && !this.svg;
		for (const id of ["save-svg", "save-png"])
			document.getElementById(id).hidden = !this.svg;
		/* Keys reach the parts of the picture, and screen readers read them one by one. */
		if (this.svg)
			this.svg.setAttribute("role", "group");
		for (const event of this.box.querySelectorAll(".nap-event")) {
			event.setAttribute("tabindex", "0");
			event.setAttribute("role", "img");
		}
		this.list.replaceChildren(...steps.map((step, i) => this.row(step, i)), ...(end ? [make("li", { className: "end", textContent: end })] : []));
		this.go(-1);
	}

	row(step, i) {
		const { events } = this.execution;
		return make("li", {}, make("button", { type: "button", onclick: () => this.go(i) },
			make("span", { className: "edge" }, make("b", { textContent: nameOf(events[step.from]) }), make("em", { textContent: step.label }),
				make("b", { textContent: nameOf(events[step.to]) })),
			make("span", { className: "said", textContent: step.text })));
	}

	/* Marks the steps that the model does not keep in order. @orders: by line and column. */
	markLoose(orders) {
		const { events } = this.execution, at = (event, place) => event.line === place.line && event.column === place.column;
		this.steps.forEach((step, i) => {
			if (orders.some(pair => at(events[step.from], pair.first) && at(events[step.to], pair.second)))
				this.list.children[i].querySelector(".said").append(make("em", { className: "loose", textContent: "but this model does not keep that order" }));
		});
	}

	/* The events that a step goes through, by index. */
	through(step) { return [step.from, ...step.steps.map(one => one.to), step.to]; }

	/* Goes to a step; -1: to none. */
	go(to) {
		this.step = Math.max(-1, Math.min(this.steps.length - 1, to));
		const now = this.steps[this.step];
		[...this.list.children].forEach((row, i) => row.toggleAttribute("aria-current", i === this.step));
		document.getElementById("step-count").textContent = this.steps.length ? `${this.step + 1} of ${this.steps.length}` : "";
		document.getElementById("step-back").disabled = this.step < 0;
		document.getElementById("step-on").disabled = this.step >= this.steps.length - 1;
		this.light(now ? this.through(now) : []);
	}

	eventsNamed(letter) { return this.box.querySelectorAll(`.nap-event[data-event="${CSS.escape(letter)}"]`); }

	/* Lights events, by index, and the edges between them; the others are pale. No events: all as they were. */
	light(indexes) {
		const events = this.execution ? this.execution.events : [], letters = new Set(indexes.map(i => events[i].letter));
		this.box.classList.toggle("some", letters.size > 0);
		for (const one of this.box.querySelectorAll(".nap-event"))
			one.classList.toggle("now", letters.has(one.dataset.event));
		for (const one of this.box.querySelectorAll(".nap-edge, .nap-label"))
			one.classList.toggle("now", letters.has(one.dataset.from) && letters.has(one.dataset.to));
		this.onlines(indexes.map(i => events[i].line).filter(line => line));
	}

	indexOf(element) {
		const event = element && element.closest && element.closest(".nap-event");
		return event ? this.execution.events.findIndex(one => one.letter === event.dataset.event) : -1;
	}

	/* Pointing at an event lights it with its edges; a click keeps it so. */
	point(event) {
		const i = this.indexOf(event.target), edge = event.target.closest && event.target.closest(".nap-edge, .nap-label");
		if (event.type === "click" && edge && this.stepOf(edge) >= 0) {
			this.kept = null;
			this.go(this.stepOf(edge));
			return;
		}
		if (event.type === "click" && i < 0 && !edge) {
			this.kept = null;
			this.go(this.step);
		} else if (event.type === "click" || event.type === "pointerover" || event.type === "focusin") {
			const letters = edge ? [edge.dataset.from, edge.dataset.to] : i >= 0 ? [this.execution.events[i].letter] : null;
			if (!letters)
				return;
			if (event.type === "click")
				this.kept = letters;
			this.lightLetters(letters);
		} else if (this.kept) {
			this.lightLetters(this.kept);
		} else {
			this.go(this.step);
		}
	}

	/* The step that goes along the edge; -1: none does. */
	stepOf(edge) {
		const { events } = this.execution;
		return this.steps.findIndex(step => {
			const letters = this.through(step).map(i => events[i].letter);
			return letters.some((letter, i) => letter === edge.dataset.from && letters[i + 1] === edge.dataset.to);
		});
	}

	lightLetters(letters) {
		const near = new Set(letters);
		if (letters.length === 1)
			for (const edge of this.box.querySelectorAll(".nap-edge"))
				if (edge.dataset.from === letters[0] || edge.dataset.to === letters[0])
					near.add(edge.dataset.from).add(edge.dataset.to);
		this.light(this.execution.events.map((one, i) => near.has(one.letter) ? i : -1).filter(i => i >= 0));
		if (letters.length === 1)
			for (const edge of this.box.querySelectorAll(".nap-edge, .nap-label"))
				edge.classList.toggle("now", edge.dataset.from === letters[0] || edge.dataset.to === letters[0]);
	}

	key(event) {
		const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
		if (event.key === "Escape") {
			this.kept = null;
			this.go(-1);
		} else if (step) {
			event.preventDefault();
			this.go(this.step + step);
			const row = this.list.children[this.step];
			if (row && this.list.contains(document.activeElement))
				row.querySelector("button").focus();
		}
	}

	/* The picture as a file of its own. */
	text() {
		const copy = this.svg.cloneNode(true);
		copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
		copy.setAttribute("role", "img");
		for (const one of copy.querySelectorAll("[tabindex]"))
			["tabindex", "role"].forEach(name => one.removeAttribute(name));
		for (const one of copy.querySelectorAll(".now"))
			one.classList.remove("now");
		return new XMLSerializer().serializeToString(copy);
	}

	save(blob, ending) {
		const link = make("a", { href: URL.createObjectURL(blob), download: `${this.name.replace(/[^\w.+-]/g, "-")}.${ending}` });
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 10000);
		this.onsaved && this.onsaved(blob);
	}

	saveSvg() { this.save(new Blob([this.text()], { type: "image/svg+xml" }), "svg"); }

	/* Saves the picture twice as large, for screens with small pixels. */
	savePng() {
		const { width, height } = this.svg.viewBox.baseVal, image = new Image(), canvas = make("canvas", { width: 2 * width, height: 2 * height });
		image.onload = () => {
			canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
			canvas.toBlob(blob => this.save(blob, "png"), "image/png");
		};
		image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(this.text());
	}
}
