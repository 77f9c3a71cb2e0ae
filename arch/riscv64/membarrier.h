/* SPDX-License-Identifier: MIT */
/*
 * The kernels whose membarrier(2) is a full fence, in the form of src/os/linux/release.h.
 *
 * Older kernels execute no full fence in a thread that is just being switched in. Linux commit
 * d6cfd1770f20 ("membarrier: riscv: Add full memory barrier in switch_mm()") added a fence. The
 * fence came with 6.9-rc1, and into the stable series 6.6 with 6.6.51.
 */
#ifndef NAP_ARCH_MEMBARRIER_H
#define NAP_ARCH_MEMBARRIER_H

#define NAP__MEMBARRIER_SINCE "6.6.51,6.9"

#endif /* NAP_ARCH_MEMBARRIER_H */
