// SPDX-License-Identifier: MIT
// Tokio: a runtime of so many threads without I/O and timers; main is none of them.
#[path = "common.rs"]
mod common;
#[path = "trees.rs"]
#[allow(dead_code)]
mod trees;

use common::*;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::runtime::{Builder, Runtime};

pub const PEER: &str = "tokio";

static COUNT: Count = Count::new();

fn start(size: &Size) -> Runtime {
    start_apart(size);
    match Builder::new_multi_thread().worker_threads(size.workers).build() {
        Ok(runtime) => runtime,
        Err(_) => die("the runtime does not start"),
    }
}

async fn nothing() {
    COUNT.done();
}

fn outside(size: &Size) {
    let runtime = start(size);
    time(size, || {
        COUNT.set(size.n);
        for _ in 0..size.n {
            runtime.spawn(nothing());
        }
        COUNT.wait();
    });
}

fn trip(size: &Size) {
    let runtime = start(size);
    time_each(size, || {
        COUNT.set(1);
        runtime.spawn(nothing());
        COUNT.wait();
    });
}

fn burst(size: &Size) {
    let runtime = start(size);
    time_each(size, || {
        COUNT.set(size.n);
        for _ in 0..size.n {
            runtime.spawn(async {
                work(1000);
                COUNT.done();
            });
        }
        COUNT.wait();
    });
}

fn trickle(size: &Size) {
    let runtime = start(size);
    time(size, || {
        COUNT.set(size.n);
        for _ in 0..size.n {
            sleep(1_000_000);
            runtime.spawn(async {
                work(100_000);
                COUNT.done();
            });
        }
        COUNT.wait();
    });
}

fn worker(size: &Size) {
    let runtime = start(size);
    let n = size.n;
    time(size, || {
        COUNT.set(n + 1);
        runtime.spawn(async move {
            for _ in 0..n {
                tokio::spawn(nothing());
            }
            COUNT.done();
        });
        COUNT.wait();
    });
}

fn hop() {
    if COUNT.down() {
        COUNT.end();
    } else {
        tokio::spawn(async { hop() });
    }
}

fn again(size: &Size) {
    let runtime = start(size);
    time(size, || {
        COUNT.set(size.n);
        runtime.spawn(async { hop() });
        COUNT.wait();
    });
}

fn delay(size: &Size) {
    let runtime = start(size);
    take_each(size, || {
        let (send, receive) = std::sync::mpsc::channel();
        COUNT.set(2);
        runtime.spawn(async move {
            let pushed = now();
            tokio::spawn(async move {
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

// A task for the larger part, without waiting for it: the last one of all tells main.
static PARTS: AtomicU64 = AtomicU64::new(0);

struct Part(*mut i32, usize);
unsafe impl Send for Part {}

fn sort(part: Part) {
    let Part(first, len) = part;
    let mut a = unsafe { std::slice::from_raw_parts_mut(first, len) };
    while a.len() > trees::SORT_CUTOFF {
        let (larger, smaller) = trees::parts(a);
        let larger = Part(larger.as_mut_ptr(), larger.len());
        PARTS.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move { sort(larger) });
        a = smaller;
    }
    trees::by_insertion(a);
    if PARTS.fetch_sub(1, Ordering::AcqRel) == 1 {
        COUNT.done();
    }
}


fn sort_row(size: &Size) {
    let runtime = start(size);
    trees::sort_time(size, |a| {
        COUNT.set(1);
        PARTS.store(1, Ordering::Relaxed);
        let all = Part(a.as_mut_ptr(), a.len());
        runtime.spawn(async move { sort(all) });
        COUNT.wait();
    });
}

const ROWS: Rows = &[
    ("outside", outside),
    ("worker", worker),
    ("again", again),
    ("delay", delay),
    ("trip", trip),
    ("burst", burst),
    ("trickle", trickle),
    ("sort", sort_row),
];

fn main() {
    run(ROWS)
}
