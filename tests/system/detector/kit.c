/* SPDX-License-Identifier: MIT */
/* Queues in order, works, classes, timers, slots and loops. */
#include "program.h"

enum { PRODUCERS = 2, EACH = 32 };

/* A task that adds @said, which only the scheduling thread has written, to @sum. */
struct item {
	struct nap_task task;
	int said, *sum;
};

static int nr_items FLAG;

static void add_item(struct nap_task *task)
{
	struct item *item = nap_container_of(task, struct item, task);

	*item->sum += item->said;
	free(item);
	flag_up(&nr_items);
}

static struct item *new_item(nap_task_fn run, int *sum)
{
	struct item *item = malloc(sizeof(*item));

	*item = (struct item){ NAP_TASK_INIT(run), 1, sum };
	return item;
}

static void by_producers(void *(*produce)(void *), void *arg)
{
	pthread_t threads[PRODUCERS];

	flag_down(&nr_items);
	for (int i = 0; i < PRODUCERS; i++)
		want(!pthread_create(&threads[i], NULL, produce, arg), "start a thread");
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(threads[i], NULL);
	await(&nr_items, PRODUCERS * EACH);
}

/* ---- a serial queue: each task sees what the task before it wrote */

static struct nap_serial serial;
static int serial_sum;

/* Waits now and then, so that the queue is empty, and gets another owner. */
static void *produce_serially(void *unused)
{
	for (int i = 0; i < EACH; i++) {
		want(!nap_serial_schedule(&serial, &new_item(add_item, &serial_sum)->task),
		     "schedule");
		if (i % 8 == 7)
			usleep(1000);
	}
	return unused;
}

static void last_in_order(struct nap_task *task)
{
	(void)task;
	serial_sum *= 2;
}

static void serially(void)
{
	struct nap_task last = NAP_TASK_INIT(last_in_order);

	for (int with_last = 0; with_last < 2; with_last++) {
		serial_sum = 0;
		want(!nap_serial_init(&serial, &pool), "init");
		by_producers(produce_serially, NULL);
		if (with_last) {
			want(!nap_serial_end(&serial, &last), "end");
			want(!nap_pool_quiesce(&pool), "quiesce");
		} else {
			while (nap_serial_end(&serial, NULL) == -EINPROGRESS)
				usleep(100);
		}
		want(serial_sum == PRODUCERS * EACH * (1 + with_last), "a sum in order");
	}
}

/* ---- an ordered queue: each slow task sees what the slow task before it wrote */

static struct nap_order order;
static int slow_sum;

static void *produce_in_order(void *unused)
{
	for (int i = 0; i < EACH; i++) {
		struct item *item = new_item(add_item, &slow_sum);

		if (i % 2)
			item->sum = &item->said;
		want(!nap_order_schedule(&order, i % 2 ? NAP_ORDER_FAST : NAP_ORDER_SLOW,
					 &item->task),
		     "schedule");
		if (i % 8 == 7)
			usleep(1000);
	}
	return unused;
}

static void in_order(void)
{
	want(!nap_order_init(&order, &pool, 1), "init");
	by_producers(produce_in_order, NULL);
	want(!nap_pool_quiesce(&pool), "quiesce");
	want(slow_sum == PRODUCERS * EACH / 2, "a sum of slow tasks");
}

/* ---- tasks that a stop leaves in the queues belong to the joiner */

static struct nap_pool stopped_pool;
static int is_held FLAG, is_stopped FLAG;

static void hold_until_stopped(struct nap_task *task)
{
	(void)task;
	flag_up(&is_held);
	await(&is_stopped, 1);
}

static void *fill(void *unused)
{
	for (int i = 0; i < EACH; i++) {
		want(!nap_serial_schedule(&serial, &new_item(add_item, NULL)->task), "schedule");
		want(!nap_order_schedule(&order, i % 2 ? NAP_ORDER_FAST : NAP_ORDER_SLOW,
					 &new_item(add_item, NULL)->task), "schedule");
	}
	flag_up(&nr_items);
	return unused;
}

static int take_back(struct nap_batch *left)
{
	struct nap_task *task;
	int sum = 0;

	while ((task = nap_batch_pop(left))) {
		struct item *item;

		if (nap_serial_of(task) || nap_order_of(task))
			continue;
		item = nap_container_of(task, struct item, task);
		sum += item->said;
		free(item);
	}
	return sum;
}

static void left_by_a_stop(void)
{
	struct nap_task held = NAP_TASK_INIT(hold_until_stopped);
	struct nap_batch left;
	pthread_t thread;

	flag_down(&nr_items);
	nap_pool_init(&stopped_pool, &(struct nap_config){ .max_workers = 1 });
	want(!nap_serial_init(&serial, &stopped_pool) && !nap_order_init(&order, &stopped_pool, 1),
	     "init");
	want(!nap_schedule(&stopped_pool, &held), "schedule");
	await(&is_held, 1);
	want(!pthread_create(&thread, NULL, fill, NULL), "start a thread");
	await(&nr_items, 1);
	want(!nap_pool_shutdown(&stopped_pool, NAP_STOP), "stop");
	flag_up(&is_stopped);
	want(!nap_pool_join(&stopped_pool, &left), "join");
	want(!nap_serial_close(&serial, &left) && !nap_order_close(&order, &left), "close");
	want(take_back(&left) == 2 * EACH, "what came back");
	pthread_join(thread, NULL);
}

/* ---- classes, and slots */

static struct nap_classes classes = { .of = { { .limit = 1 }, { .weight = 2 } }, .count = 2 };
static struct nap_pool class_pool = NAP_POOL_INIT(.max_workers = 2, .classes = &classes);
static struct nap_slot slots[4];
static struct nap_submitter submitter = NAP_SUBMIT_INIT(&class_pool, slots, 4);
static int sums[2 * PRODUCERS * EACH], nr_sums FLAG;

static void double_it(void *arg)
{
	int *sum = arg;

	*sum *= 2;
	flag_up(&nr_items);
}

static void *produce_in_classes(void *unused)
{
	struct nap_batch batch = NAP_BATCH_INIT;

	for (int i = 0; i < EACH; i++) {
		int *sum = &sums[__atomic_fetch_add(&nr_sums, 2, __ATOMIC_RELAXED)];

		sum[1] = 1;
		want(!nap_submit_wait(&submitter, double_it, &sum[1], NAP_FOREVER), "submit");
		if (i % 2)
			nap_batch_push(&batch, &new_item(add_item, sum)->task);
		else
			want(!nap_class_schedule(&class_pool, 0, &new_item(add_item, sum)->task),
			     "schedule");
	}
	want(!nap_class_schedule_batch(&class_pool, 1, &batch), "schedule a batch");
	await(&nr_items, 2 * PRODUCERS * EACH);
	return unused;
}

static void in_classes(void)
{
	by_producers(produce_in_classes, NULL);
	want(!nap_pool_join(&class_pool, NULL), "join");
	for (int i = 0; i < 2 * PRODUCERS * EACH; i += 2)
		want(sums[i] == 1 && sums[i + 1] == 2, "what a class, or a slot, did");
}

/* ---- works: scheduled again when they are idle, canceled by another thread, after others */

struct counted_work {
	struct nap_work work;
	int runs, ends;
};

static int run_again(struct nap_work *work)
{
	nap_container_of(work, struct counted_work, work)->runs++;
	return 0;
}

/* Schedules the work again, from its own @done. */
static void end_again(struct nap_work *work, int result)
{
	struct counted_work *again = nap_container_of(work, struct counted_work, work);

	want(!result, "a result");
	if (++again->ends < EACH)
		want(!nap_work_schedule(&pool, work), "schedule");
}

/* Two works. The second has no @done: nap_work_is_idle() says when this work has ended. */
static void works_again(void)
{
	static struct counted_work again, quiet;
	int runs = 0;

	nap_work_init(&again.work, run_again, end_again, NULL);
	want(!nap_work_schedule(&pool, &again.work), "schedule");
	for (int i = 0; i < EACH; i++) {
		nap_work_init(&quiet.work, run_again, NULL, NULL);
		want(!nap_work_schedule(&pool, &quiet.work), "schedule");
		while (!nap_work_is_idle(&quiet.work))
			usleep(100);
		want(quiet.runs == ++runs, "a work that is idle has run");
	}
	want(!nap_pool_quiesce(&pool), "quiesce");
	want(again.runs == EACH && again.ends == EACH, "a work that was scheduled again and again");
}

static struct asking {
	struct nap_work work;
	int why, result;
} asking;
static int asks FLAG;

static int ask_whether_canceled(struct nap_work *work)
{
	flag_up(&asks);
	while (!nap_work_is_canceled(work))
		usleep(100);
	return nap_container_of(work, struct asking, work)->why;
}

static void note_result(struct nap_work *work, int result)
{
	nap_container_of(work, struct asking, work)->result = result;
}

static void canceled_while_it_runs(void)
{
	nap_work_init(&asking.work, ask_whether_canceled, note_result, NULL);
	want(!nap_work_schedule(&pool, &asking.work), "schedule");
	await(&asks, 1);
	asking.why = 77;
	nap_cancel(&asking.work);
	want(!nap_pool_quiesce(&pool) && asking.result == 77, "what the canceler wrote");
}

static struct nap_after after;
static struct counted_work last;
static int before[PRODUCERS];

static void *be_before(void *which)
{
	*(int *)which = 1;
	nap_after_done(&after);
	return NULL;
}

static int sum_before(struct nap_work *work)
{
	int sum = 0;

	for (int i = 0; i < PRODUCERS; i++)
		sum += before[i];
	nap_container_of(work, struct counted_work, work)->runs += sum;
	return 0;
}

static void after_others(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		pthread_t threads[PRODUCERS];

		memset(before, 0, sizeof(before));
		nap_work_init(&last.work, sum_before, NULL, NULL);
		want(!nap_work_after(&after, &pool, &last.work, PRODUCERS), "after");
		for (int i = 0; i < PRODUCERS; i++)
			want(!pthread_create(&threads[i], NULL, be_before, &before[i]),
			     "start a thread");
		while (!nap_work_is_idle(&last.work))
			usleep(100);
		want(last.runs == PRODUCERS * (round + 1), "what came before");
		for (int i = 0; i < PRODUCERS; i++)
			pthread_join(threads[i], NULL);
	}
}

/* ---- timers: a run sees the run before it, and the thread that cancels sees the last run */

static struct tick {
	struct nap_timer timer;
	int step, ticks;
} tick;
static int ticked FLAG;

static void count_tick(struct nap_task *task)
{
	struct tick *t = nap_container_of(task, struct tick, timer.task);

	t->ticks += t->step;
	flag_up(&ticked);
}

static void timers(void)
{
	int sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct nap_timer *timer = &tick.timer;

		flag_down(&ticked);
		nap_timer_init(timer, count_tick);
		tick.step = i;
		if (i % 2)
			want(!nap_schedule_every(&pool, timer, 1000, 100000), "arm");
		else
			want(!nap_schedule_after(&pool, timer, 1000), "arm");
		await(&ticked, i % 2 ? 3 : 1);
		if (i % 4 < 2)
			want(!nap_timer_cancel_wait(timer, NAP_FOREVER), "cancel");
		else
			while (nap_timer_cancel(timer) == -EINPROGRESS)
				usleep(100);
		sum += i * flag_is(&ticked);
		want(tick.ticks == sum, "ticks");
	}
}

/* ---- a pool that is steered while tasks run */

static void steered(void)
{
	for (uint32_t i = 0; i < ROUNDS; i++) {
		struct work *work = schedule(&pool, NULL, true);

		want(nap_pool_set_limit(&pool, 1 + i % 2) == (int)(1 + i % 2), "set the limit");
		want(!nap_pool_set_idle(&pool, i % 2, 1000000), "set what is idle");
		want(nap_pool_reread(&pool) >= 0, "reread the CPUs");
		want(nap_pool_set_limit(&pool, 2) == 2 && !nap_pool_quiesce(&pool), "quiesce");
		check_squares(work);
		free(work);
	}
}

/* ---- loops */

enum { LONG = 400 };

/* Takes so long that other workers take part. */
static int fill_range(size_t begin, size_t end, void *arg)
{
	for (size_t i = begin; i < end; i++)
		((int *)arg)[i] += (int)i;
	usleep(20);
	return 0;
}

static int nr_reports;

static int report(size_t done, size_t total, void *unused)
{
	(void)unused;
	want(done <= total, "progress");
	nr_reports++;
	return 0;
}

static size_t find_low(size_t begin, size_t end, void *arg)
{
	usleep(20);
	for (size_t i = begin; i < end; i++)
		if (((int *)arg)[i] > (int)(LONG / 2))
			return i;
	return end;
}

static int compare_ints(const void *left, const void *right, void *unused)
{
	const int *l = left, *r = right;

	(void)unused;
	return (*l > *r) - (*l < *r);
}

static void loops_on(struct nap_pool *on)
{
	static const struct nap_loop reported = {
		.grain = 4, .progress = report, .progress_ns = 1,
	}, lowest = { .grain = 4, .flags = NAP_LOOP_FIRST };
	static int many[1 << 14];
	int in[LONG] = { 0 };

	nr_reports = 0;
	for (int round = 1; round <= ROUNDS; round++) {
		size_t at = 0;

		want(!nap_for_as(on, round % 2 ? &reported : NULL, 0, LONG, fill_range, in),
		     "for");
		for (int i = 0; i < LONG; i++)
			want(in[i] == round * i, "a range");
		want(!nap_find(on, &lowest, 0, LONG, find_low, in, &at), "find");
		want(at == LONG / 2 / (unsigned)round + 1, "the lowest match");
	}
	want(nr_reports, "progress");
	for (int i = 0; i < 1 << 14; i++)
		many[i] = i * 7919 % 16381;
	want(!nap_sort(on, many, 1 << 14, sizeof(*many), compare_ints, NULL), "sort");
	for (int i = 1; i < 1 << 14; i++)
		want(many[i - 1] <= many[i], "an order");
}

/* Loops of a pool of three workers have crews: src/parallel/crew.h. */
static void loops(void)
{
	static struct nap_pool wide = NAP_POOL_INIT(.max_workers = 3);

	loops_on(&pool);
	loops_on(&wide);
	want(!nap_pool_join(&wide, NULL), "join");
}

void kit(void)
{
	serially();
	in_order();
	left_by_a_stop();
	in_classes();
	works_again();
	canceled_while_it_runs();
	after_others();
	timers();
	steered();
	loops();
}
