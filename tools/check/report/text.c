/* SPDX-License-Identifier: MIT */
/* What a counterexample says of an event. */
#include <string.h>

#include "program/locations.h"
#include "program/memory.h"
#include "program/names.h"
#include "program/threads.h"
#include "report/report.h"

const struct event *event_write_half(const struct event *e)
{
	return e->kind == E_READ && (e->flags & F_EXCL) && e->index < graph->count[e->thread] ?
		&graph->event[graph->event_of[e->thread][e->index]] : NULL;
}

bool event_is_shown(const struct event *e)
{
	if (e->kind == E_CHOICE && (e->flags & F_STOP))
		return e->value;
	if (e->kind == E_WRITE && (e->flags & F_EXCL))
		return false;		/* shown together with its read */
	if (e->kind == E_WRITE && !locations[e->location].size)
		return hidden_kind(e->location) == HIDDEN_WAKE ||
		       hidden_kind(e->location) == HIDDEN_BARRIER;
	return true;
}

bool values_are_decimal;

/* Writes a small number of a variable with @bytes bytes as people write it, with its sign. */
static bool show_decimal(char *out, size_t size, uint64_t value, unsigned bytes)
{
	unsigned unused = bytes && bytes < 8 ? 64 - 8 * bytes : 0;
	int64_t n = (int64_t)(value << unused) >> unused;

	if (!values_are_decimal || n < -100000 || n > 100000)
		return false;
	snprintf(out, size, "%ld", n);
	return true;
}

void value_text(uint64_t value, unsigned bytes, char *out, size_t size)
{
	if (value < 10)
		snprintf(out, size, "%lu", value);
	else if (show_decimal(out, size, value, bytes))
		return;
	else if (memory_in_arena(value & ~3ul) || value > 0x10000)
		describe_address(value, out, size);
	else
		snprintf(out, size, "%#lx", value);
}

static const char *const rmw_names[] = {
	"", "xchg", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_nand",
	"cmpxchg", "futex_wait", "futex_leave", "futex_wake", "cond_wait", "cond_signal"
};

/* Says what an access does, e.g. "cmpxchg sync 4 -> 0x14 release <- #7". */
static void show_access(const struct event *e, const char *rf, char *out, size_t size)
{
	const struct event *write = event_write_half(e);
	char name[48], value[48], stored[48] = "";
	unsigned bytes = locations[e->location].size, order = e->order | (write ? write->order : 0);

	describe_location(e->location, name, sizeof(name));
	value_text(e->value, bytes, value, sizeof(value));
	if (e->rmw >= RMW_WAIT) {
		snprintf(out, size, "%s %s%s", rmw_names[e->rmw], name,
			 e->rmw == RMW_WAIT || e->rmw == RMW_QUEUE ? ": sleeps" : "");
	} else if (write) {
		value_text(write->value, bytes, stored, sizeof(stored));
		snprintf(out, size, "%s %s %s -> %s %s%s", rmw_names[e->rmw], name, value, stored,
			 order_name(order), rf);
	} else if (e->rmw) {
		snprintf(out, size, "%s %s fails: %s %s%s", rmw_names[e->rmw], name, value,
			 order_name(e->fail_order), rf);
	} else if (!locations[e->location].size) {
		bool end = hidden_kind(e->location) == HIDDEN_END;

		snprintf(out, size, e->kind == E_WRITE ? "wakes %s" : end ? "joins %s" : "woken%s",
			 e->kind == E_WRITE || end ? name : rf);
	} else if (e->kind == E_WRITE) {
		snprintf(out, size, "store %s = %s %s", name, value, order_name(order));
	} else {
		snprintf(out, size, "load %s: %s %s%s", name, value,
			 e->flags & F_KERNEL ? "(kernel)" : order_name(order), rf);
	}
}

void event_text(const struct event *e, const char *rf, char *out, size_t size)
{
	switch (e->kind) {
	case E_FENCE:
		snprintf(out, size, "fence %s", e->flags & F_HEAVY ? "membarrier" :
			 e->flags & F_LIGHT ? "signal" : order_name(e->order));
		return;
	case E_CREATE:
		snprintf(out, size, "starts %s", thread_name((unsigned)e->value));
		return;
	case E_CHOICE:
		if (e->flags & F_STOP) {
			snprintf(out, size, "stops for ever");
			return;
		}
		snprintf(out, size, e->flags & F_FAILURE ? "spawn: %s" :
			 e->flags & F_SPURIOUS ? "wait: %s" :
			 e->flags & F_WEAK ? "cmpxchg_weak: %s" : "chooses %s%lu",
			 e->flags & F_FAILURE ? (e->value ? "fails" : "succeeds") :
			 e->flags & F_SPURIOUS ? (e->value ? "interrupted" : "goes on") :
			 e->flags & F_WEAK ? (e->value ? "fails" : "goes on") : "",
			 e->value);
		return;
	default:
		show_access(e, rf, out, size);
	}
}
