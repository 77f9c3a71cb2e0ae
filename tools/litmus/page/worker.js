/* SPDX-License-Identifier: MIT */
/* The page's worker: has the engine, and answers questions, one after the other. */
let engine;

onmessage = ({ data }) => {
	if (data.wasm) {
		engine = new Engine(new WebAssembly.Module(data.wasm));
		postMessage({ ready: true });
		return;
	}
	const begin = performance.now(), answer = engine.ask(data.text, data.options, data.own);
	postMessage({ id: data.id, answer, took: performance.now() - begin });
};
