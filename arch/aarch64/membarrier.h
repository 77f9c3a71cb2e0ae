/* SPDX-License-Identifier: MIT */
/* The kernels whose membarrier(2) is a full fence, in the form of src/os/linux/release.h. */
#ifndef NAP_ARCH_MEMBARRIER_H
#define NAP_ARCH_MEMBARRIER_H

#define NAP__MEMBARRIER_SINCE "0"	/* every kernel that has membarrier(2) */

#endif /* NAP_ARCH_MEMBARRIER_H */
