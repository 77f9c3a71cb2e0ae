/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relations/relations.h"
#include "test/test.h"

static const char *const bases[] = {
	[BASE_ALL] = "_", [BASE_R] = "R", [BASE_W] = "W", [BASE_F] = "F", [BASE_M] = "M",
	[BASE_IW] = "IW", [BASE_NONE] = "none", [BASE_ID] = "id", [BASE_PO] = "po",
	[BASE_INT] = "int", [BASE_EXT] = "ext", [BASE_LOC] = "loc", [BASE_ADDR] = "addr",
	[BASE_DATA] = "data", [BASE_CTRL] = "ctrl", [BASE_PICK_ADDR] = "pick-addr",
	[BASE_PICK_DATA] = "pick-data", [BASE_PICK_CTRL] = "pick-ctrl",
	[BASE_RMW_DATA] = "rmw-data", [BASE_RMW] = "rmw",
	[BASE_SAME_ACCESS] = "same-access", [BASE_SAME_VALUE] = "same-value",
	[BASE_RF] = "rf", [BASE_CO] = "co",
};

static const char *const tags[NR_TAGS] = {
	[TAG_ACQUIRE] = "Acq", [TAG_ACQUIRE_PC] = "AcqPC", [TAG_RELEASE] = "Rel", [TAG_SC] = "Sc",
	[TAG_RELAXED] = "Atomic", [TAG_PLAIN] = "Plain", [TAG_ONCE] = "Once",
	[TAG_NORETURN] = "Noreturn", [TAG_RMW] = "Rmw", [TAG_EXCLUSIVE] = "Exclusive",
	[TAG_AMO] = "Amo", [TAG_FAILED] = "Failed",
	[TAG_LOCKED] = "Locked", [TAG_LOCK] = "Lock", [TAG_UNLOCK] = "Unlock", [TAG_FULL] = "Full",
	[TAG_FENCE_LD] = "FenceLd", [TAG_FENCE_ST] = "FenceSt", [TAG_DSB] = "Dsb",
	[TAG_ISB] = "Isb",
	[TAG_PRED_R] = "PredR", [TAG_PRED_W] = "PredW", [TAG_SUCC_R] = "SuccR",
	[TAG_SUCC_W] = "SuccW", [TAG_TSO] = "FenceTso", [TAG_WMB] = "Wmb", [TAG_RMB] = "Rmb",
	[TAG_BEFORE_ATOMIC] = "BeforeAtomic", [TAG_AFTER_ATOMIC] = "AfterAtomic",
	[TAG_AFTER_SPINLOCK] = "AfterSpinlock", [TAG_AFTER_UNLOCK_LOCK] = "AfterUnlockLock",
	[TAG_AFTER_SRCU_UNLOCK] = "AfterSrcuUnlock", [TAG_RCU_LOCK] = "RcuLock",
	[TAG_RCU_UNLOCK] = "RcuUnlock", [TAG_RCU_SYNC] = "RcuSync", [TAG_SRCU_LOCK] = "SrcuLock",
	[TAG_SRCU_UNLOCK] = "SrcuUnlock", [TAG_SRCU_SYNC] = "SrcuSync", [TAG_COMPILER] = "Compiler",
};

int base_named(const char *begin, size_t length)
{
	for (unsigned i = 0; i < NR_BASES; i++)
		if (is_word(begin, length, bases[i]))
			return (int)i;
	for (unsigned i = 0; i < NR_TAGS; i++)
		if (is_word(begin, length, tags[i]))
			return (int)(BASE_TAG + i);
	return -1;
}

const char *base_name(unsigned base)
{
	return base < BASE_TAG ? bases[base] : tags[base - BASE_TAG];
}

bool base_is_set(unsigned base)
{
	return base < BASE_NONE || base >= BASE_TAG;
}

/*
 * The texts of the models are in this tool's directory; those of models that nap-check has, too,
 * are in nap-check's. If both directories have a file of one name, this tool's is used. A new model
 * is a file and a line in LIST.
 */
#define LIST(X) X(common) X(coherent) X(c) X(psc) X(linux) X(rcu) X(races) X(sc) X(tso) X(armv8) \
	X(rvwmo) X(rc11) X(c20) X(lkmm) X(lkmm61)
#ifndef TEXT_SECTION				/* page.mk has WebAssembly's words */
#define TEXT_SECTION ".section .rodata"
#define TEXT_PREVIOUS ".previous"
#endif
#define TEXT(name) \
	__asm__(TEXT_SECTION "\n.type text_" #name ",@object\ntext_" #name ":\n" \
		".incbin \"model/" #name ".model\"\n.byte 0\n" \
		".size text_" #name ", . - text_" #name "\n" TEXT_PREVIOUS "\n"); \
	extern const char text_##name[];
LIST(TEXT)

static const struct { const char *name, *begin; } texts[] = {
#define ROW(name) { #name, text_##name },
	LIST(ROW)
};
#define NR_TEXTS (sizeof(texts) / sizeof(texts[0]))

#define NAME(name) #name,
static const char *const all_names[] = { LIST(NAME) NULL };
const char *const *const rule_names = all_names + 7;	/* without the parts that others include */

bool rules_text(struct text *text, const char *name, struct arena *arena)
{
	if (strpbrk(name, "./"))
		return text_load(text, name, arena);
	text->name = name;
	text->arena = arena;
	for (unsigned i = 0; i < NR_TEXTS; i++)
		if (!strcmp(name, texts[i].name)) {
			text->begin = texts[i].begin;
			text->end = text->begin + strlen(text->begin);
			return true;
		}
	snprintf(text->message, sizeof(text->message), "no model is called %s", name);
	return false;
}

struct rules *rules_of(const char *name, char *message, size_t size)
{
	struct rules *rules = calloc(1, sizeof(*rules));
	struct text *text;

	if (!rules) {
		snprintf(message, size, "no memory");
		return NULL;
	}
	text = arena_alloc(&rules->arena, sizeof(*text));
	rules->name = arena_text(&rules->arena, name, strlen(name));
	if (rules_text(text, rules->name, &rules->arena) && rules_parse(rules, text))
		return rules;
	snprintf(message, size, "%s", text->message);
	arena_free(&rules->arena);
	free(rules);
	return NULL;
}
