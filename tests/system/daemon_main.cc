/* SPDX-License-Identifier: MIT */
/*
 * Tests nap/daemon.hpp: what each form calls, in which thread and with which arguments, and
 * exceptions that go to done().
 */
#include <nap/daemon.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <vector>

#define EXPECT(what) ((what) ? (void)0 : fail(#what, __LINE__))

static void fail(const char *what, int line)
{
	std::printf("line %d: not %s\n", line, what);
	std::exit(1);
}

static nap_pool pool;
static nap_cq loop;

/* Runs the loop until it has run @count tasks. */
static void turn(size_t count)
{
	for (size_t n = 0; n < count; n += nap_cq_run(&loop, 0)) {
		pollfd fd = { nap_cq_fd(&loop), POLLIN, 0 };

		poll(&fd, 1, -1);
	}
}

struct request : nap::work<request> {
	explicit request(nap_cq *cq_) : work(cq_) {}

	int run()
	{
		on_worker = nap_worker_self() != nullptr;
		if (text == "throw")
			throw std::runtime_error("thrown");
		return static_cast<int>(text.size());
	}

	void done(int result_)
	{
		told = result_;
		had_error = static_cast<bool>(error());
		ended_on_worker = nap_worker_self() != nullptr;
		nr_done++;
	}

	std::string text;
	int told = -1, nr_done = 0;
	bool on_worker = false, ended_on_worker = false, had_error = false;
};

/* Has several bases, so the work is not at the beginning of the object. */
struct odd : std::string, nap::work<odd> {
	explicit odd(nap_cq *cq_) : std::string("abc"), work(cq_) {}
	void run() { append("d"); }
	void done(int result_) { append(result_ ? "?" : "e"); }
};

/* Deletes itself. */
struct own : nap::work<own> {
	explicit own(nap_cq *cq_) : work(cq_) { alive++; }
	~own() { alive--; }
	void run() { throw std::string("with something to free"); }
	void done(int) { delete this; }
	static int alive;
};
int own::alive;

static void works()
{
	request one(&loop), two(nullptr), late(&loop), back(&loop);
	odd other(&loop);

	one.text = "seven..";
	EXPECT(one.schedule(&pool) == 0);
	turn(1);
	EXPECT(one.told == 7 && one.nr_done == 1 && one.on_worker && !one.ended_on_worker);
	EXPECT(!one.error());
	one.rethrow();

	EXPECT(two.schedule(&pool) == 0 && nap_pool_quiesce(&pool) == 0);
	EXPECT(two.told == 0 && two.ended_on_worker);

	one.text = "throw";
	EXPECT(one.schedule(&pool) == 0);
	turn(1);
	EXPECT(one.told == nap::threw && one.nr_done == 2);
	try {
		one.rethrow();
		EXPECT(false);
	} catch (const std::runtime_error &error) {
		EXPECT(error.what() == std::string("thrown"));
	}
	one.text = "";
	EXPECT(one.schedule(&pool) == 0);
	turn(1);
	EXPECT(one.told == 0 && !one.error());

	late.within(std::chrono::nanoseconds(-1));
	EXPECT(late.deadline != 0);
	EXPECT(late.schedule(&pool) == 0);
	turn(1);
	EXPECT(late.told == -ETIMEDOUT && !late.on_worker);
	late.within(std::chrono::hours(1));
	EXPECT(late.schedule(&pool) == 0);
	turn(1);
	EXPECT(late.told == 0);

	EXPECT(other.schedule(&pool) == 0);
	turn(1);
	EXPECT(other == "abcde");

	EXPECT((new own(&loop))->schedule(&pool) == 0);
	turn(1);
	EXPECT(own::alive == 0);
}

/* A time that is too long for a number of nanoseconds means for ever; no number wraps. */
static void times()
{
	using std::chrono::duration;
	using std::chrono::hours;
	using std::chrono::nanoseconds;
	request one(&loop);
	uint64_t now = nap_deadline(0);

	one.within(hours::max());
	EXPECT(one.deadline == NAP_FOREVER);
	one.within(nanoseconds::max());
	EXPECT(one.deadline == NAP_FOREVER);
	one.within(duration<double>(1e300));
	EXPECT(one.deadline == NAP_FOREVER);
	one.within(duration<uint64_t, std::nano>(UINT64_MAX));
	EXPECT(one.deadline == NAP_FOREVER);
	one.within(hours(24 * 365 * 292));
	EXPECT(one.deadline > now &&
	       one.deadline - now > uint64_t(24 * 365 * 292) * 3600 * 1000000000);
	one.within(duration<double, std::milli>(0.5));
	EXPECT(one.deadline >= now + 500000 && one.deadline <= nap_deadline(500000));
	one.within(hours::min());
	EXPECT(one.deadline >= now && one.deadline <= nap_deadline(0));
	one.within(duration<float>(-1e30f));
	EXPECT(one.deadline >= now && one.deadline <= nap_deadline(0));
	one.within(hours::max());
	EXPECT(one.schedule(&pool) == 0);
	turn(1);
	EXPECT(one.told == 0 && one.on_worker);
}

/* Has no done() of its own. */
struct quiet : nap::work<quiet> {
	int run()
	{
		if (throws)
			throw 42;
		return 3;
	}

	bool throws = false;
};

static void without_done()
{
	quiet one;

	EXPECT(one.done == nullptr && one.schedule(&pool) == 0);
	EXPECT(nap_pool_quiesce(&pool) == 0 && nap_work_is_idle(&one) && one.result == 3);
	one.throws = true;
	EXPECT(one.schedule(&pool) == 0 && nap_pool_quiesce(&pool) == 0);
	EXPECT(nap_work_is_idle(&one) && one.error());
	one.within(std::chrono::nanoseconds(-1));
	EXPECT(one.schedule(&pool) == 0 && nap_pool_quiesce(&pool) == 0);
	EXPECT(nap_work_is_idle(&one) && !one.error());
	one.rethrow();
}

/* Runs until it is canceled, or told to go on. */
struct stays : nap::work<stays> {
	explicit stays(nap_cq *cq_) : work(cq_) {}

	int run()
	{
		__atomic_store_n(&inside, true, __ATOMIC_RELEASE);
		while (!is_canceled())
			;
		return 5;
	}

	void done(int result_) { told = result_; }

	bool inside = false;
	int told = 0;
};

static void canceled()
{
	request behind(&loop);
	stays first(&loop);

	EXPECT(first.schedule(&pool) == 0);
	while (!__atomic_load_n(&first.inside, __ATOMIC_ACQUIRE))
		;
	EXPECT(behind.schedule(&pool) == 0 && behind.schedule(&pool) == -EBUSY);
	EXPECT(behind.cancel() && !behind.cancel() && !first.cancel());
	turn(2);
	EXPECT(behind.told == -ECANCELED && !behind.on_worker && first.told == 5);
}

/*
 * Has a gone(). The object is canceled while another work has the only worker; done() is called
 * at once, and the object deletes itself later, in gone().
 */
struct leaver : nap::work<leaver> {
	leaver(nap_cq *cq_, int *told_, int *gone_) : work(cq_), told_at(told_), gone_at(gone_) {}

	int run() { return 0; }
	void done(int result_) { *told_at = result_; }

	void gone()
	{
		++*gone_at;
		delete this;
	}

	int *told_at, *gone_at;
};

static void canceled_and_told()
{
	static nap_pool narrow = NAP_POOL_INIT(1);
	int told = 1, nr_gone = 0;
	auto *behind = new leaver(&loop, &told, &nr_gone);
	nap_batch rest = NAP_BATCH_INIT;
	stays first(&loop);
	request plain(&loop);

	EXPECT(plain.nap_work::gone == nullptr);
	EXPECT(first.schedule(&narrow) == 0);
	while (!__atomic_load_n(&first.inside, __ATOMIC_ACQUIRE))
		;
	EXPECT(behind->schedule(&narrow) == 0 && behind->cancel());
	turn(1);
	EXPECT(told == -ECANCELED && nr_gone == 0 && first.told == 0);
	EXPECT(!first.cancel());
	turn(2);
	EXPECT(nr_gone == 1 && first.told == 5);
	EXPECT(nap_pool_join(&narrow, &rest) == 0 && !rest.head);
}

/* An object made by new, without special alignment, that owns a pool. */
struct service {
	nap_pool *pool = nullptr;
	int ran = 0;
};

static void in_an_object()
{
	auto *object = new service;
	nap_config config = {};

	config.max_workers = 1;
	EXPECT(nap_pool_new(&object->pool, &config) == 0);
	auto task = nap::make_task([object] { object->ran = 1; });
	EXPECT(nap_schedule(object->pool, &task) == 0);
	EXPECT(nap_pool_join(object->pool, nullptr) == 0 && object->ran == 1);
	EXPECT(nap_pool_free(object->pool) == 0);
	delete object;
}

/*
 * What a work has thrown is forgotten when the work ends the next time, even if it did not run
 * that time.
 */
static void thrown_before()
{
	request one(&loop);
	stays first(&loop);

	for (int i = 0; i < 2; i++) {
		one.text = "throw";
		one.deadline = 0;
		EXPECT(one.schedule(&pool) == 0);
		turn(1);
		EXPECT(one.told == nap::threw && one.had_error && one.error());
		if (i) {
			one.within(std::chrono::nanoseconds(-1));
			EXPECT(one.schedule(&pool) == 0);
			turn(1);
		} else {
			EXPECT(first.schedule(&pool) == 0);
			while (!__atomic_load_n(&first.inside, __ATOMIC_ACQUIRE))
				;
			EXPECT(one.schedule(&pool) == 0 && one.cancel() && !first.cancel());
			turn(2);
		}
		EXPECT(one.told == (i ? -ETIMEDOUT : -ECANCELED) && !one.had_error && !one.error());
		one.rethrow();
	}
}

static void lambdas()
{
	int told = 0, bytes = 20;
	std::string said;
	auto work = nap::make_work(&loop, [bytes] { return bytes + 1; },
				   [&](auto &self, int result_) {
		told = self.error() ? -1 : result_;
	});
	auto thrower = nap::make_work(&loop, [] { throw std::runtime_error("again"); },
				      [&](auto &self, int result_) {
		EXPECT(result_ == nap::threw);
		try {
			self.rethrow();
		} catch (const std::exception &error) {
			said = error.what();
		}
	});

	EXPECT(work.schedule(&pool) == 0);
	turn(1);
	EXPECT(told == 21);
	EXPECT(thrower.schedule(&pool) == 0);
	turn(1);
	EXPECT(said == "again");
}

/* The C calls take tasks and works of C++ as they are. */
static void serials_and_dependencies()
{
	static nap_serial serial;
	std::vector<int> order;
	auto first = nap::make_task([&] { order.push_back(1); });
	auto second = nap::make_task([&] { order.push_back(2); });
	request third(&loop), one(&loop), two(&loop), link(&loop);
	nap_after after;
	nap_batch left = NAP_BATCH_INIT;

	EXPECT(nap_serial_init(&serial, &pool) == 0);
	EXPECT(nap_serial_schedule(&serial, &first) == 0);
	EXPECT(nap_serial_schedule(&serial, &second) == 0);
	EXPECT(third.schedule(&serial) == 0);
	turn(1);
	EXPECT(order.size() == 2 && order[0] == 1 && order[1] == 2 && third.nr_done == 1);
	EXPECT(nap_pool_quiesce(&pool) == 0);
	EXPECT(nap_serial_close(&serial, &left) == 0 && left.count == 0);

	EXPECT(nap_work_after(&after, &pool, &link, 2) == 0);
	EXPECT(one.schedule(&pool) == 0 && two.schedule(&pool) == 0);
	turn(2);
	EXPECT(nap_after_done(&after) == 0 && link.nr_done == 0);
	EXPECT(nap_after_done(&after) == 1);
	turn(1);
	EXPECT(link.nr_done == 1 && link.on_worker);

	auto pushed = nap::make_task([&] { order.clear(); });

	EXPECT(nap_cq_push(&loop, &pushed) == 0);
	turn(1);
	EXPECT(order.empty());
}

static void submits()
{
	static nap_slot slots[2];
	static nap_submitter submit = NAP_SUBMIT_INIT(&pool, slots, 2);
	std::vector<uint32_t> sums(2);
	static uint32_t nr_empty;
	uint32_t sum = 0, *to = &sum;

	for (int i = 0; i < 100; i++)
		EXPECT(nap::submit_wait(&submit, [to] {
			__atomic_fetch_add(to, 2, __ATOMIC_RELAXED);
		}) == 0);
	EXPECT(nap_pool_quiesce(&pool) == 0);
	EXPECT(sum == 200);
	EXPECT(nap::submit(&submit, [] { nr_empty++; }) == 0);
	EXPECT(nap::submit(nullptr, [] {}) == -EINVAL);
	EXPECT(nap_pool_quiesce(&pool) == 0);
	EXPECT(nr_empty == 1);
}

/* A work that the pool leaves ends as a work of C does. */
static void left()
{
	std::vector<std::unique_ptr<request>> many;
	nap_batch rest = NAP_BATCH_INIT;
	stays first(&loop);

	EXPECT(first.schedule(&pool) == 0);
	while (!__atomic_load_n(&first.inside, __ATOMIC_ACQUIRE))
		;
	for (int i = 0; i < 50; i++) {
		many.emplace_back(new request(&loop));
		EXPECT(many.back()->schedule(&pool) == 0);
	}
	EXPECT(nap_pool_shutdown(&pool, NAP_STOP) == 0);
	first.cancel();
	EXPECT(nap_work_finish(&pool, &loop, &rest) == 0 && rest.count == 0);
	for (auto &one : many)
		EXPECT(one->nr_done == 1 && one->told == -ECANCELED);
	EXPECT(many[0]->schedule(&pool) == -ESHUTDOWN);
}

int main()
{
	nap_config config = {};

	config.max_workers = 1;
	EXPECT(nap_pool_init(&pool, &config) == 0 && nap_cq_init(&loop) == 0);
	works();
	times();
	without_done();
	canceled();
	canceled_and_told();
	in_an_object();
	thrown_before();
	lambdas();
	serials_and_dependencies();
	submits();
	left();
	return 0;
}
