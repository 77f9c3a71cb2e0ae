// SPDX-License-Identifier: MIT
// The command line and the clocks of a benchmark's program in Rust, as common/row.h for C.

use std::arch::asm;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

pub const REST_NS: u64 = 300_000;

pub struct Size {
    pub row: String,
    pub workers: usize,
    pub n: u64,
    pub rounds: u64,
    pub how: String,
}

impl Size {
    pub fn apart(&self) -> bool {
        self.how == "apart"
    }
}

pub type Rows = &'static [(&'static str, fn(&Size))];

fn clock(id: libc::clockid_t) -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(id, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

pub fn now() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

#[derive(Clone, Copy)]
pub struct Span {
    wall: u64,
    cpu: u64,
}

impl Span {
    pub fn begin() -> Span {
        let cpu = clock(libc::CLOCK_PROCESS_CPUTIME_ID);
        Span { wall: now(), cpu }
    }

    pub fn took(&self) -> Span {
        let wall = now() - self.wall;
        Span { wall, cpu: clock(libc::CLOCK_PROCESS_CPUTIME_ID) - self.cpu }
    }
}

pub fn print(size: &Size, took: Span, n: u64) {
    println!("{}\t{}\t{}\t{}\t{}", size.row, crate::PEER, took.wall, took.cpu, n);
}

pub fn die(why: &str) -> ! {
    eprintln!("{}: {}", crate::PEER, why);
    std::process::exit(1)
}

fn pin(cpu: usize) {
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        if libc::sched_setaffinity(0, std::mem::size_of_val(&set), &set) != 0 {
            die("this row wants two CPUs, 0 and 1");
        }
    }
}

// Called before and after threads are started, because threads inherit the CPU.
pub fn start_apart(size: &Size) {
    if size.apart() {
        pin(1);
    }
}

fn go_apart(size: &Size) {
    if size.apart() {
        pin(0);
    }
}

// `each`: how many pieces of work a round counts as. With "cold" there is no warm-up.
pub fn time_n(size: &Size, each: u64, mut once: impl FnMut()) {
    let warm = size.how != "cold";
    if warm {
        once();
    }
    go_apart(size);
    if warm {
        once();
    }
    let span = Span::begin();
    for _ in 0..size.rounds {
        once();
    }
    print(size, span.took(), each * size.rounds);
}

pub fn time(size: &Size, once: impl FnMut()) {
    time_n(size, size.n, once)
}

pub fn busy(ns: u64) {
    let end = now() + ns;
    while now() < end {}
}

pub fn time_each(size: &Size, once: impl FnMut()) {
    time_each_after(size, REST_NS, once)
}

pub fn time_each_after(size: &Size, rest_ns: u64, mut once: impl FnMut()) {
    once();
    go_apart(size);
    let mut samples = Vec::with_capacity(size.rounds as usize);
    for _ in 0..size.rounds {
        busy(rest_ns);
        let span = Span::begin();
        once();
        samples.push(span.took());
    }
    for took in samples {
        print(size, took, size.n);
    }
}

// Makes each round a sample, which is what `once` returns.
pub fn take_each(size: &Size, mut once: impl FnMut() -> u64) {
    once();
    let mut samples = Vec::with_capacity(size.rounds as usize);
    for _ in 0..size.rounds {
        busy(REST_NS);
        samples.push(once());
    }
    for wall in samples {
        print_value(size, wall, 1);
    }
}

pub fn sleep(ns: u64) {
    std::thread::sleep(std::time::Duration::from_nanos(ns));
}

// The bytes of anonymous memory that has been written to.
pub fn anonymous() -> u64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Anonymous:"));
    match line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()) {
        Some(kib) => kib * 1024,
        None => die("no /proc/self/smaps_rollup"),
    }
}

pub fn print_value(size: &Size, value: u64, n: usize) {
    println!("{}\t{}\t{}\t-\t{}", size.row, crate::PEER, value, n);
}

// ---- work that takes a given time

static LOOPS_PER_US: AtomicU64 = AtomicU64::new(0);

#[inline(always)]
fn loops(n: u64) {
    for _ in 0..n {
        unsafe { asm!("", options(nomem, nostack, preserves_flags)) };
    }
}

pub fn work(ns: u64) {
    loops(LOOPS_PER_US.load(Ordering::Relaxed) * ns / 1000);
}

fn calibrate() {
    let mut best = u64::MAX;
    for _ in 0..50 {
        let begin = now();
        loops(200_000);
        best = best.min(now() - begin);
    }
    LOOPS_PER_US.store(200_000 * 1000 / best.max(1), Ordering::Relaxed);
}

// ---- wait until a number of tasks have been done: common/count.h

#[repr(align(64))]
struct Line<T>(T);

pub struct Count {
    left: Line<AtomicU64>,
    done: Line<AtomicU32>,
}

impl Count {
    pub const fn new() -> Count {
        Count { left: Line(AtomicU64::new(0)), done: Line(AtomicU32::new(0)) }
    }

    fn futex(&self, op: libc::c_int, value: u32) {
        let null = std::ptr::null::<libc::timespec>();
        let op = op | libc::FUTEX_PRIVATE_FLAG;
        unsafe { libc::syscall(libc::SYS_futex, &self.done.0, op, value, null, null, 0) };
    }

    pub fn set(&self, n: u64) {
        self.done.0.store(0, Ordering::Relaxed);
        self.left.0.store(n, Ordering::Release);
    }

    // Returns whether this task was the last. If so, the caller calls end().
    pub fn down(&self) -> bool {
        self.left.0.fetch_sub(1, Ordering::AcqRel) == 1
    }

    pub fn end(&self) {
        self.done.0.store(1, Ordering::Release);
        self.futex(libc::FUTEX_WAKE, 1);
    }

    pub fn done(&self) {
        if self.down() {
            self.end();
        }
    }

    pub fn wait(&self) {
        while self.done.0.load(Ordering::Acquire) == 0 {
            self.futex(libc::FUTEX_WAIT, 0);
        }
    }
}

pub fn run(rows: Rows) {
    let args: Vec<String> = std::env::args().collect();
    if args.len() == 2 && args[1] == "--list" {
        for (name, _) in rows {
            println!("{}", name);
        }
        return;
    }
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok()).unwrap_or(0);
    let row = args.get(1).and_then(|name| rows.iter().find(|row| row.0 == name));
    if row.is_none() || !(5..=6).contains(&args.len()) || (2..5).any(|i| number(i) == 0) {
        eprintln!("usage: {} ROW WORKERS N ROUNDS [HOW]", crate::PEER);
        std::process::exit(2);
    }
    if args[1] != "first" {
        calibrate();
    }
    let size = Size {
        row: args[1].clone(),
        workers: number(2) as usize,
        n: number(3),
        rounds: number(4),
        how: args.get(5).cloned().unwrap_or_default(),
    };
    row.unwrap().1(&size);
}
