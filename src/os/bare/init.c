/* SPDX-License-Identifier: MIT */
/* Duties of the process with the PID 1: reaping ended processes, and ending the machine. */
#include <errno.h>

#include "os/bare/bare.h"

#define WNOHANG		1

/* linux/reboot.h */
#define REBOOT_MAGIC1	0xfee1deadl
#define REBOOT_MAGIC2	0x28121969l
#define REBOOT_RESTART	0x01234567l
#define REBOOT_POWER_OFF 0x4321fedcl

int nap_bare_reap(int *status)
{
	return (int)nap__syscall4(NAP__NR_wait4, -1, (long)status, WNOHANG, 0);
}

int nap_bare_reboot(enum nap_bare_reboot how)
{
	if (how != NAP_BARE_POWER_OFF && how != NAP_BARE_RESTART)
		return -EINVAL;
	nap__syscall0(NAP__NR_sync);
	return (int)nap__syscall4(NAP__NR_reboot, REBOOT_MAGIC1, REBOOT_MAGIC2,
				  how == NAP_BARE_RESTART ? REBOOT_RESTART : REBOOT_POWER_OFF, 0);
}
