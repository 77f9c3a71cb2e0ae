/* SPDX-License-Identifier: MIT */
/*
 * A call_once() function that throws has not been done, and the next thread does it.
 *
 * verdict main: no fault
 */
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag flag;
static int runs;

static void try_it()
{
	try {
		std::call_once(flag, [] {
			if (!runs++)
				throw 1;
		});
	} catch (int) {
	}
}

int main()
{
	std::thread thread(try_it);

	try_it();
	thread.join();
	std::call_once(flag, [] { runs++; });
	assert(runs == 2);
}
