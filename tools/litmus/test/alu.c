/* SPDX-License-Identifier: MIT */
#include "test/test.h"

uint64_t extended(uint64_t value, unsigned size, bool sign)
{
	unsigned spare = 64 - 8 * size;

	if (size >= 8)
		return value;
	value <<= spare;
	return sign ? (uint64_t)((int64_t)value >> spare) : value >> spare;
}

static uint64_t shifted(enum alu alu, uint64_t a, uint64_t b, unsigned size)
{
	b &= 8 * size - 1;
	if (alu == ALU_SHL)
		return a << b;
	if (alu == ALU_SHR)
		return extended(a, size, false) >> b;
	return (uint64_t)((int64_t)extended(a, size, true) >> b);
}

static uint64_t compared(enum alu alu, uint64_t a, uint64_t b, unsigned size)
{
	int64_t sa = (int64_t)extended(a, size, true), sb = (int64_t)extended(b, size, true);
	uint64_t ua = extended(a, size, false), ub = extended(b, size, false);

	switch (alu) {
	case ALU_EQ: return ua == ub;
	case ALU_NE: return ua != ub;
	case ALU_LT: return sa < sb;
	case ALU_LE: return sa <= sb;
	case ALU_GT: return sa > sb;
	case ALU_GE: return sa >= sb;
	case ALU_LTU: return ua < ub;
	case ALU_LEU: return ua <= ub;
	case ALU_GTU: return ua > ub;
	case ALU_GEU: return ua >= ub;
	case ALU_MIN: return (uint64_t)(sa < sb ? sa : sb);
	case ALU_MAX: return (uint64_t)(sa > sb ? sa : sb);
	case ALU_MINU: return ua < ub ? ua : ub;
	default: return ua > ub ? ua : ub;
	}
}

static uint64_t computed(enum alu alu, uint64_t a, uint64_t b, unsigned size)
{
	switch (alu) {
	case ALU_FIRST: return a;
	case ALU_SECOND: return b;
	case ALU_ADD: return a + b;
	case ALU_SUB: return a - b;
	case ALU_AND: return a & b;
	case ALU_OR: return a | b;
	case ALU_XOR: return a ^ b;
	case ALU_BIC: return a & ~b;
	case ALU_ORN: return a | ~b;
	case ALU_MUL: return a * b;
	case ALU_SHL:
	case ALU_SHR:
	case ALU_SAR: return shifted(alu, a, b, size);
	case ALU_SEXT: return extended(a, (unsigned)b, true);
	default: return compared(alu, a, b, size);
	}
}

uint64_t alu_result(enum alu alu, uint64_t a, uint64_t b, unsigned size)
{
	return extended(computed(alu, a, b, size), size, false);
}
