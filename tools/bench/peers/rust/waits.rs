// SPDX-License-Identifier: MIT
// Tokio's mutex, its Notify in place of conditions, and its timers: common/locks.h, common/timers.h.

use crate::common::*;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, Sleep};

async fn locks(lock: Arc<tokio::sync::Mutex<u64>>, n: u64) {
    for _ in 0..n {
        *lock.lock().await += 1;
    }
}

async fn locks_std(lock: Arc<Mutex<u64>>, n: u64) {
    for _ in 0..n {
        *lock.lock().unwrap() += 1;
    }
}

async fn join_all(all: Vec<JoinHandle<()>>) {
    for one in all {
        one.await.unwrap();
    }
}

// Tokio's manual prefers the mutex of std for a section that does not wait: HOW is "std".
pub fn lock(size: &Size) {
    let workers = size.workers as u64;
    if size.how == "std" {
        return crate::fibers(size, |n| async move {
            let lock = Arc::new(Mutex::new(0));
            let one = |_| tokio::spawn(locks_std(lock.clone(), n / workers));
            join_all((0..workers).map(one).collect()).await
        });
    }
    crate::fibers(size, |n| async move {
        let lock = Arc::new(tokio::sync::Mutex::new(0));
        let one = |_| tokio::spawn(locks(lock.clone(), n / workers));
        join_all((0..workers).map(one).collect()).await
    });
}

struct Sides {
    turn: Mutex<usize>,
    changed: [Notify; 2],
}

impl Sides {
    // Returns whether it was this side's turn. The mutex is free before the other side is woken,
    // because a worker that finds it taken sleeps. The function is not async, because rustc 1.63
    // takes a guard in an async function to be held while the function waits.
    fn pass(&self, me: usize) -> bool {
        let mut turn = self.turn.lock().unwrap();
        if *turn != me {
            return false;
        }
        *turn = 1 - me;
        drop(turn);
        self.changed[1 - me].notify_one();
        true
    }
}

async fn side(sides: Arc<Sides>, me: usize, n: u64) {
    for _ in 0..n {
        while !sides.pass(me) {
            sides.changed[me].notified().await;
        }
    }
}

pub fn cond(size: &Size) {
    crate::fibers(size, |n| async move {
        let sides =
            Arc::new(Sides { turn: Mutex::new(0), changed: [Notify::new(), Notify::new()] });
        let other = tokio::spawn(side(sides.clone(), 1, n));
        side(sides, 0, n).await;
        other.await.unwrap();
    });
}

const FAR_NS: u64 = 3_600_000_000_000;
const SOON_NS: u64 = 3_000_000;
const BUSY_NS: u64 = 5_000_000;

fn timer_ns(i: u64, within: u64) -> u64 {
    (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % within
}

fn sleep_for(ns: u64) -> Sleep {
    tokio::time::sleep(Duration::from_nanos(ns))
}

// Polls a timer once, so that it wakes this task. The first poll also arms a new timer.
struct Wanted<'a>(Pin<&'a mut Sleep>);

impl Future for Wanted<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let _ = self.0.as_mut().poll(context);
        Poll::Ready(())
    }
}

// A timer that is nearer than those of the rounds. Without it each arm would be the nearest timer
// and would write to an eventfd, so that the drivers do not sleep for too long. In a server a
// nearer timer is the usual case. The runtime knows of it when the drivers have slept once.
async fn arm_a_nearer_one() {
    tokio::spawn(sleep_for(FAR_NS / 2));
    sleep_for(2_000_000).await;
}

// Timers are prepared, then armed by a reset, and disarmed by a drop where they are.
fn arm_and_cancel(size: &Size, arms: bool) {
    let (n, rounds) = (size.n, size.rounds);
    let runtime = crate::start_with_drivers(size);
    let measured = runtime.spawn(async move {
        let mut took = Vec::new();
        let mut timers: Vec<Pin<Box<Option<Sleep>>>> = (0..n).map(|_| Box::pin(None)).collect();
        arm_a_nearer_one().await;
        for round in 0..=rounds {
            for timer in &mut timers {
                timer.set(Some(sleep_for(FAR_NS)));
            }
            let mut span = Span::begin();
            for (i, timer) in (0..n).zip(&mut timers) {
                let mut timer = timer.as_mut().as_pin_mut().unwrap();
                let ns = FAR_NS + timer_ns(i, FAR_NS);
                timer.as_mut().reset(Instant::now() + Duration::from_nanos(ns));
                Wanted(timer).await;
            }
            let arming = span.took();
            span = Span::begin();
            for timer in &mut timers {
                timer.set(None);
            }
            if round > 0 {
                took.push(if arms { arming } else { span.took() });
            }
        }
        took
    });
    for took in runtime.block_on(measured).unwrap() {
        print(size, took, size.n);
    }
}

pub fn timer_arm(size: &Size) {
    arm_and_cancel(size, true)
}

pub fn timer_cancel(size: &Size) {
    arm_and_cancel(size, false)
}

static ARMED: AtomicU64 = AtomicU64::new(0);

static LEFT: AtomicU64 = AtomicU64::new(0);

async fn waits(ns: u64, ended: Arc<Notify>) {
    let timer = sleep_for(ns);
    tokio::pin!(timer);
    Wanted(timer.as_mut()).await;
    ARMED.fetch_add(1, Ordering::Relaxed);
    timer.await;
    if LEFT.fetch_sub(1, Ordering::Relaxed) == 1 {
        ended.notify_one();
    }
}

// A task for each timer, as each timer of nap's has one. All timers are due before the clock is
// started. The last one wakes the task that measures. A task that awaits one after the other is
// woken once for many of them.
pub fn timer_fire(size: &Size) {
    let (n, rounds) = (size.n, size.rounds);
    let runtime = crate::start_with_drivers(size);
    let measured = runtime.spawn(async move {
        let (mut took, ended) = (Vec::new(), Arc::new(Notify::new()));
        for round in 0..=rounds {
            ARMED.store(0, Ordering::Relaxed);
            LEFT.store(n, Ordering::Relaxed);
            for i in 0..n {
                tokio::spawn(waits(timer_ns(i, SOON_NS), ended.clone()));
            }
            while ARMED.load(Ordering::Relaxed) < n {
                tokio::task::yield_now().await;
            }
            busy(BUSY_NS);
            let span = Span::begin();
            ended.notified().await;
            if round > 0 {
                took.push(span.took());
            }
        }
        took
    });
    for took in runtime.block_on(measured).unwrap() {
        print(size, took, size.n);
    }
}
