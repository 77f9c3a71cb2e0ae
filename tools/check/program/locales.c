/* SPDX-License-Identifier: MIT */
/*
 * References to the contents of a std::locale, and from the contents to facets. The library never
 * frees what it has made itself, such as the classic locale. So only contents and facets on the
 * program's own heap are looked at.
 */
#include "program/library.h"
#include "program/references.h"

struct facet {
	const void *functions;
	int references;
};

/* The beginning of std::locale::_Impl, which is part of the library's ABI. */
struct contents {
	int references;
	const struct facet **facet;
	size_t nr_facets;
};

struct locale {
	struct contents *contents;
};

typedef void of_locale_fn(struct locale *locale);
typedef void of_locales_fn(struct locale *locale, const struct locale *other);
typedef struct locale *assign_fn(struct locale *locale, const struct locale *other);

#define READS_LOCALE(at)	plain_range((uintptr_t)(at), sizeof(struct locale), false, pc)
#define WRITES_LOCALE(at)	plain_range((uintptr_t)(at), sizeof(struct locale), true, pc)

static void gives_back(const struct contents *contents, uintptr_t pc)
{
	if (!memory_in_arena((uintptr_t)contents))
		return;
	reference_back(OF_LOCALES, contents, pc);
	for (size_t i = 0; contents->references == 1 && i < contents->nr_facets; i++)
		reference_back(OF_LOCALES, contents->facet[i], pc);
}

static void takes(const struct locale *other, uintptr_t pc)
{
	READS_LOCALE(other);
	if (memory_in_arena((uintptr_t)other->contents))
		references_shared(OF_LOCALES);
}

#pragma GCC visibility push(default)

#define COPIES(name)							\
of_locales_fn name;							\
void name(struct locale *locale, const struct locale *other)		\
{									\
	uintptr_t pc = PC;						\
									\
	takes(other, pc);						\
	WRITES_LOCALE(locale);						\
	LIBRARY(of_locales_fn, #name)(locale, other);			\
}
COPIES(_ZNSt6localeC1ERKS_)
COPIES(_ZNSt6localeC2ERKS_)

#define DESTROYS(name)							\
of_locale_fn name;							\
void name(struct locale *locale)					\
{									\
	uintptr_t pc = PC;						\
									\
	WRITES_LOCALE(locale);						\
	gives_back(locale->contents, pc);				\
	LIBRARY(of_locale_fn, #name)(locale);				\
}
DESTROYS(_ZNSt6localeD1Ev)
DESTROYS(_ZNSt6localeD2Ev)

assign_fn _ZNSt6localeaSERKS_;
struct locale *_ZNSt6localeaSERKS_(struct locale *locale, const struct locale *other)
{
	uintptr_t pc = PC;

	takes(other, pc);
	WRITES_LOCALE(locale);
	gives_back(locale->contents, pc);
	return LIBRARY(assign_fn, "_ZNSt6localeaSERKS_")(locale, other);
}
