// SPDX-License-Identifier: MIT
// Colours. A function's colour depends on its name alone, so it is the same in every trace. The
// exception: if two functions of a trace would look alike, one of them gets another colour.
"use strict";

const HUES = 18;

function hashOf(name)
{
	let hash = 2166136261;

	for (let i = 0; i < name.length; i++)
		hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
	return (hash ^ hash >>> 15) >>> 0;
}

// Returns the hues of @names. Names choose in alphabetical order; a later name avoids the hues that
// are taken, and their neighbours, while there are others.
function huesOf(names)
{
	const taken = new Uint8Array(HUES), hues = new Map();

	for (const name of names.slice().sort()) {
		const first = hashOf(name) % HUES, steps = [...taken.keys()].map(k => (first + 5 * k) % HUES);
		const beside = hue => taken[(hue + 1) % HUES] + taken[(hue + HUES - 1) % HUES];
		const hue = steps.find(h => !taken[h] && !beside(h)) ?? steps.find(h => !taken[h]) ?? first;

		taken[hue] = 1;
		hues.set(name, hue);
	}
	return hues;
}

// Returns a pattern of diagonal lines, @line on @back, which stands for waiting.
function hatched(pen, back, line)
{
	const tile = document.createElement("canvas"), to = tile.getContext("2d");

	tile.width = tile.height = 7;
	to.fillStyle = back;
	to.fillRect(0, 0, 7, 7);
	to.strokeStyle = line;
	to.beginPath();
	for (let x = -7; x <= 7; x += 7) {
		to.moveTo(x - 1, 8);
		to.lineTo(x + 8, -1);
	}
	to.stroke();
	return pen.createPattern(tile, "repeat");
}

function Palette(pen, names)
{
	const style = getComputedStyle(document.documentElement);
	const value = name => style.getPropertyValue("--" + name).trim();

	for (const name of ["back", "panel", "line", "text", "weak", "lane", "parked", "spins", "wait", "wait-line", "blocked",
		"blocked-line", "accent", "wake", "steal", "hit"])
		this[name] = value(name);
	this.dark = matchMedia("(prefers-color-scheme: dark)").matches;
	this.hues = huesOf(names);
	this.waitHatch = hatched(pen, this.wait, this["wait-line"]);
	this.blockedHatch = hatched(pen, this.blocked, this["blocked-line"]);
	this.lostHatch = hatched(pen, this.back, this.line);
}

// Returns a function's colour. All colours have the same lightness. @weaker: for a part of the
// function.
Palette.prototype.of = function (name, weaker) {
	const hue = (this.hues.get(name) ?? hashOf(name) % HUES) * 360 / HUES;
	const light = this.dark ? weaker ? 0.40 : 0.54 : weaker ? 0.90 : 0.80;

	return `oklch(${light} ${weaker ? 0.055 : 0.11} ${hue})`;
};
