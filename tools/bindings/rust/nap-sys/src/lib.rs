// SPDX-License-Identifier: MIT
//! The calls and structures of nap that the crate `nap` uses, as the C headers have them.
//!
//! The manual's section 3 describes each call; no call is safe beyond what the manual says.
//! `nap_top()`, `nap_fork()` and `nap_join()`, which are inline functions in C, are inline here, too.
#![allow(non_camel_case_types, non_snake_case)]

use std::os::raw::{c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::sync::atomic::{compiler_fence, AtomicPtr, Ordering};

/// Linux's error numbers, the same on each machine that nap runs on. A call returns a negated error
/// number.
pub const EBUSY: c_int = 16;
pub const EINVAL: c_int = 22;
pub const EDEADLK: c_int = 35;
pub const ESHUTDOWN: c_int = 108;
pub const ETIMEDOUT: c_int = 110;
pub const EALREADY: c_int = 114;
pub const ECANCELED: c_int = 125;

pub const NAP_DRAIN: c_uint = 1;
pub const NAP_STOP: c_uint = 2;
pub const NAP_FOREVER: u64 = u64::MAX;

/// A pool. Only the library knows its size, so [`nap_pool_new`] makes one.
#[repr(C)]
pub struct nap_pool {
	private: [u8; 0],
}

/// A worker. Only the library knows its size.
#[repr(C)]
pub struct nap_worker {
	private: [u8; 0],
}

pub type nap_task_fn = unsafe extern "C" fn(task: *mut nap_task);

#[repr(C)]
pub struct nap_task {
	pub next: *mut nap_task,
	pub run: Option<nap_task_fn>,
}

#[repr(C)]
pub struct nap_batch {
	pub head: *mut nap_task,
	pub tail: *mut nap_task,
	pub count: usize,
}

impl nap_batch {
	/// `NAP_BATCH_INIT`
	pub const EMPTY: nap_batch =
		nap_batch { head: std::ptr::null_mut(), tail: std::ptr::null_mut(), count: 0 };
}

pub type nap_hook_fn = unsafe extern "C" fn(worker: *mut nap_worker, arg: *mut c_void);
pub type nap_spawn_failed_fn = unsafe extern "C" fn(pool: *mut nap_pool, err: c_int, arg: *mut c_void);

/// A configuration begins as all zero, [`nap_config::ZERO`]; then fields are set.
#[repr(C)]
pub struct nap_config {
	pub max_workers: u32,
	pub idle: u32,
	pub name: *const c_char,
	pub stack_size: usize,
	pub worker_start: Option<nap_hook_fn>,
	pub worker_stop: Option<nap_hook_fn>,
	pub spawn_failed: Option<nap_spawn_failed_fn>,
	pub arg: *mut c_void,
	pub yields: u32,
	pub yield_us: u32,
	pub blocked: *const u64,
	pub affinity: *const c_ulong,
	pub affinity_size: usize,
	pub sched: *const c_void,
	pub flags: u32,
	pub spin_us: u32,
	pub memory: *const c_void,
	pub guard_size: usize,
	pub most_workers: u32,
	pub most_blocked: u32,
	pub min_workers: u32,
	/// Padding with a name, so that it is 0: a later library may have a field here.
	pub between: u32,
	pub idle_timeout_ns: u64,
	pub classes: *mut c_void,
	pub measure: u32,
	/// Room for the fields of later libraries. 0 means that a field is not set.
	pub later: [u32; 65],
}

impl nap_config {
	/// A configuration with no field set.
	pub const ZERO: nap_config = nap_config {
		max_workers: 0,
		idle: 0,
		name: std::ptr::null(),
		stack_size: 0,
		worker_start: None,
		worker_stop: None,
		spawn_failed: None,
		arg: std::ptr::null_mut(),
		yields: 0,
		yield_us: 0,
		blocked: std::ptr::null(),
		affinity: std::ptr::null(),
		affinity_size: 0,
		sched: std::ptr::null(),
		flags: 0,
		spin_us: 0,
		memory: std::ptr::null(),
		guard_size: 0,
		most_workers: 0,
		most_blocked: 0,
		min_workers: 0,
		between: 0,
		idle_timeout_ns: 0,
		classes: std::ptr::null_mut(),
		measure: 0,
		later: [0; 65],
	};
}

#[repr(C)]
pub struct nap_group {
	pub pool: *mut nap_pool,
	pub waiters: usize,
	pub state: u64,
}

pub type nap_work_fn = unsafe extern "C" fn(work: *mut nap_work) -> c_int;
pub type nap_done_fn = unsafe extern "C" fn(work: *mut nap_work, result: c_int);
pub type nap_gone_fn = unsafe extern "C" fn(work: *mut nap_work);

#[repr(C)]
pub struct nap_work {
	pub task: nap_task,
	pub run: Option<nap_work_fn>,
	pub done: Option<nap_done_fn>,
	pub cq: *mut nap_cq,
	pub deadline: u64,
	pub state: u32,
	pub result: i32,
	pub gone: Option<nap_gone_fn>,
	pub told: nap_task,
}

/// A completion queue. A queue that is all zero is closed.
#[repr(C)]
pub struct nap_cq {
	pub private: [u64; 14],
}

pub type nap_job_fn =
	unsafe extern "C" fn(worker: *mut nap_worker, top: *mut nap_frame, frame: *mut nap_frame);
pub type nap_call_fn = unsafe extern "C" fn(worker: *mut nap_worker, arg: *mut c_void);

/// A frame: one cache line of a worker, in which a job's words are.
#[repr(C, align(64))]
pub struct nap_frame {
	pub run: Option<nap_job_fn>,
	pub latch: u32,
	pub thief: u32,
	pub words: [u64; 6],
}

/// The first cache line of every worker.
#[repr(C, align(64))]
pub struct Bottom {
	pub bottom: AtomicPtr<nap_frame>,
}

/// The first two cache lines of every worker: all that fork and join need.
#[repr(C, align(64))]
pub struct nap__forks {
	pub line: Bottom,
	pub limit: AtomicPtr<nap_frame>,
	pub split: AtomicPtr<nap_frame>,
}

#[link(name = "nap")]
extern "C" {
	pub fn nap_cpu_count() -> u32;
	pub fn nap_pool_new(pool: *mut *mut nap_pool, config: *const nap_config) -> c_int;
	pub fn nap_pool_free(pool: *mut nap_pool) -> c_int;
	pub fn nap_pool_prewarm(pool: *mut nap_pool, n: u32) -> c_int;
	pub fn nap_pool_shutdown(pool: *mut nap_pool, mode: c_uint) -> c_int;
	pub fn nap_pool_join(pool: *mut nap_pool, left: *mut nap_batch) -> c_int;
	pub fn nap_pool_quiesce(pool: *mut nap_pool) -> c_int;
	pub fn nap_pool_help(pool: *mut nap_pool, max: c_ulong) -> c_long;
	pub fn nap_pool_init_child(pool: *mut nap_pool) -> c_int;
	pub fn nap_schedule(pool: *mut nap_pool, task: *mut nap_task) -> c_int;
	pub fn nap_schedule_batch(pool: *mut nap_pool, batch: *mut nap_batch) -> c_int;
	pub fn nap_worker_self() -> *mut nap_worker;
	pub fn nap_worker_pool(worker: *const nap_worker) -> *mut nap_pool;
	pub fn nap_worker_index(worker: *const nap_worker) -> u32;
	pub fn nap_group_init(group: *mut nap_group, pool: *mut nap_pool);
	pub fn nap_group_add(group: *mut nap_group, n: u32) -> c_int;
	pub fn nap_group_done(group: *mut nap_group) -> c_int;
	pub fn nap_group_wait(group: *mut nap_group) -> c_int;
	pub fn nap_call(pool: *mut nap_pool, run: nap_call_fn, arg: *mut c_void) -> c_int;
	pub fn nap_fork_slow(worker: *mut nap_worker, top: *mut nap_frame) -> *mut nap_frame;
	pub fn nap_join_slow(worker: *mut nap_worker, top: *mut nap_frame) -> bool;
	pub fn nap_deadline(timeout_ns: u64) -> u64;
	pub fn nap_work_schedule(pool: *mut nap_pool, work: *mut nap_work) -> c_int;
	pub fn nap_cancel(work: *mut nap_work) -> bool;
	pub fn nap_work_is_canceled(work: *const nap_work) -> bool;
	pub fn nap_work_end_left(left: *mut nap_batch) -> usize;
	pub fn nap_cq_init(cq: *mut nap_cq) -> c_int;
	pub fn nap_cq_fd(cq: *const nap_cq) -> c_int;
	pub fn nap_cq_pop(cq: *mut nap_cq) -> *mut nap_task;
	pub fn nap_cq_close(cq: *mut nap_cq, left: *mut nap_batch) -> c_int;
}

/// `nap_top()` of nap/fork.h
///
/// # Safety
/// `worker` is the calling worker.
#[inline]
pub unsafe fn nap_top(worker: *mut nap_worker) -> *mut nap_frame {
	(*worker.cast::<nap__forks>()).line.bottom.load(Ordering::Relaxed)
}

/// `nap_fork()` of nap/fork.h, with the same orders
///
/// # Safety
/// `worker` is the calling worker, and `top` its first free frame, whose words hold what `run` needs.
/// The job is joined before the function that has forked it returns.
#[inline]
pub unsafe fn nap_fork(worker: *mut nap_worker, top: *mut nap_frame, run: nap_job_fn) -> *mut nap_frame {
	let forks = worker.cast::<nap__forks>();

	(*top).run = Some(run);
	(*forks).line.bottom.store(top.add(1), Ordering::Release);
	compiler_fence(Ordering::SeqCst);
	if top >= (*forks).limit.load(Ordering::Relaxed) {
		return nap_fork_slow(worker, top);
	}
	top.add(1)
}

/// `nap_join()` of nap/fork.h, with the same orders
///
/// # Safety
/// `worker` is the calling worker, and `top` the frame of its youngest job.
#[inline]
pub unsafe fn nap_join(worker: *mut nap_worker, top: *mut nap_frame) -> bool {
	let forks = worker.cast::<nap__forks>();

	(*forks).line.bottom.store(top, Ordering::Relaxed);
	compiler_fence(Ordering::SeqCst);
	if top < (*forks).split.load(Ordering::Relaxed) {
		return nap_join_slow(worker, top);
	}
	true
}
