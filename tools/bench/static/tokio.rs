// SPDX-License-Identifier: MIT
fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(runtime.spawn(async {})).unwrap();
}
