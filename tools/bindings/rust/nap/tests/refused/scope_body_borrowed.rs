// SPDX-License-Identifier: MIT
// error[E0597]
fn main() {
	let pool = nap::Pool::new().unwrap();
	pool.scope(|s| {
		let inside = vec![1];
		let r = &inside;
		s.spawn(move || println!("{:?}", r));
	});
}
