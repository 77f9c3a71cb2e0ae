/* SPDX-License-Identifier: MIT */
/*
 * What the engine imports: a try and a throw (engine/try.c), and of WASI a clock, a place for
 * messages, the end of the process, and files that are not there. Used by the page's worker, and by
 * the tests under node.
 */
"use strict";

class EngineEnd extends Error {}

const NO_FILE = 8, NO_CALL = 52;

/* Starts an instance of the module. An instance that has ended is started anew by the next ask(). */
class Engine {
	constructor(module) {
		this.module = module;
		this.start();
	}

	start() {
		const failure = {};
		this.messages = "";
		this.instance = new WebAssembly.Instance(this.module, {
			nap: {
				try: (step, argument) => {
					const { __stack_pointer: stack, __indirect_function_table: table } = this.exports, before = stack.value;
					try {
						table.get(step)(argument);
						return 0;
					} catch (thrown) {
						if (thrown !== failure)
							throw thrown;
						stack.value = before;
						return 1;
					}
				},
				throw: () => { throw failure; },
			},
			wasi_snapshot_preview1: new Proxy(this.system(), { get: (system, name) => system[name] || (() => NO_CALL) }),
		});
		this.exports = this.instance.exports;
		this.exports._initialize();
	}

	system() {
		const view = () => new DataView(this.exports.memory.buffer);
		return {
			clock_time_get: (clock, precision, at) => {
				view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
				return 0;
			},
			fd_write: (file, vectors, nr, written) => {
				let length = 0;
				for (let i = 0; i < nr; i++) {
					const at = view().getUint32(vectors + 8 * i, true), size = view().getUint32(vectors + 8 * i + 4, true);
					this.messages += new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, at, size));
					length += size;
				}
				view().setUint32(written, length, true);
				return 0;
			},
			fd_prestat_get: () => NO_FILE,
			proc_exit: () => { throw new EngineEnd(this.messages.trim() || "the engine has ended"); },
		};
	}

	/* Puts the text into the engine's memory, with a 0 at its end. */
	put(text) {
		const bytes = new TextEncoder().encode(text), at = this.exports.malloc(bytes.length + 1);
		if (!at)
			throw new EngineEnd("no memory");
		const memory = new Uint8Array(this.exports.memory.buffer, at, bytes.length + 1);
		memory.set(bytes);
		memory[bytes.length] = 0;
		return at;
	}

	answer(text, options, own) {
		const given = [text, Object.entries(options).map(([key, value]) => `${key}=${value}\n`).join(""), own || ""].map(one => this.put(one));
		const at = this.exports.nap_litmus(...given), memory = new Uint8Array(this.exports.memory.buffer);
		const json = new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at)));
		given.forEach(this.exports.free);
		return JSON.parse(json);
	}

	/* Returns the answer; one with "ended" if the engine could not give any, as without memory. */
	ask(text, options, own) {
		if (!this.instance)
			this.start();
		try {
			return this.answer(text.replaceAll("\0", "\ufffd"), options, own);
		} catch (thrown) {
			this.instance = null;
			return { ended: thrown instanceof EngineEnd ? thrown.message.replace(/^nap-litmus: /, "") : String(thrown) };
		}
	}
}
