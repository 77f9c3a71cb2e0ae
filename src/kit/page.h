/* SPDX-License-Identifier: MIT */
/*
 * A page of text for Prometheus. If it does not fit into the buffer, it is cut at the end of a
 * line.
 */
#ifndef NAP_PAGE_H
#define NAP_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nap/metrics.h>

struct page {
	char *buf;
	size_t size;
	size_t len;		/* the length of the whole text */
	size_t line;		/* the end of the last line that fits */
};

void nap__page_bytes(struct page *page, const char *str, size_t len);
void nap__page_string(struct page *page, const char *str);
void nap__page_number(struct page *page, uint64_t n);

/* Puts the value of a label, escaped as the format demands. NULL: "nap". */
void nap__page_name(struct page *page, const char *name);

/* Puts the two lines that describe a metric. @type: counter, gauge or histogram. */
void nap__page_head(struct page *page, const char *name, const char *help, const char *type);

/*
 * Puts {LABEL="NAME", without the end brace. @nr: the number of this sample among the samples with
 * the same @name.
 */
void nap__page_labels(struct page *page, const char *label, const char *name, uint32_t nr);

/* Whether nap__page_name() would write the same for @a and @b. */
bool nap__page_same(const char *a, const char *b);

void nap__page_line(struct page *page);

/* Returns the length of the whole text. */
size_t nap__page_end(struct page *page);

/* Returns the number of pool @i among those with the same name: src/kit/metrics_measured.c */
uint32_t nap__pool_number(const struct nap_metrics_pool *pools, size_t i);

/* Puts the histograms of the pools that are measured. */
void nap__put_measured(struct page *page, const struct nap_metrics_pool *pools, size_t count);

#endif /* NAP_PAGE_H */
