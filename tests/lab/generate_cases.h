/* SPDX-License-Identifier: MIT */
#ifndef NAP_LAB_GENERATE_CASES_H
#define NAP_LAB_GENERATE_CASES_H

#include "test/test.h"

static const struct exact {
	enum dialect dialect;
	const char *cycle, *text;
} exact[] = {
	{ DIALECT_KERNEL, "WmbdWW Rfe DpAddrdR Fre",
	  "C MP+wmb+addr\n"
	  "\n"
	  "(*\n"
	  " * WmbdWW Rfe DpAddrdR Fre\n"
	  " *)\n"
	  "\n"
	  "{}\n"
	  "\n"
	  "P0(int *x, int *y)\n"
	  "{\n"
	  "\tWRITE_ONCE(*x, 1);\n"
	  "\tsmp_wmb();\n"
	  "\tWRITE_ONCE(*y, 1);\n"
	  "}\n"
	  "\n"
	  "P1(int *x, int *y)\n"
	  "{\n"
	  "\tint r0;\n"
	  "\tint r1;\n"
	  "\n"
	  "\tr0 = READ_ONCE(*y);\n"
	  "\tr1 = READ_ONCE(*(x + (r0 & 128)));\n"
	  "}\n"
	  "\n"
	  "exists (1:r0=1 /\\ 1:r1=0)\n" },
	{ DIALECT_AARCH64, "  PodWWPL RfeLA\tPodRRAP Fre ",
	  "AArch64 MP+popl+poap\n"
	  "\"PodWWPL RfeLA PodRRAP Fre\"\n"
	  "{ x=0; y=0;\n"
	  "0:X0=x; 0:X2=y;\n"
	  "1:X2=x; 1:X0=y;\n"
	  "}\n"
	  " P0           | P1           ;\n"
	  " MOV W1,#1    | LDAR W1,[X0] ;\n"
	  " STR W1,[X0]  | LDR W3,[X2]  ;\n"
	  " MOV W3,#1    |              ;\n"
	  " STLR W3,[X2] |              ;\n"
	  "exists (1:X1=1 /\\ 1:X3=0)\n" },
	{ DIALECT_X86, "MFencedWR Fre PodWR Fre",
	  "X86_64 SB+mfence+po\n"
	  "\"MFencedWR Fre PodWR Fre\"\n"
	  "{ x=0; y=0; }\n"
	  " P0            | P1            ;\n"
	  " movl $1,(x)   | movl $1,(y)   ;\n"
	  " mfence        | movl (x),%eax ;\n"
	  " movl (y),%eax |               ;\n"
	  "exists (0:rax=0 /\\ 1:rax=0)\n" },
};

static const struct good {
	enum dialect dialect;
	const char *cycle, *asks;
} good[] = {
	{ DIALECT_KERNEL, "PodWR Fre PodWR Fre", "SB: exists (0:r0=0 /\\ 1:r0=0)" },
	{ DIALECT_KERNEL, "MbdWR Fre MbdWR Fre", "SB+mbs: exists (0:r0=0 /\\ 1:r0=0)" },
	{ DIALECT_KERNEL, "PodWW Coe PodWW Coe", "2+2W: exists ([x]=2 /\\ [y]=2)" },
	{ DIALECT_KERNEL, "Rfe PosRR Fre", "CoRR: exists (1:r0=1 /\\ 1:r1=0)" },
	{ DIALECT_KERNEL, "PosWR Fre Coe", "CoWR: exists ([x]=2 /\\ 0:r0=0)" },
	{ DIALECT_KERNEL, "WmbdWW Rfe Rmw PodWW Coe",
	  "S+wmb+xchg-po: exists ([x]=2 /\\ [y]=2 /\\ 1:r0=1)" },
	{ DIALECT_KERNEL, "PodWW Rfe Amo.CasAP PodWR Fre",
	  "MP+po+cmpxchgap-po: exists ([y]=2 /\\ 1:r0=1 /\\ 1:r1=0)" },
	{ DIALECT_KERNEL, "Rfe RmbdRR Fre Rfe RmbdRR Fre",
	  "IRIW+rmbs: exists (1:r0=1 /\\ 1:r1=0 /\\ 3:r0=1 /\\ 3:r1=0)" },
	{ DIALECT_KERNEL, "Coe Coe PodWR Fre PodWR Fre",
	  "W+W+WR+WR: exists ([x]=3 /\\ 2:r0=0 /\\ 3:r0=0 /\\ 4:r0=1 /\\ 4:r1=2)" },
	{ DIALECT_KERNEL, "Rfe DpDatadW Rfe DpCtrldW", "LB+data+ctrl: exists (0:r0=1 /\\ 1:r0=1)" },
	{ DIALECT_C11, "PodWW L Rfe A PodRR Fre", "MP+popl+poap: exists (1:r0=1 /\\ 1:r1=0)" },
	{ DIALECT_C11, "FenceScdWR Fre PodWRScSc Fre",
	  "SB+fencesc+poss: exists (0:r0=0 /\\ 1:r0=0)" },
	{ DIALECT_AARCH64, "DMB.STdWW Rfe DpCtrlIsbdR Fre",
	  "MP+dmb.st+ctrlisb: exists (1:X1=1 /\\ 1:X3=0)" },
	{ DIALECT_AARCH64, "Rfe LxSxAL PodWR Fre PodWW",
	  "MP+po+rmwal-polp: exists ([x]=2 /\\ 0:X2=1 /\\ 0:X3=0 /\\ 0:X5=0)" },
	{ DIALECT_AARCH64, "PodWRLQ Fre PodWRLA Fre", "SB+polq+pola: exists (0:X3=0 /\\ 1:X3=0)" },
	{ DIALECT_AARCH64, "DMB.SYdWW Rfe DpCtrldW Rfi DpAddrdR Fre",
	  "MP+dmb.sy+ctrl-rfi-addr: exists (1:X1=1 /\\ 1:X4=1 /\\ 1:X8=0)" },
	{ DIALECT_RISCV, "Fence.tsodWW Rfe Fence.r.rdRR Fre",
	  "MP+fence.tso+fence.r.r: exists (1:x6=1 /\\ 1:x8=0)" },
	{ DIALECT_RISCV, "Rfe Rmw S Fence.w.rwdWR Fre PodWW",
	  "MP+po+amo.swpps-fence.w.rwsp: exists ([x]=2 /\\ 0:x7=1 /\\ 0:x9=0)" },
	{ DIALECT_X86, "Rfe Rmw PodWR Fre PodWW",
	  "MP+po+xchg-po: exists ([x]=2 /\\ 0:rax=1 /\\ 0:rbx=0)" },
	{ DIALECT_X86, "PodWR Fre PodWR Fre PodWR Fre",
	  "3.SB: exists (0:rax=0 /\\ 1:rax=0 /\\ 2:rax=0)" },
};

static const struct bad {
	enum dialect dialect;
	const char *cycle, *message;
} bad[] = {
	{ DIALECT_KERNEL, "", "expected edges" },
	{ DIALECT_KERNEL, "PodWW Rfe PodWX Fre", "edge 3, `PodWX`: expected R or W" },
	{ DIALECT_KERNEL, "PodW", "edge 1, `PodW`: expected R or W" },
	{ DIALECT_KERNEL, "PoxWW Rfe",
	  "edge 1, `PoxWW`: expected s or d, for the same or a different location" },
	{ DIALECT_KERNEL, "PodWW Rfe PodWR Fre",
	  "edge 3, `PodWR`: begins with a write, but edge 2, `Rfe`, ends in a read" },
	{ DIALECT_KERNEL, "PodWR Fri",
	  "expected two edges between threads, or more: Rfe, Fre, Coe" },
	{ DIALECT_KERNEL, "PodWW Coe",
	  "expected two edges between threads, or more: Rfe, Fre, Coe" },
	{ DIALECT_KERNEL, "PodWW Rfe PosRR Fre",
	  "one edge leads to another location, none leads back" },
	{ DIALECT_KERNEL, "Coe Coi Coe", "one location, and no edge in program order" },
	{ DIALECT_KERNEL, "PodWW Rfe DpDatadR Fre",
	  "edge 3, `DpDatadR`: expected W: data is what a write depends on" },
	{ DIALECT_KERNEL, "DMB.SYdWW Rfe PodRR Fre",
	  "edge 1, `DMB.SYdWW`: no such edge in the kernel's C" },
	{ DIALECT_KERNEL, "PodWWPL RfePA PodRR Fre",
	  "edge 2, `RfePA`: edge 1, `PodWWPL`, gives its first access another order" },
	{ DIALECT_KERNEL, "PodWW A Rfe PodRR Fre",
	  "edge 2, `Rfe`: begins with a write, which does not acquire" },
	{ DIALECT_KERNEL, "PodWW Rfe L PodRR Fre",
	  "edge 3, `PodRR`: begins with a read, which does not release" },
	{ DIALECT_KERNEL, "PodWW Rfe A RmwPL PodWR Fre",
	  "edge 3, `RmwPL`: its first access has two orders" },
	{ DIALECT_KERNEL, "PodWW Rfe RmwAL PodWR Fre",
	  "edge 3, `RmwAL`: the kernel has none that acquires and releases, but S" },
	{ DIALECT_KERNEL, "PodWW Rfe DpCtrlIsbdR Fre",
	  "edge 3, `DpCtrlIsbdR`: no such fence in the kernel's C" },
	{ DIALECT_AARCH64, "PodWWPX Rfe PodRR Fre",
	  "edge 1, `PodWWPX`: expected the orders of two accesses, not `PX`" },
	{ DIALECT_AARCH64, "PodWW Rfe Q LxSx PodWR Fre",
	  "edge 3, `LxSx`: no read-modify-write reads by acquire-pc" },
	{ DIALECT_RISCV, "PodWW Rfe Amo.Cas PodWR Fre",
	  "edge 3, `Amo.Cas`: no such edge in RISCV" },
	{ DIALECT_X86, "PodWW Rfe DpAddrdR Fre", "edge 3, `DpAddrdR`: no dependencies in X86_64" },
	{ DIALECT_X86, "PodWW Rfe A PodRR Fre", "edge 3, `A`: no such edge in X86_64" },
	{ DIALECT_X86, "Coe Coe Coe Coe Coe Coe Coe PodWR Fre PodWR Fre", "more threads than 8" },
	{ DIALECT_X86, "Coe Coe Coe Coe Coe Coe PodWR Fre PodWR Fre",
	  "[x] has 7 writes: needs a thread that watches, more than 8" },
};

#endif /* NAP_LAB_GENERATE_CASES_H */
