/* SPDX-License-Identifier: MIT */
/*
 * Includes nap's headers with their inline functions renamed, and declares functions with the
 * original names, which outline.c defines. A file includes this header before any other of nap's.
 */
#ifndef NAP_KIT_OUTLINE_H
#define NAP_KIT_OUTLINE_H

#define nap_task_init nap__inline_task_init
#define nap_batch_push nap__inline_batch_push
#define nap_batch_concat nap__inline_batch_concat
#define nap_batch_pop nap__inline_batch_pop
#define nap_work_init nap__inline_work_init
#define nap_end_init nap__inline_end_init
#define nap_top nap__inline_top
#define nap_fork nap__inline_fork
#define nap_join nap__inline_join

#include <nap/nap.h>

#undef nap_task_init
#undef nap_batch_push
#undef nap_batch_concat
#undef nap_batch_pop
#undef nap_work_init
#undef nap_end_init
#undef nap_top
#undef nap_fork
#undef nap_join

#pragma GCC visibility push(default)

void nap_task_init(struct nap_task *task, nap_task_fn run);
void nap_batch_push(struct nap_batch *batch, struct nap_task *task);
void nap_batch_concat(struct nap_batch *to, struct nap_batch *from);
struct nap_task *nap_batch_pop(struct nap_batch *batch);
void nap_work_init(struct nap_work *work, nap_work_fn fn, nap_done_fn done, struct nap_cq *cq);
void nap_end_init(struct nap_end *ending, nap_task_fn run, struct nap_cq *cq);
struct nap_frame *nap_top(struct nap_worker *worker);
struct nap_frame *nap_fork(struct nap_worker *worker, struct nap_frame *top, nap_job_fn run);
bool nap_join(struct nap_worker *worker, struct nap_frame *top);

#pragma GCC visibility pop

#endif /* NAP_KIT_OUTLINE_H */
