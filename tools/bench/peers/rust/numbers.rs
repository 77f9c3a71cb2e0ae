// SPDX-License-Identifier: MIT
// Numbers to be sorted, as common/numbers.c.

use crate::common::*;

fn random_at(i: u64) -> u64 {
    let i = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let i = (i ^ (i >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let i = (i ^ (i >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    i ^ (i >> 31)
}

pub fn key_at(size: &Size, i: u64) -> u64 {
    match size.how.as_str() {
        "sorted" => i,
        "equal" => 7,
        "reversed" => size.n - i,
        _ => random_at(i + 1),
    }
}

// Measures the sort: it runs once to warm up, and once in each round. Only the sorting is
// measured.
pub fn sorts_time<T>(size: &Size, make: impl Fn(u64, u64) -> T, sort: impl Fn(&mut [T]),
                     above: impl Fn(&T, &T) -> bool) {
    for round in 0..=size.rounds {
        let mut all: Vec<T> = (0..size.n).map(|i| make(key_at(size, i), i)).collect();
        let span = Span::begin();
        sort(&mut all);
        if round > 0 {
            print(size, span.took(), 1);
        }
        if all.windows(2).any(|pair| above(&pair[0], &pair[1])) {
            die("it is not sorted");
        }
    }
}
