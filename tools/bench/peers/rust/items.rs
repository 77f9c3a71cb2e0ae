// SPDX-License-Identifier: MIT
// Tasks one by one, in both pools in Rust, as common/items.h and items_wake.h for C. Rayon has
// some rows of its own (scopes.rs).

use crate::common::*;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

pub trait Pool: Sync + 'static {
    fn start(size: &Size) -> Self;
    // Schedules a task: from outside, and from a task.
    fn push(&self, what: impl FnOnce() + Send + 'static);
    fn push_inside(what: impl FnOnce() + Send + 'static);
}

pub static COUNT: Count = Count::new();

pub fn nothing() {
    COUNT.done();
}

fn push_all(pool: &impl Pool, n: u64, what: fn()) {
    COUNT.set(n);
    for _ in 0..n {
        pool.push(what);
    }
    COUNT.wait();
}

pub fn outside<P: Pool>(size: &Size) {
    let pool = P::start(size);
    time(size, || push_all(&pool, size.n, nothing));
}

// Schedules from as many outside threads as the row has workers; the pool has two workers.
pub fn producers<P: Pool>(size: &Size) {
    let pool = &P::start(&Size { workers: 2, row: size.row.clone(), how: String::new(), ..*size });
    let share = |i: usize| size.n * i as u64 / size.workers as u64;
    time(size, || {
        COUNT.set(size.n);
        std::thread::scope(|scope| {
            for i in 0..size.workers {
                scope.spawn(move || (share(i)..share(i + 1)).for_each(|_| pool.push(nothing)));
            }
        });
        COUNT.wait();
    });
}

pub fn trip<P: Pool>(size: &Size) {
    let pool = P::start(size);
    time_each(size, || push_all(&pool, 1, nothing));
}

fn work_1us() {
    work(1000);
    COUNT.done();
}

pub fn burst<P: Pool>(size: &Size) {
    let pool = P::start(size);
    time_each(size, || push_all(&pool, size.n, work_1us));
}

fn work_100us() {
    work(100_000);
    COUNT.done();
}

pub fn trickle<P: Pool>(size: &Size) {
    let pool = P::start(size);
    let push = size.how != "sleep";
    time(size, || {
        COUNT.set(size.n);
        for _ in 0..size.n {
            sleep(1_000_000);
            if push {
                pool.push(work_100us);
            } else {
                COUNT.done();
            }
        }
        COUNT.wait();
    });
}

pub fn worker<P: Pool>(size: &Size) {
    let pool = P::start(size);
    let n = size.n;
    time(size, || {
        COUNT.set(n + 1);
        pool.push(move || {
            for _ in 0..n {
                P::push_inside(nothing);
            }
            COUNT.done();
        });
        COUNT.wait();
    });
}

pub fn delay<P: Pool>(size: &Size) {
    let pool = P::start(size);
    take_each(size, || {
        let (send, receive) = std::sync::mpsc::channel();
        COUNT.set(2);
        pool.push(move || {
            let pushed = now();
            P::push_inside(move || {
                let _ = send.send(now() - pushed);
                COUNT.done();
            });
            work(1_000_000);
            COUNT.done();
        });
        COUNT.wait();
        receive.recv().unwrap_or_else(|_| die("nothing was sent"))
    });
}

// ---- what an idle pool costs: common/idle.h

static ARRIVED: AtomicUsize = AtomicUsize::new(0);

pub fn idle_bytes<P: Pool>(size: &Size) {
    let workers = size.workers;
    let before = anonymous();
    let pool = P::start(size);
    COUNT.set(workers as u64);
    for _ in 0..workers {
        pool.push(move || {
            ARRIVED.fetch_add(1, Ordering::AcqRel);
            while ARRIVED.load(Ordering::Acquire) < workers {
                sleep(100_000);
            }
            COUNT.done();
        });
    }
    COUNT.wait();
    sleep(100_000_000);
    print_value(size, anonymous() - before, workers);
}

// tools/bench/client/exec.c began this process at the time in HOW.
pub fn first<P: Pool>(size: &Size) {
    static BEGAN: AtomicU64 = AtomicU64::new(0);
    let pool = P::start(size);
    COUNT.set(1);
    pool.push(|| {
        BEGAN.store(now(), Ordering::Relaxed);
        COUNT.done();
    });
    COUNT.wait();
    print_value(size, BEGAN.load(Ordering::Relaxed) - size.how.parse::<u64>().unwrap_or(0), 1);
}
