/* SPDX-License-Identifier: MIT */
#include "bare_libc.h"

#include "arch/syscall.h"

struct out {
	char *at, *end;
	int len;	/* the length of the text if there were enough room */
};

static void put(struct out *out, char c)
{
	if (out->at < out->end)
		*out->at++ = c;
	out->len++;
}

static void put_string(struct out *out, const char *str)
{
	while (*str)
		put(out, *str++);
}

static void put_number(struct out *out, uint64_t n, unsigned int base)
{
	char digits[20];
	int len = 0;

	do {
		digits[len++] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	while (len)
		put(out, digits[--len]);
}

static void put_signed(struct out *out, int64_t n)
{
	if (n < 0)
		put(out, '-');
	put_number(out, n < 0 ? 0 - (uint64_t)n : (uint64_t)n, 10);
}

int vsnprintf(char *to, size_t size, const char *fmt, va_list args)
{
	struct out out = { to, to + size - 1, 0 };

	for (; *fmt; fmt++) {
		bool is_long = false, prefix = false;

		if (*fmt != '%') {
			put(&out, *fmt);
			continue;
		}
		for (fmt++; *fmt == 'l' || *fmt == 'z' || *fmt == '#'; fmt++) {
			is_long |= *fmt != '#';
			prefix |= *fmt == '#';
		}
		if (prefix || *fmt == 'p')
			put_string(&out, "0x");
		switch (*fmt) {
		case 's':
			put_string(&out, va_arg(args, const char *));
			break;
		case 'c':
			put(&out, (char)va_arg(args, int));
			break;
		case 'd':
			put_signed(&out, is_long ? va_arg(args, long) : va_arg(args, int));
			break;
		case 'u':
		case 'x':
			put_number(&out, is_long ? va_arg(args, unsigned long) :
				   va_arg(args, unsigned int), *fmt == 'u' ? 10 : 16);
			break;
		case 'p':
			put_number(&out, (uintptr_t)va_arg(args, void *), 16);
			break;
		case '%':
			put(&out, '%');
			break;
		default:
			/* a directive that print.c does not know ends the program */
			abort();
		}
	}
	*out.at = '\0';
	return out.len;
}

int snprintf(char *to, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(to, size, fmt, args);
	va_end(args);
	return len;
}

static int print(int fd, const char *fmt, va_list args)
{
	char line[1024];
	int len = vsnprintf(line, sizeof(line), fmt, args);

	return (int)nap__syscall3(NAP__NR_write, fd, (long)line,
				  len < (int)sizeof(line) ? len : (int)sizeof(line) - 1);
}

int printf(const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = print(1, fmt, args);
	va_end(args);
	return len;
}

int fprintf(int fd, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = print(fd, fmt, args);
	va_end(args);
	return len;
}
