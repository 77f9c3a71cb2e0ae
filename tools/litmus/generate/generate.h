/* SPDX-License-Identifier: MIT */
/*
 * From a cycle of edges to a test that asks for the cycle. Edges have the names that diy gave them
 * (Alglave, Maranget, Sarkar, Sewell: Fences in weak memory models, 2010), one word each:
 *
 *	Rfe Fre Coe	between two threads: reads from, read to next write, coherence (Wse, too)
 *	Rfi Fri Coi	the same within a thread
 *	PodRW PosWW	program order, to a different or the same location, from R or W to R or W
 *	DpAddrdR DpDatadW DpCtrldW DpCtrlIsbdR DpCtrlFenceIdR
 *			a dependency on a read
 *	FencedWR	the dialect's full fence; others by their names: DMB.SYdWR DMB.LDdRR
 *			DMB.STdWW ISBdRR, MFencedWR, MbdWR WmbdWW RmbdRR, Fence.rw.wdRW
 *			Fence.tsodWW, FenceScdWR FenceAcqdRW
 *	Rmw		a read and the write of one atomic operation, the dialect's usual; LxSx
 *			Amo.Swp Amo.Cas Amo.LdAdd Exch Fetch.Add where it has them
 *
 * The orders of an edge's two accesses are a suffix, PodWWPL, or words between edges: P plain, A
 * acquire, L release, Q acquire-pc, S sequentially consistent (RISC-V: .aq.rl); or diy's names:
 * Aq Rl AR, Rlx Acq Rel Sc, Once Acquire Release.
 *
 * Writes of a location are 1, 2, 3 in coherence order. The question asks for the values of the
 * cycle's reads and for the last write of a location. Where this is not enough, a thread is added
 * that only reads the location, and the question asks for its values, too.
 */
#ifndef NAP_LITMUS_GENERATE_H
#define NAP_LITMUS_GENERATE_H

#include <stdio.h>

#include "test/test.h"

/* @name NULL: the cycle makes the name, MP+dmb.sy+addr. False: @message names the edge and why. */
bool generate(FILE *out, enum dialect dialect, const char *cycle, const char *name, char *message,
	      size_t size);

#endif /* NAP_LITMUS_GENERATE_H */
