/* SPDX-License-Identifier: MIT */
/*
 * Linux's error numbers, which are the same on x86-64, AArch64 and RISC-V. There is no variable
 * errno.
 */
#ifndef NAP_BARE_ERRNO_H
#define NAP_BARE_ERRNO_H

#define EPERM		1
#define ESRCH		3
#define EINTR		4
#define EIO		5
#define EBADF		9
#define ECHILD		10
#define EAGAIN		11
#define ENOMEM		12
#define EBUSY		16
#define EINVAL		22
#define EMFILE		24
#define EPIPE		32
#define EDEADLK		35
#define ENOSYS		38
#define ENOENT		2
#define ENODATA		61
#define EOVERFLOW	75
#define ESHUTDOWN	108
#define ETIMEDOUT	110
#define EALREADY	114
#define EINPROGRESS	115
#define ECANCELED	125

#endif /* NAP_BARE_ERRNO_H */
