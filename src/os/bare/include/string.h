/* SPDX-License-Identifier: MIT */
/* The functions of the C library that src/ uses, and the four that compilers call by themselves. */
#ifndef NAP_BARE_STRING_H
#define NAP_BARE_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *mem, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memchr(const void *mem, int c, size_t n);
size_t strlen(const char *str);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *str, int c);
char *strrchr(const char *str, int c);
char *strstr(const char *str, const char *part);
size_t strcspn(const char *str, const char *reject);
char *strsep(char **str, const char *delimiters);

#endif /* NAP_BARE_STRING_H */
