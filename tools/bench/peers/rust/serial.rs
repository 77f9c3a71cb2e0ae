// SPDX-License-Identifier: MIT
// The works by plain calls, as peers/serial.c, and the sorts of Rust's library. Rayon's speed-up is
// relative to these, so that one compiler has built both.
#[path = "common.rs"]
#[allow(dead_code)]
mod common;
#[path = "numbers.rs"]
mod numbers;
#[path = "trees.rs"]
#[allow(dead_code)]
mod trees;

use common::*;
use numbers::*;
use trees::*;

pub const PEER: &str = "serial-rust";

fn sort(mut a: &mut [i32]) {
    while a.len() > SORT_CUTOFF {
        let (larger, smaller) = parts(a);
        sort(smaller);
        a = larger;
    }
    by_insertion(a);
}

fn sort_row(size: &Size) {
    sort_time(size, sort);
}

fn nqueens_row(size: &Size) {
    let n = size.n as u32;
    let none = Board { down: 0, left: 0, right: 0 };
    time_n(size, 1, || queens_check(size.n, none.count(n, n)));
}

fn queens(columns: &Columns, n: usize) -> u64 {
    if columns.rows as usize == n {
        return 1;
    }
    (0..n).filter_map(|column| columns.with(column)).map(|placed| queens(&placed, n)).sum()
}

fn queens_row(size: &Size) {
    let none = Columns { of: [0; 20], rows: 0 };
    time_n(size, 1, || queens_check(size.n, queens(&none, size.n as usize)));
}

// As Rayon's row, which also sorts the integers by comparisons.
fn sort_ints(size: &Size) {
    sorts_time(size, |key, _| key as i32, |all| all.sort_unstable(), |a, b| a > b)
}

const ROWS: Rows = &[
    ("sort", sort_row),
    ("nqueens", nqueens_row),
    ("queens", queens_row),
    ("sort-ints", sort_ints),
];

fn main() {
    run(ROWS)
}
