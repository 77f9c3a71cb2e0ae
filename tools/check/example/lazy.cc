// SPDX-License-Identifier: MIT
/*
 * Double-checked locking, with the memory orders that it needs (Schmidt, Harrison: Double-Checked
 * Locking, 1996): the first thread that needs an object makes it.
 *
 *	nap-check lazy.cc
 *	nap-check -DSEEDED_FAULT lazy.cc	# published relaxed: others see a half-made object
 */
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifdef SEEDED_FAULT
constexpr auto publish = std::memory_order_relaxed;
#else
constexpr auto publish = std::memory_order_release;
#endif

struct table {
	int entries[2] = { 3, 4 };
};

static std::atomic<table *> made;
static std::mutex lock;

static table *get()
{
	table *t = made.load(std::memory_order_acquire);

	if (!t) {
		std::lock_guard<std::mutex> guard(lock);

		t = made.load(std::memory_order_relaxed);
		if (!t) {
			t = new table;
			made.store(t, publish);
		}
	}
	return t;
}

int main()
{
	std::thread other([] { assert(get()->entries[1] == 4); });

	assert(get()->entries[0] == 3);
	other.join();
	delete made.load();
}
