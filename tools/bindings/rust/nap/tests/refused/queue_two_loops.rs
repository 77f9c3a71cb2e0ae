// SPDX-License-Identifier: MIT
// error[E0499]
fn main() {
	let mut queue = nap::Queue::<u32>::new().unwrap();
	std::thread::scope(|s| {
		s.spawn(|| queue.next());
		s.spawn(|| queue.next());
	});
}
