// SPDX-License-Identifier: MIT
// error: lifetime may not live long enough
fn main() {
	let pool = nap::Pool::new().unwrap();
	let queue = nap::Queue::new().unwrap();
	queue
		.schedule(&pool, 1, |running| {
			let kept: &'static nap::Running<'static> = running;
			kept.is_canceled();
		})
		.unwrap();
}
