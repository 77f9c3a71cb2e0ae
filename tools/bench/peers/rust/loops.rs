// SPDX-License-Identifier: MIT
// Loops, sums and sorts by Rayon's iterators, as common/loops.h and common/numbers.h for C.
use crate::common::*;
use crate::numbers::*;
use rayon::prelude::*;
use std::arch::asm;
use std::cell::Cell;
use std::cmp::Ordering;

const PAUSE_NS: u64 = 1_000_000;

thread_local!(static LAST: Cell<u64> = const { Cell::new(0) });

fn tiny(i: u64) {
    LAST.with(|last| {
        let mut i = i ^ last.get();
        for _ in 0..6 {
            i = (i ^ (i >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
        last.set(i);
    });
}

fn by_chance(i: u64) -> u64 {
    (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % 20_000
}

// "alone": a plain loop of one thread, which shows how long an iteration is.
fn alone(size: &Size, turns: u64, turn: impl Fn(u64)) {
    time_n(size, size.n * turns, || (0..size.n).for_each(|_| (0..turns).for_each(&turn)));
}

// Main's part is done by one of the threads, so a loop begins and ends inside the pool. HOW is
// "each": an iteration may be taken by itself. By default Rayon makes four parts for two threads,
// and divides a part again when the other thread takes it.
fn run(size: &Size, turns: u64, turn: impl Fn(u64) + Send + Sync) {
    if size.how == "alone" {
        return alone(size, turns, turn);
    }
    let each = size.how == "each";
    let once = || match each {
        true => (0..turns as usize).into_par_iter().with_max_len(1).for_each(|i| turn(i as u64)),
        false => (0..turns).into_par_iter().for_each(&turn),
    };
    start(size).install(|| match size.how.as_str() {
        "pause" => time_each_after(size, PAUSE_NS, once),
        "idle" => time(size, || {
            for _ in 0..size.n {
                sleep(PAUSE_NS);
                once();
            }
        }),
        _ => time(size, || (0..size.n).for_each(|_| once())),
    })
}

fn start(size: &Size) -> rayon::ThreadPool {
    match rayon::ThreadPoolBuilder::new().num_threads(size.workers).build() {
        Ok(pool) => pool,
        Err(_) => die("the pool does not start"),
    }
}

pub fn short(size: &Size) {
    run(size, 16, |_| work(400))
}

pub fn long(size: &Size) {
    run(size, 16, |_| work(40_000))
}

pub fn many(size: &Size) {
    run(size, 1_000_000, tiny)
}

pub fn index(size: &Size) {
    run(size, 1000, |i| work(i * 20))
}

pub fn chance(size: &Size) {
    run(size, 1000, |i| work(by_chance(i)))
}

pub fn heavy(size: &Size) {
    run(size, 1000, |i| work(if i == 500 { 5_000_000 } else { 1000 }))
}

// ---- numbers

pub fn sum(size: &Size) {
    let pool = start(size);
    let numbers: Vec<f64> = (0..size.n).map(|i| if i % 2 == 1 { 1.5 } else { 0.5 }).collect();
    pool.install(|| {
        time_n(size, 1, || {
            let all: f64 = numbers.par_iter().sum();
            if (all - size.n as f64).abs() > size.n as f64 / 1e6 {
                die("the sum is wrong");
            }
        })
    });
}

pub fn any(size: &Size) {
    let pool = start(size);
    let numbers: Vec<f64> = (0..size.n).map(|i| if i == 5 { 1.0 } else { 0.0 }).collect();
    pool.install(|| {
        time_each(size, || {
            if !numbers.par_iter().any(|&x| x == 1.0) {
                die("it is not found");
            }
        })
    });
}

fn sort<T: Copy + Send>(size: &Size, make: impl Fn(u64, u64) -> T, sort: impl Fn(&mut [T]) + Sync,
                        above: impl Fn(&T, &T) -> bool) {
    let pool = start(size);
    sorts_time(size, make, |all| pool.install(|| sort(all)), above);
}

// The order of "<", by which the peers in C and C++ compare, too: none of the numbers is a NaN.
// total_cmp() takes longer, because it turns both into integers that are ordered in the same way.
fn by_less(a: &f64, b: &f64) -> Ordering {
    if a < b {
        Ordering::Less
    } else if a > b {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

// Rayon has no sort by digits. What is fastest for the type is a sort by comparisons.
pub fn sort_ints(size: &Size) {
    sort(size, |key, _| key as i32, |all| all.par_sort_unstable(), |a, b| a > b)
}

pub fn sort_doubles(size: &Size) {
    sort(
        size,
        |key, _| key as i64 as f64,
        |all| all.par_sort_unstable_by(by_less),
        |a, b| a > b,
    )
}

pub fn sort_pairs(size: &Size) {
    sort(
        size,
        |key, i| (key, i),
        |all| all.par_sort_unstable_by_key(|pair| pair.0),
        |a, b| a.0 > b.0,
    )
}

// By comparisons: "-by" leaves equal elements in any order, "-stable" keeps their order, and
// "-call" compares through a pointer to a function.

fn ints(size: &Size, by: impl Fn(&mut [i32]) + Sync) {
    sort(size, |key, _| key as i32, by, |a, b| a > b)
}

fn doubles(size: &Size, by: impl Fn(&mut [f64]) + Sync) {
    sort(size, |key, _| key as i64 as f64, by, |a, b| a > b)
}

fn pairs(size: &Size, by: impl Fn(&mut [(u64, u64)]) + Sync) {
    sort(size, |key, i| (key, i), by, |a, b| a.0 > b.0)
}

// Makes the texts of common/numbers.c, in one block as there.
fn strings(size: &Size, by: impl Fn(&mut [&str]) + Sync) {
    const LETTERS: usize = 14;
    let mut texts = String::with_capacity(LETTERS * size.n as usize);
    for i in 0..size.n {
        let mut key = key_at(size, i);
        let mut letters = [' '; LETTERS];
        for letter in letters.iter_mut().rev() {
            *letter = char::from(b'a' + (key % 26) as u8);
            key /= 26;
        }
        texts.extend(letters);
    }
    sort(size, |_, i| &texts[LETTERS * i as usize..][..LETTERS], by, |a, b| a > b)
}

// Hides from the compiler which function is called.
fn called<T>(mut compare: fn(&T, &T) -> Ordering) -> fn(&T, &T) -> Ordering {
    unsafe { asm!("/* {} */", inout(reg) compare, options(nomem, nostack, preserves_flags)) };
    compare
}

pub fn ints_by(size: &Size) {
    ints(size, |all| all.par_sort_unstable_by(|a, b| a.cmp(b)))
}

pub fn ints_stable(size: &Size) {
    ints(size, |all| all.par_sort_by(|a, b| a.cmp(b)))
}

pub fn ints_call(size: &Size) {
    ints(size, |all| all.par_sort_unstable_by(called::<i32>(|a, b| a.cmp(b))))
}

pub fn doubles_by(size: &Size) {
    doubles(size, |all| all.par_sort_unstable_by(by_less))
}

pub fn doubles_stable(size: &Size) {
    doubles(size, |all| all.par_sort_by(by_less))
}

pub fn doubles_call(size: &Size) {
    doubles(size, |all| all.par_sort_unstable_by(called::<f64>(by_less)))
}

pub fn pairs_by(size: &Size) {
    pairs(size, |all| all.par_sort_unstable_by(|a, b| a.0.cmp(&b.0)))
}

pub fn pairs_stable(size: &Size) {
    pairs(size, |all| all.par_sort_by(|a, b| a.0.cmp(&b.0)))
}

pub fn pairs_call(size: &Size) {
    pairs(size, |all| all.par_sort_unstable_by(called::<(u64, u64)>(|a, b| a.0.cmp(&b.0))))
}

pub fn strings_by(size: &Size) {
    strings(size, |all| all.par_sort_unstable_by(|a, b| a.cmp(b)))
}

pub fn strings_stable(size: &Size) {
    strings(size, |all| all.par_sort_by(|a, b| a.cmp(b)))
}

pub fn strings_call(size: &Size) {
    strings(size, |all| all.par_sort_unstable_by(called::<&str>(|a, b| a.cmp(b))))
}
