// SPDX-License-Identifier: MIT
/*
 * What is known of well-known tests: which of them a model allows as they are, with full fences
 * between all accesses, with loads that acquire and stores that release, and with sequentially
 * consistent atomics.
 */
#include <string.h>

#include "brute.h"

enum variant { PLAIN, FENCED, ACQUIRE, SEQ_CST };

struct classic {
	const char *name;
	enum variant variant;
	const char *threads;	/* R, W or X (an exchange), location, value */
	const char *outcome;	/* what is read in order, then final values; - is any */
	const char *allowed;	/* Sometimes or Never for each model; - is for no such thing */
};

#define SB	"Wx1 Ry |Wy1 Rx ", "00--"
#define MP	"Wx1 Wy1|Ry  Rx ", "10--"
#define LB	"Rx  Wy1|Ry  Wx1", "11--"
#define IRIW	"Wx1|Wy1|Rx Ry|Ry Rx", "1010--"
#define TWO_W	"Wx1 Wy2|Wy1 Wx2", "11"
#define WRC	"Wx1|Rx Wy1|Ry Rx", "110--"
#define XCHG_SB	"Xx1 Ry |Xy1 Rx ", "0000--"

/* sc, tso, armv8, rvwmo, rc11, c20, lkmm */
static const struct classic shapes[] = {
	{ "SB", PLAIN, SB, "NSSSSSS" },
	{ "SB with fences", FENCED, SB, "NNNNNNN" },
	{ "SB with acquire and release", ACQUIRE, SB, "N-NNSSS" },
	{ "SB with seq_cst", SEQ_CST, SB, "----NN-" },
	/* An exchange is a barrier for all but C11. */
	{ "SB with exchanges", SEQ_CST, XCHG_SB, "NNNNNNN" },
	{ "SB with exchanges, loads relaxed", PLAIN, XCHG_SB, "NNNNSSN" },
	{ "MP", PLAIN, MP, "NNSSSSS" },
	{ "MP with fences", FENCED, MP, "NNNNNNN" },
	{ "MP with acquire and release", ACQUIRE, MP, "N-NNNNN" },
	{ "LB", PLAIN, LB, "NNSSNSS" },
	{ "LB with fences", FENCED, LB, "NNNNNNN" },
	{ "LB with acquire and release", ACQUIRE, LB, "N-NNNNN" },
	{ "IRIW", PLAIN, IRIW, "NNSSSSS" },
	{ "IRIW with fences", FENCED, IRIW, "NNNNNNN" },
	{ "IRIW with acquire and release", ACQUIRE, IRIW, "N-NNSSS" },
	{ "IRIW with seq_cst", SEQ_CST, IRIW, "----NN-" },
	{ "2+2W", PLAIN, TWO_W, "NNSSSSS" },
	{ "2+2W with fences", FENCED, TWO_W, "NNNNNNN" },
	{ "2+2W with acquire and release", ACQUIRE, TWO_W, "N-NNSSS" },
	{ "2+2W with seq_cst", SEQ_CST, TWO_W, "----NN-" },
	{ "WRC", PLAIN, WRC, "NNSSSSS" },
	{ "WRC with fences", FENCED, WRC, "NNNNNNN" },
	{ "WRC with acquire and release", ACQUIRE, WRC, "N-NNNNN" },
	{ "CoRR", PLAIN, "Wx1|Rx Rx", "10-", "NNNNNNN" },
	{ "CoWR", PLAIN, "Wx1 Rx|Wx2", "01", "NNNNNNN" },
	{ "two exchanges", PLAIN, "Xx1|Xx1", "00-", "NNNNNNN" },
};

static struct insn *add(struct program *p, enum op op)
{
	struct insn *i = &p->insn[p->threads - 1][p->len[p->threads - 1]++];

	*i = (struct insn){ .op = op, .data = -1, .addr = -1, .status = -1 };
	return i;
}

static void add_fence(struct program *p)
{
	struct insn *i = add(p, OP_FENCE);

	i->loc = -1;
	i->fence = p->model == RVWMO ? FN_RISCV : in_c(p->model) && p->model != LKMM &&
		   p->model != SC ? FN_C11 : FN_FULL;
	i->pred = i->succ = SET_R | SET_W;
	i->ord = i->fence == FN_C11 ? ORD_SC | ORD_ACQ | ORD_REL : 0;
}

static void build(struct program *p, const struct classic *shape, enum model model)
{
	*p = (struct program){ .model = model, .threads = 1 };
	for (const char *s = shape->threads; *s; s++) {
		int t = p->threads - 1, reg = 1 + __builtin_popcount(p->observed[t]);
		struct insn *i;

		if (*s == '|')
			p->threads++;
		if (!strchr("RWX", *s))
			continue;
		if (shape->variant == FENCED && p->len[t])
			add_fence(p);
		i = add(p, *s == 'R' ? OP_LOAD : *s == 'W' ? OP_STORE : OP_SWAP);
		i->loc = s[1] - 'x';
		if (i->loc >= p->locs)
			p->locs = i->loc + 1;
		if (*s == 'X')
			i->ord = model == LKMM ? ORD_MB : ORD_ACQ | ORD_REL | ORD_SC;
		else if (shape->variant == ACQUIRE)
			i->ord = *s == 'R' ? ORD_ACQ : ORD_REL;
		else if (shape->variant == SEQ_CST)
			i->ord = ORD_SC | (*s == 'R' ? ORD_ACQ : ORD_REL);
		if (*s != 'R')
			i->value = s[2] - '0';
		if (*s == 'W')
			continue;
		i->reg = reg;
		p->observed[t] |= 1u << reg;
	}
}

static bool seen(const struct states *s, const char *outcome)
{
	for (int i = 0; i < s->n; i++) {
		bool same = true;

		for (int k = 0; k < s->keys; k++)
			same &= outcome[k] == '-' || s->val[i][k] == outcome[k] - '0';
		if (same)
			return true;
	}
	return false;
}

int self_test(void)
{
	static struct states states;
	int n = 0, failed = 0;

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (int m = 0; shapes[i].allowed[m]; m++)
			n += shapes[i].allowed[m] != '-';
	printf("TAP version 13\n1..%d\n", n);
	n = 0;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct classic *shape = &shapes[i];

		for (int m = 0; shape->allowed[m]; m++) {
			struct program p;
			bool ok;

			if (shape->allowed[m] == '-')
				continue;
			build(&p, shape, (enum model)m);
			ok = states_of(&p, (enum model)m, 1000000, &states) &&
			     seen(&states, shape->outcome) == (shape->allowed[m] == 'S');
			failed += !ok;
			printf("%sok %d %s: %s is %s\n", ok ? "" : "not ", ++n, model_names[m],
			       shape->name, shape->allowed[m] == 'S' ? "allowed" : "forbidden");
		}
	}
	return failed ? 1 : 0;
}
