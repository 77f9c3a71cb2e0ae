/* SPDX-License-Identifier: MIT */
/* The words of a text, each with its class of colour. */
const CALLS = new RegExp("^(?:(?:READ|WRITE)_ONCE|smp_\\w+|(?:raw_)?atomic\\w*|__atomic\\w*|x?chg\\w*|cmpxchg\\w*|xchg\\w*|try_cmpxchg\\w*|" +
	"rcu_\\w+|srcu_\\w+|synchronize_\\w+|spin_\\w+|barrier|mb|rmb|wmb|nap_\\w+)$");
const ORDERS = /^(?:memory_order_\w+|__ATOMIC_\w+)$/;
const TYPES = /^(?:int|long|short|char|unsigned|void|bool|volatile|const|_Atomic|atomic_\w*t|atomic_(?:int|long|bool|uint)|u?int\d+_t|u\d+|s\d+|spinlock_t|struct)$/;
const FLOW = /^(?:if|else|while|do|for|return|goto|break)$/;
const QUESTION = /^(?:exists|forall|locations|filter)$/;
const REGISTER = /^%?(?:[wx]\d+|wzr|xzr|sp|[re][a-d]x|[re][sd]i|r\d+[dwb]?|[ast]\d+|zero|ra)$/i;
const FENCES = /^(?:dmb|dsb|isb|mfence|sfence|lfence|fence(?:\.\w+)*|fence\.tso|lock)$/i;
const MODEL_WORDS = /^(?:include|let|rec|and|as|acyclic|irreflexive|empty|flag)$/;
/* (* begins a comment only before a blank, because of C's (*x). */
const PARTS = /(\(\*(?=\s)[\s\S]*?(?:\*\)|$)|\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*)|("[^"\n]*"?)|(~?[A-Za-z_%$][\w.]*(?:-[A-Za-z]\w*)*)|(\$?-?\b0x[\da-f]+\b|\$?-?\b\d+\b)|(\s+)|([\s\S])/gi;
const PARTS_OF_TEST = new RegExp(PARTS.source.replace("(?:-[A-Za-z]\\w*)*", ""), "gi");

/* Returns the class of a word. @first: in a test of assembly the word is an instruction's name. */
function wordClass(word, isAssembly, first) {
	if (QUESTION.test(word.replace(/^~/, "")))
		return "question";
	if (/^P\d+$/.test(word))
		return "thread";
	if (FENCES.test(word) || /^smp_(?:r|w)?mb|^smp_mb__|^barrier$|^atomic_thread_fence$/.test(word))
		return "fence";
	if (isAssembly)
		return REGISTER.test(word) ? "register" : first ? "call" : "";
	return CALLS.test(word) ? "call" : ORDERS.test(word) ? "order" : TYPES.test(word) ? "type" : FLOW.test(word) ? "flow" : "";
}

/* Returns [class, text] pairs that are the whole text. */
function wordsOfTest(text) {
	const isAssembly = /^\s*(?:AArch64|RISCV|X86(?:_64)?)\b/.test(text), parts = [];
	let first = true, line = 0;
	for (const [all, comment, string, word, number] of text.matchAll(PARTS_OF_TEST)) {
		const head = line === 0 && word ? "head" : "";
		parts.push([comment ? "comment" : string ? "string" : number ? "number" : word ? head || wordClass(word, isAssembly, first) : "", all]);
		if (all.trim() && !comment)
			first = /[;|{}:\n]/.test(all);
		if (/\n/.test(all)) {
			first = true;
			line += parts.some(([, part]) => part.trim());
		}
	}
	return parts;
}

function wordsOfModel(text) {
	return Array.from(text.matchAll(PARTS), ([all, comment, string, word, number]) =>
		[comment ? "comment" : string ? "string" : number ? "number" : !word ? "" : MODEL_WORDS.test(word) ? "question" :
			/^(?:po|rf|co|fr|rfe|rfi|fre|fri|coe|coi|loc|int|ext|id|addr|data|ctrl|rmw|po-loc)$/.test(word) ? "call" : /^[A-Z]/.test(word) ? "type" : "", all]);
}
