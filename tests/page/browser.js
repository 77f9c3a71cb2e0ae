/* SPDX-License-Identifier: MIT */
/*
 * Chromium without a window, by the DevTools protocol over a pipe: what a person does is done by the
 * browser's own mouse and keys.
 *
 *	const browser = await open_browser(PROFILE DIRECTORY);
 *	const tab = await browser.tab({ width: 1400, height: 900 });
 *	await tab.go(URL); await tab.value("document.title"); await tab.close(); browser.end();
 */
"use strict";

const { spawn } = require("child_process"), fs = require("fs");

class Browser {
	constructor(profile) {
		this.process = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
			"--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.number = 0;
		this.waiting = new Map();
		this.listeners = [];
		let rest = Buffer.alloc(0);
		this.process.stdio[4].on("data", data => {
			rest = Buffer.concat([rest, data]);
			for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
				this.take(JSON.parse(rest.subarray(0, end).toString()));
		});
	}

	take(message) {
		if (message.id) {
			const { done, failed } = this.waiting.get(message.id);
			this.waiting.delete(message.id);
			message.error ? failed(new Error(JSON.stringify(message.error))) : done(message.result);
		} else {
			this.listeners.forEach(listener => listener(message));
		}
	}

	send(method, params, sessionId) {
		const id = ++this.number;
		this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
		return new Promise((done, failed) => this.waiting.set(id, { done, failed }));
	}

	/* A new tab. @settings: width, height, mobile, dark, script (false: no JavaScript). */
	async tab(settings) {
		const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
		const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
		const tab = new Tab(this, targetId, sessionId);
		await tab.begin(settings);
		return tab;
	}

	end() { this.process.kill("SIGKILL"); }
}

class Tab {
	constructor(browser, targetId, sessionId) {
		this.browser = browser;
		this.targetId = targetId;
		this.sessionId = sessionId;
		this.requests = [];
		this.errors = [];
		browser.listeners.push(({ method, params, sessionId: from }) => {
			if (from !== sessionId)
				return;
			if (method === "Network.requestWillBeSent" && !/^(?:data|blob|file):/.test(params.request.url))
				this.requests.push(params.request.url);
			if (method === "Runtime.exceptionThrown")
				this.errors.push(params.exceptionDetails.exception ? params.exceptionDetails.exception.description : params.exceptionDetails.text);
			if (method === "Page.loadEventFired" && this.loaded)
				this.loaded();
		});
	}

	send(method, params = {}) { return this.browser.send(method, params, this.sessionId); }

	async begin({ width = 1400, height = 900, mobile = false, dark = false, script = true }) {
		for (const domain of ["Page", "Runtime", "Network"])
			await this.send(`${domain}.enable`);
		await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: mobile ? 2 : 1, mobile });
		await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
		if (!script)
			await this.send("Emulation.setScriptExecutionDisabled", { value: true });
	}

	async go(url) {
		const loaded = new Promise(done => { this.loaded = done; });
		await this.send("Page.navigate", { url });
		await loaded;
	}

	/* The value of an expression, which may be a promise. */
	async value(expression) {
		const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
		if (exceptionDetails)
			throw new Error(exceptionDetails.exception ? exceptionDetails.exception.description : exceptionDetails.text);
		return result.value;
	}

	/* Waits, at most 20 s, until the expression is true. */
	async until(expression) {
		for (let i = 0; i < 400; i++) {
			if (await this.value(expression))
				return true;
			await new Promise(done => setTimeout(done, 50));
		}
		throw new Error(`never: ${expression}`);
	}

	/* The middle of an element, in view, after it has come to rest. */
	async placeOf(selector) {
		const place = () => this.value(`(() => { const one = document.querySelector(${JSON.stringify(selector)}); one.scrollIntoView({ block: "center" });
			const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()`);
		let before, now = await place();
		do {
			before = now;
			await new Promise(done => setTimeout(done, 120));
			now = await place();
		} while (before.join() !== now.join());
		return now;
	}

	async click(selector) {
		const [x, y] = await this.placeOf(selector);
		for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
			await this.send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
	}

	type(text) { return this.send("Input.insertText", { text }); }

	async key(key, code) {
		for (const type of ["keyDown", "keyUp"])
			await this.send("Input.dispatchKeyEvent", { type, key, code: key, windowsVirtualKeyCode: code });
	}

	async picture(path) {
		const { data } = await this.send("Page.captureScreenshot", { format: "png" });
		fs.writeFileSync(path, Buffer.from(data, "base64"));
	}

	close() { return this.browser.send("Target.closeTarget", { targetId: this.targetId }); }
}

module.exports = { Browser };
