/* SPDX-License-Identifier: MIT */
/*
 * From a cycle of edges to a test that asks for it. Edges have the names that diy gave them
 * (Alglave, Maranget, Sarkar, Sewell: Fences in weak memory models, 2010), one word each:
 *
 *	Rfe Fre Coe	between two threads: reads from, read to next write, coherence (Wse, too)
 *	Rfi Fri Coi	the same within a thread
 *	PodRW PosWW	program order, to a different or the same location, from R or W to R or W
 *	DpAddrdR DpDatadW DpCtrldW DpCtrlIsbdR DpCtrlFenceIdR
 *			a dependency, from a read
 *	FencedWR	the dialect's full fence; others by their names: DMB.SYdWR DMB.LDdRR
 *			DMB.STdWW ISBdRR, MFencedWR, MbdWR WmbdWW RmbdRR, Fence.rw.wdRW
 *			Fence.tsodWW, FenceScdWR FenceAcqdRW
 *	Rmw		a read and the write of one atomic operation, the dialect's usual; LxSx
 *			Amo.Swp Amo.Cas Amo.LdAdd Exch Fetch.Add where it has them
 *
 * How its two accesses are ordered is said behind an edge, PodWWPL, or as a word between two edges:
 * P plain, A acquire, L release, Q acquire-pc, S sequentially consistent (RISC-V: .aq.rl); or by
 * the names that diy has: Aq Rl AR, Rlx Acq Rel Sc, Once Acquire Release.
 *
 * Writes of a location are 1, 2, 3 in coherence order. What is asked for is the values that the
 * cycle's reads have, the last write of a location, and where that is not enough, what a thread
 * sees that does nothing but read it.
 */
#ifndef NAP_LITMUS_GENERATE_H
#define NAP_LITMUS_GENERATE_H

#include <stdio.h>

#include "test/test.h"

/* @name NULL: made from the cycle, MP+dmb.sy+addr. False: @message says which edge, and why not. */
bool generate(FILE *out, enum dialect dialect, const char *cycle, const char *name, char *message,
	      size_t size);

#endif /* NAP_LITMUS_GENERATE_H */
