// SPDX-License-Identifier: MIT
// Tokio: a runtime of so many threads without I/O and timers; main is none of them.
#[path = "common.rs"]
mod common;
#[path = "items.rs"]
mod items;
#[path = "trees.rs"]
#[allow(dead_code)]
mod trees;

use common::*;
use items::*;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::runtime::{Builder, Runtime};

pub const PEER: &str = "tokio";

impl Pool for Runtime {
    fn start(size: &Size) -> Runtime {
        start_apart(size);
        match Builder::new_multi_thread().worker_threads(size.workers).build() {
            Ok(runtime) => runtime,
            Err(_) => die("the runtime does not start"),
        }
    }

    fn push(&self, what: impl FnOnce() + Send + 'static) {
        self.spawn(async move { what() });
    }

    fn push_inside(what: impl FnOnce() + Send + 'static) {
        tokio::spawn(async move { what() });
    }
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
        Runtime::push_inside(move || sort(larger));
        a = smaller;
    }
    trees::by_insertion(a);
    if PARTS.fetch_sub(1, Ordering::AcqRel) == 1 {
        COUNT.done();
    }
}


fn sort_row(size: &Size) {
    let runtime = Runtime::start(size);
    trees::sort_time(size, |a| {
        COUNT.set(1);
        PARTS.store(1, Ordering::Relaxed);
        let all = Part(a.as_mut_ptr(), a.len());
        runtime.push(move || sort(all));
        COUNT.wait();
    });
}

const ROWS: Rows = &[
    ("outside", outside::<Runtime>),
    ("producers", producers::<Runtime>),
    ("worker", worker::<Runtime>),
    ("again", again::<Runtime>),
    ("delay", delay::<Runtime>),
    ("trip", trip::<Runtime>),
    ("burst", burst::<Runtime>),
    ("trickle", trickle::<Runtime>),
    ("sort", sort_row),
];

fn main() {
    run(ROWS)
}
