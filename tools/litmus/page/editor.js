/* SPDX-License-Identifier: MIT */
/*
 * An editor: a text field, with a coloured copy of its text under it, and the numbers of its lines.
 * The field is the browser's own, for phones and for screen readers.
 */
class Editor {
	/* @words makes [class, text] pairs of a text. @onchange is called after each key. */
	constructor(box, words, onchange) {
		this.box = box;
		this.words = words;
		this.field = box.querySelector("textarea");
		this.field.spellcheck = false;
		this.field.setAttribute("autocapitalize", "off");
		this.field.setAttribute("autocomplete", "off");
		this.field.setAttribute("wrap", "off");
		this.numbers = box.insertBefore(document.createElement("div"), this.field);
		this.numbers.className = "numbers";
		this.paint = box.insertBefore(document.createElement("pre"), this.field);
		for (const under of [this.numbers, this.paint])
			under.setAttribute("aria-hidden", "true");
		this.fault = null;
		this.lines = new Set();
		this.field.addEventListener("input", () => { this.fault = null; this.draw(); onchange(); });
		this.field.addEventListener("scroll", () => this.scroll());
	}

	get text() { return this.field.value; }

	set text(text) {
		this.field.value = text;
		this.fault = null;
		this.lines.clear();
		this.draw();
		this.field.scrollTop = this.field.scrollLeft = 0;
		this.scroll();
	}

	scroll() {
		this.paint.scrollTop = this.numbers.scrollTop = this.field.scrollTop;
		this.paint.scrollLeft = this.field.scrollLeft;
	}

	/* The place of a line and a column, both from 1; columns count bytes, as in the tool. */
	placeOf(line, column) {
		const lines = this.text.split("\n"), before = lines.slice(0, line - 1).reduce((n, one) => n + one.length + 1, 0);
		const bytes = new TextEncoder().encode(lines[line - 1] || "").subarray(0, column - 1);
		return Math.min(this.text.length, before + new TextDecoder().decode(bytes).length);
	}

	/* Shows what is wrong and where; null: nothing. */
	showFault(wrong) {
		this.fault = wrong ? { at: this.placeOf(wrong.line, wrong.column), line: wrong.line } : null;
		this.draw();
	}

	/* Marks lines, from 1. */
	mark(lines) {
		this.lines = new Set(lines);
		this.draw();
		const first = Math.min(...this.lines), height = this.field.scrollHeight / this.text.split("\n").length;
		if (isFinite(first) && (first * height < this.field.scrollTop || (first + 1) * height > this.field.scrollTop + this.field.clientHeight))
			this.field.scrollTop = Math.max(0, first * height - this.field.clientHeight / 2);
		this.scroll();
	}

	goTo(line, column) {
		const at = this.placeOf(line, column);
		this.field.focus();
		this.field.setSelectionRange(at, at);
	}

	draw() {
		const text = this.text, paint = [];
		let at = 0;
		const put = (kind, part) => {
			const piece = document.createElement("span");
			piece.className = kind;
			piece.textContent = part;
			paint.push(piece);
		};
		for (const [kind, part] of this.words(text)) {
			const within = this.fault ? this.fault.at - at : -1;
			if (within >= 0 && within < part.length) {
				const end = within + (part.slice(within).match(/^(?:\w+|.|\n)/) || [""])[0].length;
				put(kind, part.slice(0, within));
				put(kind + " wrong", part.slice(within, end).replace("\n", " \n"));
				put(kind, part.slice(end));
			} else {
				put(kind, part);
			}
			at += part.length;
		}
		if (this.fault && this.fault.at >= text.length)
			put("wrong", " ");
		put("", "\n");
		this.paint.replaceChildren(...paint);
		this.numbers.replaceChildren(...text.split("\n").map((_, i) => {
			const number = document.createElement("div");
			number.textContent = i + 1;
			number.className = this.fault && this.fault.line === i + 1 ? "wrong" : this.lines.has(i + 1) ? "marked" : "";
			return number;
		}));
		this.scroll();
	}
}
