/* SPDX-License-Identifier: MIT */
/* From which kernels on membarrier(2) may be trusted: src/linux/release.h says how it is written. */
#ifndef NAP_ARCH_MEMBARRIER_H
#define NAP_ARCH_MEMBARRIER_H

#define NAP__MEMBARRIER_SINCE "0"	/* wherever there is one */

#endif /* NAP_ARCH_MEMBARRIER_H */
