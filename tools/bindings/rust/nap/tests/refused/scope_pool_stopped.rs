// SPDX-License-Identifier: MIT
// error[E0505]
fn main() {
	let pool = nap::Pool::new().unwrap();
	pool.scope(|s| {
		s.spawn(|| ());
		pool.stop();
	});
}
