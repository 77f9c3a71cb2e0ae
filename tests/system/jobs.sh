#!/bin/sh
# SPDX-License-Identifier: MIT
# The program prints the KTAP itself.
exec "${NAP_BUILD:-build}/tests/system/jobs_main"
