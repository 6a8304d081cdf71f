//! Reads the files named on standard input, parses each with syn and drops the tree; prints the nanoseconds that took,
//! the peak of memory in KiB, and how many files did not parse. The argument is the number of threads.

use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Bytes of stack: generated code nests deeply enough for the default to overflow.
const STACK: usize = 256 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let threads: usize = std::env::args().nth(1).ok_or("how many threads?")?.parse()?;
    let mut list = String::new();
    std::io::stdin().read_to_string(&mut list)?;
    let files: Vec<&str> = list.lines().collect();
    let next = AtomicUsize::new(0);
    let failed = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| -> std::io::Result<()> {
        for _ in 0..threads {
            std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, || {
                    while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let parsed = std::fs::read_to_string(file)
                            .ok()
                            .and_then(|text| syn::parse_file(&text).ok());
                        if parsed.is_none() {
                            failed.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                })?;
        }
        Ok(())
    })?;
    let elapsed = start.elapsed();
    println!(
        "{} {} {}",
        elapsed.as_nanos(),
        peak().unwrap_or(0),
        failed.into_inner()
    );
    Ok(())
}

/// The greatest amount of memory so far, in KiB, where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
