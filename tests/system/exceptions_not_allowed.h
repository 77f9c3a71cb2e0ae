/* SPDX-License-Identifier: MIT */
// The part of exceptions.cc with the callbacks that must not throw.

static void throw_task(nap_task *)
{
	throw 42;
}

static nap_task thrower = NAP_TASK_INIT(throw_task);

static void in_task()
{
	nap_schedule(&pool, &thrower);
	pause();
}

static void throw_callback(nap_worker *, void *)
{
	throw 42;
}

static void in_worker_start()
{
	nap_config config = {};

	config.worker_start = throw_callback;
	nap_pool_init(&pool, &config);
	nap_pool_prewarm(&pool, 1);
	pause();
}

static const size_t no_room = size_t(1) << 50;	// a stack of this size cannot be mapped

static void no_worker()
{
	nap_config config = {};

	config.stack_size = no_room;
	nap_pool_init(&pool, &config);
	nap_schedule(&pool, &thrower);
}

// Calls @call in a place where an exception would be caught.
template <class F> static void try_it(F call)
{
	try {
		call();
	} catch (int) {
	}
}

static void throw_failed(nap_pool *, int, void *)
{
	throw 42;
}

static void in_spawn_failed()
{
	nap_config config = {};

	config.spawn_failed = throw_failed;
	config.stack_size = no_room;
	nap_pool_init(&pool, &config);
	try_it([] { nap_pool_prewarm(&pool, 1); });
}

static void in_help()
{
	no_worker();
	try_it([] { nap_pool_help(&pool, 0); });
}

static void in_quiesce()
{
	no_worker();
	try_it([] { nap_pool_quiesce(&pool); });
}

static void in_wait()
{
	no_worker();
	nap_group_add(&group, 1);
	try_it([] { nap_group_wait(&group); });
}

static void wait_on_worker(nap_task *)
{
	nap_group_add(&group, 1);
	nap_schedule(&pool, &thrower);
	try_it([] { nap_group_wait(&group); });
}

static void help_on_worker(nap_task *)
{
	nap_schedule(&pool, &thrower);
	try_it([] { nap_pool_help(&pool, 0); });
}

// Loops and sorts of nap/for.h and nap/sort.h, whose functions are those of C.
static int throw_range(size_t, size_t, void *)
{
	throw 42;
}

static void loop_on_worker(nap_task *)
{
	nap_loop how = {};

	how.grain = 1;
	try_it([&] { nap_for_as(&pool, &how, 0, 4, throw_range, nullptr); });
}

static int throw_add(size_t, size_t, void *, void *)
{
	throw 42;
}

static int no_add(size_t, size_t, void *, void *)
{
	return 0;
}

static void throw_merge(void *, const void *, void *)
{
	throw 42;
}

static void no_merge(void *, const void *, void *)
{
}

static void reduce_by(nap_add_fn add, nap_merge_fn merge)
{
	nap_reduction by = {};
	nap_loop how = {};
	int value = 0;

	by.size = sizeof(value);
	by.add = add;
	by.merge = merge;
	how.grain = 1;
	how.flags = NAP_LOOP_FIXED;	// so that there are values to merge
	try_it([&] { nap_reduce(&pool, &how, 0, 4, &by, &value, nullptr); });
}

static void reduce_on_worker(nap_task *)
{
	reduce_by(throw_add, no_merge);
}

static void merge_on_worker(nap_task *)
{
	reduce_by(no_add, throw_merge);
}

static int throw_comparison(const void *, const void *, void *)
{
	throw 42;
}

static void sort_on_worker(nap_task *)
{
	int numbers[] = { 3, 1, 2 };

	try_it([&] { nap_sort(&pool, numbers, 3, sizeof(int), throw_comparison, nullptr); });
}

static void throw_end(void *, void *)
{
	throw 42;
}

static void *make_data(nap_worker *, void *arg)
{
	return arg;
}

static nap_local local = NAP_LOCAL_INIT(make_data, throw_end, &local);

static void get_data(nap_task *)
{
	nap_local_get(nap_worker_self(), &local);
}

static void in_end_of_data()
{
	nap_task task = NAP_TASK_INIT(get_data);

	nap_local_add(&pool, &local);
	nap_schedule(&pool, &task);
	try_it([] { nap_pool_join(&pool, nullptr); });
}

static void throw_job(nap_worker *, nap_frame *, nap_frame *)
{
	throw 42;
}

static void job_on_worker(nap_task *)
{
	nap_worker *self = nap_worker_self();

	nap_fork(self, nap_top(self), throw_job);
	try_it([] { nap_pool_help(&pool, 0); });
}

static void on_one_worker(nap_task_fn run)
{
	nap_config config = {};
	nap_task task = NAP_TASK_INIT(run);

	config.max_workers = 1;
	nap_pool_init(&pool, &config);
	nap_schedule(&pool, &task);
	pause();
}

static void no_job(nap_worker *, nap_frame *, nap_frame *)
{
}

static void fork_and_throw(nap_worker *worker, void *)
{
	nap_fork(worker, nap_top(worker), no_job);
	throw 42;
}

static void with_a_job()
{
	call_and_catch(&pool, fork_and_throw, nullptr);
}

/* nap/daemon.hpp: an exception in each place except run(). */
struct throwing : nap::work<throwing> {
	void run() {}
	void done(int) { throw 42; }
};

static void in_done()
{
	static throwing work;

	work.schedule(&pool);
	pause();
}

static void in_lambda_task()
{
	static auto task = nap::make_task([] { throw 42; });

	nap_schedule(&pool, &task);
	pause();
}

static void in_submit()
{
	static nap_slot slots[1];
	static nap_submitter submit = NAP_SUBMIT_INIT(&pool, slots, 1);

	nap::submit(&submit, [] { throw 42; });
	pause();
}
