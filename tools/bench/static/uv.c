/* SPDX-License-Identifier: MIT */
#include <uv.h>

static void runs(uv_work_t *unused)
{
	(void)unused;
}

static void ended(uv_work_t *unused, int status)
{
	(void)unused;
	(void)status;
}

int main(void)
{
	uv_work_t work;

	return uv_queue_work(uv_default_loop(), &work, runs, ended) ||
	       uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
