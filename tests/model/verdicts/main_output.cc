/* SPDX-License-Identifier: MIT */
/*
 * Output by C++'s library is not printed: here a line that looks like a verdict.
 *
 * verdict main: no fault$
 */
#include <atomic>
#include <iostream>
#include <string>
#include <thread>

static const std::string line = "not ok 2 printed rc11: 1 executions, 0 blocked, 0.00 s: found\n";
static std::atomic<int> turn;

static void print(std::ostream &out)
{
	out << '\n' << line << 1 << 2.5 << std::endl << line;
	out.put('\n').flush();
}

int main()
{
	print(std::cout);
	print(std::cerr);
	print(std::clog);
	std::ios_base::sync_with_stdio(false);
	print(std::cout);
	turn = 1;
	std::thread other([] { turn = 2; });
	turn.load();
	other.join();
	return !std::cout || !std::cerr;
}
