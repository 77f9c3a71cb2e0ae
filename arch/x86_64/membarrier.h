/* SPDX-License-Identifier: MIT */
/* From which kernels on membarrier(2) may be trusted, written as src/os/linux/release.h says. */
#ifndef NAP_ARCH_MEMBARRIER_H
#define NAP_ARCH_MEMBARRIER_H

#define NAP__MEMBARRIER_SINCE "0"	/* wherever there is one */

#endif /* NAP_ARCH_MEMBARRIER_H */
