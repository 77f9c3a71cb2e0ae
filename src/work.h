/* SPDX-License-Identifier: MIT */
/* Works, for those who queue them: src/work.c. */
#ifndef NAP_WORK_INTERNAL_H
#define NAP_WORK_INTERNAL_H

struct nap_work;

/* It is to be queued now: its task is prepared. 0, -EBUSY or -EINVAL. */
int nap__work_queue(struct nap_work *work);

/*
 * It was refused, by @err. Returns that, and the work is idle; or 0 when it was canceled meanwhile,
 * and so has been accepted, and ended.
 */
int nap__work_refused(struct nap_work *work, int err);

/* It was accepted, and will never have its turn: it ends as canceled. */
void nap__work_give_up(struct nap_work *work);

#endif /* NAP_WORK_INTERNAL_H */
