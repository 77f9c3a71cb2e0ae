/* SPDX-License-Identifier: MIT */
/*
 * Writes the page: page.html, in which the scripts of this directory and the trace's data are put
 * in their places. The data are numbers of seven bits a byte, the lowest bits first, in base 64;
 * data.js reads them. "A less B" is the difference. The numbers of a span, in this order:
 *
 *	begin less the begin of the span before it, length, kind + 16 * flags, depth, name + 1
 *	FLAG_FROM: the lane where its arrow begins, and the arrow's length
 *	FLAG_AT_ONCE: how long it had been due when the arrow began
 *	FLAG_STOLEN: the lane from which it was stolen
 *	a park, or a fiber's wait: span.wait
 *	any wait except a park: the object; a leaf: its first iteration, and how many iterations
 *
 * The numbers of a point: time less the time of the point before it, queued, parked.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file/raw.h"
#include "write/proto.h"
#include "write/write.h"

enum {
	FLAG_FROM = 1, FLAG_NO_BEGIN = 2, FLAG_NO_END = 4, FLAG_INNER = 8, FLAG_STOLEN = 16,
	FLAG_AT_ONCE = 32
};

/* How many gaps the page names at most, and how long they are at least. */
enum { GAPS = 20, LEAST_GAP = 10000 };

#define PART(name, file)                                                                           \
	".globl page_" #name "\n.hidden page_" #name "\npage_" #name ": .incbin \"write/" file     \
	"\"\n.byte 0\n"
__asm__(".section .rodata\n" PART(html, "page.html") PART(data, "data.js") PART(text, "text.js")
	PART(color, "color.js") PART(rulers, "rulers.js") PART(arrows, "arrows.js")
	PART(draw, "draw.js") PART(view, "view.js") ".previous\n");
extern const char page_html[], page_data[], page_text[], page_color[], page_rulers[], page_arrows[],
	page_draw[], page_view[];

struct page {
	FILE *to;
	const struct trace *trace;
	struct lane *lane;	/* in the order in which they are shown */
	uint32_t *place;	/* where each of the trace's lanes is shown */
};

/* The order: workers by their index, then threads, then fibers by their first event. */
static const struct trace *ordered;

static int by_lane(const void *a, const void *b)
{
	const struct lane *x = &ordered->lane[*(const uint32_t *)a],
			  *y = &ordered->lane[*(const uint32_t *)b];

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->kind == LANE_FIBER)
		return x->first < y->first ? -1 : x->first > y->first;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void order_lanes(struct page *page)
{
	uint32_t nr = (uint32_t)page->trace->nr_lanes;
	uint32_t *order = resize(NULL, nr, sizeof(*order));

	page->lane = resize(NULL, nr, sizeof(*page->lane));
	page->place = resize(NULL, nr, sizeof(*page->place));
	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	ordered = page->trace;
	qsort(order, nr, sizeof(*order), by_lane);
	for (uint32_t i = 0; i < nr; i++) {
		page->place[order[i]] = i;
		page->lane[i] = without_carriers(&page->trace->lane[order[i]]);
	}
	free(order);
}

static void write_base64(FILE *to, const struct message *message)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < message->nr; i += 3) {
		uint32_t bits = (uint32_t)message->bytes[i] << 16;
		size_t left = message->nr - i;

		bits |= left > 1 ? (uint32_t)message->bytes[i + 1] << 8 : 0;
		bits |= left > 2 ? message->bytes[i + 2] : 0;
		fputc(letters[bits >> 18], to);
		fputc(letters[bits >> 12 & 63], to);
		fputc(left > 1 ? letters[bits >> 6 & 63] : '=', to);
		fputc(left > 2 ? letters[bits & 63] : '=', to);
	}
}

static void quoted(FILE *to, const char *name, const char *text)
{
	fprintf(to, "\"%s\":", name);
	write_quoted(to, text, strlen(text));
}

static void write_lanes(const struct page *page)
{
	char name[LANE_NAME];

	fprintf(page->to, "\"lanes\":[");
	for (size_t i = 0; i < page->trace->nr_lanes; i++) {
		const struct lane *lane = &page->lane[i];

		fprintf(page->to,
			"%s{\"kind\":%u,\"spans\":%zu,\"depth\":%u,\"first\":%" PRId64
			",\"begins\":%" PRId64 ",\"lost\":%" PRIu64 ",",
			i ? "," : "", lane->kind, lane->nr, lane->depth,
			lane->nr ? lane->span[0].begin : 0, lane->first, lane->lost);
		quoted(page->to, "name", lane_name(page->trace, lane, name));
		fprintf(page->to, "}");
	}
	fprintf(page->to, "],\n");
}

static void write_functions(const struct page *page)
{
	fprintf(page->to, "\"functions\":[");
	for (size_t i = 0; i < page->trace->names.nr; i++) {
		const struct name *name = &page->trace->names.name[i];

		fprintf(page->to, "%s{", i ? "," : "");
		quoted(page->to, "name", name->function);
		if (name->file) {
			fprintf(page->to, ",\"line\":%u,", name->line);
			quoted(page->to, "file", basename(name->file));
		}
		fprintf(page->to, "}");
	}
	fprintf(page->to, "],\n");
}

static void write_gaps(const struct page *page)
{
	size_t nr;
	struct gap *gap = gaps_longest(page->trace, LEAST_GAP, &nr);

	fprintf(page->to, "\"gaps\":[");
	for (size_t i = 0; i < nr && i < GAPS; i++)
		fprintf(page->to, "%s{\"begin\":%" PRId64 ",\"end\":%" PRId64 ",\"queued\":%u}",
			i ? "," : "", gap[i].begin, gap[i].end, gap[i].queued);
	fprintf(page->to, "],\n");
	free(gap);
}

static void write_pauses(const struct page *page)
{
	const struct trace *trace = page->trace;

	fprintf(page->to, "\"pauses\":[");
	for (size_t i = 0; i < trace->nr_pauses; i++)
		fprintf(page->to, "%s{\"begin\":%" PRId64 ",\"end\":%" PRId64 "}", i ? "," : "",
			trace->pause[i].begin, trace->pause[i].end);
	fprintf(page->to, "],\n");
}

static void write_facts(const struct page *page)
{
	const struct trace *trace = page->trace;
	const struct raw *raw = trace->raw;
	struct nap_trace_track totals = raw_totals(raw);

	fprintf(page->to, "{\"name\":");
	write_quoted(page->to, raw->name.bytes, raw->name.length);
	fprintf(page->to, ",\"exe\":");
	write_quoted(page->to, raw->exe.bytes, raw->exe.length);
	fprintf(page->to,
		",\"pid\":%u,\"end\":%" PRId64 ",\"events\":%" PRIu64 ",\"lost\":%" PRIu64
		",\"cut\":%s,\n",
		raw->head.pid, trace->end, totals.kept, totals.lost, raw->cut ? "true" : "false");
	write_lanes(page);
	write_functions(page);
	write_gaps(page);
	write_pauses(page);
	fprintf(page->to, "\"points\":%zu,\"firstPoint\":%" PRId64 "}", trace->nr_points,
		trace->nr_points ? trace->point[0].ns : 0);
}

static void put_span(struct message *message, const struct page *page, const struct span *span,
		     int64_t last)
{
	bool parked = span->kind == SPAN_PARKED;
	unsigned flags = (span->from != NOWHERE ? FLAG_FROM : 0) |
			 (span->no_begin ? FLAG_NO_BEGIN : 0) | (span->no_end ? FLAG_NO_END : 0) |
			 (span->inner ? FLAG_INNER : 0) |
			 (span->victim != NOWHERE ? FLAG_STOLEN : 0) |
			 (span->from != NOWHERE && span->at_once ? FLAG_AT_ONCE : 0);
	int64_t arrow = (parked ? span->end : span->begin) - span->since;

	proto_varint(message, (uint64_t)(span->begin - last));
	proto_varint(message, (uint64_t)(span->end - span->begin));
	proto_varint(message, span->kind | flags << 4);
	proto_varint(message, span->depth);
	proto_varint(message, span->name == NOWHERE ? 0 : span->name + 1);
	if (flags & FLAG_FROM) {
		proto_varint(message, page->place[span->from]);
		/*
		 * Two CPUs' clocks may differ by some nanoseconds. A length must not be negative.
		 */
		proto_varint(message, arrow > 0 ? (uint64_t)arrow : 0);
	}
	if (flags & FLAG_AT_ONCE)
		proto_varint(message, (uint64_t)span->late);
	if (flags & FLAG_STOLEN)
		proto_varint(message, page->place[span->victim]);
	if (parked || span->kind == SPAN_WAIT)
		proto_varint(message, span->wait);
	if (span->kind >= SPAN_JOIN)
		proto_varint(message, span->object);
	if (span->kind == SPAN_LEAF)
		proto_varint(message, span->nr);
}

static void write_spans(const struct page *page)
{
	struct message message = { NULL, 0, 0 };

	for (size_t i = 0; i < page->trace->nr_lanes; i++) {
		const struct lane *lane = &page->lane[i];
		int64_t last = lane->nr ? lane->span[0].begin : 0;

		for (size_t s = 0; s < lane->nr; s++) {
			put_span(&message, page, &lane->span[s], last);
			last = lane->span[s].begin;
		}
	}
	write_base64(page->to, &message);
	free(message.bytes);
}

static void write_points(const struct page *page)
{
	struct message message = { NULL, 0, 0 };
	const struct trace *trace = page->trace;

	for (size_t i = 0; i < trace->nr_points; i++) {
		proto_varint(&message,
			     (uint64_t)(trace->point[i].ns - trace->point[i ? i - 1 : 0].ns));
		proto_varint(&message, trace->point[i].queued);
		proto_varint(&message, trace->point[i].parked);
	}
	write_base64(page->to, &message);
	free(message.bytes);
}

static void write_scripts(const struct page *page)
{
	fputs(page_data, page->to);
	fputs(page_text, page->to);
	fputs(page_color, page->to);
	fputs(page_rulers, page->to);
	fputs(page_arrows, page->to);
	fputs(page_draw, page->to);
	fputs(page_view, page->to);
}

/* What is written in place of each "@name@", in the order in which page.html has them. */
static const struct {
	const char *name;
	void (*write)(const struct page *page);
} parts[] = {
	{ "@facts@", write_facts },
	{ "@spans@", write_spans },
	{ "@points@", write_points },
	{ "@script@", write_scripts },
};

void write_page(FILE *to, const struct trace *trace)
{
	struct page page = { .to = to, .trace = trace };
	const char *at = page_html;

	order_lanes(&page);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *here = strstr(at, parts[i].name);

		fwrite(at, 1, (size_t)(here - at), to);
		parts[i].write(&page);
		at = here + strlen(parts[i].name);
	}
	fputs(at, to);
	for (size_t i = 0; i < trace->nr_lanes; i++)
		free(page.lane[i].span);
	free(page.lane);
	free(page.place);
}
