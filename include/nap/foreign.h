/* SPDX-License-Identifier: MIT */
/**
 * DOC: nap_size_of - what a binding to another language needs besides the calls
 *
 * A language that does not read C's headers has no sizes and no inline functions. It takes sizes
 * from nap_size_of(), and has each inline function of these headers as a symbol of the same name in
 * the library: nap_task_init(), nap_batch_push(), nap_batch_concat(), nap_batch_pop(),
 * nap_work_init(), nap_end_init(), nap_top(), nap_fork(), nap_join(). A pool comes from
 * nap_pool_new(), and other objects from memory that has the size and the alignment:
 *
 *	size = nap_size_of("nap_group", &align);
 *	group = aligned_alloc(align, size);
 *	nap_group_init(group, pool);
 *
 * A type that no function initialises is initialised by zeroes: "nap_batch", "nap_cond",
 * "nap_event", "nap_config" and other settings, and every struct that a call fills in.
 */
#ifndef NAP_FOREIGN_H
#define NAP_FOREIGN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * nap_pool_size() - the size of a struct nap_pool, in bytes; any thread
 *
 * A pool is aligned to 64 bytes. A program that can use nap_pool_new() needs no size.
 */
size_t nap_pool_size(void);

/**
 * nap_size_of() - the size of a struct of nap's, in bytes
 * @type:  the struct's tag: "nap_task" for struct nap_task. Every struct that nap/nap.h
 *         defines is known
 * @align: set to the alignment in bytes, a power of two; NULL: not wanted
 *
 * Any thread. A size stays the same as long as the library's soname does. Returns 0 for NULL, and
 * for a type that is not known: then *@align is as it was.
 */
size_t nap_size_of(const char *type, size_t *align);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* NAP_FOREIGN_H */
