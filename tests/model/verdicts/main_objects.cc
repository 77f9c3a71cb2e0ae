// SPDX-License-Identifier: MIT
/*
 * Objects: static ones, which allocate before main(), and static ones in functions; shared ones;
 * virtual functions; a function that is called once; a future.
 *
 * verdict main: no fault
 */
#include <cassert>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

static std::map<int, int> before_main = { { 1, 2 }, { 3, 4 } };

struct base {
	virtual ~base() {}
	virtual int value() = 0;
};
struct derived : base {
	int value() override { return 7; }
};

static derived &in_function()
{
	static derived object;
	return object;
}

static std::once_flag flag;
static int times;

static void use(std::shared_ptr<int> shared)
{
	std::call_once(flag, [] { times++; });
	assert(times == 1 && in_function().value() == 7 && *shared == 5);
}

int main()
{
	auto shared = std::make_shared<int>(5);
	std::promise<int> promise;
	auto future = promise.get_future();
	std::thread other([shared, &promise] {
		use(shared);
		promise.set_value(3);
	});

	shared.reset();
	use(std::make_shared<int>(5));
	assert(future.get() == 3 && before_main[3] == 4);
	other.join();
	std::unique_ptr<base> made(new derived());
	assert(made->value() == 7);
}
