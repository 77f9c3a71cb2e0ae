// SPDX-License-Identifier: MIT
// Tokio: a runtime of a given number of threads. The runtime has drivers of files and timers only
// in rows that use them, because yield_now() waits for a turn of the drivers. Main is none of the
// threads.
#[path = "common.rs"]
mod common;
#[path = "items.rs"]
#[allow(dead_code)]
mod items;
#[path = "waits.rs"]
mod waits;
#[path = "trees.rs"]
#[allow(dead_code)]
mod trees;

use common::*;
use items::*;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Runtime};

pub const PEER: &str = "tokio";

fn build(builder: &mut Builder) -> Runtime {
    match builder.build() {
        Ok(runtime) => runtime,
        Err(_) => die("the runtime does not start"),
    }
}

// HOW ends with "current": the runtime has no threads of its own, and main runs the tasks while it
// waits for one of them.
fn is_current(size: &Size) -> bool {
    size.how.ends_with("current")
}

fn builder(size: &Size) -> Builder {
    if !is_current(size) {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(size.workers);
        return builder;
    }
    if size.workers != 1 {
        die("main is one worker");
    }
    Builder::new_current_thread()
}

pub fn start_with_drivers(size: &Size) -> Runtime {
    build(builder(size).enable_all())
}

impl Pool for Runtime {
    fn start(size: &Size) -> Runtime {
        start_apart(size);
        build(&mut builder(size))
    }

    fn push(&self, what: impl FnOnce() + Send + 'static) {
        self.spawn(async move { what() });
    }

    fn push_inside(what: impl FnOnce() + Send + 'static) {
        tokio::spawn(async move { what() });
    }
}

// A task that schedules itself again wakes itself.
struct Hop;

impl Future for Hop {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if COUNT.down() {
            COUNT.end();
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

fn again(size: &Size) {
    let runtime = Runtime::start(size);
    time(size, || {
        COUNT.set(size.n);
        runtime.spawn(Hop);
        COUNT.wait();
    });
}

// Spawns a task for the larger part, without waiting for it: the last task of all wakes main.
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

// Tasks in place of tools/bench/nap/fibers.c. Main only waits, as in that file.
async fn two<F: Future<Output = ()> + Send + 'static>(one: F, other: F) {
    let (one, other) = (tokio::spawn(one), tokio::spawn(other));
    one.await.unwrap();
    other.await.unwrap();
}

pub fn fibers<F: Future<Output = ()> + Send + 'static>(size: &Size, body: impl Fn(u64) -> F) {
    let runtime = Runtime::start(size);
    time(size, || runtime.block_on(runtime.spawn(body(size.n))).unwrap());
}

async fn gives_way(n: u64) {
    for _ in 0..n {
        tokio::task::yield_now().await;
    }
}

fn turns(size: &Size) {
    fibers(size, |n| two(gives_way(n / 2), gives_way(n / 2)));
}

fn spawn_await(size: &Size) {
    fibers(size, |n| async move {
        for _ in 0..n {
            tokio::spawn(async {}).await.unwrap();
        }
    });
}

fn channel(size: &Size) {
    fibers(size, |n| async move {
        let (there, mut from) = tokio::sync::mpsc::channel::<u64>(1);
        let (back, mut answer) = tokio::sync::mpsc::channel::<u64>(1);
        let other = tokio::spawn(async move {
            for _ in 0..n {
                back.send(from.recv().await.unwrap()).await.unwrap();
            }
        });
        for i in 0..n {
            there.send(i).await.unwrap();
            if answer.recv().await != Some(i) {
                die("a channel does not work");
            }
        }
        other.await.unwrap();
    });
}

async fn locks(lock: Arc<tokio::sync::Mutex<u64>>, n: u64) {
    for _ in 0..n {
        let mut guarded = lock.lock().await;
        *guarded += 1;
        tokio::task::yield_now().await;
    }
}

fn mutex(size: &Size) {
    fibers(size, |n| async move {
        let lock = Arc::new(tokio::sync::Mutex::new(0u64));
        two(locks(lock.clone(), n / 2), locks(lock.clone(), n / 2)).await;
        if *lock.lock().await != n / 2 * 2 {
            die("a mutex does not work");
        }
    });
}

fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 }
}

fn sleepers(size: &Size) {
    static SLEEPING: AtomicU64 = AtomicU64::new(0);
    let runtime = start_with_drivers(size);
    let before = resident();
    for _ in 0..size.n {
        runtime.spawn(async {
            SLEEPING.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
        });
    }
    while SLEEPING.load(Ordering::Relaxed) < size.n {
        sleep(10_000_000);
    }
    sleep(100_000_000);
    println!("{}\t{}\t{}\t-\t1", size.row, PEER, (resident() - before) / size.n);
    runtime.shutdown_background();
}

// Connections that are tasks, in place of tools/bench/nap/echo.c.
async fn serve(mut conn: tokio::net::TcpStream) {
    let mut bytes = [0u8; 4096];
    loop {
        match conn.read(&mut bytes).await {
            Ok(n) if n > 0 && conn.write_all(&bytes[..n]).await.is_ok() => {}
            _ => return,
        }
    }
}

fn serve_all(runtime: &Runtime) -> String {
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    runtime.spawn(async move {
        while let Ok((conn, _)) = listener.accept().await {
            conn.set_nodelay(true).unwrap();
            tokio::spawn(serve(conn));
        }
    });
    port
}

fn client(name: &str, args: &[&str]) -> std::process::Command {
    let path = std::env::current_exe().unwrap().with_file_name(name);
    let mut command = std::process::Command::new(path);
    command.args(args);
    command
}

fn run_client(mut command: std::process::Command) {
    if !command.status().unwrap().success() {
        die("the client found a wrong answer");
    }
}

fn echo(size: &Size) {
    let runtime = start_with_drivers(size);
    let port = serve_all(&runtime);
    let connections = size.how.trim_end_matches("current").trim_end_matches('-');
    let connections = if connections.is_empty() { "1" } else { connections };
    time(size, || {
        let mut command = client("echo-client", &[&port, connections, &size.n.to_string()]);
        command.stdout(std::process::Stdio::null());
        if is_current(size) {
            let ended = runtime.spawn_blocking(|| run_client(command));
            runtime.block_on(ended).unwrap();
        } else {
            run_client(command);
        }
    });
    runtime.shutdown_background();
}

// Timers and files beside tasks that compute and yield, in place of tools/bench/nap/beside.c.
const BESIDE_TASKS: usize = 4;

fn beside_pause(state: &mut u32) -> u64 {
    *state = state.wrapping_mul(1664525).wrapping_add(1013904223);
    1_000_000 + u64::from((*state >> 8) % 1_000_000)
}

async fn computes(ns: u64) {
    loop {
        work(ns);
        tokio::task::yield_now().await;
    }
}

fn beside_begin(size: &Size) -> Runtime {
    let runtime = start_with_drivers(size);
    for _ in 0..BESIDE_TASKS * size.workers {
        runtime.spawn(computes(size.n * 1000));
    }
    runtime
}

fn echo_asked(size: &Size, runtime: &Runtime) {
    let port = serve_all(runtime);
    run_client(client("beside-client", &[&port, &size.rounds.to_string(), &size.row, PEER]));
}

fn echo_beside(size: &Size) {
    let runtime = beside_begin(size);
    echo_asked(size, &runtime);
    runtime.shutdown_background();
}

fn sleep_late(size: &Size, runtime: &Runtime) {
    let rounds = size.rounds as usize;
    let sleeper = runtime.spawn(async move {
        let (mut state, mut late) = (1u32, Vec::with_capacity(rounds + 1));
        while late.len() <= rounds {
            let length = beside_pause(&mut state);
            let until = now() + length;
            tokio::time::sleep(std::time::Duration::from_nanos(length)).await;
            late.push(now() - until);
        }
        late
    });
    for late in &runtime.block_on(sleeper).unwrap()[1..] {
        print_value(size, *late, 1);
    }
}

fn sleep_beside(size: &Size) {
    let runtime = beside_begin(size);
    sleep_late(size, &runtime);
    runtime.shutdown_background();
}

fn echo_idle(size: &Size) {
    echo_asked(size, &start_with_drivers(size));
}

fn sleep_idle(size: &Size) {
    sleep_late(size, &start_with_drivers(size));
}

const ROWS: Rows = &[
    ("outside", outside::<Runtime>),
    ("producers", producers::<Runtime>),
    ("worker", worker::<Runtime>),
    ("again", again),
    ("delay", delay::<Runtime>),
    ("trip", trip::<Runtime>),
    ("burst", burst::<Runtime>),
    ("trickle", trickle::<Runtime>),
    ("sort", sort_row),
    ("turns", turns),
    ("spawn-await", spawn_await),
    ("channel", channel),
    ("mutex", mutex),
    ("lock", waits::lock),
    ("cond", waits::cond),
    ("timer-arm", waits::timer_arm),
    ("timer-cancel", waits::timer_cancel),
    ("timer-fire", waits::timer_fire),
    ("idle-bytes", idle_bytes::<Runtime>),
    ("first", first::<Runtime>),
    ("sleepers", sleepers),
    ("echo", echo),
    ("echo-beside", echo_beside),
    ("sleep-beside", sleep_beside),
    ("echo-idle", echo_idle),
    ("sleep-idle", sleep_idle),
];

fn main() {
    run(ROWS)
}
