/* SPDX-License-Identifier: MIT */
/* Messages of Protocol Buffers: fields with a number; a nested message follows its length. */
#ifndef TRACE_PROTO_H
#define TRACE_PROTO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "file/memory.h"

struct message {
	unsigned char *bytes;
	size_t nr, room;
};

static inline void proto_bytes(struct message *message, const void *bytes, size_t nr)
{
	if (message->room - message->nr < nr) {
		message->room = 2 * message->room + nr + 256;
		message->bytes = resize(message->bytes, message->room, 1);
	}
	if (nr)
		memcpy(message->bytes + message->nr, bytes, nr);
	message->nr += nr;
}

static inline void proto_varint(struct message *message, uint64_t value)
{
	unsigned char bytes[10];
	size_t nr = 0;

	do {
		bytes[nr] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
		nr++;
	} while (value);
	proto_bytes(message, bytes, nr);
}

enum { WIRE_VARINT, WIRE_FIXED64, WIRE_LENGTH };

static inline void proto_number(struct message *message, unsigned field, uint64_t value)
{
	proto_varint(message, field << 3 | WIRE_VARINT);
	proto_varint(message, value);
}

/* Appends a number in the byte order of the format, whatever the machine's is. */
static inline void proto_fixed64(struct message *message, unsigned field, uint64_t value)
{
	proto_varint(message, field << 3 | WIRE_FIXED64);
	for (unsigned i = 0; i < 8; i++)
		proto_bytes(message, &(unsigned char){ (unsigned char)(value >> (8 * i)) }, 1);
}

static inline void proto_text(struct message *message, unsigned field, const char *text)
{
	proto_varint(message, field << 3 | WIRE_LENGTH);
	proto_varint(message, strlen(text));
	proto_bytes(message, text, strlen(text));
}

/* Appends @inner, and empties it for the next use. */
static inline void proto_nested(struct message *message, unsigned field, struct message *inner)
{
	proto_varint(message, field << 3 | WIRE_LENGTH);
	proto_varint(message, inner->nr);
	proto_bytes(message, inner->bytes, inner->nr);
	inner->nr = 0;
}

#endif /* TRACE_PROTO_H */
