/* SPDX-License-Identifier: MIT */
/* SHA-256: FIPS 180-4, sections 4.1.2, 4.2.2, 5.1.1, 5.3.3 and 6.2. */
#ifndef APPLIANCE_SHA256_H
#define APPLIANCE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct digest {
	uint8_t bytes[32];
};

/* Returns the digest of the byte @first and the @size bytes at @data after it. */
struct digest sha256(uint8_t first, const void *data, size_t size);

#endif /* APPLIANCE_SHA256_H */
