// SPDX-License-Identifier: MIT
// Rayon: a pool of a given number of threads; main is none of them.
#[path = "common.rs"]
mod common;
#[path = "items.rs"]
#[allow(dead_code)]
mod items;
#[path = "loops.rs"]
mod loops;
#[path = "numbers.rs"]
mod numbers;
#[path = "scopes.rs"]
mod scopes;
#[path = "trees.rs"]
mod trees;

use common::*;
use items::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::mem::MaybeUninit;
use trees::*;

pub const PEER: &str = "rayon";

// A body that the compiler cannot remove.
fn kept() {
    unsafe { std::arch::asm!("", options(nomem, nostack, preserves_flags)) };
}

impl Pool for ThreadPool {
    fn start(size: &Size) -> ThreadPool {
        start_apart(size);
        match ThreadPoolBuilder::new().num_threads(size.workers).build() {
            Ok(pool) => pool,
            Err(_) => die("the pool does not start"),
        }
    }

    fn push(&self, what: impl FnOnce() + Send + 'static) {
        self.spawn(what)
    }

    fn push_inside(what: impl FnOnce() + Send + 'static) {
        rayon::spawn(what)
    }
}

// A loop of n bodies, each scheduled alone: the closest thing to a batch. The loop counts them itself.
fn batch(size: &Size) {
    let pool = ThreadPool::start(size);
    time(size, || {
        pool.install(|| (0..size.n as u32).into_par_iter().with_max_len(1).for_each(|_| kept()));
    });
}

fn regions(size: &Size) {
    let pool = ThreadPool::start(size);
    time(size, || {
        pool.install(|| {
            for _ in 0..size.n {
                (0..16).into_par_iter().for_each(|_| work(400));
            }
        })
    });
}

// ---- trees

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (left, right) = rayon::join(|| fib(n - 1), || fib(n - 2));
    left + right
}

fn fib_row(size: &Size) {
    let pool = ThreadPool::start(size);
    time_n(size, fib_forks(size.n), || {
        if pool.install(|| fib(size.n)) != fib_by_sum(size.n) {
            die("the result is wrong");
        }
    });
}

fn sort(a: &mut [i32]) {
    if a.len() <= SORT_CUTOFF {
        return by_insertion(a);
    }
    let (larger, smaller) = parts(a);
    rayon::join(|| sort(smaller), || sort(larger));
}

fn sort_row(size: &Size) {
    let pool = ThreadPool::start(size);
    sort_time(size, |a| pool.install(|| sort(a)));
}

// Counts the boards with this row's queen on each square in `free`; other threads may take the
// later squares.
fn split(board: Board, free: u32, n: u32, rows: u32) -> u64 {
    if free == 0 {
        return 0;
    }
    let next = board.with(free & free.wrapping_neg());
    let others = free & (free - 1);
    if others == 0 {
        return nqueens(next, n, rows - 1);
    }
    let first = || nqueens(next, n, rows - 1);
    let (first, rest) = rayon::join(first, || split(board, others, n, rows));
    first + rest
}

fn nqueens(board: Board, n: u32, rows: u32) -> u64 {
    if rows <= QUEENS_CUTOFF + 1 {
        board.count(n, rows)
    } else {
        split(board, board.free(n), n, rows)
    }
}

fn nqueens_row(size: &Size) {
    let pool = ThreadPool::start(size);
    let n = size.n as u32;
    let none = Board { down: 0, left: 0, right: 0 };
    time_n(size, 1, || queens_check(size.n, pool.install(|| nqueens(none, n, n))));
}

// Only squares that are not attacked are forked.
fn queens(columns: &Columns, n: usize) -> u64 {
    if columns.rows as usize == n {
        return 1;
    }
    let (mut next, mut peaceful) = ([MaybeUninit::<Columns>::uninit(); 20], 0);
    for placed in (0..n).filter_map(|column| columns.with(column)) {
        next[peaceful].write(placed);
        peaceful += 1;
    }
    if peaceful == 0 {
        return 0;
    }
    // The first `peaceful` boards have been written, and the others are not read.
    let next = unsafe { std::slice::from_raw_parts(next.as_ptr().cast::<Columns>(), peaceful) };
    next.par_iter().with_max_len(1).map(|placed| queens(placed, n)).sum()
}

fn queens_row(size: &Size) {
    let pool = ThreadPool::start(size);
    let none = Columns { of: [0; 20], rows: 0 };
    time_n(size, 1, || queens_check(size.n, pool.install(|| queens(&none, size.n as usize))));
}

// A node of the tree of tools/works/uts.c, whose functions make the nodes. A job for each child
// but the last.
#[repr(C)]
struct UtsNode {
    hash: [u32; 5],
    depth: u32,
}

extern "C" {
    fn uts_root() -> UtsNode;
    fn uts_child(parent: *const UtsNode, i: u32) -> UtsNode;
    fn uts_children(node: *const UtsNode) -> u32;
}

const UTS_NODES: u64 = 4130071;

fn visit_one(parent: &UtsNode, i: u32) -> u64 {
    let node = unsafe { uts_child(parent, i) };
    match unsafe { uts_children(&node) } {
        0 => 1,
        n => 1 + visit(&node, 0, n),
    }
}

// Visits the children from the first on; other threads may take the later children.
fn visit(parent: &UtsNode, first: u32, end: u32) -> u64 {
    if first + 1 == end {
        return visit_one(parent, first);
    }
    let (here, rest) =
        rayon::join(|| visit_one(parent, first), || visit(parent, first + 1, end));
    here + rest
}

fn uts(size: &Size) {
    let pool = ThreadPool::start(size);
    time_n(size, 1, || {
        let root = unsafe { uts_root() };
        let n = unsafe { uts_children(&root) };
        if 1 + pool.install(|| visit(&root, 0, n)) != UTS_NODES {
            die("the result is wrong");
        }
    });
}

fn matmul(size: &Size) {
    let pool = ThreadPool::start(size);
    let m = Matrices::new(size.n as usize);
    let mut c = vec![0.0; m.n * m.n];
    time_n(size, 1, || {
        pool.install(|| c.par_chunks_mut(m.n).enumerate().for_each(|(i, c)| m.row(i, c)))
    });
}

const ROWS: Rows = &[
    ("outside", scopes::outside),
    ("producers", scopes::producers),
    ("batch", batch),
    ("worker", scopes::worker),
    ("again", scopes::again),
    ("delay", delay::<ThreadPool>),
    ("trip", trip::<ThreadPool>),
    ("burst", burst::<ThreadPool>),
    ("trickle", trickle::<ThreadPool>),
    ("idle-bytes", idle_bytes::<ThreadPool>),
    ("first", first::<ThreadPool>),
    ("regions", regions),
    ("fib", fib_row),
    ("sort", sort_row),
    ("nqueens", nqueens_row),
    ("queens", queens_row),
    ("uts", uts),
    ("matmul", matmul),
    ("for-short", loops::short),
    ("for-long", loops::long),
    ("for-many", loops::many),
    ("for-index", loops::index),
    ("for-chance", loops::chance),
    ("for-heavy", loops::heavy),
    ("sum", loops::sum),
    ("any", loops::any),
    ("sort-ints", loops::sort_ints),
    ("sort-doubles", loops::sort_doubles),
    ("sort-pairs", loops::sort_pairs),
    ("sort-ints-by", loops::ints_by),
    ("sort-doubles-by", loops::doubles_by),
    ("sort-pairs-by", loops::pairs_by),
    ("sort-strings-by", loops::strings_by),
    ("sort-ints-stable", loops::ints_stable),
    ("sort-doubles-stable", loops::doubles_stable),
    ("sort-pairs-stable", loops::pairs_stable),
    ("sort-strings-stable", loops::strings_stable),
    ("sort-ints-call", loops::ints_call),
    ("sort-doubles-call", loops::doubles_call),
    ("sort-pairs-call", loops::pairs_call),
    ("sort-strings-call", loops::strings_call),
];

fn main() {
    run(ROWS)
}
