// SPDX-License-Identifier: MIT
//! Counts the lines of the files that standard input names. Each file is a work; a large file is
//! counted in parts:
//!
//! 	ls *.c | lines
//!
//! One thread has the loop: it polls the queue's eventfd and standard input.
use std::fs;
use std::io::{self, Read};
use std::os::raw::{c_int, c_short, c_ulong};
use std::os::unix::io::AsRawFd;
use std::sync::Arc;

use nap::{Ended, Pool, Queue, Worker};

#[repr(C)]
struct PollFd {
	fd: c_int,
	events: c_short,
	revents: c_short,
}

extern "C" {
	fn poll(fds: *mut PollFd, n: c_ulong, timeout: c_int) -> c_int;
}

/// Counts both halves of the text at the same time, until the halves are small.
fn count(w: &Worker<'_>, text: &[u8]) -> usize {
	if text.len() < 1 << 16 {
		return text.iter().filter(|&&byte| byte == b'\n').count();
	}
	let (left, right) = text.split_at(text.len() / 2);
	let (a, b) = w.join(|w| count(w, left), |w| count(w, right));
	a + b
}

fn main() -> io::Result<()> {
	// The works call into the pool, so each of them has a reference to it.
	let pool = Arc::new(Pool::new()?);
	let mut queue: Queue<io::Result<usize>> = Queue::new()?;
	let mut names: Vec<String> = Vec::new();
	let mut total = 0;
	let (mut ended, mut at_end) = (0, false);
	let mut begun: Vec<u8> = Vec::new();

	while !at_end || ended < names.len() {
		let mut fds = [
			PollFd { fd: queue.as_raw_fd(), events: 1, revents: 0 },
			// poll(2) ignores a negative fd.
			PollFd { fd: if at_end { -1 } else { 0 }, events: 1, revents: 0 },
		];
		if unsafe { poll(fds.as_mut_ptr(), 2, -1) } < 0 {
			let err = io::Error::last_os_error();
			if err.kind() != io::ErrorKind::Interrupted {
				return Err(err);
			}
			continue;
		}
		// One read gets what is there: some whole lines, and perhaps the beginning of
		// another line.
		if fds[1].revents != 0 {
			let mut bytes = [0; 4096];
			let n = io::stdin().lock().read(&mut bytes)?;
			at_end = n == 0;
			begun.extend_from_slice(if at_end && !begun.is_empty() { b"\n" } else { &bytes[..n] });
		}
		while let Some(end) = begun.iter().position(|&byte| byte == b'\n') {
			let line: Vec<u8> = begun.drain(..=end).collect();
			let name = String::from_utf8_lossy(&line[..end]).into_owned();
			let (path, pool2) = (name.clone(), pool.clone());
			queue
				.schedule(&pool, names.len() as u64, move |_| {
					let text = fs::read(path)?;
					Ok(pool2.call(|w| count(w, &text)).expect("the pool is open"))
				})
				.expect("the pool is open");
			names.push(name);
		}
		while let Some(end) = queue.next() {
			ended += 1;
			match end.result {
				Ok(Ok(lines)) => {
					println!("{} {}", lines, names[end.id as usize]);
					total += lines;
				}
				Ok(Err(err)) => eprintln!("{}: {}", names[end.id as usize], err),
				Err(Ended::Panicked(_)) => eprintln!("{}: it panicked", names[end.id as usize]),
				Err(Ended::Canceled) | Err(Ended::TimedOut) => unreachable!("nothing is canceled"),
			}
		}
	}
	println!("{} total", total);
	Ok(())
}
