// SPDX-License-Identifier: MIT
// error[E0277]
fn main() {
	let (one, two) = (nap::Pool::new().unwrap(), nap::Pool::new().unwrap());
	one.call(|w| two.call(|_| w.join(|_| (), |_| ())).unwrap()).unwrap();
}
