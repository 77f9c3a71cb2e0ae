/* SPDX-License-Identifier: MIT */
/* For programs written for CDSChecker, as nap-check --compat=cds reads them: plain accesses. */
#ifndef NAP_COMPAT_LIBRACE_H
#define NAP_COMPAT_LIBRACE_H

#include <stdint.h>

#define store_8(p, value)	((void)(*(uint8_t *)(p) = (value)))
#define store_16(p, value)	((void)(*(uint16_t *)(p) = (value)))
#define store_32(p, value)	((void)(*(uint32_t *)(p) = (value)))
#define store_64(p, value)	((void)(*(uint64_t *)(p) = (value)))
#define load_8(p)		(*(const uint8_t *)(p))
#define load_16(p)		(*(const uint16_t *)(p))
#define load_32(p)		(*(const uint32_t *)(p))
#define load_64(p)		(*(const uint64_t *)(p))

#endif /* NAP_COMPAT_LIBRACE_H */
