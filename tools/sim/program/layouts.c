/* SPDX-License-Identifier: MIT */
/*
 * The types whose fields are named in the reports: layouts.awk reads this file's debug information.
 */
#include <nap/group.h>

#include "worker/self.h"
#include "worker/worker.h"

struct nap_pool nap_sim_pool;
struct nap_worker nap_sim_worker;
struct nap__self nap_sim_self;
struct nap_group nap_sim_group;
