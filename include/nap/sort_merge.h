/* SPDX-License-Identifier: MIT */
/*
 * Merging, and sorting four elements, as inline functions: parts of nap/sort_divide.h.
 *
 * The last three arguments of each function are the size of an element in bytes, the comparison,
 * and an argument for the comparison. If size and comparison are constants, the compiler makes a
 * function for this type, with the comparison inlined.
 *
 * No function branches on the result of a comparison, because a processor would mispredict half of
 * these branches. The result moves a pointer instead:
 *
 * - Four elements are sorted by five comparisons, always in the same way (as in Bergdoll and
 *   Peters' "driftsort", 2024).
 * - Two runs are merged from both ends at the same time, so one step does not wait for the other
 *   (the parity merge of van den Hoven's "quadsort", 2020).
 * - A small element is stored at both places where it may belong; a later element overwrites the
 *   wrong copy.
 */
#ifndef NAP_SORT_MERGE_H
#define NAP_SORT_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether @left has to come before @right. */
typedef bool (*nap__before_fn)(const void *left, const void *right, void *with);

#define nap__inline static inline __attribute__((__always_inline__, __unused__))

/* The largest elements, in bytes, that are copied to the stack. */
#define NAP__SORT_SMALL		64u
/* The largest elements that one register holds. */
#define NAP__SORT_REGISTER	16u
/* Parts of no more than FEW elements are merged, not divided. */
#define NAP__SORT_FEW		128u
/* The elements of one block of a merge, and the fewest elements for which a jump is tried. */
#define NAP__SORT_BLOCK		64u
#define NAP__SORT_JUMP		64u

/* Returns @yes or @no by arithmetic, because compilers sometimes make a branch of ?:. */
nap__inline const unsigned char *nap__pick(bool which, const unsigned char *yes,
					   const unsigned char *no)
{
	uintptr_t mask = -(uintptr_t)which;

	__asm__("" : "+r"(mask));
	return (const unsigned char *)((uintptr_t)no + (((uintptr_t)yes - (uintptr_t)no) & mask));
}

/*
 * Returns @bytes, the size of an element that is copied to the stack; tells the compiler that the
 * size is small.
 */
nap__inline size_t nap__sort_small(size_t bytes)
{
	return bytes < NAP__SORT_SMALL ? bytes : NAP__SORT_SMALL;
}

/* ---- few elements */

/* Sorts four elements at @from into @to, which may be @from if elements are small. */
nap__inline void nap__sort_four(unsigned char *to, const unsigned char *from, size_t bytes,
				nap__before_fn before, void *with)
{
	size_t one = before(from + bytes, from, with);
	size_t two = before(from + 3 * bytes, from + 2 * bytes, with);
	const unsigned char *a = from + one * bytes, *b = from + (1 - one) * bytes;
	const unsigned char *c = from + (2 + two) * bytes, *d = from + (3 - two) * bytes;
	/* Now a <= b and c <= d. */
	bool low = before(c, a, with), high = before(d, b, with);
	const unsigned char *first = nap__pick(low, c, a), *last = nap__pick(high, b, d);
	/* The other two elements; left is the one that was further left. */
	const unsigned char *left = nap__pick(low, a, nap__pick(high, c, b));
	const unsigned char *right = nap__pick(high, d, nap__pick(low, b, c));
	bool turned = before(right, left, with);
	unsigned char four[4 * NAP__SORT_SMALL];
	unsigned char *out = bytes <= NAP__SORT_SMALL ? four : to;

	memcpy(out, first, bytes);
	memcpy(out + bytes, nap__pick(turned, right, left), bytes);
	memcpy(out + 2 * bytes, nap__pick(turned, left, right), bytes);
	memcpy(out + 3 * bytes, last, bytes);
	if (bytes <= NAP__SORT_SMALL)
		memcpy(to, four, 4 * nap__sort_small(bytes));
}

nap__inline void nap__sort_swap(unsigned char *a, unsigned char *b, size_t bytes)
{
	unsigned char part[64];

	for (; bytes > sizeof(part); a += sizeof(part), b += sizeof(part), bytes -= sizeof(part)) {
		memcpy(part, a, sizeof(part));
		memcpy(a, b, sizeof(part));
		memcpy(b, part, sizeof(part));
	}
	memcpy(part, a, bytes);
	memcpy(a, b, bytes);
	memcpy(b, part, bytes);
}

/* Sorts up to three elements. */
nap__inline void nap__sort_insert(unsigned char *first, size_t nr, size_t bytes,
				  nap__before_fn before, void *with)
{
	for (size_t i = 1; i < nr; i++)
		for (unsigned char *e = first + i * bytes; e > first; e -= bytes) {
			if (!before(e, e - bytes, with))
				break;
			nap__sort_swap(e, e - bytes, bytes);
		}
}

/* ---- merging */

/*
 * What remains of two runs, the first and last element of each; and what remains of the space for
 * the result, the first and last place.
 */
struct nap__merge {
	const unsigned char *left, *left_last, *right, *right_last;
	unsigned char *to, *to_last;
};

/* Moves one element from the front, and one from the back. */
nap__inline void nap__merge_step(struct nap__merge *m, size_t bytes, nap__before_fn before,
				 void *with)
{
	bool right = before(m->right, m->left, with);
	bool left = before(m->right_last, m->left_last, with);

	memcpy(m->to, nap__pick(right, m->right, m->left), bytes);
	m->right += right * bytes;
	m->left += !right * bytes;
	m->to += bytes;
	memcpy(m->to_last, nap__pick(left, m->left_last, m->right_last), bytes);
	m->left_last -= left * bytes;
	m->right_last -= !left * bytes;
	m->to_last -= bytes;
}

/*
 * As nap__merge_step(), without nap__pick(): each end stores both elements, and the next step
 * overwrites the element that did not belong there yet. So another step has to follow. The last
 * step has to be a nap__merge_step(), because two ends that meet would overwrite each other's last
 * element.
 */
nap__inline void nap__merge_step_over(struct nap__merge *m, size_t bytes, nap__before_fn before,
				      void *with)
{
	size_t left = !before(m->right, m->left, with) * bytes, right;

	memcpy(m->to, m->left, bytes);
	memcpy(m->to + left, m->right, bytes);
	m->left += left;
	m->right += bytes - left;
	m->to += bytes;
	right = !before(m->right_last, m->left_last, with) * bytes;
	memcpy(m->to_last, m->right_last, bytes);
	memcpy(m->to_last - right, m->left_last, bytes);
	m->right_last -= right;
	m->left_last -= bytes - right;
	m->to_last -= bytes;
}

/* Moves @nr elements from the front, and @nr from the back. */
nap__inline void nap__merge_steps(struct nap__merge *m, size_t nr, size_t bytes,
				  nap__before_fn before, void *with)
{
	/* An element in one register is stored faster than it is picked. */
	if (__builtin_constant_p(bytes) && bytes <= NAP__SORT_REGISTER)
		for (; nr > 1; nr--)
			nap__merge_step_over(m, bytes, before, with);
	for (; nr; nr--)
		nap__merge_step(m, bytes, before, with);
}

/* Merges with a check of both ends at each step: safe, whatever the comparisons return. */
nap__inline void nap__merge_safely(const unsigned char *left, const unsigned char *left_end,
				   const unsigned char *right, const unsigned char *right_end,
				   unsigned char *to, size_t bytes, nap__before_fn before,
				   void *with)
{
	while (left < left_end && right < right_end) {
		bool which = before(right, left, with);

		memcpy(to, nap__pick(which, right, left), bytes);
		right += which * bytes;
		left += !which * bytes;
		to += bytes;
	}
	memcpy(to, left, (size_t)(left_end - left));
	memcpy(to + (left_end - left), right, (size_t)(right_end - right));
}

/*
 * Returns how many of the first @nr elements of one run come before all of the other run; perhaps
 * too few, because it checks only the 64th, the 128th, the 256th and so on.
 */
nap__inline size_t nap__merge_jump(const struct nap__merge *m, bool of_right, size_t nr,
				   size_t bytes, nap__before_fn before, void *with)
{
	size_t jump = 0, next = nr < NAP__SORT_BLOCK ? nr : NAP__SORT_BLOCK;

	while (next >= NAP__SORT_JUMP && jump < nr &&
	       (of_right ? before(m->right + (next - 1) * bytes, m->left, with) :
			   !before(m->right, m->left + (next - 1) * bytes, with))) {
		jump = next;
		next = nr / 2 < next ? nr : 2 * next;
	}
	return jump;
}

/*
 * Merges two runs, which lie in one array, into @to. Each turn of the loop takes no more steps from
 * either end than the shorter run has elements. So no run is read beyond its end, and front and
 * back do not cross.
 */
nap__inline void nap__merge_runs(const unsigned char *left, size_t nr_left,
				 const unsigned char *right, size_t nr_right, unsigned char *to,
				 size_t bytes, nap__before_fn before, void *with)
{
	const unsigned char *left_end = left + nr_left * bytes;
	const unsigned char *right_end = right + nr_right * bytes;
	struct nap__merge m = { left, left_end - bytes, right, right_end - bytes, to,
				to + (nr_left + nr_right - 1) * bytes };

	while (nr_left && nr_right) {
		size_t steps = nr_left < nr_right ? nr_left : nr_right, jump;

		jump = nap__merge_jump(&m, false, nr_left, bytes, before, with);
		if (jump) {
			memcpy(m.to, m.left, jump * bytes);
			m.left += jump * bytes;
			m.to += jump * bytes;
			nr_left -= jump;
			continue;
		}
		jump = nap__merge_jump(&m, true, nr_right, bytes, before, with);
		if (jump) {
			memcpy(m.to, m.right, jump * bytes);
			m.right += jump * bytes;
			m.to += jump * bytes;
			nr_right -= jump;
			continue;
		}
		steps = steps < NAP__SORT_BLOCK ? steps : NAP__SORT_BLOCK;
		nap__merge_steps(&m, steps, bytes, before, with);
		if (m.left_last + bytes < m.left || m.right_last + bytes < m.right) {
			nap__merge_safely(left, left_end, right, right_end, to, bytes, before,
					  with);
			return;
		}
		nr_left = (size_t)(m.left_last + bytes - m.left) / bytes;
		nr_right = (size_t)(m.right_last + bytes - m.right) / bytes;
	}
	memcpy(m.to, m.left, nr_left * bytes);
	memcpy(m.to + nr_left * bytes, m.right, nr_right * bytes);
}

/* Merges two adjacent runs of @nr elements each. */
nap__inline void nap__merge_even(const unsigned char *left, size_t nr, unsigned char *to,
				 size_t bytes, nap__before_fn before, void *with)
{
	const unsigned char *right = left + nr * bytes, *behind = right + nr * bytes;
	struct nap__merge m = { left, right - bytes, right, behind - bytes, to,
				to + (2 * nr - 1) * bytes };

	nap__merge_steps(&m, nr, bytes, before, with);
	if (m.left_last + bytes != m.left || m.right_last + bytes != m.right)
		nap__merge_safely(left, right, right, behind, to, bytes, before, with);
}

/* Merges each two neighbouring runs of @run elements. */
nap__inline void nap__part_pairs(unsigned char *to, const unsigned char *from, size_t nr,
				 size_t run, size_t bytes, nap__before_fn before, void *with)
{
	size_t i = 0;

	for (; run <= NAP__SORT_FEW && i + 2 * run <= nr; i += 2 * run)
		nap__merge_even(from + i * bytes, run, to + i * bytes, bytes, before, with);
	for (; i < nr; i += 2 * run) {
		size_t left = nr - i < run ? nr - i : run;
		size_t both = nr - i < 2 * run ? nr - i : 2 * run;

		nap__merge_runs(from + i * bytes, left, from + (i + left) * bytes, both - left,
				to + i * bytes, bytes, before, with);
	}
}

#ifdef __cplusplus
}
#endif

#endif /* NAP_SORT_MERGE_H */
