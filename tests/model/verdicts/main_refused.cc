/* SPDX-License-Identifier: MIT */
/*
 * Functions of C++'s library that read input or are random are refused by name, too.
 *
 * verdict! nap-check: not modelled: std::cin std::filesystem std::fstream std::random_device$
 */
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

int main()
{
	std::random_device random;
	std::ifstream file("/");
	int n = 0;

	std::cin >> n;
	return n + (int)random() + std::filesystem::exists("/") + file.get();
}
