/* SPDX-License-Identifier: MIT */
#include "program/foreign_writes.h"

#define MAX_FOREIGN 4096

static struct byte {
	uint8_t *at;
	uint8_t own, written;	/* the owner's value; and the other thread's, once @is_known */
	bool is_known, hidden;
} bytes[MAX_FOREIGN];
unsigned nr_foreign;

static struct byte *find(const uint8_t *at)
{
	for (unsigned i = 0; i < nr_foreign; i++)
		if (bytes[i].at == at)
			return &bytes[i];
	return NULL;
}

/* Forgets the byte: what is there now is the owner's. */
static void is_own(struct byte *byte)
{
	*byte = bytes[--nr_foreign];
}

void foreign_note(uintptr_t address, size_t size)
{
	bool own = memory_thread(address) == self;

	for (uint8_t *at = (uint8_t *)address; at < (uint8_t *)address + size; at++) {
		struct byte *byte = find(at);

		if (byte && own) {
			is_own(byte);
		} else if (byte) {
			byte->is_known = false;
		} else if (!own) {
			if (nr_foreign == MAX_FOREIGN)
				give_up("the bound on writes to other threads' stacks");
			bytes[nr_foreign++] = (struct byte){ .at = at, .own = *at };
		}
	}
}

void foreign_older(uintptr_t address, const void *value, size_t size)
{
	for (size_t i = 0; nr_foreign && is_on_own_stack(address) && i < size; i++) {
		struct byte *byte = find((const uint8_t *)address + i);

		if (byte)
			byte->own = ((const uint8_t *)value)[i];
	}
}

/*
 * The compiler does not tell of the owner's writes to variables that no other thread can reach.
 * Such a variable may come to lie where another thread has written. So a byte is the owner's again
 * as soon as it differs from what the other thread has written.
 */
void foreign_hide(uintptr_t sp)
{
	for (unsigned i = 0; i < nr_foreign; i++) {
		struct byte *byte = &bytes[i];

		if (memory_thread((uintptr_t)byte->at) != self)
			continue;
		if (!byte->is_known)
			byte->written = *byte->at;
		byte->is_known = true;
		if ((uintptr_t)byte->at < sp || *byte->at != byte->written) {
			is_own(byte);
			i--;
			continue;
		}
		*byte->at = byte->own;
		byte->hidden = true;
	}
}

void foreign_show(void)
{
	for (unsigned i = 0; i < nr_foreign; i++)
		if (bytes[i].hidden) {
			*bytes[i].at = bytes[i].written;
			bytes[i].hidden = false;
		}
}
