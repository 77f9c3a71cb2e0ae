// SPDX-License-Identifier: MIT
// error[E0499]
fn main() {
	let pool = nap::Pool::new().unwrap();
	let mut n = 0;
	pool.scope(|s| {
		s.spawn(|| n += 1);
		s.spawn(|| n += 1);
	});
}
