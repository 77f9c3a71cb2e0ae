// SPDX-License-Identifier: MIT
// Empty tasks in Rayon's scopes, as common/items.h for C. A scope counts its tasks and waits for
// them, so a task does not count itself.

use crate::common::*;
use crate::items::Pool;
use crate::kept;
use rayon::{Scope, ThreadPool};
use std::sync::atomic::{AtomicU64, Ordering};

fn spawn_all<'s>(scope: &Scope<'s>, n: u64) {
    for _ in 0..n {
        scope.spawn(|_| kept());
    }
}

// Main stays outside of the pool.
pub fn outside(size: &Size) {
    let pool = ThreadPool::start(size);
    time(size, || pool.in_place_scope(|scope| spawn_all(scope, size.n)));
}

pub fn worker(size: &Size) {
    let pool = ThreadPool::start(size);
    time(size, || pool.scope(|scope| spawn_all(scope, size.n)));
}

// Spawns from as many outside threads as the row has workers; the pool has two workers.
pub fn producers(size: &Size) {
    let two = Size { workers: 2, row: size.row.clone(), how: String::new(), ..*size };
    let pool = ThreadPool::start(&two);
    let share = |i: usize| size.n * i as u64 / size.workers as u64;
    time(size, || {
        pool.in_place_scope(|scope| {
            std::thread::scope(|threads| {
                for i in 0..size.workers {
                    threads.spawn(move || spawn_all(scope, share(i + 1) - share(i)));
                }
            })
        })
    });
}

// The tasks run one after another, so no locked operation is needed to count them.
static LEFT: AtomicU64 = AtomicU64::new(0);

fn hop<'s>(scope: &Scope<'s>) {
    let left = LEFT.load(Ordering::Relaxed) - 1;
    LEFT.store(left, Ordering::Relaxed);
    if left > 0 {
        scope.spawn(hop);
    }
}

pub fn again(size: &Size) {
    let pool = ThreadPool::start(size);
    time(size, || {
        LEFT.store(size.n, Ordering::Relaxed);
        pool.scope(hop);
    });
}
