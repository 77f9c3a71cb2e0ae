/* SPDX-License-Identifier: MIT */
/*
 * Texts of one thread, and the instructions that they become, as show() in read_show.h writes
 * these. The order of operands is dst = [address] a b; t0, t1, ... are the reader's own registers
 * in the order of their making; @ stands for x's address.
 */
struct becomes {
	const char *isa, *text, *code;
};

static const struct becomes instructions[] = {
	/* AArch64: accesses and their orders */
	{ "AArch64", "LDR W0,[X1]", "load4 X0=[X1]" },
	{ "AArch64", "LDR X0,[X1,#8]", "set8 t2=X1+8; load8 X0=[t2]" },
	{ "AArch64", "LDR X0,[X1,W2,SXTW #3]",
	  "set8 t3=X2 sext 4; set8 t4=t3<<3; set8 t5=X1+t4; load8 X0=[t5]" },
	{ "AArch64", "LDR W0,[X1],#4", "load4 X0=[X1]; set8 X1=X1+4" },
	{ "AArch64", "STRB W0,[X1,#1]!", "set8 t2=X1+1; store1 [t2] X0; set8 X1=X1+1" },
	{ "AArch64", "LDRSB W0,[X1]", "load1s X0=[X1]; set4 X0=X0" },
	{ "AArch64", "LDRSW X0,[X1]", "load4s X0=[X1]" },
	{ "AArch64", "LDP W0,W2,[X1],#8",
	  "set8 t3=X1+4; load4 X0=[X1]; load4 X2=[t3]; set8 X1=X1+8" },
	{ "AArch64", "STP XZR,X0,[X1]", "set8 t2=X1+8; store8 [X1] 0; store8 [t2] X0" },
	{ "AArch64", "LDARH W0,[X1]", "load2 X0=[X1] r:A" },
	{ "AArch64", "LDAPR X0,[X1]", "load8 X0=[X1] r:Q" },
	{ "AArch64", "STLRB WZR,[X1]", "store1 [X1] 0 w:L" },
	{ "AArch64", "LDAXR W0,[X1]", "ldx4 X0=[X1] r:AX" },
	{ "AArch64", "STLXR W3,W0,[X1]", "stx4 X3=[X1] X0 w:LX" },
	{ "AArch64", "CASAL W0,W2,[X1]", "cas4 X0=[X1] X0 X2 r:Aa w:La f:Aa" },
	{ "AArch64", "CASAL WZR,W2,[X1]", "cas4 [X1] 0 X2 r:Na w:La f:Na" },
	{ "AArch64", "SWPAB W0,W2,[X1]", "rmw1 X2=[X1] second X0 r:Aa w:a" },
	{ "AArch64", "LDADDL X0,X2,[X1]", "rmw8 X2=[X1] + X0 r:a w:La" },
	{ "AArch64", "LDCLRA W0,WZR,[X1]", "rmw4 [X1] bic X0 r:Na w:a" },
	{ "AArch64", "STADDL W0,[X1]", "rmw4 [X1] + X0 r:Na w:La" },
	{ "AArch64", "LDUMAXH W0,W2,[X1]", "rmw2 X2=[X1] maxu X0 r:a w:a" },
	{ "AArch64", "LDXP X0,X2,[X1]", "ldx16 X0:X2=[X1] r:X" },
	{ "AArch64", "LDAXP W0,W2,[X1]", "ldx8 t3=[X1] r:AX; set4 X0=t3; set8 X2=t3>>32" },
	{ "AArch64", "STLXP W3,X0,X2,[X1]", "stx16 X3=[X1] X0:X2 w:LX" },
	{ "AArch64", "STXP W3,W0,W2,[X1]",
	  "set4 t4=X0; set8 t5=X2<<32; set8 t6=t4|t5; stx8 X3=[X1] t6 w:X" },
	{ "AArch64", "CASPAL X2,X3,X4,X5,[X1]", "cas16 X2:X3=[X1] X2:X3 X4:X5 r:Aa w:La f:Aa" },
	{ "AArch64", "CASPL X2,X3,X4,X5,[X1]", "cas16 X2:X3=[X1] X2:X3 X4:X5 r:a w:La f:a" },
	{ "AArch64", "CASPA X2,X3,X4,X5,[X1]", "cas16 X2:X3=[X1] X2:X3 X4:X5 r:Aa w:a f:Aa" },
	{ "AArch64", "DMB SY ; | ; DMB ISHLD ; | ; DSB ST ; | ; ISB",
	  "fence r:F; fence r:l; fence r:sD; fence r:I" },
	/* AArch64: other instructions */
	{ "AArch64", "mov w0, #0x1", "set4 X0=1" },
	{ "AArch64", "MOVK X0,#5,LSL #16", "set8 t1=X0 bic 4294901760; set8 X0=t1|327680" },
	{ "AArch64", "EOR W2,W0,W0", "set4 X2=X0^X0" },
	{ "AArch64", "ADD X0,X1,W2,UXTB", "set1 t2=X2; set8 X0=X1+t2" },
	{ "AArch64", "CBNZ W0,L ; | ; L:", "set4 t1=X0!=0; branch t1 ->2" },
	{ "AArch64", "TBZ X0,#3,L ; | ; NOP ; | ; L: ISB",
	  "set8 t1=X0&8; set8 t2=t1==0; branch t2 ->3; fence r:I" },
	{ "AArch64", "CMP X0,#1 ; | ; B.LT L ; | ; L:",
	  "set8 t1=X0-1; set8 t2=X0 sext 8; set8 t3=1 sext 8; set8 t4=t1 sext 8; set8 t1=t2<t3; "
	  "branch t1 ->6" },
	{ "AArch64", "b 1c <f+0x1c> ; | ; ret ; | ; 1c:", "jump ->2; jump ->2" },
	/* RISC-V */
	{ "RISCV", "lw t0,4(t1)", "set8 t2=x6+4; load4s x5=[t2]" },
	{ "RISCV", "lbu x5,(x6)", "load1 x5=[x6]" },
	{ "RISCV", "sd zero,0(a0)", "store8 [x10] 0" },
	{ "RISCV", "lw.aq x5,0(x6)", "load4s x5=[x6] r:A" },
	{ "RISCV", "sw.rl x5,0(x6)", "store4 [x6] x5 w:L" },
	{ "RISCV", "lr.w.aq.rl x5,(x6)", "ldx4s x5=[x6] r:ALSX" },
	{ "RISCV", "lr.w.rl x5,(x6)", "ldx4s x5=[x6] r:X" },
	{ "RISCV", "sc.d.rl x5,x7,(x6)", "stx8 x5=[x6] x7 w:LSX" },
	{ "RISCV", "sc.d.aq x5,x7,(x6)", "stx8 x5=[x6] x7 w:X" },
	{ "RISCV", "amoadd.w.aq x5,x7,(x6)", "rmw4s x5=[x6] + x7 r:ASa w:ASa" },
	{ "RISCV", "amoswap.d.aqrl x0,x7,(x6)", "rmw8s [x6] second x7 r:ALSa w:ALSa" },
	{ "RISCV", "amocas.w.rl x5,x7,(x6)", "cas4s x5=[x6] x5 x7 r:LSa w:LSa f:LSa" },
	{ "RISCV", "fence iorw,w ; | ; fence.tso ; | ; fence r,r ; | ; fence",
	  "fence r:124; fence r:T; fence r:13; fence r:1234" },
	{ "RISCV", "li a0,-1", "set8 x10=-1" },
	{ "RISCV", "addw x5,x6,x7", "set4 x5=x6+x7; set8 x5=x5 sext 4" },
	{ "RISCV", "sext.w x5,x6", "set8 x5=x6 sext 4" },
	{ "RISCV", "not x5,x6", "set8 x5=x6^-1" },
	{ "RISCV", "lui a0,0x80000", "set8 x10=-2147483648" },
	{ "RISCV", "bne x5,x0,L ; | ; L:", "set8 t1=x5!=0; branch t1 ->2" },
	{ "RISCV", "beqz a0,1139 <f+9> ; | ; 1139: ret",
	  "set8 t1=x10==0; branch t1 ->2; jump ->3" },
	/* x86 */
	{ "X86_64", "movl $1,(x)", "store4 [@] 1" },
	{ "X86_64", "mov x(%rip),%rax # 4010 <x>", "load8 rax=[@]" },
	{ "X86_64", "mov 8(%rdi,%rsi,4),%eax",
	  "set8 t2=rsi*4; set8 t3=rdi+t2; set8 t4=t3+8; "
	  "load4 rax=[t4]" },
	{ "X86_64", "movb $1,%al", "set8 t1=rax bic 255; set8 rax=t1|1" },
	{ "X86_64", "movzbl [x],%eax", "load1 t1=[@]; set1 t2=t1; set4 rax=t2" },
	{ "X86_64", "xchg %eax,(x)", "rmw4 rax=[@] second rax r:aK w:aK" },
	{ "X86_64", "mfence ; | ; lfence", "fence r:F; fence" },
	{ "X86_64", "lock orl $0,(%rsp)", "fence r:F" },
	{ "X86_64", "lock incl (x)",
	  "rmw4 t0=[@] + 1 r:aK w:aK; set4 t1=t0+1; set8 t2=t1 sext 4; "
	  "set8 t3=0 sext 4; set8 t4=t1 sext 4" },
	{ "X86_64", "not %rax", "set8 t1=rax^-1; set8 rax=t1" },
	{ "X86_64", "notl (x)", "load4 t0=[@]; set4 t1=t0^-1; store4 [@] t1" },
	{ "X86_64", "lock cmpxchg %ecx,(x)",
	  "cas4 t2=[@] rax rcx r:aK w:aK f:aK; set4 t3=rax-t2; "
	  "set8 t4=rax sext 4; set8 t5=t2 sext 4; set8 t6=t3 sext 4; set4 rax=t2" },
	{ "X86_64", "lock cmpxchg16b (x)",
	  "cas16 t2:t3=[@] rax:rdx rbx:rcx r:aK w:aK f:aK; set8 t6=rax^t2; set8 t7=rdx^t3; "
	  "set8 t8=t6|t7; set8 t9=t8 sext 8; set8 t10=0 sext 8; set8 t11=t8 sext 8; "
	  "set8 rax=t2; set8 rdx=t3" },
	{ "X86", "MOV [x],$1 ; | ; MOV EAX,[x]", "store4 [@] 1; load4 EAX=[@]" },
	{ "X86", "XCHG [x],EAX", "rmw4 EAX=[@] second EAX r:aK w:aK" },
};
