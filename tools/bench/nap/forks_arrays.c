/* SPDX-License-Identifier: MIT */
/* Like forks.c: the tree of uts, a quicksort, and a matrix multiply. */
#include "common/trees.h"
#include "nap.h"
#include "quicksort_forks.h"

/* ---- uts: a job for each child but the last */

struct child {
	const struct uts_node *parent;
	unsigned i;
};

static uint64_t visit(struct nap_worker *worker, struct nap_frame *top, struct child child);
NAP_JOB(visit, uint64_t, struct child)

static uint64_t nodes(struct nap_worker *worker, struct nap_frame *top,
		      const struct uts_node *node)
{
	struct nap_frame *tops[UTS_CHILDREN_MAX + 1] = { top };
	unsigned n = uts_children(node);
	uint64_t result = 1;

	if (!n)
		return 1;
	for (unsigned i = 0; i + 1 < n; i++)
		tops[i + 1] = visit_fork(worker, tops[i], (struct child){ node, i });
	result += visit(worker, tops[n - 1], (struct child){ node, n - 1 });
	for (unsigned i = n - 1; i--;)
		result += visit_join(worker, tops[i], (struct child){ node, i });
	return result;
}

static uint64_t visit(struct nap_worker *worker, struct nap_frame *top, struct child child)
{
	struct uts_node node = uts_child(child.parent, child.i);

	return nodes(worker, top, &node);
}

static uint64_t uts_nodes;

static void uts_begun(struct nap_task *unused)
{
	struct nap_worker *worker = nap_worker_self();
	struct uts_node root = uts_root();

	(void)unused;
	uts_nodes = nodes(worker, nap_top(worker), &root);
	count_done(&bench_count);
}

static void uts_once(const struct size *unused)
{
	struct nap_task task = NAP_TASK_INIT(uts_begun);

	(void)unused;
	bench_run(&task);
	uts_check(uts_nodes);
}

/* ---- sort */

static struct part sort_whole;

static void sort_begun(struct nap_task *unused)
{
	struct nap_worker *worker = nap_worker_self();

	(void)unused;
	sort(worker, nap_top(worker), sort_whole);
	count_done(&bench_count);
}

static void sort_all(int32_t *a, uint32_t n)
{
	struct nap_task task = NAP_TASK_INIT(sort_begun);

	sort_whole = (struct part){ a, n };
	bench_run(&task);
}

static void sort_row(const struct size *size)
{
	sort_time(size, sort_all);
}

/* ---- matrix multiply: halves of the rows */

struct rows {
	uint32_t from, to;
};

static void multiply(struct nap_worker *worker, struct nap_frame *top, struct rows rows);
NAP_JOB_VOID(multiply, struct rows)

static void multiply(struct nap_worker *worker, struct nap_frame *top, struct rows rows)
{
	uint32_t mid = rows.from + (rows.to - rows.from) / 2;

	if (rows.to - rows.from == 1) {
		matrices_row(rows.from);
		return;
	}
	multiply(worker, multiply_fork(worker, top, (struct rows){ mid, rows.to }),
		 (struct rows){ rows.from, mid });
	multiply_join(worker, top, (struct rows){ mid, rows.to });
}

static void matmul_begun(struct nap_task *unused)
{
	struct nap_worker *worker = nap_worker_self();

	(void)unused;
	multiply(worker, nap_top(worker), (struct rows){ 0, matrices_n() });
	count_done(&bench_count);
}

static void matmul_once(const struct size *unused)
{
	struct nap_task task = NAP_TASK_INIT(matmul_begun);

	(void)unused;
	bench_run(&task);
}

const struct row array_rows[] = {
	ROW_OF("uts", row_time_whole, uts_once, bench_start, bench_end),
	ROW_WITHIN("sort", sort_row, bench_start, bench_end),
	ROW_OF("matmul", matrices_time, matmul_once, bench_start, bench_end),
	ROWS_END,
};
