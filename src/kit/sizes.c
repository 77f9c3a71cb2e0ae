/* SPDX-License-Identifier: MIT */
/* The sizes of what callers allocate, by name: nap/foreign.h. */
#include <nap/nap.h>

#include <stdint.h>
#include <string.h>

/* Tags are short, so the table has no pointers, which a library would have to relocate. */
struct size_entry {
	char type[24];
	uint32_t size;
	uint32_t align;
};

#define SIZE_OF(type) { #type, sizeof(struct type), _Alignof(struct type) }

/* Every public struct of nap/nap.h: tests/system/exports.sh tests that none is missing. */
static const struct size_entry sizes[] = {
	SIZE_OF(nap_after),
	SIZE_OF(nap_batch),
	SIZE_OF(nap_channel),
	SIZE_OF(nap_class),
	SIZE_OF(nap_classes),
	SIZE_OF(nap_cond),
	SIZE_OF(nap_config),
	SIZE_OF(nap_cq),
	SIZE_OF(nap_end),
	SIZE_OF(nap_event),
	SIZE_OF(nap_fiber_start),
	SIZE_OF(nap_fiber_stats),
	SIZE_OF(nap_fibers_config),
	SIZE_OF(nap_frame),
	SIZE_OF(nap_group),
	SIZE_OF(nap_histogram),
	SIZE_OF(nap_local),
	SIZE_OF(nap_lock_ops),
	SIZE_OF(nap_loop),
	SIZE_OF(nap_memory),
	SIZE_OF(nap_metrics_pool),
	SIZE_OF(nap_metrics_submitter),
	SIZE_OF(nap_mutex),
	SIZE_OF(nap_order),
	SIZE_OF(nap_owners),
	SIZE_OF(nap_pool),
	SIZE_OF(nap_pool_stats),
	SIZE_OF(nap_reduction),
	SIZE_OF(nap_remaining),
	SIZE_OF(nap_sched),
	SIZE_OF(nap_scope),
	SIZE_OF(nap_select_case),
	SIZE_OF(nap_sem),
	SIZE_OF(nap_serial),
	SIZE_OF(nap_slot),
	SIZE_OF(nap_stuck),
	SIZE_OF(nap_submit_stats),
	SIZE_OF(nap_submitter),
	SIZE_OF(nap_task),
	SIZE_OF(nap_tile),
	SIZE_OF(nap_timer),
	SIZE_OF(nap_trace_options),
	SIZE_OF(nap_work),
	SIZE_OF(nap_worker_stats),
};

size_t nap_pool_size(void)
{
	return sizeof(struct nap_pool);
}

size_t nap_size_of(const char *type, size_t *align)
{
	for (size_t i = 0; type && i < sizeof(sizes) / sizeof(*sizes); i++) {
		if (strcmp(type, sizes[i].type) != 0)
			continue;
		if (align)
			*align = sizes[i].align;
		return sizes[i].size;
	}
	return 0;
}
