// SPDX-License-Identifier: MIT
// error[E0597]
fn main() {
	let pool = nap::Pool::new().unwrap();
	let queue = nap::Queue::new().unwrap();
	let text = String::from("text");
	let r = &text;
	queue.schedule(&pool, 1, move |_| r.len()).unwrap();
}
