/* SPDX-License-Identifier: MIT */
/*
 * verdict main: nothing was executed
 */
int main(void)
{
	return 0;
}
