/* SPDX-License-Identifier: MIT */
/* The editor of a model, in the language of nap-litmus --model, and the built-in ones to begin with. */
class OwnModel {
	constructor(lab, onchange) {
		this.lab = lab;
		this.onchange = onchange;
		this.editor = new Editor(document.getElementById("model-editor"), wordsOfModel, onchange);
		this.from = document.getElementById("start-from");
		this.from.append(make("option", { value: "", textContent: "a model ..." }), ...MODELS.concat(Object.keys(OLDER), "coherent").map(name => make("option", { value: name, textContent: name })));
		this.from.onchange = () => this.start(this.from.value);
		document.getElementById("drop-model").onclick = () => { this.editor.text = ""; this.from.value = ""; onchange(); };
	}

	get text() { return this.editor.text.trim() ? this.editor.text : ""; }

	async start(name) {
		const answer = name && await this.lab.ask("model", "", { show: name });
		if (!answer || !answer.text)
			return;
		this.editor.text = answer.text.replace(/^\(\* SPDX.*\n/, "");
		this.onchange();
	}

	/* Shows what is wrong with the model, by the column of the answer. */
	show(column) {
		const wrong = column && column.wrong && column.wrong.text === "own" ? column.wrong : null;
		this.editor.showFault(wrong);
		document.getElementById("model-fault").textContent = wrong ? `Line ${wrong.line}, column ${wrong.column}: ${wrong.message}` :
			column && column.wrong ? column.wrong.message : "";
	}
}
