/* SPDX-License-Identifier: MIT */
/*
 * Asks the engine, in a worker that never stops the page. Of each kind of question only the newest
 * waits: an older one that has not begun is dropped, and its promise gives null. A question that
 * takes longer than it may, while a newer one of its kind waits, ends the worker, and another
 * begins. A question of the kind LAST also gives way to all other kinds.
 */
const OVERTIME = 400, LAST = "orders";

class Laboratory {
	constructor(wasm, script) {
		this.wasm = wasm;
		this.address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
		this.waiting = new Map();
		this.number = 0;
		this.onbusy = () => {};
		this.start();
	}

	start() {
		this.worker = new Worker(this.address);
		this.worker.onmessage = ({ data }) => this.take(data);
		this.worker.postMessage({ wasm: this.wasm });
		this.current = null;
	}

	/* Asks. The promise gives the answer, or null if a newer question took this one's place. */
	ask(kind, text, options, own) {
		return new Promise(done => {
			const before = this.waiting.get(kind);
			if (before)
				before.done(null);
			this.waiting.delete(kind);
			this.waiting.set(kind, { kind, id: ++this.number, text, options, own, done });
			if (this.current && (this.current.kind === kind || this.current.kind === LAST))
				this.hurry(kind);
			this.next();
		});
	}

	/* Gives the present question some last time, because a newer question of @kind waits. */
	hurry(kind) {
		const old = this.current, left = Math.max(0, old.begin + OVERTIME - performance.now());
		setTimeout(() => { if (this.current === old && this.waiting.has(kind)) this.stop(); }, left);
	}

	next() {
		if (this.current || !this.waiting.size)
			return;
		const [kind, question] = this.waiting.entries().next().value;
		this.waiting.delete(kind);
		this.current = question;
		question.begin = performance.now();
		this.worker.postMessage({ id: question.id, text: question.text, options: question.options, own: question.own });
		setTimeout(() => this.onbusy(), 250);
	}

	take({ id, answer, took }) {
		const question = this.current;
		if (!question || question.id !== id)
			return;
		this.current = null;
		this.onbusy();
		answer.took = took;
		question.done(answer);
		this.next();
	}

	/* Ends what is being answered; its promise gives { stopped: true }. */
	stop() {
		const question = this.current;
		this.worker.terminate();
		this.start();
		this.onbusy();
		if (question)
			question.done({ stopped: true });
		this.next();
	}
}
