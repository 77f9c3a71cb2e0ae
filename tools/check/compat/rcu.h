/* SPDX-License-Identifier: MIT */
#error "RCU is not modelled"
