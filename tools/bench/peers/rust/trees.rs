// SPDX-License-Identifier: MIT
// Trees, step by step as in common/trees.h and tools/works.

use crate::common::{die, print, Size, Span};

pub fn fib_by_sum(n: u64) -> u64 {
    let (mut a, mut b) = (0, 1);
    for _ in 0..n {
        let next = a + b;
        a = b;
        b = next;
    }
    a
}

pub fn fib_forks(n: u64) -> u64 {
    fib_by_sum(n + 1) - 1
}

// ---- the quicksort of Zap's benchmark: its shuffle, Lomuto's partition, insertion up to 32

pub const SORT_CUTOFF: usize = 32;

pub fn shuffle(a: &mut [i32]) {
    let mut xs: u32 = 0xdead_beef;
    for (i, at) in a.iter_mut().enumerate() {
        *at = i as i32;
    }
    for i in 0..a.len() {
        xs ^= xs << 13;
        xs ^= xs >> 17;
        xs ^= xs << 5;
        a.swap(i, xs as usize % (i + 1));
    }
}

pub fn by_insertion(a: &mut [i32]) {
    for i in 1..a.len() {
        let mut n = i;
        while n > 0 && a[n] < a[n - 1] {
            a.swap(n, n - 1);
            n -= 1;
        }
    }
}

pub fn partition(a: &mut [i32]) -> usize {
    let last = a.len() - 1;
    let mut i = 0;
    for j in 0..last {
        if a[j] <= a[last] {
            a.swap(i, j);
            i += 1;
        }
    }
    a.swap(i, last);
    i
}

// Returns the larger and the smaller part, without the pivot between them.
pub fn parts(a: &mut [i32]) -> (&mut [i32], &mut [i32]) {
    let mid = partition(a);
    let (left, right) = a.split_at_mut(mid);
    let right = &mut right[1..];
    if left.len() < right.len() {
        (right, left)
    } else {
        (left, right)
    }
}

// Measures the sort: it runs once to warm up, and once in each round. Only the sorting is
// measured.
pub fn sort_time(size: &Size, mut sort: impl FnMut(&mut [i32])) {
    let mut a = vec![0i32; size.n as usize];
    for round in 0..=size.rounds {
        shuffle(&mut a);
        let span = Span::begin();
        sort(&mut a);
        let took = span.took();
        if round > 0 {
            print(size, took, 1);
        }
        if a.iter().enumerate().any(|(i, &at)| at != i as i32) {
            die("it is not sorted");
        }
    }
}

// ---- nqueens: rows as sets of bits; a row with six rows or fewer below it is not split

pub const QUEENS_CUTOFF: u32 = 6;

#[derive(Clone, Copy)]
pub struct Board {
    pub down: u32,
    pub left: u32,
    pub right: u32,
}

impl Board {
    pub fn free(&self, n: u32) -> u32 {
        ((1 << n) - 1) & !(self.down | self.left | self.right)
    }

    pub fn with(&self, queen: u32) -> Board {
        Board {
            down: self.down | queen,
            left: (self.left | queen) << 1,
            right: (self.right | queen) >> 1,
        }
    }

    pub fn count(&self, n: u32, rows: u32) -> u64 {
        if rows == 0 {
            return 1;
        }
        let (mut result, mut free) = (0, self.free(n));
        while free != 0 {
            result += self.with(free & free.wrapping_neg()).count(n, rows - 1);
            free &= free - 1;
        }
        result
    }
}

pub fn queens_check(n: u64, result: u64) {
    let known = [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184];
    if known.get(n as usize) != Some(&result) {
        die("the result is wrong");
    }
}

// ---- queens without a cut-off: a board is a list of columns, and is checked as a whole

#[derive(Clone, Copy)]
pub struct Columns {
    pub of: [i8; 20],
    pub rows: i8,
}

impl Columns {
    fn peaceful(&self) -> bool {
        let of = &self.of[..self.rows as usize];
        for (row, &p) in of.iter().enumerate() {
            for (distance, &q) in (1i8..).zip(&of[row + 1..]) {
                let across = q - p;
                if across == 0 || across == distance || across == -distance {
                    return false;
                }
            }
        }
        true
    }

    pub fn with(mut self, column: usize) -> Option<Columns> {
        self.of[self.rows as usize] = column as i8;
        self.rows += 1;
        self.peaceful().then_some(self)
    }
}

// ---- matrix multiply: c = a * b, n by n

pub struct Matrices {
    pub n: usize,
    pub a: Vec<f64>,
    pub b: Vec<f64>,
}

impl Matrices {
    pub fn new(n: usize) -> Matrices {
        Matrices {
            n,
            a: (0..n * n).map(|i| (i % 7) as f64).collect(),
            b: (0..n * n).map(|i| (i % 5) as f64).collect(),
        }
    }

    pub fn row(&self, row: usize, c: &mut [f64]) {
        c.fill(0.0);
        for k in 0..self.n {
            let a = self.a[row * self.n + k];
            for (c, b) in c.iter_mut().zip(&self.b[k * self.n..(k + 1) * self.n]) {
                *c += a * b;
            }
        }
    }
}
