/* SPDX-License-Identifier: MIT */
/*
 * Functions of C++'s library that are compiled already: on the nodes of std::map, std::set and
 * std::list, and on the sizes and keys of unordered containers. A function's reads and writes of
 * nodes count as accesses of the program; then the library's own function runs.
 */
#include <stddef.h>
#include <string.h>

#include "program/library.h"
#include "program/threads.h"

/* ---- trees */

struct node {
	int color;
	struct node *parent, *left, *right;
};

static void reads_node(const struct node *node, uintptr_t pc)
{
	plain_range((uintptr_t)node, sizeof(*node), false, pc);
}

/* Reads the nodes on the way from @node to the next one in order, or to the one before. */
static void steps(const struct node *node, size_t down, size_t back, uintptr_t pc)
{
#define LINK(of, offset) (*(struct node *const *)((const char *)(of) + (offset)))
	const struct node *next;

	if (OUTSIDE)
		return;
	reads_node(node, pc);
	next = LINK(node, down);
	if (next) {
		reads_node(next, pc);
		while ((next = LINK(next, back)))
			reads_node(next, pc);
		return;
	}
	for (next = node->parent; reads_node(next, pc), node == LINK(next, down);
	     next = next->parent)
		node = next;
}

#define LEFT	offsetof(struct node, left)
#define RIGHT	offsetof(struct node, right)

/* The nodes of a tree before a change, and what was in them. */
#define MAX_NODES 1024

static struct {
	struct node *at, was;
} tree[MAX_NODES];
static unsigned nr_nodes;

static void keep_node(struct node *node)
{
	if (nr_nodes == MAX_NODES)
		give_up("the bound on nodes of a tree");
	tree[nr_nodes].at = node;
	tree[nr_nodes++].was = *node;
}

static void keep_tree(struct node *node)
{
	for (; node; node = node->right) {
		keep_node(node);
		keep_tree(node->left);
	}
}

/* @extra: a node that is to be inserted; or NULL. */
static void keep_all(struct node *header, struct node *extra)
{
	nr_nodes = 0;
	keep_node(header);
	if (extra)
		keep_node(extra);
	keep_tree(header->parent);
}

static void changed(uintptr_t pc)
{
	for (unsigned i = 0; i < nr_nodes; i++)
		if (memcmp(tree[i].at, &tree[i].was, sizeof(struct node)))
			plain_range((uintptr_t)tree[i].at, sizeof(struct node), true, pc);
}

#pragma GCC visibility push(default)

#define STEP(name, constant, down, back)					\
struct node *name(constant struct node *node);					\
struct node *name(constant struct node *node)					\
{										\
	steps(node, down, back, PC);						\
	return LIBRARY(struct node *(constant struct node *), #name)(node);	\
}
STEP(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, , RIGHT, LEFT)
STEP(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, const, RIGHT, LEFT)
STEP(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, , LEFT, RIGHT)
STEP(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, const, LEFT, RIGHT)

typedef void insert_fn(bool left, struct node *node, struct node *parent, struct node *header);
typedef struct node *erase_fn(struct node *node, struct node *header);

insert_fn _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_;
void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(bool left, struct node *node,
								       struct node *parent,
								       struct node *header)
{
	uintptr_t pc = PC;

	if (!OUTSIDE)
		keep_all(header, node);
	LIBRARY(insert_fn, "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_")(
		left, node, parent, header);
	if (!OUTSIDE)
		changed(pc);
}

erase_fn _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_;
struct node *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(struct node *node,
									  struct node *header)
{
	uintptr_t pc = PC;
	struct node *erased;

	if (!OUTSIDE)
		keep_all(header, NULL);
	erased = LIBRARY(erase_fn, "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_")(
		node, header);
	if (!OUTSIDE)
		changed(pc);
	return erased;
}

/* ---- lists */

struct link {
	struct link *next, *before;
};

#define NEXT(link)	plain_range((uintptr_t)&(link)->next, sizeof(link), true, pc)
#define BEFORE(link)	plain_range((uintptr_t)&(link)->before, sizeof(link), true, pc)

#define ON_LISTS(name, parameters, arguments, ...)			\
void name parameters;							\
void name parameters							\
{									\
	uintptr_t pc = PC;						\
									\
	__VA_ARGS__;							\
	LIBRARY(void parameters, #name) arguments;			\
}
ON_LISTS(_ZNSt8__detail15_List_node_base7_M_hookEPS0_,
	 (struct link *link, struct link *at), (link, at),
	 NEXT(link); BEFORE(link); BEFORE(at); NEXT(at->before))
ON_LISTS(_ZNSt8__detail15_List_node_base9_M_unhookEv, (struct link *link), (link),
	 OBJECT(link); BEFORE(link->next); NEXT(link->before))
ON_LISTS(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_,
	 (struct link *to, struct link *from, struct link *end), (to, from, end),
	 BEFORE(end); NEXT(end->before); BEFORE(from); NEXT(from->before); BEFORE(to);
	 NEXT(to->before))
ON_LISTS(_ZNSt8__detail15_List_node_base4swapERS0_S1_,
	 (struct link *one, struct link *other), (one, other),
	 NEXT(one); BEFORE(one); NEXT(other); BEFORE(other);
	 BEFORE(one->next); NEXT(one->before); BEFORE(other->next); NEXT(other->before))
ON_LISTS(_ZNSt8__detail15_List_node_base10_M_reverseEv, (struct link *list), (list),
	 for (struct link *l = list; NEXT(l), BEFORE(l), l->next != list; l = l->next))

/* ---- hashing */

struct policy {
	float load;
	size_t next_resize;
};

struct rehash {
	bool is;
	size_t buckets;
};

typedef struct rehash rehash_fn(struct policy *policy, size_t buckets, size_t elements,
				size_t more);
typedef size_t buckets_fn(struct policy *policy, size_t least);

rehash_fn _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm;
struct rehash _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(struct policy *policy,
									size_t buckets,
									size_t elements,
									size_t more)
{
	uintptr_t pc = PC;
	size_t before = policy->next_resize;
	struct rehash rehash = LIBRARY(rehash_fn,
				       "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm")(
		policy, buckets, elements, more);

	plain_range((uintptr_t)policy, sizeof(*policy), before != policy->next_resize, pc);
	return rehash;
}

buckets_fn _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm;
size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(struct policy *policy, size_t least)
{
	plain_range((uintptr_t)policy, sizeof(*policy), true, PC);
	return LIBRARY(buckets_fn, "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm")(
		policy, least);
}

size_t _ZSt11_Hash_bytesPKvmm(const void *key, size_t size, size_t seed);
size_t _ZSt11_Hash_bytesPKvmm(const void *key, size_t size, size_t seed)
{
	bytes_read(key, size, PC);
	return LIBRARY(size_t (const void *, size_t, size_t), "_ZSt11_Hash_bytesPKvmm")(
		key, size, seed);
}
