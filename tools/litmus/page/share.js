/* SPDX-License-Identifier: MIT */
/*
 * A link with the test, the model and what was looked at in its fragment, which no server sees. The
 * fragment is #1= and gzipped JSON as base64url. The checksum of gzip tells a broken link.
 */
async function throughStream(bytes, stream) {
	return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

const toBase64 = bytes => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const fromBase64 = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), one => one.charCodeAt(0));

async function fragmentOf(shared) {
	return "#1=" + toBase64(await throughStream(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream("gzip")));
}

function testNamed(encoded) {
	try {
		return { gallery: decodeURIComponent(encoded) };
	} catch (error) {
		return { broken: "it has a % that no address has" };
	}
}

/* Returns { text, own, model, state }; { gallery }; { broken }, the reason; or null: there is none. */
async function sharedBy(fragment) {
	if (fragment.startsWith("#test="))
		return testNamed(fragment.slice(6));
	if (fragment.length < 2)
		return null;
	if (!fragment.startsWith("#1="))
		return { broken: "it is of no kind that this page knows" };
	let bytes;
	try {
		bytes = fromBase64(fragment.slice(3));
	} catch (error) {
		return { broken: "it has a character that no such link has" };
	}
	try {
		const shared = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await throughStream(bytes, new DecompressionStream("gzip"))));
		return typeof shared.text === "string" && typeof (shared.own || "") === "string" ? shared : { broken: "there is no test in it" };
	} catch (error) {
		return { broken: "a part of it is missing or changed" };
	}
}
