/* SPDX-License-Identifier: MIT */
/* What nap-litmus says of its options, and of wrong ones. */
#ifndef NAP_LITMUS_USAGE_H
#define NAP_LITMUS_USAGE_H

extern const char usage[];

/* Ends the program: @argument is wrong, because of @what; or, if @what is NULL, by the usage. */
_Noreturn void bad_usage(const char *what, const char *argument);

#endif /* NAP_LITMUS_USAGE_H */
